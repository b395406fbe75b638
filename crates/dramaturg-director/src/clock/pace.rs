//! The pace of a game, from reports of known age.
//!
//! Between two reports lie a known number of ticks and a length of time between two bounds: so the pace between them
//! lies between two bounds as well, whatever the link did. A single stretch may hold skipped or lost ticks; two in a
//! row that exclude the same pace on the same side show another one.

use std::collections::VecDeque;

use dramaturg_wire::Tick;
use serde::{Deserialize, Serialize};

use super::Moment;

/// No game is faster: a tick that is shorter than a millisecond cannot be kept over any link. In thousandths of ticks a
/// second.
pub const RATE_MILLI_MAX: u32 = 1_000_000;

/// Microseconds between two marks that are kept.
const SPACING: Moment = 300_000;
/// How many marks are kept: about eight seconds.
const MARKS_MAX: usize = 28;
/// Each of the two stretches that show another pace is at least so many microseconds long.
const STRETCH: Moment = 900_000;
/// A game that is slower than it said by more than this factor stands still.
const STANDSTILL: u32 = 8;
/// A thousandth of a tick and a microsecond: the pace is counted in thousandths of ticks a second.
const SCALE: i128 = 1_000_000_000;

/// A report of known age: the game was in this tick at some moment between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) tick: Tick,
    /// It was not sent before.
    pub(super) from: Moment,
    /// It arrived.
    pub(super) at: Moment,
}

/// Bounds of a pace, in thousandths of ticks a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    least: i128,
    most: i128,
}

impl Bounds {
    /// The pace between two marks.
    fn between(one: &Mark, other: &Mark) -> Self {
        let ticks = i128::from(other.tick) - i128::from(one.tick);
        let longest = (i128::from(other.at) - i128::from(one.from)).max(1);
        let shortest = i128::from(other.from) - i128::from(one.at);
        // A tick is reported anywhere between its beginning and its end.
        let least = (ticks - 1).max(0) * SCALE / longest;
        let most = if shortest > 0 { (ticks + 1).max(0) * SCALE / shortest + 1 } else { i128::MAX };
        Self { least, most }
    }

    fn contains(&self, rate: u32) -> bool {
        (self.least..=self.most).contains(&i128::from(rate))
    }
}

/// Reports of known age, from the oldest to the newest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Paces {
    marks: VecDeque<Mark>,
}

impl Paces {
    pub(super) fn clear(&mut self) {
        self.marks.clear();
    }

    /// Forgets what no estimate has kept: for one that comes from a save.
    pub(super) fn truncate(&mut self) {
        self.marks.truncate(MARKS_MAX);
    }

    /// Takes a report in; whether it is kept.
    pub(super) fn hear(&mut self, mark: Mark) -> bool {
        match self.marks.back() {
            Some(last) if mark.tick < last.tick => return false,
            Some(last) if mark.at.saturating_sub(last.at) < SPACING => return false,
            _ => {}
        }
        self.marks.push_back(mark);
        if self.marks.len() > MARKS_MAX {
            self.marks.pop_front();
        }
        true
    }

    /// The pace that the reports prove, if it is another than the present one.
    pub(super) fn measured(&self, rate: u32, said: u32) -> Option<u32> {
        let last = self.marks.back()?;
        // The newest that is far enough back, twice: what lies further back may be from before the pace changed.
        let middle = self.marks.iter().rev().find(|mark| last.at.saturating_sub(mark.at) >= STRETCH)?;
        let first = self.marks.iter().rev().find(|mark| middle.at.saturating_sub(mark.at) >= STRETCH)?;
        let (earlier, later) = (Bounds::between(first, middle), Bounds::between(middle, last));
        // What the game said needs less proof than any other pace.
        if rate != said && later.contains(said) && (earlier.contains(said) || !later.contains(rate)) {
            return Some(said);
        }
        let present = i128::from(rate);
        let is_faster = present < earlier.least && present < later.least;
        let is_slower = present > earlier.most && present > later.most;
        // Stretches that exclude each other hold a change or a stall: the next ones will show which.
        let agree = earlier.least <= later.most && later.least <= earlier.most;
        // A game that hardly gets on stands still now and then; its pace is the same when it goes on.
        let stands = earlier.most.min(later.most) < i128::from(said / STANDSTILL);
        if !(is_faster || is_slower) || !agree || stands {
            return None;
        }
        let whole = Bounds::between(first, last);
        let micros = (i128::from(last.at) - i128::from(first.at)).max(1);
        let mean = (i128::from(last.tick) - i128::from(first.tick)) * SCALE / micros;
        let (least, most) = (whole.least.max(1), whole.most.min(i128::from(RATE_MILLI_MAX)).max(1));
        let measured = u32::try_from(mean.clamp(least.min(most), most)).ok()?;
        (measured != rate).then_some(measured)
    }
}
