//! How far a value is from being another: the fewest changes that lead there.

use dramaturg_model::Table;
use smallvec::SmallVec;

use super::form::{Form, Written};
use super::repertoire::FormId;
use super::slot::{Slot, SlotId, SlotKind};
use crate::ground::{Condition, Conjunction, Frame, Ground, Literal, NumberTest, Problem};
use dramaturg_model::{Comparison, Fixed};

/// As far as nothing leads there.
pub(crate) const DEAD_END: i64 = 1000;
/// Larger variables have no table: every change counts as one.
const SIZE_MAX: u32 = 64;

/// The fewest changes from each value of each variable to each other.
#[derive(Debug)]
pub(crate) struct Distances {
    tables: Table<SlotId, Changes>,
}

/// The fewest changes between the values of one variable.
#[derive(Debug, Default)]
struct Changes {
    /// How many values there are.
    size: u32,
    /// From each to each; empty: every change counts as one.
    fewest: SmallVec<[u16; 4]>,
}

impl Distances {
    pub(crate) fn new(problem: &Problem, slots: &Table<SlotId, Slot>, forms: &Table<FormId, Form>) -> Self {
        let mut edges: Table<SlotId, Vec<(Option<u32>, u32)>> = Table::filled(slots.len(), Vec::new());
        for form in forms.values() {
            for deed in &form.deeds {
                let SlotKind::Choice { size } = slots[deed.slot].kind else { continue };
                if size > SIZE_MAX {
                    continue;
                }
                let to = match &deed.written {
                    Written::Set(value) | Written::Leave(_, value) => *value as u32..*value as u32 + 1,
                    _ => 0..size,
                };
                let needs = form.needs.iter().filter(|need| need.weight.is_none());
                let asked = needs
                    .filter_map(|need| need.condition.only())
                    .find_map(|only| only.asked(crate::ground::VariableId(deed.slot.0)));
                for to in to {
                    match asked {
                        Some(set) => {
                            let from = problem.sets.values(set, size);
                            edges[deed.slot].extend(from.map(|from| (Some(from), to)));
                        }
                        None => edges[deed.slot].push((None, to)),
                    }
                }
            }
        }
        let tables = slots.iter().map(|(id, slot)| match slot.kind {
            SlotKind::Choice { size } if size <= SIZE_MAX => {
                Changes { size, fewest: SmallVec::from_slice(&shortest(size, &edges[id])) }
            }
            _ => Changes::default(),
        });
        Self { tables: tables.collect() }
    }

    /// The fewest changes from a value of a variable to one of a set.
    fn to_set(&self, frame: Frame<'_>, literal: &Literal, value: u32) -> i64 {
        let Changes { size, fewest } = &self.tables[super::slot::of_variable(literal.variable)];
        if fewest.is_empty() {
            return 1;
        }
        let wanted = frame.sets.values(literal.values, *size);
        let distance = |to: u32| fewest.get((value * size + to) as usize).copied().unwrap_or(u16::MAX);
        wanted.map(distance).min().map_or(DEAD_END, |found| i64::from(found).min(DEAD_END))
    }

    /// How far a condition is from holding; 0 if it holds.
    pub(crate) fn of<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G, condition: &Condition) -> i64 {
        condition.any.iter().map(|all| self.of_all(frame, state, all)).min().unwrap_or(DEAD_END)
    }

    /// How far all parts of a conjunction are from holding.
    pub(crate) fn of_all<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G, all: &Conjunction) -> i64 {
        let mut sum = 0;
        for literal in &all.literals {
            let value = state.variable(literal.variable);
            if !frame.sets.contains(literal.values, value) {
                sum += self.to_set(frame, literal, value);
            }
        }
        for test in &all.numbers {
            if !test.holds(state) {
                sum += short_of(test, state).map_or(DEAD_END, |short| (short.0 + 999_999) / 1_000_000).max(1);
            }
        }
        sum + all.tests.iter().filter(|test| !test.holds(frame, state)).count() as i64
    }
}

/// By how much a comparison of numbers fails.
pub(crate) fn short_of<G: Ground + ?Sized>(test: &NumberTest, state: &G) -> Option<Fixed> {
    let sum = test.sum(state)?;
    Some(match test.sign {
        Comparison::NotEqual => Fixed(1),
        Comparison::Equal | Comparison::Less | Comparison::AtMost | Comparison::More | Comparison::AtLeast => sum.abs(),
    })
}

/// The fewest edges between all values; an edge without a beginning begins everywhere.
fn shortest(size: u32, edges: &[(Option<u32>, u32)]) -> Vec<u16> {
    let count = size as usize;
    let mut next = vec![vec![false; count]; count];
    for (from, to) in edges {
        for (value, row) in next.iter_mut().enumerate() {
            if from.is_none_or(|from| from as usize == value)
                && let Some(place) = row.get_mut(*to as usize)
            {
                *place = true;
            }
        }
    }
    let mut table = vec![u16::MAX; count * count];
    for from in 0..count {
        let mut queue = std::collections::VecDeque::from([(from, 0u16)]);
        while let Some((value, far)) = queue.pop_front() {
            let Some(place) = table.get_mut(from * count + value) else { continue };
            if *place <= far {
                continue;
            }
            *place = far;
            let steps = next.get(value).into_iter().flatten().enumerate().filter(|(_, leads)| **leads);
            queue.extend(steps.map(|(to, _)| (to, far + 1)));
        }
    }
    table
}
