//! How long messages take.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// So many of the last journeys are kept.
const WINDOW: usize = 2048;
/// A journey there and back that takes so many microseconds is a stall of a side or of the link, unless there are
/// [`STALLS_MAX`] of them among so many journeys: then the link is slow now and then.
const STALL_LEAST: Moment = 250_000;
const STALLS_MAX: usize = 3;
const STALLS_WITHIN: usize = 64;
/// A journey that takes so many microseconds is a stall, unless half of so many journeys are as long: whoever plans so
/// far ahead for a link that only stands still at times can react to nothing.
const LONG_STALL: Moment = 1_000_000;
const LONG_STALLS_WITHIN: usize = 8;
/// A link that was slow for a while is soon planned for as before: so many journeys long.
const STALLS_KEPT: u64 = 256;
const LONG_STALLS_KEPT: u64 = 64;
/// A turn that comes so many microseconds after it was due is late: the machine has other things to do ...
const LATE_TURN_LEAST: Moment = 100_000;
/// ... and the next is expected to be as late, by so much at most: longer is a stall, and a stall is only a stall ...
const LATE_TURN_MOST: Moment = 1_000_000;
/// ... within so many microseconds.
const LATE_TURN_WITHIN: Moment = 1_000_000;
/// With fewer than so many the bound is a guess from mean and deviation.
const ENOUGH: u64 = 64;

/// How the longest time of one journey is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Journey {
    /// Messages take at most so many ticks: simulations, and games that insist.
    Given(i64),
    /// By the journeys there and back that were measured.
    Measured,
}

/// The longest time of one journey, by those there and back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Latency {
    journey: Journey,
    /// Microseconds there and back, those of the last journeys, each with its number.
    window: VecDeque<(u64, Moment)>,
    count: u64,
    smooth: Moment,
    deviation: Moment,
    /// The last journeys, stalls included.
    #[serde(default)]
    recent: VecDeque<Moment>,
    /// What was sent before this moment waited in the last stall and shows nothing else.
    #[serde(default)]
    stalled_until: Moment,
    /// When a turn of the session came late, and by how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late_turn: Option<(Moment, Moment)>,
}

impl Latency {
    /// Nothing is known yet.
    pub fn new(journey: Journey) -> Self {
        let (window, recent) = (VecDeque::new(), VecDeque::new());
        Self { journey, window, count: 0, smooth: 0, deviation: 0, recent, stalled_until: Moment::MIN, late_turn: None }
    }

    /// Whether the journeys are measured, rather than given.
    pub fn is_measured(&self) -> bool {
        self.journey == Journey::Measured
    }

    /// How many journeys were measured.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A journey there and back began and ended at these moments. A stall is not how long messages take: it counts only
    /// if it does not stay alone. All that was under way in it counts as one.
    pub fn hear(&mut self, sent: Moment, now: Moment) {
        let micros = now.saturating_sub(sent).max(0);
        if sent < self.stalled_until {
            return;
        }
        self.recent.push_back(micros);
        if self.recent.len() > STALLS_WITHIN {
            self.recent.pop_front();
        }
        if micros > STALL_LEAST {
            self.stalled_until = now;
            if self.is_stall(micros) {
                return;
            }
        }
        if self.count == 0 {
            (self.smooth, self.deviation) = (micros, micros / 2);
        } else {
            self.deviation = (3 * self.deviation + (self.smooth - micros).abs()) / 4;
            self.smooth = (7 * self.smooth + micros) / 8;
        }
        self.count += 1;
        // Only what may still be the longest is kept: shorter ones before a longer one never matter again.
        while self.window.back().is_some_and(|(_, known)| *known <= micros) {
            self.window.pop_back();
        }
        self.window.push_back((self.count, micros));
        let is_old = |(number, micros): &(u64, Moment)| {
            let kept = match *micros {
                LONG_STALL.. => LONG_STALLS_KEPT,
                STALL_LEAST.. => STALLS_KEPT,
                _ => WINDOW as u64,
            };
            *number <= self.count.saturating_sub(kept)
        };
        while self.window.front().is_some_and(is_old) {
            self.window.pop_front();
        }
    }

    /// Whether the last journey, which was long, is too rare to count.
    fn is_stall(&self, micros: Moment) -> bool {
        if micros > LONG_STALL {
            let last = self.recent.iter().rev().take(LONG_STALLS_WITHIN);
            last.filter(|micros| **micros > LONG_STALL).count() < LONG_STALLS_WITHIN / 2
        } else {
            self.recent.iter().filter(|micros| **micros > STALL_LEAST).count() < STALLS_MAX
        }
    }

    /// The session has its turn, so many microseconds after it was due.
    pub fn turn(&mut self, now: Moment, late: Moment) {
        let late = late.min(LATE_TURN_MOST);
        let known = self.turns_late(now);
        if late >= LATE_TURN_LEAST && late >= known {
            self.late_turn = Some((now, late));
        } else if known == 0 {
            self.late_turn = None;
        }
    }

