//! What changes in a published plan.

use std::collections::BTreeMap;

use dramaturg_model::{Fixed, Step, Tick};
use serde::{Deserialize, Serialize};

/// What changed in a plan since it was last published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDelta {
    /// Counts what was published, from 1.
    pub version: u64,
    /// Steps that are new or different, whole.
    pub put: Vec<Step>,
    /// Steps that are gone, by id.
    pub removed: Vec<u32>,
    /// Whether the plan reaches its goals.
    pub complete: bool,
    /// The last tick up to which it is known to hold; none: for good.
    pub valid_until: Option<Tick>,
    /// What the plan costs.
    pub cost: Option<Fixed>,
    /// Why it changed, in one sentence for people.
    pub reason: String,
}

/// Why a change cannot be made to a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaProblem {
    /// It touches a step that is locked.
    Locked(u32),
    /// It adds, moves or removes a step that starts before the first tick that may be changed.
    TooEarly {
        /// The step.
        step: u32,
        /// Its start.
        start: Tick,
        /// The first tick that may be changed.
        insert_from: Tick,
    },
    /// It uses the id of a step that has ended, or removes one that is not there.
    UnknownStep(u32),
}

impl std::fmt::Display for DeltaProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Locked(step) => write!(f, "step {step} is locked"),
            Self::TooEarly { step, start, insert_from } => {
                write!(f, "step {step} starts at tick {start}, but nothing before tick {insert_from} may be changed")
            }
            Self::UnknownStep(step) => write!(f, "step {step} is not in the plan"),
        }
    }
}

impl PlanDelta {
    /// Whether it changes no step.
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.removed.is_empty()
    }

    /// The difference between two sets of steps.
    pub fn between(old: &BTreeMap<u32, Step>, new: &BTreeMap<u32, Step>) -> Self {
        let put = new.iter().filter(|(id, step)| old.get(id) != Some(step)).map(|(_, step)| step.clone()).collect();
        let removed = old.keys().filter(|id| !new.contains_key(id)).copied().collect();
        Self { put, removed, ..Self::default() }
    }
}
