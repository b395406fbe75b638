//! Bytes of frames: binary between programs, JSON for browsers and eyes.

mod plain;
mod quick;

use std::fmt;

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Frame, ToDirector, ToGame};

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
                let written = postcard::serialize_with_flavor(message, Appending(to));
                debug_assert!(written.is_ok(), "messages can be written");
            }
            Self::Json => {
                let written = serde_json::to_writer(&mut *to, message);
                debug_assert!(written.is_ok(), "messages can be written");
            }
        }
    }

    /// Appends what a game says, as [`Codec::encode`] does, but statuses sooner.
    pub fn encode_to_director(self, message: &ToDirector, to: &mut Vec<u8>) {
        if self != Self::Binary || !plain::append_status(message, to) {
            self.encode(message, to);
        }
    }

    /// Appends a frame made of its numbers and an encoded message.
    pub fn wrap(self, epoch: u32, seq: u64, ack: u64, message: &[u8], to: &mut Vec<u8>) {
        match self {
            Self::Binary => {
                for number in [epoch.into(), seq, ack] {
                    append_number(number, to);
                }
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

    /// Reads a frame that goes to a game, as [`Codec::decode`] does, but tasks sooner.
    pub fn decode_to_game(self, bytes: &[u8]) -> Result<Frame<ToGame>, CodecError> {
        let quick = if self == Self::Binary { quick::execute_frame(bytes) } else { None };
        quick.map_or_else(|| self.decode(bytes), Ok)
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

/// Appends what postcard writes. Numbers come in pieces of a byte or two: to push one costs less than to copy a slice.
struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        match data {
            [byte] => self.0.push(*byte),
            [one, two] => self.0.extend([*one, *two]),
            _ => self.0.extend_from_slice(data),
        }
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, data: u8) -> postcard::Result<()> {
        self.0.push(data);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Appends a number as postcard writes it: seven bits a byte, the lowest first.
fn append_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Status, Task};

    proptest! {
        #[test]
        fn binary_frames_are_written_as_postcard_writes_them(
            (epoch, seq, ack) in any::<(u32, u64, u64)>(),
            (shift, step, part, version, tick) in (0u32..64, any::<u32>(), any::<u16>(), any::<u32>(), any::<i64>()),
            reason in "\\PC{0,200}",
        ) {
            let outcome = crate::Outcome::Failed { reason };
            let task = Task { step: step.checked_shr(shift).unwrap_or(0), part };
            let message =
                ToDirector::Status(Status { task, version, tick: tick >> shift, outcome, observations: Vec::new() });
            let (mut body, mut bytes) = (Vec::new(), Vec::new());
            Codec::Binary.encode(&message, &mut body);
            prop_assert_eq!(Ok(body.clone()), postcard::to_stdvec(&message));
            let frame = Frame { epoch, seq: seq >> shift, ack: ack >> shift, message };
            Codec::Binary.wrap(frame.epoch, frame.seq, frame.ack, &body, &mut bytes);
            prop_assert_eq!(Ok(bytes.clone()), postcard::to_stdvec(&frame));
            prop_assert_eq!(Codec::Binary.decode(&bytes), Ok(frame));
        }
    }
}
