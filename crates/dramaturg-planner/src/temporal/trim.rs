//! Steps that are of no use are left out.

use super::course::{Clockwork, Course};
use super::stage::Stage;
use crate::ground::OperatorId;
use crate::packed::PackedState;

/// Tries to leave out one step after another, each with those that cannot do without it.
#[derive(Clone, Debug)]
pub(super) struct Trim {
    /// How many of the last steps have been tried.
    tried: usize,
}

impl Trim {
    pub(super) fn new() -> Self {
        Self { tried: 0 }
    }

    /// Tries one more step, the last first; none when all have been tried, and otherwise a course if it is no dearer without.
    pub(super) fn step(&mut self, stage: &Stage, clockwork: &mut Clockwork, course: &Course) -> Option<Option<Course>> {
        let place = course.steps.len().checked_sub(self.tried + 1)?;
        self.tried += 1;
        let Some(steps) = without(stage, &course.steps, place) else { return Some(None) };
        let shorter = clockwork.course(stage, steps).filter(|shorter| shorter.cost <= course.cost);
        if let Some(shorter) = &shorter {
            // All before it have yet to be tried; those behind it need not be tried again.
            self.tried = shorter.steps.len().saturating_sub(place);
        }
        Some(shorter)
    }
}

/// Steps without one, and without those that can no longer be performed; none if the target is missed then.
fn without(stage: &Stage, steps: &[OperatorId], place: usize) -> Option<Vec<OperatorId>> {
    let mut state: PackedState = stage.start.clone();
    let mut kept = Vec::with_capacity(steps.len());
    for (at, operator) in steps.iter().enumerate() {
        if at == place {
            continue;
        }
        let mut next = state.clone();
        if stage.problem.apply_to(&mut next, *operator) {
            state = next;
            kept.push(*operator);
        }
    }
    stage.target.is_reached(&stage.problem, &state).then_some(kept)
}
