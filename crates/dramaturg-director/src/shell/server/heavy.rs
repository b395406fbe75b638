//! Sessions with much to do are pumped in threads of their own, so that no other session waits for them.
//!
//! Most pumps take microseconds and happen in the server's own thread. One that may take longer (large frames, a save,
//! a world that catches up with its game) is lent to a pool of threads, with the frames that came for it, and comes
//! back with those it sends. What comes for it meanwhile waits in its inbox.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dramaturg_wire::link::HubKey;

use super::super::cpu_time::CpuTime;
use super::super::session::Session;
use super::super::thinkers::panic_text;
use crate::clock::Moment;
use crate::event::Event;

/// A session whose frames have more bytes than this is pumped in a thread: decoding a kilobyte takes about ten
/// microseconds.
const LIGHT_BYTES: usize = 8 << 10;
/// The same for their number.
const LIGHT_FRAMES: usize = 64;
/// A session whose pump took so many microseconds of a core is pumped in a thread ...
const HEAVY: Moment = 1_000;
/// ... for so many microseconds.
const HEAVY_FOR: Moment = 1_000_000;

/// A session that is to be pumped.
pub(super) struct Job {
    pub(super) id: u64,
    pub(super) session: Box<Session>,
    pub(super) now: Moment,
    pub(super) frames: Vec<Vec<u8>>,
    /// Where what it sends goes, if it has a link.
    pub(super) link: Option<HubKey>,
}

/// A session that was pumped.
pub(super) struct Pumped {
    pub(super) id: u64,
    /// A text if it panicked, and then the session is gone.
    pub(super) outcome: Result<Outcome, String>,
    pub(super) link: Option<HubKey>,
    pub(super) micros: Moment,
}

/// What a pump came to.
pub(super) struct Outcome {
    pub(super) session: Box<Session>,
    /// The frames that it sends.
    pub(super) sent: Vec<Vec<u8>>,
    pub(super) events: Vec<Event>,
}

/// Pumps a session.
pub(super) fn pump(job: Job) -> Pumped {
    let Job { id, mut session, now, frames, link } = job;
    let mut used = CpuTime::start();
    let pumped = catch_unwind(AssertUnwindSafe(|| {
        let mut sent = Vec::new();
        session.pump(now, frames, &mut |frame| {
            if link.is_some() {
                sent.push(frame.to_vec());
            }
        });
        let events = session.take_events();
        (sent, events)
    }));
    let micros = used.lap();
    let outcome = match pumped {
        Ok((sent, events)) => Ok(Outcome { session, sent, events }),
        Err(panic) => {
            // What is left of it may panic again on its way out.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(session)));
            Err(panic_text(&*panic))
        }
    };
    Pumped { id, outcome, link, micros }
}

/// Whether a session is pumped in a thread, by what came for it and by how long it took before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    heavy_until: Moment,
}

impl Weight {
    /// Whether it should be pumped in a thread now, with these frames.
    pub(super) fn is_heavy(&self, session: &Session, now: Moment, frames: &[Vec<u8>]) -> bool {
        now < self.heavy_until
            || frames.len() > LIGHT_FRAMES
            || frames.iter().map(Vec::len).sum::<usize>() > LIGHT_BYTES
            || session.director().core().is_behind()
    }

    /// It took so many microseconds of a core.
    pub(super) fn took(&mut self, now: Moment, micros: Moment) {
        if micros > HEAVY {
            self.heavy_until = now.saturating_add(HEAVY_FOR);
        }
    }
}
