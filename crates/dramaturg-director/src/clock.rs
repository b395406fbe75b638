//! Which tick the game is in, as far as reports tell: never known exactly, but between bounds that hold.

use std::collections::VecDeque;

use dramaturg_planner::planner::TickBounds;
use dramaturg_wire::Tick;
use serde::{Deserialize, Serialize};

/// A moment by the director's own clock, in microseconds.
pub type Moment = i64;

/// Billionths of a tick: the product of microseconds and thousandths of ticks a second.
const TICK: i128 = 1_000_000_000;
/// How many reports are kept.
const SAMPLES: usize = 16;
/// But none so old: what was true before a skipped tick must be forgotten soon.
const SAMPLES_WITHIN: Moment = 3_000_000;
/// So many are kept, however old.
const SAMPLES_LEAST: usize = 4;
/// A report that is so many ticks off means that the game paused, skipped or changed its pace.
const JUMP: Tick = 2;

/// Three new beginnings within so many microseconds show another pace.
const JUMPS_WITHIN: Moment = 6_000_000;

/// Which tick the game is in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockEstimate {
    /// Ticks in a second, times a thousand.
    rate_milli: u32,
    /// The same, as the game said it.
    #[serde(default)]
    said_milli: u32,
    paused: bool,
    /// Reports with the moments they came in.
    samples: VecDeque<(Tick, Moment)>,
    /// Of the report that came fastest: where tick 0 lies on the director's clock, in billionths of a tick.
    phase: Option<i128>,
    last_tick: Tick,
    relocks: u64,
    /// Where the clock began anew lately: often in a short time means that the pace is another.
    jumps: VecDeque<(Tick, Moment)>,
    /// Whether bounds are carried on between reports: the simulator turns it off to show that they must be.
    carries_on: bool,
}

impl ClockEstimate {
    /// A clock of this pace that has heard nothing.
    pub fn new(rate_milli: u32, carries_on: bool) -> Self {
        Self {
            rate_milli: rate_milli.max(1),
            said_milli: rate_milli.max(1),
            paused: false,
            samples: VecDeque::new(),
            phase: None,
            last_tick: 0,
            relocks: 0,
            jumps: VecDeque::new(),
            carries_on,
        }
    }

