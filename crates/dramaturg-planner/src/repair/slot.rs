//! Slots: one for each variable and number of the ground problem, all holding plain integers.

use dramaturg_model::{Domain, Fixed, ids};

use crate::ground::{Meaning, NumberId, Problem, VariableId};

ids! {
    /// A variable or a number of the ground problem.
    SlotId,
}

/// Stands for a number without a value; no number is as small.
pub(crate) const NOTHING: i64 = i64::MIN;

/// What a slot holds.
#[derive(Clone, Debug)]
pub(crate) enum SlotKind {
    /// The index of a variable's value.
    Choice {
        /// How many values there are.
        size: u32,
    },
    /// The index of a whole number with few values.
    Whole {
        /// What index 0 stands for.
        least: i64,
        /// How many numbers there are.
        count: u32,
    },
    /// A number in millionths.
    Number {
        /// Where it is cut off.
        domain: Domain,
        /// Whether values between two whole ones are lost when they are written.
        coarse: bool,
    },
}

/// A variable or a number.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) kind: SlotKind,
}

const MILLION: i64 = dramaturg_model::fixed::MILLION;

impl Slot {
    /// All slots of a problem: variables first, then numbers.
    pub(crate) fn all(problem: &Problem) -> dramaturg_model::Table<SlotId, Self> {
        let variables = problem.variables.values().map(|variable| match &variable.meaning {
            Meaning::Whole { least, count, .. } => Self { kind: SlotKind::Whole { least: *least, count: *count } },
            _ => Self { kind: SlotKind::Choice { size: variable.size() } },
        });
        let numbers = problem.numbers.values().map(|number| {
            let coarse = !matches!(number.domain, Domain::Number(_));
            Self { kind: SlotKind::Number { domain: number.domain.clone(), coarse } }
        });
        variables.chain(numbers).collect()
    }

    /// Whether it holds a number that can grow and shrink.
    pub(crate) fn is_numeric(&self) -> bool {
        !matches!(self.kind, SlotKind::Choice { .. })
    }

    /// Whether every value is written exactly, so that gradual changes can be added up.
    pub(crate) fn is_fine(&self) -> bool {
        matches!(self.kind, SlotKind::Number { coarse: false, .. })
    }

    /// Between which numbers nothing is cut off; none where values are rounded.
    pub(crate) fn inside(&self) -> Option<(i64, i64)> {
        match &self.kind {
            SlotKind::Number { domain: Domain::Number(range), .. } => {
                let least = range.least.map_or(i64::MIN / 2, |least| least.0);
                Some((least, range.most.map_or(i64::MAX / 2, |most| most.0)))
            }
            _ => None,
        }
    }

    /// A value as a number in millionths; none if it has none.
    pub(crate) fn raw(&self, value: i64) -> Option<i64> {
        match &self.kind {
            SlotKind::Choice { .. } => None,
            SlotKind::Whole { least, count } => {
                let inside = (0..i64::from(*count)).contains(&value);
                inside.then(|| least.saturating_add(value).saturating_mul(MILLION))
            }
            SlotKind::Number { .. } => (value != NOTHING).then_some(value),
        }
    }

    /// The value that holds a number in millionths, cut off at its bounds.
    pub(crate) fn cut(&self, raw: i64) -> i64 {
        match &self.kind {
            SlotKind::Choice { .. } => raw,
            SlotKind::Whole { least, count } => {
                let index = raw.div_euclid(MILLION).saturating_sub(*least);
                index.clamp(0, i64::from(count.saturating_sub(1)))
            }
            SlotKind::Number { domain, .. } => domain.clamp(Fixed(raw)).0,
        }
    }
}

/// The slot of a variable.
#[inline]
pub(crate) const fn of_variable(variable: VariableId) -> SlotId {
    SlotId(variable.0)
}

/// The slot of a number, in a problem with so many variables.
#[inline]
pub(crate) const fn of_number(variables: usize, number: NumberId) -> SlotId {
    SlotId(variables as u32 + number.0)
}
