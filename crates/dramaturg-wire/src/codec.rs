//! Bytes of frames: binary between programs, JSON for browsers and eyes.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Frame;

/// How frames are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// Postcard: small, and decoded without allocating where the message holds no text.
    #[default]
    Binary,
    /// JSON, one object a frame.
    Json,
}

/// Bytes that are no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecError(String);

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a message of this protocol: {}", self.0)
    }
}

impl std::error::Error for CodecError {}

impl Codec {
    /// Appends a message without its numbers: what a channel keeps until it is acknowledged.
    pub fn encode<M: Serialize>(self, message: &M, to: &mut Vec<u8>) {
        // Writing to memory fails only for values that no serialiser could write, and messages have none.
        match self {
            Self::Binary => {
                let taken = std::mem::take(to);
                *to = postcard::to_extend(message, taken).unwrap_or_default();
            }
            Self::Json => {
                let written = serde_json::to_writer(&mut *to, message);
                debug_assert!(written.is_ok(), "messages can be written");
            }
        }
    }

    /// Appends a frame made of its numbers and an encoded message.
    pub fn wrap(self, epoch: u32, seq: u64, ack: u64, message: &[u8], to: &mut Vec<u8>) {
        match self {
            Self::Binary => {
                self.encode(&(epoch, seq, ack), to);
                to.extend_from_slice(message);
            }
            Self::Json => {
                use std::io::Write;
                let head = write!(to, "{{\"epoch\":{epoch},\"seq\":{seq},\"ack\":{ack},\"message\":");
                debug_assert!(head.is_ok(), "memory can be written");
                to.extend_from_slice(message);
                to.push(b'}');
            }
        }
    }

    /// Reads a frame; nothing may follow it.
    pub fn decode<M: DeserializeOwned>(self, bytes: &[u8]) -> Result<Frame<M>, CodecError> {
        match self {
            Self::Binary => match postcard::take_from_bytes(bytes) {
                Ok((frame, [])) => Ok(frame),
                Ok((_, rest)) => Err(CodecError(format!("{} bytes too many", rest.len()))),
                Err(error) => Err(CodecError(error.to_string())),
            },
            Self::Json => serde_json::from_slice(bytes).map_err(|error| CodecError(error.to_string())),
        }
    }
}
