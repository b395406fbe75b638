//! Everything that happens in a session, as one public stream. `docs/events.md` lists it.

use dramaturg_planner::planner::{DeltaProblem, Progress, TickBounds};
use dramaturg_wire::{Observation, Outcome, Task, TaskRecord, Tick};
use serde::{Deserialize, Serialize};

use crate::journal::Notice;

/// Something that happened, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counts the events of a session, from 1; 0: it is about the journal, and no part of the run.
    pub number: u64,
    /// Between which ticks the game was.
    pub now: TickBounds,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A game said hello.
    Connected {
        /// Who.
        game: String,
        /// The session.
        session: String,
        /// The stretch of the session that begins.
        epoch: u32,
        /// Whether the session goes on from an earlier connection.
        resumed: bool,
    },
    /// The link broke.
    Disconnected {
        /// Why.
        reason: String,
    },
    /// The planner's plan was taken over.
    Published {
        /// Counts what was published.
        version: u64,
        /// Steps that are new or different.
        put: Vec<u32>,
        /// Steps that are gone.
        removed: Vec<u32>,
        /// Whether the plan reaches its goals.
        complete: bool,
        /// Up to which tick it holds.
        valid_until: Option<Tick>,
        /// Why it changed.
        reason: String,
    },
    /// The planner's plan was not taken over: it touched what was no longer the planner's.
    Rejected {
        /// Which.
        version: u64,
        /// Why.
        problem: DeltaProblem,
    },
    /// The planner worked.
    Deliberated {
        /// Units of work it was given.
        units: u32,
        /// Units it used.
        used: u32,
        /// How far it came.
        progress: Progress,
    },
    /// A step is fixed: it is about to be sent.
    Locked {
        /// Which.
        step: u32,
        /// Its start.
        start: Tick,
    },
    /// A task was sent.
    Dispatched {
        /// Which.
        task: Task,
        /// Which version of it.
        version: u32,
        /// The action.
        action: String,
        /// The objects it is done with.
        args: Vec<String>,
        /// Its start.
        start: Tick,
        /// How long it takes.
        duration: Tick,
        /// How many ticks before its start it was sent.
        lead: Tick,
        /// How many guards go with it.
        guards: u16,
    },
    /// The game tells of a step that was never sent, as far as is known here: the director was started again from
    /// before a gap of its journal. What became of the step follows.
    Recalled {
        /// Which.
        step: u32,
        /// Which version of it.
        version: u32,
        /// The action.
        action: String,
        /// The objects it is done with.
        args: Vec<String>,
        /// Its start.
        start: Tick,
    },
    /// The game tells of tasks of which nothing is known here: they were planned and sent in a gap of the journal, and
    /// came to nothing, or the game does not remember what they were. No other step gets their numbers.
    Unaccounted {
        /// Which, and what became of each.
        tasks: Vec<TaskRecord>,
    },
    /// A step cannot be sent, for a condition does not hold at its start: it waits for the planner to mend that.
    Blocked {
        /// Which.
        step: u32,
        /// What is not met.
        why: String,
    },
    /// A step was too late to be sent.
    Late {
        /// Which.
        step: u32,
        /// Its start.
        start: Tick,
        /// What becomes of it: `retime`, `drop` or `send`.
        policy: String,
    },
    /// A task was taken back.
    CancelSent {
        /// Which.
        task: Task,
    },
    /// The game told what became of a task.
    Status {
        /// Which.
        task: Task,
        /// When.
        tick: Tick,
        /// What.
        outcome: Outcome,
    },
    /// The player or game answered.
    Answered {
        /// The task that asked.
        task: Task,
        /// When.
        tick: Tick,
        /// What.
        answer: String,
    },
    /// Something was seen.
    Observed {
        /// What.
        observation: Observation,
    },
    /// Something happened in the world: a rule fired, a goal was reached, a level began.
    World {
        /// When.
        tick: Tick,
        /// What, in the words of the story.
        what: String,
    },
    /// A text was shown.
    Line {
        /// When.
        tick: Tick,
        /// The id of the text.
        id: String,
        /// Who says it.
        speaker: Option<String>,
        /// The words.
        text: String,
    },
    /// Other goals from now on.
    Goals {
        /// Whose.
        owner: Option<String>,
        /// The goals.
        goals: Vec<String>,
    },
    /// A goal was accepted or refused.
    GoalReply {
        /// The goal.
        goal: String,
        /// Whether it is taken up.
        accepted: bool,
        /// Why, or why not.
        reason: String,
    },
    /// The game stands still.
    Paused {
        /// Since when.
        tick: Tick,
    },
    /// The game goes on.
    Continued {
        /// Since when.
        tick: Tick,
        /// Ticks in a second, times a thousand.
        rate_milli: u32,
    },
    /// The clock began anew, for the game paused, skipped or changed its pace without saying so.
    ClockRelocked {
        /// Ticks in a second, times a thousand, as measured.
        rate_milli: u32,
    },
    /// Another language for lines.
    Language {
        /// Its tag.
        tag: String,
    },
    /// Something the game said cannot be followed.
    Fault {
        /// What and why.
        message: String,
    },
    /// The session was saved.
    Saved {
        /// When.
        tick: Tick,
    },
    /// The session was loaded.
    Loaded {
        /// When.
        tick: Tick,
        /// What was dropped or defaulted.
        notes: Vec<String>,
    },
    /// The session is over.
    Ended {
        /// Why.
        reason: String,
    },
    /// Something about the journal of the session. It is no part of the run: its number is 0, and a replay does not
    /// tell it.
    Journal {
        /// What.
        notice: Notice,
    },
}
