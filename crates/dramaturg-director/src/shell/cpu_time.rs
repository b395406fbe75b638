//! How much of a core the present thread has used: unlike the time of day, it does not count what other processes did.

use std::time::Instant;

use super::stopwatch::micros;
use crate::clock::Moment;

/// Measures one piece of work of this thread after the other.
pub struct CpuTime {
    began: Instant,
    used: Option<Moment>,
}

impl CpuTime {
    /// The first piece begins now.
    pub fn start() -> Self {
        Self { began: Instant::now(), used: thread_micros() }
    }

    /// Microseconds of a core that the last piece took; where the system does not tell, of the wall clock. The next one
    /// begins now: asking the system is not cheap, so it is asked once for each piece.
    pub fn lap(&mut self) -> Moment {
        let after = Self::start();
        let used = self.used.zip(after.used).map(|(before, after)| after.saturating_sub(before));
        let lap = used.unwrap_or_else(|| micros(after.began.duration_since(self.began)));
        *self = after;
        lap
    }
}

/// Microseconds of a core that this thread has used; none where the system does not tell.
#[cfg(unix)]
pub fn thread_micros() -> Option<Moment> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(used.tv_sec.saturating_mul(1_000_000).saturating_add(used.tv_nsec / 1_000))
}

/// Microseconds of a core that this thread has used; none where the system does not tell.
#[cfg(not(unix))]
pub fn thread_micros() -> Option<Moment> {
    None
}
