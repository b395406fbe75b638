//! Saves in pieces: a session may be larger than a message.

use serde::{Deserialize, Serialize};

use crate::Codec;
use crate::link::{MESSAGE_BYTES_MAX, QUEUE_BYTES_MAX};

/// The most bytes that a save may take on its way: half of what may wait for a side that does not read.
pub const SAVE_BYTES_MAX: usize = QUEUE_BYTES_MAX as usize / 2;

/// What a message has besides its data, at most.
const AROUND: usize = 128;

/// How many bytes one byte of a save becomes, at most: JSON writes numbers.
const fn written(codec: Codec) -> usize {
    match codec {
        Codec::Binary => 1,
        Codec::Json => 4,
    }
}

/// The most bytes that a save may have to be sent.
pub const fn save_bytes_max(codec: Codec) -> usize {
    SAVE_BYTES_MAX / written(codec)
}

/// Cuts a save so that no message is larger than the other side takes. All but the last piece go ahead of it.
pub fn cut(data: &[u8], codec: Codec, message_bytes_max: u32) -> (Vec<&[u8]>, &[u8]) {
    let most = message_bytes_max.min(MESSAGE_BYTES_MAX) as usize;
    let piece = (most.saturating_sub(AROUND) / written(codec)).max(1);
    let mut pieces: Vec<&[u8]> = data.chunks(piece).collect();
    let last = pieces.pop().unwrap_or_default();
    (pieces, last)
}

/// The pieces that have come so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    request: u32,
    data: Vec<u8>,
}

impl Pieces {
    /// Whether nothing has come.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// How many bytes have come.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Adds one. Those of another request are forgotten: it was never finished. Says whether there is room for it.
    #[must_use]
    pub fn add(&mut self, request: u32, data: &[u8]) -> bool {
        if self.request != request {
            self.data.clear();
            self.request = request;
        }
        let fits = self.data.len().saturating_add(data.len()) <= SAVE_BYTES_MAX;
        if fits {
            self.data.extend_from_slice(data);
        } else {
            self.data = Vec::new();
        }
        fits
    }

    /// The whole, of which this is the last piece.
    pub fn finish(&mut self, request: u32, last: Vec<u8>) -> Vec<u8> {
        let mut data = std::mem::take(&mut self.data);
        if self.request != request || data.is_empty() {
            return last;
        }
        data.extend_from_slice(&last);
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_whole_again() {
        let data: Vec<u8> = (0..10_000u32).map(|at| (at % 251) as u8).collect();
        for (codec, most) in [(Codec::Binary, 1024), (Codec::Json, 1024), (Codec::Binary, u32::MAX), (Codec::Json, 0)] {
            let (ahead, last) = cut(&data, codec, most);
            let mut pieces = Pieces::default();
            assert!(pieces.add(3, b"of another that was never finished"));
            for piece in &ahead {
                assert!(pieces.add(4, piece), "there is room");
            }
            assert_eq!(pieces.finish(4, last.to_vec()), data, "{codec:?} {most}");
            assert!(pieces.is_empty());
            assert_eq!(ahead.is_empty(), most == u32::MAX, "{codec:?} {most}");
        }
    }

    #[test]
    fn no_more_is_kept_than_a_save_may_have() {
        let mut pieces = Pieces::default();
        let piece = vec![0; SAVE_BYTES_MAX / 2];
        assert!(pieces.add(1, &piece) && pieces.add(1, &piece));
        assert!(!pieces.add(1, &[1]));
        assert!(pieces.is_empty());
    }
}
