//! What a task was: for a director that does not remember.

use serde::{Deserialize, Serialize};

use super::task::Task;
use crate::Tick;

/// A task as the executor was told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Which task.
    pub task: Task,
    /// What it was; none: the executor does not remember.
    pub content: Option<TaskContent>,
}

/// What a task performs, by name: a director that asks may lack the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskContent {
    /// The action.
    pub action: String,
    /// The objects it is done with.
    pub params: Vec<String>,
    /// The tick in which it was to start.
    pub start: Tick,
    /// How many ticks it was to take; 0: as many as the game needs.
    pub duration: Tick,
}
