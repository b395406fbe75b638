//! What becomes of tasks.

use serde::{Deserialize, Serialize};

use super::task::Task;
use super::value::Observation;
use crate::Tick;

/// What has become of a task at a tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Which task.
    pub task: Task,
    /// Which version of it.
    pub version: u32,
    /// When.
    pub tick: Tick,
    /// What.
    pub outcome: Outcome,
    /// What was seen with it.
    pub observations: Vec<Observation>,
}

/// The ways a task can go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It waits for its tick.
    Accepted,
    /// It runs.
    Started {
        /// So many ticks after its own.
        late: Tick,
    },
    /// It is so far, in thousandths.
    Progress {
        /// From 0 to 1000.
        thousandths: u16,
    },
    /// It will take so many ticks in all.
    Amended {
        /// The new duration.
        duration: Tick,
    },
    /// It has ended.
    Finished,
    /// It ended without its effects.
    Failed {
        /// Why.
        reason: String,
    },
    /// Its tick was past, by so many ticks.
    Missed {
        /// How many.
        by: Tick,
    },
    /// A guard did not hold; it was not started.
    GuardFailed {
        /// Which guard, from 0.
        guard: u16,
    },
    /// It was taken back before it started.
    Cancelled,
    /// The game was restored from before its report: whether it ran is not known.
    Unknown,
}

impl Outcome {
    /// Whether nothing can follow it.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Accepted | Self::Started { .. } | Self::Progress { .. } | Self::Amended { .. })
    }

    /// Whether it ended without its effects, or never began.
    pub fn is_vain(&self) -> bool {
        self.is_final() && *self != Self::Finished
    }
}

/// What the player or game answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The task that asked.
    pub task: Task,
    /// Which version of it.
    pub version: u32,
    /// When.
    pub tick: Tick,
    /// The name of the answer.
    pub answer: String,
}
