//! One thing that is written down.
//!
//! A record is its length and its checksum (CRC-32), both as four bytes with the smallest first, then so many bytes:
//! one that says what it is, and the rest. Headers and snapshots are JSON, for they outlive programs; everything else
//! is postcard.

use serde::Deserialize;

use super::header::{FORMAT, FORMAT_OLDEST, Header};
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
const END: u8 = 6;

/// How many bytes the record of an end has, without its reason.
pub(crate) const END_BYTES: usize = HEAD + 1 + 4;
/// No reason for an end is longer, in bytes.
const REASON_MAX: usize = 1024;

/// As much of a reason as is written down.
pub(crate) fn end_reason(reason: &str) -> &str {
    let mut end = reason.len().min(REASON_MAX);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    reason.get(..end).unwrap_or_default()
}

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
    /// The session is over: nothing is written behind it, unless somebody goes on with the session all the same.
    End {
        /// The checksum of the record before it.
        chain: u32,
        /// Why it is over.
        reason: String,
    },
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

    pub(crate) fn end(chain: u32, reason: &str) -> Vec<u8> {
        record(END, |to| {
            to.extend_from_slice(&chain.to_le_bytes());
            to.extend_from_slice(end_reason(reason).as_bytes());
            true
        })
    }

    /// Whether these bytes are, with length and checksum, the record that a session is over.
    pub(crate) fn is_end(bytes: &[u8]) -> bool {
        let payload = bytes.get(HEAD..).unwrap_or_default();
        let is_whole = checksum(bytes) == crc32fast::hash(payload);
        is_whole && matches!(Self::read(payload), Ok(Self::End { .. }))
    }

    /// The bytes of the record, with length and checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Header(header) => Self::header(header),
            Self::Snapshot(save) => Self::snapshot(save),
            Self::Input { chain, trail, input } => Self::input(*chain, *trail, input),
            Self::Content(hash) => Self::content(*hash),
            Self::Saved => Self::saved(),
            Self::End { chain, reason } => Self::end(*chain, reason),
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
                if !(FORMAT_OLDEST..=FORMAT).contains(&format) {
                    let known = format!("formats {FORMAT_OLDEST} to {FORMAT}");
                    return Err(format!("it has format {format}, and this program knows {known}"));
                }
                let header: Box<Header> = serde_json::from_slice(rest).map_err(|error| error.to_string())?;
                if header.chain.is_none() && format > FORMAT_OLDEST {
                    return Err("its header does not say which segment comes before it".to_owned());
                }
                Ok(Self::Header(header))
            }
            SNAPSHOT => Ok(Self::Snapshot(rest.to_vec())),
            INPUT => {
                let (chain, trail, input) = exactly(rest)?;
                Ok(Self::Input { chain, trail, input })
            }
            CONTENT => exactly(rest).map(Self::Content),
            SAVED if rest.is_empty() => Ok(Self::Saved),
            END => {
                let (chain, reason) = rest.split_first_chunk().ok_or("an end that is cut off")?;
                let reason = str::from_utf8(reason).map_err(|error| error.to_string())?.to_owned();
                Ok(Self::End { chain: u32::from_le_bytes(*chain), reason })
            }
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
