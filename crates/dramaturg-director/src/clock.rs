//! Which tick the game is in: never known exactly, but between bounds that hold.
//!
//! The estimate is interval arithmetic over reports. Whatever became of a report on its way, the game had come so far
//! when the report arrived: every report is a lower bound, and a stalled link that delivers a queue at once proves
//! nothing else. Only a report whose time of sending is bounded from below is an upper bound as well: the answer to a
//! ping was sent after the ping. So the estimate moves forward on any report, back only on such a proof, and believes
//! in another pace only if two stretches of time, each between two reports of known age, both exclude the present one.

use std::collections::VecDeque;

use dramaturg_planner::planner::TickBounds;
use dramaturg_wire::Tick;
use serde::{Deserialize, Serialize};

mod pace;
pub use pace::RATE_MILLI_MAX;
use pace::{Mark, Paces};

/// A moment by the director's own clock, in microseconds.
pub type Moment = i64;

/// Billionths of a tick: the product of microseconds and thousandths of ticks a second.
const TICK: i128 = 1_000_000_000;
/// How many reports are kept.
const SAMPLES: usize = 16;
/// But none so old: what was true before a skipped tick must be forgotten soon.
const SAMPLES_WITHIN: Moment = 3_000_000;
/// A game that has lost time may go on to lose some: so long after that, only so old reports count.
const UNSTEADY_WITHIN: Moment = 1_000_000;
/// So many are kept, however old.
const SAMPLES_LEAST: usize = 4;
/// A report that is so many ticks off means that the game paused, skipped or changed its pace.
const JUMP: Tick = 2;
/// Where journeys are only assumed to be short, so many late reports show that the game lost time ...
const LATE_LEAST: u32 = 3;
/// ... if they arrive over so many microseconds: those that arrive together waited together.
const LATE_SPREAD: Moment = 250_000;
/// A report that is late by so many microseconds more than any journey explains casts doubt on where the game is.
const DOUBT: Moment = 250_000;
/// But a session that waited longer than this for its turn stood still, and its game may have done so too.
const WAITED_MOST: Moment = 1_000_000;
/// A game may come back after so many seconds that the director's clock did not count: a machine that slept, a director
/// that was down over the weekend. Three days.
const JUMP_SECONDS_MAX: i64 = 259_200;

/// What is known of when a report was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentAfter {
    /// It answers a ping that was sent at this moment.
    Ping(Moment),
    /// Messages are assumed to take no longer than since this moment.
    Assumed(Moment),
    /// Nothing.
    Unknown,
}

/// Which tick the game is in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockEstimate {
    /// Ticks in a second, times a thousand.
    rate_milli: u32,
    /// The same, as the game said it.
    #[serde(default)]
    said_milli: u32,
    paused: bool,
    /// Reports that came in time, with the moments they came in.
    samples: VecDeque<(Tick, Moment)>,
    /// Of the report that came fastest: where tick 0 lies on the director's clock, in billionths of a tick.
    phase: Option<i128>,
    last_tick: Tick,
    relocks: u64,
    /// Reports of known age, from which the pace is measured.
    #[serde(default)]
    paces: Paces,
    /// Late reports in a row, where journeys are assumed to be short: the moment of the first, and how many.
    #[serde(default)]
    late: Option<(Moment, u32)>,
    /// Whether the last report was late and nothing shows yet why.
    #[serde(default)]
    doubtful: bool,
    /// When the game was last seen to have lost time.
    #[serde(default)]
    lost_at: Option<Moment>,
    /// How many microseconds reports may have waited for the session to have its turn.
    #[serde(skip)]
    waited: Moment,
    /// Whether bounds are carried on between reports: the simulator turns it off to show that they must be.
    carries_on: bool,
    /// Whether reports that were held up are taken for another pace: the simulator turns it on to show that they must
    /// not be.
    #[serde(skip)]
    believes_gushes: bool,
}

