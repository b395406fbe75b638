//! How much of a core the present thread has used: unlike the time of day, it does not count what other processes did.

use crate::clock::Moment;

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
