//! Two ends in one thread: game and director take turns, and nothing takes time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::{Link, LinkError, LinkOptions};
use crate::Codec;

/// One end of a link within a thread.
#[derive(Debug)]
pub struct InlineLink {
    shared: Rc<RefCell<Shared>>,
    first: bool,
    options: LinkOptions,
}

#[derive(Debug, Default)]
struct Shared {
    to_first: Queue,
    to_second: Queue,
    /// Buffers to use again, so that warm use does not allocate.
    spare: Vec<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<Vec<u8>>,
    bytes: u64,
    /// Whether the end that reads it is gone, or the one that fills it.
    closed: bool,
}

impl InlineLink {
    /// Both ends of a new link.
    pub fn pair(options: &LinkOptions) -> (Self, Self) {
        let shared = Rc::new(RefCell::new(Shared::default()));
        let first = Self { shared: Rc::clone(&shared), first: true, options: options.clone() };
        (first, Self { shared, first: false, options: options.clone() })
    }
}

impl Link for InlineLink {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        let (bytes, most) = (frame.len() as u64, u64::from(self.options.message_bytes_max));
        if bytes > most {
            return Err(LinkError::TooLarge { bytes, most });
        }
        let Shared { to_first, to_second, spare } = &mut *self.shared.borrow_mut();
        let queue = if self.first { to_second } else { to_first };
        if queue.closed {
            return Ok(());
        }
        let (waiting, most) = (queue.bytes + bytes, u64::from(self.options.queue_bytes_max));
        if waiting > most {
            return Err(LinkError::Congested { bytes: waiting, most });
        }
        let mut copy = spare.pop().unwrap_or_default();
        copy.extend_from_slice(frame);
        queue.frames.push_back(copy);
        queue.bytes = waiting;
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        into.clear();
        let Shared { to_first, to_second, spare } = &mut *self.shared.borrow_mut();
        let queue = if self.first { to_first } else { to_second };
        let Some(mut frame) = queue.frames.pop_front() else {
            return if queue.closed { Err(LinkError::Closed) } else { Ok(false) };
        };
        queue.bytes = queue.bytes.saturating_sub(frame.len() as u64);
        std::mem::swap(into, &mut frame);
        spare.push(frame);
        Ok(true)
    }

    fn codec(&self) -> Codec {
        self.options.codec
    }
}

impl Drop for InlineLink {
    fn drop(&mut self) {
        if let Ok(mut shared) = self.shared.try_borrow_mut() {
            shared.to_first.closed = true;
            shared.to_second.closed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_before_the_end_still_arrives() {
        let (mut left, mut right) = InlineLink::pair(&LinkOptions::default());
        left.send(b"last words").expect("sent");
        drop(left);
        let mut frame = Vec::new();
        assert_eq!(right.receive(&mut frame), Ok(true));
        assert_eq!(frame, b"last words");
        assert_eq!(right.receive(&mut frame), Err(LinkError::Closed));
    }

    #[test]
    fn who_does_not_read_is_given_up() {
        let options = LinkOptions { queue_bytes_max: 10, ..LinkOptions::default() };
        let (mut left, _right) = InlineLink::pair(&options);
        assert_eq!(left.send(&[0; 8]), Ok(()));
        assert_eq!(left.send(&[0; 8]), Err(LinkError::Congested { bytes: 16, most: 10 }));
    }
}
