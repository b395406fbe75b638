//! What came of each operation that was sent.

use std::collections::BTreeSet;

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
    /// Planned too late to be sent.
    pub belated: u64,
    /// Plans that were not taken over.
    pub rejected: u64,
}

/// Counts what comes of operations, as a session tells it.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// So far.
    pub tally: Tally,
    /// Steps that the director holds back because the world is not ready for them.
    blocked: BTreeSet<u32>,
}

impl Counter {
    /// Something happened in the session.
    pub fn hear(&mut self, event: &EventKind) {
        let tally = &mut self.tally;
        match event {
            EventKind::Dispatched { .. } => tally.sent += 1,
            EventKind::Rejected { .. } => tally.rejected += 1,
            EventKind::Blocked { step, .. } => {
                self.blocked.insert(*step);
            }
            EventKind::Late { step, .. } if self.blocked.contains(step) => tally.unsent += 1,
            EventKind::Late { .. } => tally.belated += 1,
            EventKind::Status { outcome, .. } => match outcome {
                Outcome::Started { late: 0 } => tally.on_time += 1,
                Outcome::GuardFailed { .. } => tally.refused += 1,
                Outcome::Started { .. } | Outcome::Missed { .. } => tally.missed += 1,
                _ => {}
            },
            _ => {}
        }
    }
}

impl Tally {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.on_time += other.on_time;
        self.refused += other.refused;
        self.missed += other.missed;
        self.unsent += other.unsent;
        self.belated += other.belated;
        self.rejected += other.rejected;
    }

    /// The same of those only for which the world was ready: what was refused or held back by a disturbance does not count.
    pub fn punctuality(&self) -> Share {
        Share::of(self.on_time, self.on_time + self.missed + self.belated)
    }

    /// The share of operations that started in the tick for which they were sent, or for which they should have been.
    pub fn reliability(&self) -> Share {
        Share::of(self.on_time, self.sent + self.unsent + self.belated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_back_is_no_fault_of_the_planner() {
        let mut counter = Counter::default();
        let late = |step| EventKind::Late { step, start: 9, policy: "retime".to_owned() };
        counter.hear(&EventKind::Blocked { step: 4, why: "the machine is busy".to_owned() });
        counter.hear(&late(4));
        counter.hear(&late(5));
        counter.tally.on_time = 3;
        counter.tally.sent = 3;
        assert_eq!((counter.tally.unsent, counter.tally.belated), (1, 1));
        let (of_all, of_ready) = (counter.tally.reliability(), counter.tally.punctuality());
        assert_eq!((of_all.hits, of_all.of, of_ready.hits, of_ready.of), (3, 5, 3, 4));
    }
}
