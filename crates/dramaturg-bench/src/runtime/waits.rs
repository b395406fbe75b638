//! How long threads that want to run wait for a core: what a busy machine does to a process, whatever the process does.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::timing::{Samples, Timing};

/// A thread sleeps so long, again and again, to see how much longer it becomes.
const NAP: Duration = Duration::from_millis(2);

/// Watches this process until it is ended.
pub struct Waits {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Samples>>,
    before: Option<Ran>,
}

/// How long threads of a process waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitFigures {
    /// Of the time in which threads wanted to run, the part in hundredths in which no core was free for them; none where the system
    /// does not tell.
    pub waiting_percent: Option<f64>,
    /// How much too late a thread woke that does nothing but sleep, in milliseconds.
    pub wake: Timing,
}

/// What the system counts for all threads of this process, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Ran {
    ran: u64,
    waited: u64,
}

impl Waits {
    /// Begins to watch.
    pub fn begin() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let naps = move || {
            let mut samples = Samples::new();
            while !told.load(Ordering::Relaxed) {
                let began = Instant::now();
                thread::sleep(NAP);
                samples.add(began.elapsed().saturating_sub(NAP));
            }
            samples
        };
        // Without a thread there are no naps to tell of; everything else is measured all the same.
        let thread = thread::Builder::new().name("naps".to_owned()).spawn(naps).ok();
        Self { over, thread, before: Ran::now() }
    }

    /// What was seen.
    pub fn end(self) -> WaitFigures {
        let after = Ran::now();
        self.over.store(true, Ordering::Relaxed);
        let naps = self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default();
        let percent = |(before, after): (Ran, Ran)| {
            let (ran, waited) = (after.ran.saturating_sub(before.ran), after.waited.saturating_sub(before.waited));
            waited as f64 * 100.0 / (ran + waited).max(1) as f64
        };
        WaitFigures { waiting_percent: self.before.zip(after).map(percent), wake: naps.timing() }
    }
}

impl Ran {
    fn now() -> Option<Self> {
        let mut sum = Self::default();
        for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
            // A thread may end while it is looked at.
            let Ok(line) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
            let mut fields = line.split_whitespace().map_while(|field| field.parse::<u64>().ok());
            let (ran, waited) = fields.next().zip(fields.next())?;
            sum = Self { ran: sum.ran + ran, waited: sum.waited + waited };
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naps_are_counted_and_shares_are_shares() {
        let waits = Waits::begin();
        thread::sleep(NAP * 5);
        let figures = waits.end();
        assert!(figures.wake.runs >= 1, "{figures:?}");
        assert!(figures.waiting_percent.is_none_or(|percent| (0.0..=100.0).contains(&percent)), "{figures:?}");
    }
}
