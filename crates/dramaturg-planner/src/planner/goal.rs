//! How goals change while a story runs.

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Other goals from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalChange {
    /// Whose: a character's name; none: the story's.
    pub owner: Option<SmolStr>,
    /// All of the owner's goals from now on, as the story language writes wishes.
    pub goals: Vec<SmolStr>,
}

/// Whether a planner takes up a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalReply {
    /// The goal.
    pub goal: SmolStr,
    /// Whether it is taken up.
    pub accepted: bool,
    /// Why, or why not.
    pub reason: String,
    /// When it will be reached, as far as that is known.
    pub expected: Option<Tick>,
}
