//! Re-planning with least disruption: as much as possible of the old plan is kept.

use std::sync::Arc;

use super::domain::Role;
use super::thought::Want;
use crate::ground::{Condition, Conjunction, GroundChange, Literal, OperatorId, Problem, ValueSet, VariableId};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::labelled::{Labelled, LabelledOptions, Unlabelled};
use crate::search::{Outcome, Target};

/// The part of an old plan that still leads to everything that is wanted, from as late on as possible, and not longer than needed;
/// none if no part does. Nothing is searched.
pub fn what_still_holds(
    role: &Role,
    state: &PackedState,
    old: &[OperatorId],
    wants: &[Want],
) -> Option<Vec<OperatorId>> {
    (0..=old.len()).rev().find_map(|from| {
        let rest = old.get(from..)?;
        let end = performs(role, state, rest, wants)?;
        rest.get(..end).map(|rest| without_detours(role, state, rest.to_vec(), wants))
    })
}

/// Leaves out every step without which the rest leads there as well: a goal may have gone that it served.
fn without_detours(role: &Role, state: &PackedState, mut steps: Vec<OperatorId>, wants: &[Want]) -> Vec<OperatorId> {
    let mut at = 0;
    while at < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(at);
        match performs(role, state, &fewer, wants) {
            Some(end) => {
                fewer.truncate(end);
                steps = fewer;
            }
            None => at += 1,
        }
    }
    steps
}

/// How many steps it takes until all that is wanted holds, if the steps can be performed that far.
pub(super) fn performs(role: &Role, state: &PackedState, steps: &[OperatorId], wants: &[Want]) -> Option<usize> {
    let problem = &role.problem;
    let holds = |state: &PackedState| wants.iter().all(|want| problem.holds(state, &want.condition));
    let mut state = state.clone();
    for (done, step) in steps.iter().enumerate() {
        if holds(&state) {
            return Some(done);
        }
        if !problem.is_applicable(&state, *step) {
            return None;
        }
        state = problem.successor(&state, *step)?;
    }
    holds(&state).then_some(steps.len())
}

/// How far two plans are from each other: the steps that only one of them has.
pub fn distance(one: &[OperatorId], other: &[OperatorId]) -> usize {
    let (mut one, mut other) = (one.to_vec(), other.to_vec());
    one.sort_unstable();
    other.sort_unstable();
    let mut common = 0;
    let mut left = other.iter().peekable();
    for step in &one {
        while left.peek().is_some_and(|next| *next < step) {
            left.next();
        }
        if left.peek() == Some(&step) {
            left.next();
            common += 1;
        }
    }
    one.len() + other.len() - 2 * common
}

/// A search from what is to where any part of an old plan can go on.
pub struct Mending {
    role: Arc<Role>,
    wants: Vec<Want>,
    old: Vec<OperatorId>,
    start: PackedState,
    search: Labelled<Unlabelled>,
}

impl Mending {
    /// Begins to mend: `expected` is the state that the old plan was to begin in.
    pub fn new(
        role: Arc<Role>,
        start: &PackedState,
        expected: &PackedState,
        old: Vec<OperatorId>,
        wants: Vec<Want>,
        states_max: usize,
    ) -> Option<Self> {
        let entries = entries(&role.problem, expected, &old, &wants)?;
        let target = Target::new(vec![Condition { any: entries.into_iter().collect() }]);
        let options = LabelledOptions { unit_costs: false, states_max, ..LabelledOptions::default() };
        let (problem, relaxation) = (Arc::clone(&role.problem), &role.relaxation);
        let search = Labelled::new(problem, relaxation, start, target, Unlabelled, options);
        Some(Self { wants, old, start: start.clone(), search, role })
    }

    /// Works on. The whole new plan, or that there is none, once it is known.
    pub fn run(&mut self, budget: &mut Budget) -> Option<Option<Vec<OperatorId>>> {
        match self.search.run(budget).clone() {
            Outcome::Searching => None,
            Outcome::Found(way) => Some(self.join(way)),
            _ => Some(None),
        }
    }

