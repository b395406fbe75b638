//! How much one server takes on, so that no game can take it from the others.

use super::options::{LinkOptions, MESSAGE_BYTES_MAX, QUEUE_BYTES_MAX};
use crate::Codec;

/// What a link may hold of a frame before it was admitted, beside its part of [`Limits::hello_bytes_sum_max`]. The
/// hello of a new session has a few hundred bytes; one that resumes has a table of tasks and may need more.
pub const HELLO_BYTES_FREE: u32 = 4 << 10;

/// What a link may hold of a frame after it was admitted, beside its part of [`Limits::frame_bytes_sum_max`].
pub const FRAME_BYTES_FREE: u32 = 16 << 10;

/// What a server allows. The defaults bear a game that starts a thousand tasks a second; a server that is open to the
/// world should allow less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes a frame may have, in both directions. More: the frame is refused before it is read, and the link
    /// closed.
    pub message_bytes_max: u32,
    /// The most bytes that wait for a game that does not read.
    pub queue_bytes_max: u32,
    /// The most bytes that wait for all games together. More: the link with the most of them is closed.
    pub queue_bytes_sum_max: u64,
    /// The most bytes that links hold together which have not been admitted by [`super::Hub::admit`]. Each has
    /// [`HELLO_BYTES_FREE`] beside that. Where there is no room, a link waits, and one that keeps others waiting is
    /// closed.
    pub hello_bytes_sum_max: u64,
    /// The same for links that have been admitted and whose frame has not come in full; each has [`FRAME_BYTES_FREE`]
    /// beside that.
    pub frame_bytes_sum_max: u64,
    /// How many frames a game may send in a second, on average.
    pub messages_per_second: u32,
    /// How many frames a game may send at once, after it has been quiet.
    pub messages_burst: u32,
    /// The most links that are open at the same time.
    pub sessions_max: u32,
    /// The most links that one address has at a time; an IPv6 network of 64 bits counts as one. More: refused with the
    /// reason.
    pub links_per_address_max: u32,
    /// How many connections one address may open in a second, on average. More: closed without an answer.
    pub connections_per_second: u32,
    /// How many connections one address may open at once, after it has been quiet.
    pub connections_burst: u32,
    /// The most links that are about to open.
    pub handshakes_max: u32,
    /// How long a link may take to open.
    pub handshake_milliseconds: u32,
    /// A link on which nothing comes for so long is closed; 0: never. A game reports the time several times a second,
    /// paused or not.
    pub idle_seconds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes_max: MESSAGE_BYTES_MAX,
            queue_bytes_max: QUEUE_BYTES_MAX,
            queue_bytes_sum_max: 256 << 20,
            hello_bytes_sum_max: 16 << 20,
            frame_bytes_sum_max: 64 << 20,
            messages_per_second: 20_000,
            messages_burst: 40_000,
            sessions_max: 4_096,
            // Half of all links, so that one address cannot take them all; a thousand games on one machine are common
            // in tests.
            links_per_address_max: 2_048,
            connections_per_second: 500,
            connections_burst: 2_048,
            handshakes_max: 256,
            handshake_milliseconds: 5_000,
            idle_seconds: 60,
        }
    }
}

impl Limits {
    /// What a single link needs to know of them.
    pub(crate) fn link(&self, codec: Codec) -> LinkOptions {
        LinkOptions {
            message_bytes_max: self.message_bytes_max,
            queue_bytes_max: self.queue_bytes_max,
            handshake_milliseconds: self.handshake_milliseconds,
            ..LinkOptions::new(codec)
        }
    }
}

/// A bucket that fills with time and loses a drop for each frame. It reads no clock.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    per_second: u32,
    /// In thousandths of a frame.
    level: u64,
    most: u64,
    last: Option<u64>,
}

impl RateLimit {
    /// So many in a second, and so many at once after a quiet time. The bucket is full at first.
    pub fn new(per_second: u32, burst: u32) -> Self {
        let most = u64::from(burst.max(1)) * 1000;
        Self { per_second, level: most, most, last: None }
    }

    /// How many in a second.
    pub fn per_second(&self) -> u32 {
        self.per_second
    }

    /// Whether one more is allowed at this time, in milliseconds since any fixed moment. Time that goes back counts as
    /// none.
    pub fn take(&mut self, now_milliseconds: u64) -> bool {
        let passed = now_milliseconds.saturating_sub(self.last.unwrap_or(now_milliseconds));
        self.last = Some(self.last.map_or(now_milliseconds, |last| last.max(now_milliseconds)));
        let gained = passed.saturating_mul(u64::from(self.per_second));
        self.level = self.level.saturating_add(gained).min(self.most);
        match self.level.checked_sub(1000) {
            Some(level) => {
                self.level = level;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_allowed_then_the_average_holds() {
        let mut rate = RateLimit::new(10, 5);
        assert_eq!((0..9).filter(|_| rate.take(1000)).count(), 5);
        assert!(!rate.take(1099));
        assert!(rate.take(1100), "a tenth of a second later there is one more");
        assert!(!rate.take(500), "time that goes back brings nothing");
        assert_eq!((1..=10_000).filter(|millisecond| rate.take(1100 + millisecond)).count(), 100);
        assert_eq!((0..9).filter(|_| rate.take(u64::MAX)).count(), 5, "a long rest brings no more than a burst");
    }
}