impl ClockEstimate {
    /// A clock of this pace that has heard nothing.
    pub fn new(rate_milli: u32, carries_on: bool) -> Self {
        Self {
            rate_milli: rate_milli.clamp(1, RATE_MILLI_MAX),
            said_milli: rate_milli.clamp(1, RATE_MILLI_MAX),
            paused: false,
            samples: VecDeque::new(),
            phase: None,
            last_tick: 0,
            relocks: 0,
            paces: Paces::default(),
            late: None,
            doubtful: false,
            lost_at: None,
            waited: 0,
            carries_on,
            believes_gushes: false,
        }
    }

    /// The same clock, as it was kept with a world of this tick: numbers that no clock has are put right.
    pub(crate) fn mended(mut self, carries_on: bool, world: Tick) -> Self {
        self.rate_milli = self.rate_milli.clamp(1, RATE_MILLI_MAX);
        self.said_milli = if self.said_milli == 0 { self.rate_milli } else { self.said_milli.min(RATE_MILLI_MAX) };
        self.relocks = self.relocks.min(u64::MAX >> 2);
        self.samples.truncate(SAMPLES);
        self.paces.truncate();
        self.last_tick = self.last_tick.min(world.saturating_add(self.days()));
        self.carries_on = carries_on;
        self
    }

    /// The same clock, which takes a queue that is delivered at once for another pace.
    #[must_use]
    pub(crate) fn believing_gushes(mut self, believes: bool) -> Self {
        self.believes_gushes = believes;
        self
    }

    /// Ticks in a second, times a thousand.
    pub fn rate_milli(&self) -> u32 {
        self.rate_milli
    }

    /// The last tick that was reported.
    pub fn last_tick(&self) -> Tick {
        self.last_tick
    }

    /// Whether anything was heard from which the game's tick is carried on.
    pub fn is_known(&self) -> bool {
        self.phase.is_some()
    }

    /// Whether the game stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether the last report was late, and nothing shows yet whether it was slow or the game is behind.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// How often the clock had to begin anew, for the game paused, skipped or changed its pace without saying so.
    pub fn relocks(&self) -> u64 {
        self.relocks
    }

    /// Microseconds in so many ticks, rounded up.
    pub fn micros(&self, ticks: Tick) -> Moment {
        let rate = i128::from(self.rate_milli);
        clamp((i128::from(ticks) * TICK + rate - 1).div_euclid(rate))
    }

    /// Ticks in so many microseconds, rounded up.
    pub fn ticks(&self, micros: Moment) -> Tick {
        // A tick that was rounded up to whole microseconds is still one tick.
        let rate = i128::from(self.rate_milli);
        clamp((i128::from(micros) * rate + TICK - 1 - rate).div_euclid(TICK))
    }

    /// The last tick that the game may say it has reached. The clock cannot see every absence, so that this is days
    /// ahead; but it is a bound on what a single message can ask of the world.
    pub fn furthest(&self, now: Moment) -> Tick {
        self.bounds(now, 0).most.max(self.last_tick).saturating_add(self.days())
    }

    /// The ticks of an absence that the clock need not see.
    pub(crate) fn days(&self) -> Tick {
        let rate = self.rate_milli.max(self.said_milli);
        JUMP_SECONDS_MAX.saturating_mul(i64::from(rate)).div_euclid(1_000)
    }

    /// The session has its turn, so many microseconds after it was due: reports that waited for it so long are no reason
    /// to doubt where the game is.
    pub fn turn(&mut self, late: Moment) {
        self.waited = late.clamp(0, WAITED_MOST);
    }

