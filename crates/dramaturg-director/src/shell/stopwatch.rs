//! The director's own clock.

use std::time::{Duration, Instant};

use crate::clock::Moment;

/// Counts microseconds from when it was made. It never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    began: Instant,
}

impl Stopwatch {
    /// Begins to count.
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }

    /// Microseconds since it began.
    pub fn now(&self) -> Moment {
        micros(self.began.elapsed())
    }

    /// How long it is until a moment; nothing if it is past.
    pub fn until(&self, moment: Moment) -> Duration {
        Duration::from_micros(u64::try_from(moment.saturating_sub(self.now())).unwrap_or(0))
    }
}

/// A duration in microseconds.
pub(crate) fn micros(duration: Duration) -> Moment {
    Moment::try_from(duration.as_micros()).unwrap_or(Moment::MAX)
}