    /// The same clock, as it was kept: numbers that no clock has are put right.
    pub(crate) fn mended(mut self, carries_on: bool) -> Self {
        self.rate_milli = self.rate_milli.max(1);
        self.said_milli = if self.said_milli == 0 { self.rate_milli } else { self.said_milli };
        self.relocks = self.relocks.min(u64::MAX >> 2);
        self.carries_on = carries_on;
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

    /// Whether the game stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
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

    /// The game was in this tick when it sent a report that came in now. Reports take at most this long, as far as is known.
    pub fn hear(&mut self, tick: Tick, now: Moment, delay_most: Moment) {
        self.reached(tick);
        if self.paused {
            self.phase = None;
        }
        let phase = self.phase_of(tick, now);
        let slack = i128::from(delay_most.max(0)) * i128::from(self.rate_milli) + i128::from(JUMP) * TICK;
        match self.phase {
            // Later than any journey explains: the game lost time.
            Some(known) if known - phase > slack && self.stays_behind(known, slack) => self.relock(tick, now),
            // Much further than thought: the game skipped ticks, or runs faster.
            Some(known) if phase - known > slack => self.relock(tick, now),
            // Further than thought: it came faster.
            Some(known) if phase > known => self.phase = Some(phase),
            Some(_) => {}
            None => self.phase = Some(phase),
        }
        self.samples.push_back((tick, now));
        let old = |(_, at): &(Tick, Moment)| now.saturating_sub(*at) > SAMPLES_WITHIN;
        let kept = self.samples.len();
        while self.samples.len() > SAMPLES
            || (self.samples.len() > SAMPLES_LEAST && self.samples.front().is_some_and(old))
        {
            self.samples.pop_front();
        }
        if self.samples.len() < kept {
            self.measure(now, slack);
        }
    }

    /// Time goes forward. The first report counts whatever it says: a game may say hello before tick 0, so that its story begins on
    /// time.
    fn reached(&mut self, tick: Tick) {
        let is_first = self.phase.is_none() && self.samples.is_empty();
        self.last_tick = if is_first && self.last_tick == 0 { tick } else { self.last_tick.max(tick) };
    }

    /// Whether the last reports were behind too: a single one may only have been slow.
    fn stays_behind(&self, known: i128, slack: i128) -> bool {
        let recent = self.samples.iter().rev().take(2);
        recent.filter(|(earlier, at)| known - self.phase_of(*earlier, *at) > slack).count() == 2
    }

    fn relock(&mut self, tick: Tick, now: Moment) {
        self.relocks += 1;
        self.samples.clear();
        while self.jumps.front().is_some_and(|(_, at)| now.saturating_sub(*at) > JUMPS_WITHIN) {
            self.jumps.pop_front();
        }
        self.jumps.push_back((tick, now));
        if let (3.., Some((first, at))) = (self.jumps.len(), self.jumps.front().copied()) {
            let (ticks, micros) = (i128::from(tick - first), i128::from(now - at));
            if ticks > 0 && micros > 0 {
                self.rate_milli = (ticks * TICK / micros).clamp(1, i128::from(u32::MAX)) as u32;
            }
            self.jumps.clear();
        }
        self.phase = Some(self.phase_of(tick, now));
    }

    /// Follows the game's pace, if the reports of a second or more show another than the one it said.
    fn measure(&mut self, now: Moment, slack: i128) {
        let (Some(first), Some(last)) = (self.samples.front().copied(), self.samples.back().copied()) else { return };
        let middle = self.samples.get(self.samples.len() / 2).copied().unwrap_or(last);
        let (ticks, micros) = (i128::from(last.0 - first.0), i128::from(last.1 - first.1));
        if micros < 500_000 || ticks <= 0 {
            return;
        }
        // How many ticks more than at this pace there were between two reports.
        let ahead = |rate: u32, from: (Tick, Moment), to: (Tick, Moment)| {
            i128::from(to.0 - from.0) * TICK - i128::from(to.1 - from.1) * i128::from(rate)
        };
        let rate = self.rate_milli;
        let (earlier, later) = (ahead(rate, first, middle), ahead(rate, middle, last));
        // Frames that were dropped show in one half only.
        let is_another = earlier.signum() == later.signum() && earlier.abs() > slack && later.abs() > slack;
        if ahead(self.said_milli, first, last).abs() < (earlier + later).abs() {
            // The reports tell of the pace that the game said it has, rather than of the one it seemed to have.
            self.rate_milli = self.said_milli;
        } else if is_another {
            self.rate_milli = (ticks * TICK / micros).clamp(1, i128::from(u32::MAX)) as u32;
            self.jumps.clear();
            self.relock(last.0, now);
            return;
        }
        // The fastest of those that are kept; older ones may be from before a drift.
        self.phase = self.samples.iter().map(|(tick, at)| self.phase_of(*tick, *at)).max();
    }

    fn phase_of(&self, tick: Tick, now: Moment) -> i128 {
        i128::from(tick) * TICK - i128::from(now) * i128::from(self.rate_milli)
    }

    /// The game stands still in this tick.
    pub fn pause(&mut self, tick: Tick) {
        self.paused = true;
        self.last_tick = self.last_tick.max(tick);
    }

    /// The game goes on, at this pace.
    pub fn resume(&mut self, tick: Tick, rate_milli: u32, now: Moment) {
        self.paused = false;
        self.rate_milli = rate_milli.max(1);
        self.said_milli = self.rate_milli;
        self.jumps.clear();
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
mod tests {
    use super::*;

    /// Reports every `every` ticks at `rate`, each delayed by what `delay` says; returns the share of moments at which the truth
    /// lay outside the bounds.
    fn outside(rate: i64, every: i64, delay: &mut dyn FnMut(i64) -> i64, most: i64, pause: Option<i64>) -> f64 {
        let mut clock = ClockEstimate::new(60_000, true);
        let mut air: Vec<(i64, i64)> = Vec::new();
        let (mut asked, mut wrong) = (0, 0);
        let mut tick = 0;
        for now in (0..30_000_000).step_by(1_000) {
            let stands = pause.is_some_and(|from| (from..from + 3_000_000).contains(&now));
            let gone = pause.filter(|from| now >= *from).map_or(0, |from| (now - from).min(3_000_000));
            let truth = (now - gone) * rate / 1_000_000;
            if truth > tick && !stands {
                tick = truth;
                if tick % every == 0 {
                    air.push((now + delay(tick), tick));
                }
            }
            air.retain(|(at, tick)| {
                if *at <= now {
                    clock.hear(*tick, *at, most);
                }
                *at > now
            });
            let settled = pause.is_none_or(|from| !(from..from + 4_500_000).contains(&now));
            if now > 2_000_000 && settled {
                let bounds = clock.bounds(now, most);
                asked += 1;
                wrong += i32::from(truth < bounds.least || truth > bounds.most);
            }
        }
        f64::from(wrong) / f64::from(asked)
    }

    #[test]
    fn the_truth_lies_within_the_bounds() {
        let mut chance = dramaturg_model::Chance::new(7);
        let mut jitter = |_| 2_000 + chance.below(30_000) as i64;
        assert_eq!(outside(60, 12, &mut |_| 0, 0, None), 0.0);
        assert_eq!(outside(60, 12, &mut |_| 16_667, 16_667, None), 0.0);
        assert_eq!(outside(60, 12, &mut jitter, 32_000, None), 0.0);
    }

    #[test]
    fn a_tick_is_reached_when_the_later_bound_says_so() {
        let mut clock = ClockEstimate::new(60_000, true);
        assert_eq!(clock.reaches(10, 0), None);
        for (tick, now) in [(0, 700), (12, 200_700), (24, 400_900)] {
            clock.hear(tick, now, 16_667);
        }
        for tick in 25..200 {
            let at = clock.reaches(tick, 16_667).expect("it runs");
            assert_eq!(clock.bounds(at, 16_667).most, tick);
            assert_eq!(clock.bounds(at - 1, 16_667).most, tick - 1);
        }
        clock.pause(24);
        assert_eq!(clock.reaches(30, 0), None);
    }

    /// The simulator's seed 1091295: frames dropped twice within a moment are not another pace.
    #[test]
    fn frames_that_were_dropped_are_soon_forgotten() {
        for dropped in 1..20 {
            for at in (5_000_000..6_000_000).step_by(50_000) {
                let mut clock = ClockEstimate::new(60_000, true);
                clock.resume(0, 30_000, 0);
                let mut told = 0;
                for now in (0..11_000_000).step_by(4_167) {
                    // The frames that were dropped are ahead of their time, and the next one waits until it has come.
                    let steady = now * 30 / 1_000_000;
                    let truth = if now >= at { steady.max(at * 30 / 1_000_000 + dropped) } else { steady };
                    if truth - told >= 7 {
                        told = truth;
                        clock.hear(truth, now + 2_000, 35_000);
                    }
                    let bounds = clock.bounds(now + 2_000, 35_000);
                    let is_right = (bounds.least - 1..=bounds.most + 1).contains(&truth);
                    let is_quiet = now < at || now > at + 4_000_000 + dropped * 33_334;
                    assert!(is_right || !is_quiet, "{dropped} at {at}: {truth} at {now}, but {bounds:?}");
                }
            }
        }
    }

    #[test]
    fn it_follows_a_game_that_pauses_or_has_another_pace_without_saying_so() {
        assert!(outside(60, 12, &mut |_| 5_000, 5_000, Some(10_000_000)) < 0.01);
        assert!(outside(50, 12, &mut |_| 5_000, 20_000, None) < 0.05);
        assert!(outside(75, 12, &mut |_| 5_000, 20_000, None) < 0.05);
    }
}