    /// By how many microseconds the next turn is expected to come late.
    pub fn turns_late(&self, now: Moment) -> Moment {
        let recent = self.late_turn.filter(|(at, _)| now.saturating_sub(*at) <= LATE_TURN_WITHIN);
        recent.map_or(0, |(_, late)| late)
    }

    /// How long a journey there and back usually takes, stalls left out; none: nothing is known but what was given.
    pub fn usual(&self) -> Option<Moment> {
        (self.is_measured() && self.count > 0).then_some(self.smooth)
    }

    /// The longest that one journey takes, in microseconds. `tick` is the length of a tick.
    pub fn most(&self, tick: Moment) -> Moment {
        match self.journey {
            Journey::Given(ticks) => ticks.saturating_mul(tick),
            Journey::Measured if self.count == 0 => tick,
            Journey::Measured if self.count < ENOUGH => {
                let longest = self.window.front().map_or(0, |(_, micros)| *micros);
                longest.max(self.smooth / 2 + 4 * self.deviation) + tick
            }
            // 2048 journeys cannot show how long one in ten thousand takes: hence a tick more.
            Journey::Measured => self.window.front().map_or(0, |(_, micros)| *micros) + tick,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journeys that each begin when the one before has ended.
    fn hear(latency: &mut Latency, now: &mut Moment, count: usize, micros: Moment) {
        for _ in 0..count {
            latency.hear(*now, *now + micros);
            *now += micros.max(200_000);
        }
    }

    #[test]
    fn it_follows_upward_at_once_and_downward_slowly() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut latency, &mut now, 100, 1_000);
        assert_eq!(latency.most(16_667), 17_667);
        hear(&mut latency, &mut now, 1, 50_000);
        assert_eq!(latency.most(16_667), 66_667);
        hear(&mut latency, &mut now, 2_000, 1_000);
        assert_eq!(latency.most(16_667), 66_667);
        hear(&mut latency, &mut now, 100, 1_000);
        assert_eq!(latency.most(16_667), 17_667);
    }

    #[test]
    fn a_stall_is_not_how_long_messages_take() {
        for stall in [300_000, 2_000_000, 30_000_000] {
            let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
            hear(&mut latency, &mut now, 20, 1_000);
            let before = latency.most(16_667);
            // Pings were sent all the while, and their answers come together.
            for sent in (now..now + stall).step_by(200_000) {
                latency.hear(sent, now + stall);
            }
            now += stall;
            assert_eq!(latency.most(16_667), before, "after {stall}");
            hear(&mut latency, &mut now, 4, 1_000);
            assert!(latency.most(16_667) <= before);
        }
    }

    #[test]
    fn a_link_that_stands_still_again_and_again_is_not_planned_for() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        for stall in [300_000, 5_000_000, 700_000, 30_000_000, 2_000_000, 900_000, 12_000_000, 400_000, 8_000_000] {
            hear(&mut latency, &mut now, 20, 1_000);
            hear(&mut latency, &mut now, 1, stall);
            assert!(latency.most(16_667) <= 1_016_667, "{} after {stall}", latency.most(16_667));
        }
    }

    #[test]
    fn late_turns_are_expected_for_a_while_and_up_to_a_bound() {
        let mut latency = Latency::new(Journey::Measured);
        latency.turn(0, 50_000);
        assert_eq!(latency.turns_late(0), 0, "that is no more than other sessions take");
        latency.turn(1_000_000, 400_000);
        latency.turn(1_200_000, 200_000);
        assert_eq!(latency.turns_late(1_900_000), 400_000);
        latency.turn(2_500_000, 0);
        assert_eq!((latency.turns_late(2_500_000), latency.late_turn), (0, None));
        latency.turn(40_000_000, 30_000_000);
        assert_eq!(latency.turns_late(40_000_000), 1_000_000, "a stall is only a stall");
    }

    #[test]
    fn usual_journeys_are_known_once_there_was_one() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        assert_eq!(latency.usual(), None);
        hear(&mut latency, &mut now, 100, 20_000);
        hear(&mut latency, &mut now, 1, 200_000);
        assert!(latency.most(0) >= 200_000 && latency.usual() < Some(50_000), "{:?}", latency.usual());
        assert_eq!(Latency::new(Journey::Given(3)).usual(), None);
    }

    #[test]
    fn a_link_that_has_become_slow_is_noticed() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut latency, &mut now, 20, 1_000);
        hear(&mut latency, &mut now, 3, 600_000);
        assert!(latency.most(16_667) >= 600_000);
        let (mut slow, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut slow, &mut now, 3, 600_000);
        assert!(slow.most(16_667) >= 600_000, "also one that was slow from the beginning");
    }
}
