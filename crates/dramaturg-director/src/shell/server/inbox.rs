//! What came for a session and waits for its turn.

use std::collections::VecDeque;

use super::super::session::Session;
use super::super::thinkers::Done;

/// A session whose inbox has more bytes is not read from until it has taken half of them in: its game has to wait.
pub const INBOX_BYTES_MAX: usize = 1 << 20;
/// A session takes in so many bytes at a time, or the frame that goes beyond them; what else came waits for its next
/// turn.
const BATCH_BYTES: usize = 256 << 10;
/// The same for the number of frames.
const BATCH_FRAMES: usize = 1024;

/// What comes for a session.
pub(super) enum Arrival {
    /// A frame.
    Frame(Vec<u8>),
    /// The link is gone, and why.
    Gone(String),
    /// Its planner has worked.
    Thought(Box<Done>),
}

/// What came for a session, in order.
#[derive(Default)]
pub(super) struct Inbox {
    arrivals: VecDeque<Arrival>,
    /// Of all frames.
    bytes: usize,
}

/// What a session takes in at a time.
pub(super) struct Batch {
    pub(super) frames: Vec<Vec<u8>>,
    /// Why the link that they came over is gone, if it is.
    pub(super) gone: Option<String>,
    /// Whether that link is still there to answer over.
    pub(super) is_linked: bool,
}

impl Inbox {
    pub(super) fn push(&mut self, arrival: Arrival) {
        if let Arrival::Frame(frame) = &arrival {
            self.bytes += frame.len();
        }
        self.arrivals.push_back(arrival);
    }

    /// The link that a batch came over is gone; that is told after the batch was taken in.
    pub(super) fn put_back_gone(&mut self, reason: String) {
        self.arrivals.push_front(Arrival::Gone(reason));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// Of all frames that wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether no more should be read for the session.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > INBOX_BYTES_MAX
    }

    /// Whether more can be read for it again.
    pub(super) fn has_room(&self) -> bool {
        self.bytes <= INBOX_BYTES_MAX / 2
    }

    /// Forgets the frames that came over the first link that is not known to be gone; whether that one is the last.
    pub(super) fn drop_frames(&mut self) -> bool {
        let mut is_gone = false;
        let bytes = &mut self.bytes;
        self.arrivals.retain(|arrival| match arrival {
            Arrival::Gone(_) => {
                is_gone = true;
                true
            }
            Arrival::Frame(frame) if !is_gone => {
                *bytes -= frame.len();
                false
            }
            _ => true,
        });
        !is_gone
    }

    /// Takes what the session is to take in next: up to where its link broke, and not too much at a time. A planner
    /// that comes back is given back at once; a text says that it panicked.
    pub(super) fn take_batch(&mut self, session: &mut Session) -> Result<Batch, String> {
        let (mut frames, mut taken, mut gone) = (Vec::new(), 0, None);
        while taken < BATCH_BYTES && frames.len() < BATCH_FRAMES {
            match self.arrivals.pop_front() {
                Some(Arrival::Frame(frame)) => {
                    taken += frame.len();
                    frames.push(frame);
                }
                Some(Arrival::Thought(done)) => session.thought(*done)?,
                Some(Arrival::Gone(reason)) => {
                    gone = Some(reason);
                    break;
                }
                None => break,
            }
        }
        self.bytes -= taken;
        let is_linked = gone.is_none() && !self.arrivals.iter().any(|arrival| matches!(arrival, Arrival::Gone(_)));
        Ok(Batch { frames, gone, is_linked })
    }
}