    /// States that were gone on from.
    pub fn expanded(&self) -> u64 {
        self.search.counts().0
    }

    /// The way to the old plan, and as much of that as goes on from there.
    fn join(&self, mut way: Vec<OperatorId>) -> Option<Vec<OperatorId>> {
        let problem = &self.role.problem;
        let there = way.iter().try_fold(self.start.clone(), |state, step| problem.successor(&state, *step))?;
        let rest = (0..=self.old.len()).find_map(|from| {
            let rest = self.old.get(from..)?;
            performs(&self.role, &there, rest, &self.wants).and_then(|end| rest.get(..end))
        })?;
        way.extend_from_slice(rest);
        Some(way)
    }
}

/// What must hold for each part of an old plan to go on and reach what is wanted: regressed from its end, along the states it was to
/// pass. Only what is needed, not all effects. Parts before something that cannot be regressed are left out.
fn entries(problem: &Problem, expected: &PackedState, old: &[OperatorId], wants: &[Want]) -> Option<Vec<Conjunction>> {
    let mut states = vec![expected.clone()];
    for step in old {
        let next = problem.successor(states.last()?, *step)?;
        states.push(next);
    }
    let mut needs = Conjunction::default();
    for want in wants {
        join(&mut needs, held(problem, states.last()?, &want.condition)?);
    }
    let mut entries = vec![needs.clone()];
    for (step, before) in old.iter().zip(&states).rev() {
        let Some(earlier) = regress(problem, before, *step, &needs) else { break };
        needs = earlier;
        entries.push(needs.clone());
    }
    Some(entries)
}

/// Which part of a condition holds.
fn held<'c>(problem: &Problem, state: &PackedState, condition: &'c Condition) -> Option<&'c Conjunction> {
    condition.any.iter().find(|part| part.holds(problem.frame(), &state.view(problem)))
}

fn join(needs: &mut Conjunction, more: &Conjunction) {
    for literal in &more.literals {
        if !needs.literals.contains(literal) {
            needs.literals.push(*literal);
        }
    }
    needs.numbers.extend(more.numbers.iter().filter(|test| !needs.numbers.contains(test)).cloned().collect::<Vec<_>>());
    needs.tests.extend(more.tests.iter().filter(|test| !needs.tests.contains(test)).cloned().collect::<Vec<_>>());
}

/// What must hold before a step so that something holds after it; none where that cannot be said plainly: numbers that change,
/// values that are computed, rules that fire.
fn regress(problem: &Problem, before: &PackedState, step: OperatorId, after: &Conjunction) -> Option<Conjunction> {
    let derived = |variable: VariableId| problem.derived.iter().any(|derived| derived.variable == variable);
    let [phase] = problem.operators[step].snap.phases.as_slice() else { return None };
    let plain = problem.apply(before, step)?;
    let same = problem.successor(before, step)? == plain;
    if !same || !after.numbers.is_empty() || !after.tests.is_empty() {
        return None;
    }
    if after.literals.iter().any(|literal| derived(literal.variable)) {
        return None;
    }
    let mut needs = held(problem, before, &phase.condition)?.clone();
    let mut written: Vec<VariableId> = phase.sets.iter().map(|(variable, _)| *variable).collect();
    for effect in &phase.effects {
        let Some(variable) = effect.change.variable() else { continue };
        let concerns = after.literals.iter().any(|literal| literal.variable == variable);
        match held(problem, before, &effect.condition) {
            Some(part) if concerns => {
                join(&mut needs, part);
                written.push(variable);
                if !matches!(effect.change, GroundChange::Set(..)) {
                    return None;
                }
            }
            None if concerns => effect.condition.for_each_variable(&mut |read| {
                let literal = Literal { variable: read, values: ValueSet::One(before.get(problem, read)) };
                if !needs.literals.contains(&literal) {
                    needs.literals.push(literal);
                }
            }),
            Some(_) | None => {}
        }
    }
    for literal in after.literals.iter().filter(|literal| !written.contains(&literal.variable)) {
        if !needs.literals.contains(literal) {
            needs.literals.push(*literal);
        }
    }
    Some(needs)
}
