//! The messages, one file a noun.

mod describe;
pub use describe::{Description, TaskContent};
mod greeting;
pub use greeting::{Fault, FaultCode, Hello, Resume, TaskRecord, TaskState, Welcome};
mod guard;
pub use guard::{Comparison, Guard, Test};
mod line;
pub use line::Line;
pub mod pieces;
pub use pieces::Pieces;
mod status;
pub use status::{Answer, Outcome, Status};
mod task;
pub use task::{Execute, Guards, LatePolicy, Params, Question, Reads, Task};
mod value;
pub use value::{NameId, Observation, Value};

use serde::{Deserialize, Serialize};

use crate::Tick;

/// What the director says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToGame {
    /// The answer to hello.
    Welcome(Box<Welcome>),
    /// More names for the dictionary, from this number on: objects that were conceived, or an edited story.
    Names {
        /// The number of the first of them.
        first: u32,
        /// The names.
        names: Vec<String>,
    },
    /// Perform this at its tick.
    Execute(Execute),
    /// Take this back, if it has not started.
    Cancel {
        /// Which.
        task: Task,
        /// Which version of it.
        version: u32,
    },
    /// Show this text.
    Line(Line),
    /// Answer with the time at once.
    Ping {
        /// Comes back in the answer.
        id: u64,
    },
    /// The session up to this tick, to be kept by the game and handed back by [`ToDirector::Load`].
    Saved {
        /// Comes back from [`ToDirector::Save`].
        request: u32,
        /// The tick of the save.
        tick: Tick,
        /// The save; what is in it is the director's own business.
        data: Vec<u8>,
    },
    /// A save was loaded; what it names that the story no longer has is listed.
    Loaded {
        /// Comes back from [`ToDirector::Load`].
        request: u32,
        /// What was dropped or defaulted.
        notes: Vec<String>,
    },
    /// Something the game said cannot be followed.
    Fault(Fault),
    /// Nothing but the number of what has arrived.
    Acknowledge,
    /// The director ends the session.
    Goodbye {
        /// Why.
        reason: String,
    },
    /// A piece of a save that is too large for one message; the last one comes in [`ToGame::Saved`].
    SavedPiece {
        /// Comes back from [`ToDirector::Save`].
        request: u32,
        /// The bytes after those of the piece before.
        data: Vec<u8>,
    },
    /// Tell what these tasks were: the director was started again and has no record of them. Since version 1.1.
    Describe {
        /// Which.
        tasks: Vec<Task>,
    },
}

/// What the game says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToDirector {
    /// The first message on a link.
    Hello(Box<Hello>),
    /// The tick that runs now. Not counted: a later one makes a lost one good.
    Time {
        /// The tick.
        tick: Tick,
        /// The ping that is answered, if one is.
        answers: Option<u64>,
    },
    /// What becomes of a task.
    Status(Status),
    /// What the player or game answered to a question.
    Answer(Answer),
    /// Something seen that nobody asked for.
    Perceive {
        /// What was seen, each with its ticks.
        observations: Vec<Observation>,
    },
    /// Other goals from now on, each as the story language writes a wish.
    SetGoals {
        /// Whose: a character's name, or none for the story's.
        owner: Option<String>,
        /// The goals: `goal anna.hunger == 0 by 500 ticks`.
        goals: Vec<String>,
    },
    /// Time stands still from this tick, until [`ToDirector::Continue`].
    Pause {
        /// The last tick that ran.
        tick: Tick,
    },
    /// Time goes on, perhaps at another pace.
    Continue {
        /// The tick that runs now.
        tick: Tick,
        /// Ticks in a second, times a thousand.
        rate_milli: u32,
    },
    /// The language for lines from now on.
    Language {
        /// A language tag: `en`, `de-AT`.
        tag: String,
    },
    /// Asks for a save of the session.
    Save {
        /// Comes back in [`ToGame::Saved`].
        request: u32,
    },
    /// Hands a save back: the session goes on from there.
    Load {
        /// Comes back in [`ToGame::Loaded`].
        request: u32,
        /// What [`ToGame::Saved`] held.
        data: Vec<u8>,
    },
    /// Nothing but the number of what has arrived.
    Acknowledge,
    /// The game ends the session.
    Goodbye {
        /// Why.
        reason: String,
    },
    /// A piece of a save that is too large for one message; the last one follows in [`ToDirector::Load`].
    LoadPiece {
        /// That of the load it belongs to.
        request: u32,
        /// The bytes after those of the piece before.
        data: Vec<u8>,
    },
    /// The answer to [`ToGame::Describe`], in one message or several. Since version 1.1.
    Described {
        /// One for each task that was asked about.
        tasks: Vec<Description>,
    },
}
