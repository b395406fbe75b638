//! How a link begins, and how it begins again.

use serde::{Deserialize, Serialize};

use super::status::Outcome;
use super::task::Task;
use crate::{Tick, Version};

/// The first message on a link, from the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol the game speaks.
    pub version: Version,
    /// Proves that the game may talk to this director, where one is wanted.
    pub token: Option<String>,
    /// The story, where the director serves several; none: the only one.
    pub story: Option<String>,
    /// Who is calling, for logs.
    pub game: String,
    /// Grows from call to call, but not when the same call is repeated because no welcome came: so a repeated hello begins
    /// nothing new, and one that was overtaken by another is ignored.
    pub call: u64,
    /// The tick that runs now.
    pub tick: Tick,
    /// Ticks in a second, times a thousand.
    pub rate_milli: u32,
    /// The session to go on with; none: a new one.
    pub resume: Option<Resume>,
}

/// Where a session is to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The session, as welcome named it.
    pub session: String,
    /// The epoch the game was in.
    pub epoch: u32,
    /// The last number of the director's that arrived in it.
    pub received: u64,
    /// Whether the game was restored from a checkpoint, so that it may have forgotten what it said since.
    pub restored: bool,
    /// Every task the executor knows.
    pub tasks: Vec<TaskRecord>,
}

/// What an executor knows of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Which task.
    pub task: Task,
    /// Which version of it.
    pub version: u32,
    /// Where it stands.
    pub state: TaskState,
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It waits for its tick.
    Waiting,
    /// It runs since this tick.
    Running(Tick),
    /// It ended so, at this tick.
    Ended(Tick, Outcome),
}

/// The director's answer to hello.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the protocol that is spoken from here on.
    pub version: Version,
    /// The name of the session, to resume it with.
    pub session: String,
    /// The title of the story.
    pub story: String,
    /// Every how many ticks the game reports the time.
    pub update: u32,
    /// The epoch that begins: numbers count from 1 again, frames of other epochs are ignored.
    pub epoch: u32,
    /// The last number of the game's that arrived in the epoch it resumed from: what came after it is sent again.
    pub received: u64,
    /// The dictionary: tasks name actions, actuators, objects and fluents by their place here.
    pub names: Vec<String>,
    /// The most bytes a message may have.
    pub message_bytes_max: u32,
}

/// Why the director will not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind of trouble.
    pub code: FaultCode,
    /// What is wrong and how to mend it.
    pub message: String,
}

/// Kinds of trouble on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// The major versions differ.
    Version,
    /// The token is missing or wrong.
    Token,
    /// There is no such story or session.
    Unknown,
    /// Something was said out of turn or cannot be read.
    Protocol,
    /// A limit was reached: size, rate, sessions, waiting tasks, idle time.
    Limit,
    /// A save cannot be loaded.
    Save,
    /// A goal or observation names what the story does not have.
    Name,
    /// The session cannot go on, by no fault of the game.
    Internal,
}
