//! Transitions of packed states.

use dramaturg_model::{Fixed, Tick, Value};
use smallvec::SmallVec;

use super::state::PackedState;
use crate::ground::{
    GroundChange, GroundDuration, GroundEffect, Meaning, NumberId, OperatorId, Phase, Problem, VariableId,
};

/// Changes that have been read and not yet written.
#[derive(Default)]
pub(super) struct Writes {
    leaves: SmallVec<[(VariableId, u32); 4]>,
    sets: SmallVec<[(VariableId, u32); 8]>,
    shifts: SmallVec<[(VariableId, Fixed); 2]>,
    number_sets: SmallVec<[(NumberId, Fixed); 2]>,
    number_adds: SmallVec<[(NumberId, Fixed); 2]>,
}

impl Writes {
    /// Reads the effects whose conditions hold.
    pub(super) fn read<'e>(
        &mut self,
        problem: &Problem,
        state: &PackedState,
        effects: impl Iterator<Item = &'e GroundEffect>,
        duration: Option<i64>,
    ) {
        let (frame, view) = (problem.frame(), state.view(problem));
        for effect in effects {
            if !effect.condition.holds(frame, &view) {
                continue;
            }
            match &effect.change {
                GroundChange::Set(variable, value) => self.sets.push((*variable, *value)),
                GroundChange::Leave(variable, from, to) => {
                    if state.get(problem, *variable) == *from {
                        self.leaves.push((*variable, *to));
                    }
                }
                GroundChange::Assign(variable, expr) => {
                    let value = expr.value(frame, &view, duration);
                    // A value that was never expected, or none at all, changes nothing.
                    if let Some(index) = index_of(problem, *variable, value) {
                        self.sets.push((*variable, index));
                    }
                }
                GroundChange::Shift(variable, expr) => {
                    self.shifts.extend(expr.value(frame, &view, duration).as_number().map(|by| (*variable, by)));
                }
                GroundChange::SetNumber(number, expr) => {
                    self.number_sets.extend(expr.value(frame, &view, duration).as_number().map(|to| (*number, to)));
                }
                GroundChange::AddNumber(number, expr) => {
                    self.number_adds.extend(expr.value(frame, &view, duration).as_number().map(|by| (*number, by)));
                }
                GroundChange::Random(..) | GroundChange::RandomNumber(..) => {}
            }
        }
    }

    /// Writes: all sets, then all additions, then ranges.
    pub(super) fn write(self, problem: &Problem, state: &mut PackedState) {
        for (variable, value) in self.leaves {
            state.set(problem, variable, value);
        }
        for (variable, value) in self.sets {
            state.set(problem, variable, value);
        }
        // Several changes of one number add up before its range is applied.
        let mut shifts: SmallVec<[(VariableId, Fixed); 2]> = SmallVec::new();
        for (variable, by) in self.shifts {
            match shifts.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, sum)) => *sum = *sum + by,
                None => shifts.push((variable, by)),
            }
        }
        for (variable, by) in shifts {
            let old = problem.variables[variable].value(state.get(problem, variable));
            if let Value::Number(old) = old
                && let Some(index) = index_of(problem, variable, Value::Number(old + by))
            {
                state.set(problem, variable, index);
            }
        }
        let mut touched: SmallVec<[NumberId; 4]> = SmallVec::new();
        for (number, value) in self.number_sets {
            state.set_number(number, Some(value));
            touched.push(number);
        }
        for (number, by) in self.number_adds {
            if let Some(old) = state.number(number) {
                state.set_number(number, Some(old + by));
                touched.push(number);
            }
        }
        for number in touched {
            let value = state.number(number).map(|value| problem.numbers[number].domain.clamp(value));
            state.set_number(number, value);
        }
    }
}

/// The index of a value of a variable, whole numbers cut off at their bounds.
pub(crate) fn index_of(problem: &Problem, variable: VariableId, value: Value) -> Option<u32> {
    let declared = &problem.variables[variable];
    match (&declared.meaning, value) {
        (_, Value::Nothing) => None,
        (Meaning::Whole { least, count, .. }, Value::Number(number)) => {
            let most = least.saturating_add(i64::from(*count) - 1);
            let whole = number.floor_int().clamp(*least, most);
            Some((whole - least) as u32)
        }
        _ => declared.index_of(value),
    }
}

impl Problem {
    /// The state after an operator, from before its start to after its end; none if it cannot be performed. Rules are not run.
    pub fn apply(&self, state: &PackedState, operator: OperatorId) -> Option<PackedState> {
        let mut next = state.clone();
        self.apply_to(&mut next, operator).then_some(next)
    }

    /// Applies an operator to a state; false, and a state half changed, if it cannot be performed.
    pub fn apply_to(&self, state: &mut PackedState, operator: OperatorId) -> bool {
        let duration = self.duration(state, operator);
        let operator = &self.operators[operator];
        for phase in &operator.snap.phases {
            if !self.holds(state, &phase.condition) {
                return false;
            }
            self.change(state, phase, duration);
            self.derive(state);
        }
        true
    }

    /// How many ticks an operator takes when it starts in a state: as few as may be chosen, as many as the world may take; none if it
    /// has no duration, or none that is a number there.
    pub fn duration(&self, state: &PackedState, operator: OperatorId) -> Option<Tick> {
        let duration = match &self.operators[operator].timed.as_ref()?.duration {
            GroundDuration::Instant => return Some(0),
            GroundDuration::Fixed(exact) => exact,
            GroundDuration::Contingent(_, most) => most,
            GroundDuration::Chosen(Some(least), _) => least,
            GroundDuration::Chosen(None, _) => return Some(1),
        };
        let number = match duration.as_number() {
            Some(number) => number,
            None => duration.value(self.frame(), &state.view(self), None).as_number()?,
        };
        Some(number.round_half_up())
    }

    fn change(&self, state: &mut PackedState, phase: &Phase, duration: Option<i64>) {
        if phase.effects.is_empty() {
            for (variable, value) in &phase.sets {
                state.set(self, *variable, *value);
            }
            return;
        }
        let mut writes = Writes::default();
        writes.sets.extend(phase.sets.iter().copied());
        writes.read(self, state, phase.effects.iter(), duration);
        writes.write(self, state);
    }
}
