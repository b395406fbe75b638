//! What is wrong with a journal, and where.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// What kind of damage it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// A record of the file is torn or altered.
    Record,
    /// The file as a whole is not what it should be: empty, renamed, of another session, shorter than the next segment
    /// says.
    Segment,
    /// The file is not there.
    Missing,
}

/// Where a journal can no longer be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// What kind.
    pub kind: DamageKind,
    /// Which file.
    pub file: PathBuf,
    /// The first byte that belongs to no good record.
    pub at: u64,
    /// How many bytes follow from there.
    pub bytes: u64,
    /// What is wrong.
    pub problem: String,
    /// How many segments behind it were not replayed because of it.
    pub segments_behind: usize,
}

impl Damage {
    /// A file as a whole is not what it should be.
    pub(super) fn segment(file: PathBuf, problem: String) -> Self {
        Self { kind: DamageKind::Segment, file, at: 0, bytes: 0, problem, segments_behind: 0 }
    }

    /// A file is not there.
    pub(super) fn missing(file: PathBuf, problem: String) -> Self {
        Self { kind: DamageKind::Missing, ..Self::segment(file, problem) }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, problem) = (self.file.display(), &self.problem);
        match self.kind {
            DamageKind::Record => {
                write!(
                    f,
                    "`{file}` is damaged at byte {} of {}: {problem}",
                    self.at,
                    self.at.saturating_add(self.bytes)
                )
            }
            DamageKind::Segment => write!(f, "`{file}` is damaged: {problem}"),
            DamageKind::Missing => write!(f, "`{file}` is missing: {problem}"),
        }?;
        match self.segments_behind {
            0 => Ok(()),
            1 => write!(f, "; the segment behind it is not replayed"),
            behind => write!(f, "; the {behind} segments behind it are not replayed"),
        }
    }
}
