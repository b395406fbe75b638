//! A save as bytes: a line that says what it is and its checksum, then JSON.
//!
//! JSON, because a save outlives the program that wrote it: it has names, a reader passes over what it does not know, and a person
//! can look into it.

use std::fmt;

use super::SessionSave;

/// How a save begins.
const MAGIC: &str = "dramaturg-save";
/// The version of the format. A reader refuses what it does not know.
const FORMAT: u16 = 1;
/// The first line is never longer.
const HEAD_MAX: usize = 64;

/// Why a save cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// These bytes are no save of a session.
    NotASave,
    /// It was written by another version.
    OtherFormat(String),
    /// Its checksum is wrong.
    Damaged,
    /// It says what a save cannot say.
    Unreadable(String),
    /// Its planner cannot go on.
    Planner(String),
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASave => write!(f, "this is no save of a session"),
            Self::OtherFormat(format) => {
                write!(
                    f,
                    "this save has format {format}, and this program knows format {FORMAT}; use the other's release"
                )
            }
            Self::Damaged => write!(f, "the save is damaged: its checksum is wrong"),
            Self::Unreadable(why) => write!(f, "the save cannot be read: {why}"),
            Self::Planner(why) => write!(f, "the planner of the save cannot go on: {why}"),
        }
    }
}

impl std::error::Error for SaveError {}

impl SessionSave {
    /// The save as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing to memory fails only for values that no serialiser could write, and a save has none.
        let body = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = format!("{MAGIC} {FORMAT} {:08x}\n", crc32fast::hash(&body)).into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Reads what [`SessionSave::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SaveError> {
        let end = bytes.iter().take(HEAD_MAX).position(|byte| *byte == b'\n').ok_or(SaveError::NotASave)?;
        let (head, body) = bytes.split_at_checked(end).ok_or(SaveError::NotASave)?;
        let body = body.get(1..).unwrap_or_default();
        let head = std::str::from_utf8(head).map_err(|_| SaveError::NotASave)?;
        let mut words = head.split(' ');
        if words.next() != Some(MAGIC) {
            return Err(SaveError::NotASave);
        }
        let format = words.next().unwrap_or_default();
        if format.parse() != Ok(FORMAT) {
            return Err(SaveError::OtherFormat(format.to_owned()));
        }
        let sum = words.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
        if sum != Some(crc32fast::hash(body)) {
            return Err(SaveError::Damaged);
        }
        serde_json::from_slice(body).map_err(|error| SaveError::Unreadable(error.to_string()))
    }
}
