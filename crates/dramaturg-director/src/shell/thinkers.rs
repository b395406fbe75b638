//! The threads that planners work in, so that no dispatcher ever waits for one.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use dramaturg_planner::planner::{Planner, Workers};

use super::pool::Pool;
use super::stopwatch::micros;
use super::sync::mpsc::Sender;
use crate::clock::Moment;
use crate::feed::{Feed, Thought};

/// A planner that is to work.
pub struct Job {
    /// Whose it is.
    pub session: u64,
    /// The planner.
    pub planner: Box<dyn Planner>,
    /// What it is told.
    pub feed: Feed,
    /// How many units it may work.
    pub units: u32,
}

/// A planner that has worked.
pub struct Done {
    /// Whose it is.
    pub session: u64,
    /// The planner and what it published; a text if it panicked, and then the planner is gone.
    pub outcome: Result<(Box<dyn Planner>, Thought), String>,
    /// How many units it was given.
    pub units: u32,
    /// How long it took, in microseconds.
    pub micros: Moment,
}

/// A door to the threads, for sessions.
#[derive(Clone)]
pub struct ThinkersDoor {
    jobs: Sender<Job>,
}

impl ThinkersDoor {
    /// Lets a planner work as soon as a thread is free.
    pub fn submit(&self, job: Job) {
        // They are gone only when everything ends.
        let _ = self.jobs.send(job);
    }
}

/// Threads that planners work in.
pub struct Thinkers {
    pool: Pool<Job, Done>,
}

impl Thinkers {
    /// So many threads. `wake` is called, in one of them, whenever a planner has worked.
    pub fn start(count: usize, wake: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        Ok(Self { pool: Pool::start(count, "planner", work, wake)? })
    }

    /// A door for sessions to hand their planners through.
    pub fn door(&self) -> ThinkersDoor {
        ThinkersDoor { jobs: self.pool.door() }
    }

    /// The next planner that has worked, if one has.
    pub fn done(&self) -> Option<Done> {
        self.pool.done()
    }
}

fn work(job: Job) -> Done {
    let Job { session, mut planner, feed, units } = job;
    let began = Instant::now();
    let thought = catch_unwind(AssertUnwindSafe(|| feed.think(&mut *planner, units, &Workers::single())));
    let micros = micros(began.elapsed());
    let outcome = match thought {
        Ok(thought) => Ok((planner, thought)),
        Err(panic) => {
            // What is left of it may panic again on its way out.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(planner)));
            Err(panic_text(&*panic))
        }
    };
    Done { session, outcome, units, micros }
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}
