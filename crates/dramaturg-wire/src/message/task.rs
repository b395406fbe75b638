//! Tasks: what the game performs.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::guard::Guard;
use super::value::NameId;
use crate::Tick;

/// Names a task: a step of the plan, and which of its parts. A step that holds several actuators has one part for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task {
    /// The step.
    pub step: u32,
    /// The part, from 0.
    pub part: u16,
}

impl Task {
    /// No step of a plan has a number from here on: they are subscriptions.
    pub const SUBSCRIPTIONS: u32 = 0xFF00_0000;

    /// Whether it only reads, for ever, until it is cancelled: the executor does so by itself, and the game need not know.
    pub const fn is_subscription(self) -> bool {
        self.step >= Self::SUBSCRIPTIONS
    }
}

/// The objects that a task is done with.
pub type Params = SmallVec<[NameId; 8]>;
/// What must hold when a task starts.
pub type Guards = SmallVec<[Guard; 2]>;
/// Fluents that a task reports.
pub type Reads = SmallVec<[NameId; 4]>;

/// Perform this at its tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execute {
    /// Which task.
    pub task: Task,
    /// Counts what was sent for this task; a later version replaces an earlier one that has not started.
    pub version: u32,
    /// The tick in which it starts.
    pub start: Tick,
    /// How many ticks it takes; 0: as many as the game needs.
    pub duration: Tick,
    /// The action.
    pub action: NameId,
    /// What performs it: `anna.hands`.
    pub actuator: Option<NameId>,
    /// The objects it is done with.
    pub params: Params,
    /// What must hold when it starts.
    pub guards: Guards,
    /// What becomes of it when its tick is past.
    pub late: LatePolicy,
    /// Fluents to be reported while it runs, and every how many ticks; 0: once, at its end.
    pub reads: Reads,
    /// Every how many ticks they are reported; 0: once, at its end.
    pub every: u32,
    /// What the player or game is asked, if the task is a question.
    pub question: Option<Box<Question>>,
}

/// What becomes of a task whose tick is past when it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatePolicy {
    /// It still starts when it is at most so many ticks late; later it is missed.
    pub most: u32,
}

/// A question that a task asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Whether the game itself is asked, not the player.
    pub of_game: bool,
    /// The question as shown; empty if the game words it.
    pub text: String,
    /// The answers: the name that comes back, and how it is shown.
    pub answers: Vec<(String, String)>,
    /// After so many ticks this answer is taken.
    pub within: Option<(Tick, String)>,
}
