//! What came of each operation that was sent.

use dramaturg_director::EventKind;
use dramaturg_wire::Outcome;
use serde::Serialize;

use super::wilson::Share;

/// What came of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Sent to the game.
    pub sent: u64,
    /// Started in their tick.
    pub on_time: u64,
    /// Not started, because what they waited for was not so in their tick: something had gone wrong too late to call them back.
    pub refused: u64,
    /// Not started in their tick for any other reason.
    pub missed: u64,
    /// Not sent, because what they waited for would not be so in their tick, and nothing else could be planned in time.
    pub unsent: u64,
    /// Plans that were not taken over.
    pub rejected: u64,
}

impl Tally {
    /// Something happened in the session.
    pub fn hear(&mut self, event: &EventKind) {
        match event {
            EventKind::Dispatched { .. } => self.sent += 1,
            EventKind::Late { .. } => self.unsent += 1,
            EventKind::Rejected { .. } => self.rejected += 1,
            EventKind::Status { outcome, .. } => match outcome {
                Outcome::Started { late: 0 } => self.on_time += 1,
                Outcome::GuardFailed { .. } => self.refused += 1,
                Outcome::Started { .. } | Outcome::Missed { .. } => self.missed += 1,
                _ => {}
            },
            _ => {}
        }
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.on_time += other.on_time;
        self.refused += other.refused;
        self.missed += other.missed;
        self.unsent += other.unsent;
        self.rejected += other.rejected;
    }

    /// The same of those only for which the world was ready: what was refused or held back by a disturbance does not count.
    pub fn punctuality(&self) -> Share {
        Share::of(self.on_time, self.on_time + self.missed)
    }

    /// The share of operations that started in the tick for which they were sent, or for which they should have been.
    pub fn reliability(&self) -> Share {
        Share::of(self.on_time, self.sent + self.unsent)
    }
}
