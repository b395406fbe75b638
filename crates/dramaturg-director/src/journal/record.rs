//! One thing that is written down.
//!
//! A record is its length and its checksum (CRC-32), both as four bytes with the smallest first, then so many bytes: one that says
//! what it is, and the rest. Headers and snapshots are JSON, for they outlive programs; everything else is postcard.

use serde::Deserialize;

use super::header::{FORMAT, Header};
use crate::director::Input;

/// What comes before the bytes of a record.
pub(crate) const HEAD: usize = 8;
/// No record is longer.
pub(crate) const RECORD_MAX: u32 = 1 << 28;

const HEADER: u8 = 1;
const SNAPSHOT: u8 = 2;
const INPUT: u8 = 3;
const CONTENT: u8 = 4;
const SAVED: u8 = 5;

/// One thing that is written down.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A segment begins.
    Header(Box<Header>),
    /// The whole session, as the bytes of a save.
    Snapshot(Vec<u8>),
    /// Something came from outside.
    Input {
        /// The checksum of the record before it.
        chain: u32,
        /// What had come of everything before it: see [`crate::Director::trail`].
        trail: u32,
        /// What came.
        input: Input,
    },
    /// The content of the session after everything before it: see [`crate::Core::content_hash`].
    Content(u64),
    /// The session was saved, which makes its planner forget what it had not published.
    Saved,
}

impl Record {
    pub(crate) fn header(header: &Header) -> Vec<u8> {
        // Writing to memory fails only for values that no serialiser could write, and there are none here.
        record(HEADER, |to| serde_json::to_writer(to, header).is_ok())
    }

    pub(crate) fn snapshot(save: &[u8]) -> Vec<u8> {
        record(SNAPSHOT, |to| {
            to.extend_from_slice(save);
            true
        })
    }

    pub(crate) fn input(chain: u32, trail: u32, input: &Input) -> Vec<u8> {
        record(INPUT, |to| postcard::to_io(&(chain, trail, input), to).is_ok())
    }

    pub(crate) fn content(hash: u64) -> Vec<u8> {
        record(CONTENT, |to| postcard::to_io(&hash, to).is_ok())
    }

    pub(crate) fn saved() -> Vec<u8> {
        record(SAVED, |_| true)
    }

    /// The bytes of the record, with length and checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Header(header) => Self::header(header),
            Self::Snapshot(save) => Self::snapshot(save),
            Self::Input { chain, trail, input } => Self::input(*chain, *trail, input),
            Self::Content(hash) => Self::content(*hash),
            Self::Saved => Self::saved(),
        }
    }

    /// Reads what stands behind length and checksum.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (kind, rest) = bytes.split_first().ok_or("an empty record")?;
        match *kind {
            HEADER => {
                #[derive(Deserialize)]
                struct Format {
                    format: u16,
                }
                let Format { format } = serde_json::from_slice(rest).map_err(|error| error.to_string())?;
                if format != FORMAT {
                    return Err(format!("it has format {format}, and this program knows format {FORMAT}"));
                }
                serde_json::from_slice(rest).map(Self::Header).map_err(|error| error.to_string())
            }
            SNAPSHOT => Ok(Self::Snapshot(rest.to_vec())),
            INPUT => {
                let (chain, trail, input) = exactly(rest)?;
                Ok(Self::Input { chain, trail, input })
            }
            CONTENT => exactly(rest).map(Self::Content),
            SAVED if rest.is_empty() => Ok(Self::Saved),
            _ => Err("a kind of record that this program does not know".to_owned()),
        }
    }
}

fn exactly<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

fn record(kind: u8, body: impl FnOnce(&mut Vec<u8>) -> bool) -> Vec<u8> {
    let mut bytes = vec![0; HEAD];
    bytes.push(kind);
    let written = body(&mut bytes);
    debug_assert!(written, "records can be written");
    let payload = bytes.get(HEAD..).unwrap_or_default();
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let sum = crc32fast::hash(payload);
    for (to, from) in bytes.iter_mut().zip(length.to_le_bytes().into_iter().chain(sum.to_le_bytes())) {
        *to = from;
    }
    bytes
}

/// The checksum of a record that was written.
pub(crate) fn checksum(record: &[u8]) -> u32 {
    record.get(4..).and_then(|rest| rest.first_chunk()).map_or(0, |sum| u32::from_le_bytes(*sum))
}