    /// The game was in this tick when it sent a report that came in now. Reports take at most this long, as far as is
    /// known.
    pub fn hear(&mut self, tick: Tick, now: Moment, sent_after: SentAfter, delay_most: Moment) {
        self.reached(tick);
        if self.paused {
            self.phase = None;
            self.paces.clear();
        }
        let phase = self.phase_of(tick, now);
        let slack = i128::from(delay_most.max(0)) * i128::from(self.rate_milli) + i128::from(JUMP) * TICK;
        let before = self.phase;
        let is_late = before.is_some_and(|known| known - phase > slack);
        let has_lost_time = is_late && self.has_lost_time(tick, now, sent_after);
        match self.phase {
            Some(_) if has_lost_time => {
                self.relock(tick, now);
                self.lost_at = Some(now);
            }
            Some(_) if is_late => {}
            // Much further than thought: the game skipped ticks, or runs faster.
            Some(known) if phase - known > slack => self.relock(tick, now),
            // Further than thought: it came faster.
            Some(known) if phase > known => self.phase = Some(phase),
            Some(_) => {}
            None => self.phase = Some(phase),
        }
        let doubt = slack + i128::from(DOUBT.saturating_add(self.waited)) * i128::from(self.rate_milli);
        self.doubtful = before.is_some_and(|known| known - phase > doubt) && !has_lost_time;
        if !is_late {
            self.late = None;
            self.keep(tick, now);
        }
        if let SentAfter::Ping(sent) = sent_after {
            self.lower(self.phase_of(tick.saturating_add(1), sent), now);
        }
        let from = match sent_after {
            SentAfter::Ping(sent) | SentAfter::Assumed(sent) => sent.min(now),
            SentAfter::Unknown => return,
        };
        if self.paces.hear(Mark { tick, from, at: now }) {
            self.follow_pace(now);
        }
    }

    /// Whether a late report proves that the game is behind the estimate, rather than that it was slow to arrive.
    fn has_lost_time(&mut self, tick: Tick, now: Moment, sent_after: SentAfter) -> bool {
        if self.believes_gushes {
            return true;
        }
        match (sent_after, self.phase) {
            // It had not come to the next tick when the ping was sent.
            (SentAfter::Ping(sent), Some(known)) => known - self.phase_of(tick.saturating_add(1), sent) > TICK,
            (SentAfter::Assumed(_), _) => {
                let (first, count) = self.late.map_or((now, 1), |(first, count)| (first, count.saturating_add(1)));
                self.late = Some((first, count));
                count >= LATE_LEAST && now.saturating_sub(first) >= LATE_SPREAD
            }
            _ => false,
        }
    }

    /// Time goes forward. The first report counts whatever it says: a game may say hello before tick 0, so that its
    /// story begins on time.
    fn reached(&mut self, tick: Tick) {
        let is_first = self.phase.is_none() && self.samples.is_empty();
        self.last_tick = if is_first && self.last_tick == 0 { tick } else { self.last_tick.max(tick) };
    }

    /// Keeps a report that came in time. The fastest of the last seconds decides: older ones may be from before a
    /// drift. During a stall no report comes in time, and what was known before it stays.
    fn keep(&mut self, tick: Tick, now: Moment) {
        self.samples.push_back((tick, now));
        let is_unsteady = self.lost_at.is_some_and(|lost| now.saturating_sub(lost) < SAMPLES_WITHIN);
        let within = if is_unsteady { UNSTEADY_WITHIN } else { SAMPLES_WITHIN };
        let old = |(_, at): &(Tick, Moment)| now.saturating_sub(*at) > within;
        let kept = self.samples.len();
        while self.samples.len() > SAMPLES
            || (self.samples.len() > SAMPLES_LEAST && self.samples.front().is_some_and(old))
        {
            self.samples.pop_front();
        }
        if self.samples.len() < kept {
            self.phase = self.samples.iter().map(|(tick, at)| self.phase_of(*tick, *at)).max();
        }
    }

    /// The game had not come further than this: reports that say more are from before it lost time. What the others
    /// prove is where it is at least; they may be from before as well, so that they do not count for long.
    fn lower(&mut self, upper: i128, now: Moment) {
        if self.phase.is_some_and(|known| known > upper) && !self.paused {
            let rate = i128::from(self.rate_milli);
            let phases = self.samples.iter().map(|(tick, at)| i128::from(*tick) * TICK - i128::from(*at) * rate);
            self.phase = Some(phases.filter(|phase| *phase <= upper).max().unwrap_or(upper));
            self.samples.retain(|(tick, at)| i128::from(*tick) * TICK - i128::from(*at) * rate <= upper);
            self.lost_at = Some(now);
        }
    }

