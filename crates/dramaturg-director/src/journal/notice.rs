//! What somebody should know about a journal.

use std::fmt;

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

/// Something about a journal that somebody should know. Each is told once; none of them stops the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// It is written from here on.
    Begun,
    /// The session goes on from it.
    Recovered {
        /// How many inputs the session has had.
        inputs: u64,
        /// The last tick that the game had reported.
        tick: Tick,
    },
    /// What was torn or damaged at its end is cut off.
    Cut(String),
    /// Something of it could not be used, or came out differently; the session goes on as far as it could be recovered.
    Doubtful(String),
    /// Another segment begins with a snapshot; old ones may be gone.
    Rotated {
        /// Which.
        segment: u64,
    },
    /// It can be written, but no further segment can be begun; that is tried again later.
    NotRotated(String),
    /// It can no longer be written, for instance because the disk is full. The game goes on; if the director dies now,
    /// the session goes on from before.
    Stopped(String),
    /// It is written again, from a new snapshot on.
    Resumed,
}

impl Notice {
    /// Whether somebody should look after it.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::Cut(_) | Self::Doubtful(_) | Self::NotRotated(_) | Self::Stopped(_))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begun => write!(f, "a journal is written"),
            Self::Recovered { inputs, tick } => {
                write!(f, "the session goes on from its journal, after {inputs} inputs and tick {tick}")
            }
            Self::Cut(what) => write!(f, "the end of the journal was cut off: {what}"),
            Self::Doubtful(what) => write!(f, "not all of the journal could be used: {what}"),
            Self::Rotated { segment } => write!(f, "segment {segment} of the journal begins"),
            Self::NotRotated(why) => write!(f, "no further segment of the journal can be begun: {why}"),
            Self::Stopped(why) => {
                write!(
                    f,
                    "the journal cannot be written, and the game goes on without it: {why}; it begins again when its folder \
                     is there and its disk has room"
                )
            }
            Self::Resumed => write!(f, "the journal is written again"),
        }
    }
}
