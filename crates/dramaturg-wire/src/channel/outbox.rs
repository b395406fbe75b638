//! What waits to be acknowledged.

use std::collections::VecDeque;

/// A message that waits to be acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// When it is to be sent (again).
    pub(super) due: i64,
    pub(super) wait: i64,
    /// When it was sent first.
    pub(super) at: i64,
    pub(super) attempts: u32,
    /// How many bytes it has; no link takes more than this can say.
    length: u32,
}

/// Messages in the order in which they were sent first. Their bytes lie one after another, so that a game that has been
/// away for a frame looks into few places of memory that has gone cold.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    sent: VecDeque<Sent>,
    /// The number of the oldest; the others follow it.
    first: u64,
    bytes: Vec<u8>,
    /// So many of the bytes belong to messages that were acknowledged.
    gone: usize,
}

/// Bytes of acknowledged messages are kept up to here before the others move up.
const GONE_MOST: usize = 16 * 1024;

/// Most messages have fewer bytes.
const ROOM_LEAST: usize = 256;
/// Room that one large message took is given back.
const ROOM_MOST: usize = 4 * 1024 * 1024;

impl Outbox {
    /// How many messages wait.
    pub(super) fn len(&self) -> usize {
        self.sent.len()
    }

    /// How many bytes wait.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.bytes.len().saturating_sub(self.gone)
    }

    /// Another message, which `write` appends to the bytes of the others, if it has at most so many bytes; the error is
    /// how many it has.
    pub(super) fn push(
        &mut self,
        seq: u64,
        now: i64,
        wait: i64,
        most: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), usize> {
        if self.gone > 0 && self.bytes.capacity() - self.bytes.len() < ROOM_LEAST {
            // Rather than ask for memory in the midst of a game.
            self.move_up();
        }
        let begin = self.bytes.len();
        write(&mut self.bytes);
        let length = self.bytes.len().saturating_sub(begin);
        if length > most {
            self.bytes.truncate(begin);
            return Err(length);
        }
        self.append(seq, Sent { due: now, wait, at: now, attempts: 0, length: 0 }, length);
        Ok(())
    }

    fn append(&mut self, seq: u64, sent: Sent, length: usize) {
        if self.sent.is_empty() {
            self.first = seq;
        }
        self.sent.push_back(Sent { length: u32::try_from(length).unwrap_or(u32::MAX), ..sent });
    }

    /// Puts a message back that was kept elsewhere.
    pub(super) fn put(&mut self, seq: u64, sent: Sent, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.append(seq, sent, message.len());
    }

    /// The number of the oldest message.
    pub(super) fn first(&self) -> Option<u64> {
        (!self.sent.is_empty()).then_some(self.first)
    }

    /// Numbers the messages anew, from 1 on.
    pub(super) fn renumber(&mut self) {
        self.first = 1;
    }

    /// The oldest message, to be sent sooner.
    pub(super) fn front_mut(&mut self) -> Option<&mut Sent> {
        self.sent.front_mut()
    }

    /// Takes the oldest message away.
    pub(super) fn pop(&mut self) -> Option<Sent> {
        let sent = self.sent.pop_front()?;
        self.first = self.first.saturating_add(1);
        self.gone += sent.length as usize;
        if self.sent.is_empty() {
            // Both begin anew where they did, in memory that has just been used, not further and further round.
            self.sent.clear();
            self.bytes.clear();
            self.gone = 0;
            if self.bytes.capacity() > ROOM_MOST {
                self.bytes = Vec::new();
            }
        } else if self.gone > GONE_MOST && self.gone * 2 > self.bytes.len() {
            self.move_up();
        }
        Some(sent)
    }

    fn move_up(&mut self) {
        self.bytes.drain(..self.gone);
        self.gone = 0;
    }

    /// Each message with its number and its bytes, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Sent, &[u8])> {
        let mut end = self.gone;
        (self.first..).zip(&self.sent).map(move |(seq, sent)| {
            let begin = end;
            end += sent.length as usize;
            (seq, sent, self.bytes.get(begin..end).unwrap_or(&[]))
        })
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut Sent, &[u8])> {
        let (bytes, mut end) = (self.bytes.as_slice(), self.gone);
        (self.first..).zip(&mut self.sent).map(move |(seq, sent)| {
            let begin = end;
            end += sent.length as usize;
            (seq, sent, bytes.get(begin..end).unwrap_or(&[]))
        })
    }
}

impl Sent {
    /// A message as it was kept elsewhere.
    pub(super) fn kept(due: i64, wait: i64, at: i64, attempts: u32) -> Self {
        Self { due, wait, at, attempts, length: 0 }
    }
}