    fn relock(&mut self, tick: Tick, now: Moment) {
        self.relocks += 1;
        if self.believes_gushes
            && let Some((first, at)) = self.samples.front().copied()
        {
            let (ticks, micros) = (i128::from(tick) - i128::from(first), i128::from(now) - i128::from(at));
            let pace = ticks.max(0) * TICK / micros.max(1);
            self.rate_milli = u32::try_from(pace).unwrap_or(RATE_MILLI_MAX).clamp(1, RATE_MILLI_MAX);
        }
        self.late = None;
        self.samples.clear();
        self.samples.push_back((tick, now));
        self.phase = Some(self.phase_of(tick, now));
    }

    /// Takes over another pace than the one the game said, if reports prove it; goes back to what it said as soon as
    /// they allow it.
    fn follow_pace(&mut self, now: Moment) {
        let Some(rate) = self.paces.measured(self.rate_milli, self.said_milli) else { return };
        // Both ways of counting agree on the tick of this moment.
        if let Some(phase) = self.phase {
            self.phase = Some(phase + i128::from(now) * (i128::from(self.rate_milli) - i128::from(rate)));
        }
        self.rate_milli = rate;
        self.relocks += 1;
        let newest = self.samples.back().copied();
        self.samples.clear();
        self.samples.extend(newest);
    }

    fn phase_of(&self, tick: Tick, now: Moment) -> i128 {
        i128::from(tick) * TICK - i128::from(now) * i128::from(self.rate_milli)
    }

    /// The game stands still in this tick.
    pub fn pause(&mut self, tick: Tick) {
        self.paused = true;
        self.paces.clear();
        self.last_tick = self.last_tick.max(tick);
    }

    /// The game goes on, at this pace.
    pub fn resume(&mut self, tick: Tick, rate_milli: u32, now: Moment) {
        self.paused = false;
        self.rate_milli = rate_milli.clamp(1, RATE_MILLI_MAX);
        self.said_milli = self.rate_milli;
        self.paces.clear();
        self.late = None;
        self.doubtful = false;
        self.reached(tick);
        // It may have come long after it was said, behind reports of the time.
        let newest = self.samples.back().copied().filter(|(heard, _)| *heard > tick).unwrap_or((tick, now));
        self.samples.clear();
        self.samples.push_back(newest);
        self.phase = Some(self.phase_of(newest.0, newest.1));
    }

    /// Between which ticks the game certainly is, if reports take at most this long.
    pub fn bounds(&self, now: Moment, delay_most: Moment) -> TickBounds {
        if self.paused || !self.carries_on {
            return TickBounds::exactly(self.last_tick);
        }
        let Some(phase) = self.phase else { return TickBounds::exactly(self.last_tick) };
        let at = |moment: i128| clamp((phase + moment * i128::from(self.rate_milli)).div_euclid(TICK));
        let least = at(i128::from(now)).max(self.last_tick);
        // Both moments are whole microseconds: what was cut off must not make the later bound too early.
        let most = at(i128::from(now) + i128::from(delay_most) + 2).max(least);
        TickBounds { least, most }
    }

    /// From when on the later bound is at least this tick, if nothing is heard until then; none: it is not carried on.
    pub fn reaches(&self, tick: Tick, delay_most: Moment) -> Option<Moment> {
        let phase = self.phase.filter(|_| !self.paused && self.carries_on)?;
        let rate = i128::from(self.rate_milli);
        let since = (i128::from(tick) * TICK - phase + rate - 1).div_euclid(rate);
        Some(clamp(since - i128::from(delay_most) - 2))
    }
}

fn clamp(value: i128) -> i64 {
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests;
