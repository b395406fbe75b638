//! Every input of a session, written down before anything comes of it: whatever kills the director, the session goes
//! on.
//!
//! A journal is a folder of segments. Each begins with a header (format, story, options, how the segment before it
//! ends) and a snapshot of the whole session, and goes on with every [`Input`](crate::Input), each with its length and
//! checksum. [`Journal::recover`] loads the last good snapshot and takes in the inputs behind it; [`replay`] does the
//! same from the first segment on, and compares.
//!
//! # Why files that only grow, and no database
//!
//! Inputs only ever go to the end, nobody looks one up, and none is changed: there is nothing to index, nothing to
//! compact and nothing to lock. A record is one `write`, which outlives the process at once (and power loss too, with
//! [`Sync::Each`], or but for the last moments, with [`Sync::Every`]); what was torn by a crash is cut at the last good
//! record. Old segments are deleted as a whole, because each begins with a snapshot.
//!
//! # Layout
//!
//! [`record`] is one thing written down, [`header`] how a segment begins, [`segment`] reads one, `chain` ties them
//! together, `ending` is how the last one ends, [`damage`] what is wrong with one. [`disk`] is where they are kept,
//! [`writer`] writes, [`notice`] is what it tells. `player` takes records in, [`recovery`] and [`replay`](mod@replay)
//! use it.

mod chain;
pub mod damage;
pub use damage::{Damage, DamageKind};
pub mod disk;
pub(crate) mod ending;
pub mod header;
pub mod notice;
pub use notice::Notice;
mod player;
pub mod record;
pub mod recovery;
pub use recovery::{Recovered, RecoveryReport};
pub mod replay;
pub use replay::{ReplayReport, replay};
pub mod segment;
pub mod writer;
pub use writer::Journal;

use std::fmt;
use std::path::{Path, PathBuf};

use dramaturg_model::Tick;
use serde::Serialize;

use crate::clock::Moment;
use crate::save::SaveError;

/// When what was written must be on the disk itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// When the system likes: it survives the death of the director, not that of the machine.
    #[default]
    Never,
    /// At the latest after so many microseconds, while the session goes on: power loss costs no more than those.
    Every(Moment),
    /// Before anything comes of the input: it survives power loss.
    Each,
}

/// How a journal is kept.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// A segment that has grown so large is followed by another.
    pub segment_bytes: u64,
    /// So many segments are kept; 0: all.
    pub keep: usize,
    /// After so many inputs the content of the session is noted, so that a replay can compare it.
    pub hash_every: u32,
    /// When what was written must be on the disk itself.
    pub sync: Sync,
    /// After trouble with the disk, writing is tried again after so many microseconds.
    pub retry_micros: Moment,
    /// Where the story lies, for `dramaturg replay`.
    pub story: Option<String>,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            segment_bytes: 8 << 20,
            keep: 4,
            hash_every: 256,
            sync: Sync::Never,
            retry_micros: 5_000_000,
            story: None,
        }
    }
}

/// Where a replay comes out differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parting {
    /// After so many inputs.
    pub input: u64,
    /// In which tick of the game.
    pub tick: Tick,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts at tick {}, input {}: {}", self.tick, self.input, self.what)
    }
}

/// Why a journal cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalError {
    /// A file could not be used.
    Disk {
        /// Which.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// Another process writes it.
    InUse(PathBuf),
    /// There is no journal here.
    None(PathBuf),
    /// There is one here already.
    Exists(PathBuf),
    /// No segment begins with a good snapshot.
    NoSnapshot(Vec<String>),
    /// The snapshot cannot be loaded.
    Save(SaveError),
    /// A journal cannot be called so.
    Name(String),
    /// Recovering it took longer than it may.
    TooLong {
        /// How many inputs had been taken in by then.
        inputs: u64,
    },
}

impl JournalError {
    pub(crate) fn disk(path: &Path, error: &std::io::Error) -> Self {
        Self::Disk { path: path.to_owned(), error: error.to_string() }
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disk { path, error } => write!(f, "cannot use `{}`: {error}", path.display()),
            Self::InUse(path) => write!(f, "another process writes the journal `{}`", path.display()),
            Self::None(path) => write!(f, "there is no journal in `{}`", path.display()),
            Self::Exists(path) => {
                write!(f, "there is a journal in `{}` already; recover it or remove it", path.display())
            }
            Self::NoSnapshot(why) => write!(f, "no segment of the journal can be used: {}", why.join("; ")),
            Self::Save(error) => write!(f, "the journal's snapshot cannot be loaded: {error}"),
            Self::TooLong { inputs } => {
                write!(f, "it took longer than it may: {inputs} inputs were taken in by then; replay it to see why")
            }
            Self::Name(name) => {
                write!(f, "a journal cannot be called `{name}`: letters, digits and hyphens will do, and not `ended`")
            }
        }
    }
}

impl std::error::Error for JournalError {}
