//! What happened in a scripted game.

use std::fmt;

use dramaturg_wire::{Fault, Task, Tick};

use crate::view::TaskView;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// When.
    pub tick: Tick,
    /// With which task, if with one.
    pub task: Option<Task>,
    /// What.
    pub what: What,
}

/// Kinds of happenings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the words of the messages they come from")]
pub enum What {
    /// A task began.
    Started { action: String, actuator: Option<String>, params: Vec<String>, late: Tick },
    /// A task ended as planned.
    Finished { action: String },
    /// A task failed.
    Failed { action: String, reason: String },
    /// A task takes longer.
    Stretched { action: String, duration: Tick },
    /// A question was asked.
    Asked { action: String, text: String, answers: Vec<String> },
    /// A question was answered.
    Answered { action: String, answer: String },
    /// A task was stopped from outside.
    Cancelled { action: String },
    /// A task goes on after a restore.
    Resumed { action: String },
    /// A text was shown.
    Shown { speaker: Option<String>, text: String },
    /// The director answered hello.
    Welcomed { session: String, story: String },
    /// Something was wrong.
    Fault(Fault),
    /// The director ended the session.
    Goodbye { reason: String },
    /// A save arrived.
    Saved { request: u32, tick: Tick, data: Vec<u8> },
    /// A save was loaded.
    Loaded { request: u32, notes: Vec<String> },
}

impl What {
    pub(super) fn started(task: &TaskView<'_>) -> Self {
        Self::Started {
            action: task.action().to_owned(),
            actuator: task.actuator().map(str::to_owned),
            params: task.params().map(str::to_owned).collect(),
            late: task.started().saturating_sub(task.start()),
        }
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.tick)?;
        if let Some(Task { step, part }) = self.task {
            write!(f, "{step}.{part} ")?;
        }
        self.what.fmt(f)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { action, actuator, params, late } => {
                write!(f, "starts {action}({})", params.join(", "))?;
                if let Some(actuator) = actuator {
                    write!(f, " with {actuator}")?;
                }
                if *late != 0 { write!(f, ", {late} late") } else { Ok(()) }
            }
            Self::Finished { action } => write!(f, "finishes {action}"),
            Self::Failed { action, reason } => write!(f, "fails {action}: {reason}"),
            Self::Stretched { action, duration } => write!(f, "stretches {action} to {duration} ticks"),
            Self::Asked { action, text, answers } => {
                write!(f, "asks {action}: {text} [{}]", answers.join(", "))
            }
            Self::Answered { action, answer } => write!(f, "answers {action}: {answer}"),
            Self::Cancelled { action } => write!(f, "cancels {action}"),
            Self::Resumed { action } => write!(f, "resumes {action}"),
            Self::Shown { speaker: Some(speaker), text } => write!(f, "{speaker} says: {text}"),
            Self::Shown { speaker: None, text } => write!(f, "shows: {text}"),
            Self::Welcomed { session, story } => write!(f, "welcome to {story}, session {session}"),
            Self::Fault(fault) => write!(f, "fault: {}", fault.message),
            Self::Goodbye { reason } => write!(f, "goodbye: {reason}"),
            Self::Saved { request, tick, data } => {
                write!(f, "save {request} of tick {tick}: {} bytes", data.len())
            }
            Self::Loaded { request, notes } => write!(f, "load {request} done, {} notes", notes.len()),
        }
    }
}
