//! Two ends in two threads of one process.

use std::collections::VecDeque;
use std::time::Duration;

use super::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel};
use super::{Link, LinkError, LinkOptions};
use crate::Codec;

/// How many frames the queue between the threads holds. What goes beyond waits on the sender's side.
const FRAMES: usize = 1024;

/// One end of a link between threads. Buffers travel back to where they came from, so that warm use does not allocate.
#[derive(Debug)]
pub struct ThreadLink {
    options: LinkOptions,
    out: SyncSender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
    /// Takes emptied buffers back to the other end.
    give_back: SyncSender<Vec<u8>>,
    /// Brings our own emptied buffers.
    returned: Receiver<Vec<u8>>,
    /// What the queue had no room for.
    backlog: VecDeque<Vec<u8>>,
    backlog_bytes: u64,
    /// A frame that [`ThreadLink::wait`] came upon.
    waiting: Option<Vec<u8>>,
}

impl ThreadLink {
    /// Both ends of a new link.
    pub fn pair(options: &LinkOptions) -> (Self, Self) {
        Self::pair_with(options, FRAMES)
    }

    /// The same, with room for so many frames in each queue.
    pub fn pair_with(options: &LinkOptions, frames: usize) -> (Self, Self) {
        let (to_second, from_first) = sync_channel(frames);
        let (to_first, from_second) = sync_channel(frames);
        let (give_first, returned_first) = sync_channel(frames);
        let (give_second, returned_second) = sync_channel(frames);
        let end = |out, incoming, give_back, returned| Self {
            options: options.clone(),
            out,
            incoming,
            give_back,
            returned,
            backlog: VecDeque::new(),
            backlog_bytes: 0,
            waiting: None,
        };
        (
            end(to_second, from_second, give_second, returned_first),
            end(to_first, from_first, give_first, returned_second),
        )
    }

    /// Waits until a frame is there, the other end is gone, or the time is over, and says whether [`Link::receive`] has something to
    /// tell.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.pass_on();
        if self.waiting.is_none() {
            match self.incoming.recv_timeout(timeout) {
                Ok(frame) => self.waiting = Some(frame),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        true
    }

    /// Passes on what waits, and says whether all of it went. An end that is gone takes everything.
    fn pass_on(&mut self) -> bool {
        while let Some(frame) = self.backlog.pop_front() {
            let bytes = frame.len() as u64;
            match self.out.try_send(frame) {
                Ok(()) | Err(TrySendError::Disconnected(_)) => {
                    self.backlog_bytes = self.backlog_bytes.saturating_sub(bytes);
                }
                Err(TrySendError::Full(frame)) => {
                    self.backlog.push_front(frame);
                    return false;
                }
            }
        }
        true
    }
}

impl Link for ThreadLink {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        let (bytes, most) = (frame.len() as u64, u64::from(self.options.message_bytes_max));
        if bytes > most {
            return Err(LinkError::TooLarge { bytes, most });
        }
        let mut copy = self.returned.try_recv().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(frame);
        let copy = if self.pass_on() {
            match self.out.try_send(copy) {
                Ok(()) | Err(TrySendError::Disconnected(_)) => return Ok(()),
                Err(TrySendError::Full(copy)) => copy,
            }
        } else {
            copy
        };
        let (waiting, most) = (self.backlog_bytes + bytes, u64::from(self.options.queue_bytes_max));
        if waiting > most {
            return Err(LinkError::Congested { bytes: waiting, most });
        }
        self.backlog.push_back(copy);
        self.backlog_bytes = waiting;
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        into.clear();
        self.pass_on();
        let mut frame = match self.waiting.take().map_or_else(|| self.incoming.try_recv(), Ok) {
            Ok(frame) => frame,
            Err(TryRecvError::Empty) => return Ok(false),
            Err(TryRecvError::Disconnected) => return Err(LinkError::Closed),
        };
        std::mem::swap(into, &mut frame);
        // The other end may have enough of them, or be gone.
        let _ = self.give_back.try_send(frame);
        Ok(true)
    }

    fn codec(&self) -> Codec {
        self.options.codec
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        Ok(self.pass_on())
    }
}
