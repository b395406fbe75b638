//! The pulse of a game: one tick at each of its moments, and none for moments that the machine slept through.

use std::thread;
use std::time::{Duration, Instant};

use dramaturg_model::Tick;

/// Ticks in a second.
pub const RATE: u32 = 60;

/// So many ticks as fit into some seconds.
pub const fn ticks(seconds: u32) -> Tick {
    (seconds * RATE) as Tick
}

/// A game's clock, 60 ticks a second.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    began: Instant,
    next: Tick,
}

/// One tick of a pulse.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    /// Which tick.
    pub tick: Tick,
    /// How many ticks before it fell out, because the thread woke too late for them.
    pub skipped: Tick,
    /// How much too late the thread woke.
    pub late: Duration,
}

impl Beat {
    /// Whether a tick fell out just before this one.
    pub fn has_skipped(&self, tick: Tick) -> bool {
        (self.tick - self.skipped..self.tick).contains(&tick)
    }
}

impl Pulse {
    /// Begins with tick 0, after this time.
    pub fn begin(after: Duration) -> Self {
        Self { began: Instant::now() + after, next: 0 }
    }

    /// When the next tick begins.
    pub fn moment(&self) -> Instant {
        let nanoseconds = u128::from(self.next.unsigned_abs()) * 1_000_000_000 / u128::from(RATE);
        self.began + Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// Sleeps until the next tick.
    pub fn wait(&mut self) -> Beat {
        thread::sleep(self.moment().saturating_duration_since(Instant::now()));
        self.beat()
    }

    /// The tick that has come; its moment must not lie ahead.
    pub fn beat(&mut self) -> Beat {
        let late = Instant::now().saturating_duration_since(self.moment());
        let skipped = (late.as_nanos() * u128::from(RATE) / 1_000_000_000) as Tick;
        let tick = self.next + skipped;
        self.next = tick + 1;
        Beat { tick, skipped, late }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_that_were_slept_through_fall_out() {
        let mut pulse = Pulse { began: Instant::now() - Duration::from_millis(105), next: 0 };
        let beat = pulse.beat();
        assert!(beat.tick >= 6, "{beat:?}");
        assert_eq!(beat.skipped, beat.tick);
        assert!(beat.has_skipped(0) && beat.has_skipped(beat.tick - 1) && !beat.has_skipped(beat.tick));
        assert_eq!(pulse.wait().tick, beat.tick + 1);
    }
}
