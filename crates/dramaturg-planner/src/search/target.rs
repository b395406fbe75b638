//! What is searched for: conditions that hold together at the end.

use crate::ground::{Condition, Problem};
use crate::packed::PackedState;

/// Conditions that are to hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Each of them.
    pub conditions: Vec<Condition>,
}

impl Target {
    /// These conditions.
    pub fn new(conditions: Vec<Condition>) -> Self {
        Self { conditions }
    }

    /// Whether all hold in a state.
    pub fn is_reached(&self, problem: &Problem, state: &PackedState) -> bool {
        self.conditions.iter().all(|condition| problem.holds(state, condition))
    }

    /// How many do not hold in a state.
    pub fn open_count(&self, problem: &Problem, state: &PackedState) -> u32 {
        self.conditions.iter().map(|condition| u32::from(!problem.holds(state, condition))).sum()
    }
}
