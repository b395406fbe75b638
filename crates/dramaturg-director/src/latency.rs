//! How long messages take.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// So many of the last journeys are kept.
const WINDOW: usize = 2048;
/// A journey there and back that takes so many microseconds is a stall of a side or of the link, unless there are
/// [`STALLS_MAX`] of them within so many microseconds: then the link is slow now and then. Not within so many journeys:
/// there are few of them while a link stands still.
const STALL_LEAST: Moment = 250_000;
const STALLS_MAX: usize = 4;
const STALLS_WITHIN: Moment = 12_800_000;
/// A journey that takes so many microseconds is a stall, unless half of so many journeys are as long: whoever plans so
/// far ahead for a link that only stands still at times can react to nothing. As soon as they no longer are, it is
/// planned for as before.
const LONG_STALL: Moment = 1_000_000;
const LONG_STALLS_WITHIN: usize = 8;
/// What piled up in a long stall holds up what is sent in so many microseconds after it: that is part of it.
const AFTERMATH: Moment = 2_000_000;
/// A link that was slow now and then is planned for as before after so many journeys.
const STALLS_KEPT: u64 = 256;
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
    /// When the last journeys ended that were as long as a stall.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    stalls: VecDeque<Moment>,
    /// What was sent before this moment waited in the last stall and shows nothing else.
    #[serde(default)]
    stalled_until: Moment,
    /// When the last long stall ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    long_stall: Option<Moment>,
    /// When a turn of the session came late, and by how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late_turn: Option<(Moment, Moment)>,
}

impl Latency {
    /// Nothing is known yet.
    pub fn new(journey: Journey) -> Self {
        let (window, recent) = (VecDeque::new(), VecDeque::new());
        let stalls = VecDeque::new();
        let (stalled_until, long_stall, late_turn) = (Moment::MIN, None, None);
        Self {
            journey,
            window,
            count: 0,
            smooth: 0,
            deviation: 0,
            recent,
            stalls,
            stalled_until,
            long_stall,
            late_turn,
        }
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
        while self.recent.len() > LONG_STALLS_WITHIN {
            self.recent.pop_front();
        }
        if !self.has_long_journeys() {
            while self.window.front().is_some_and(|(_, micros)| *micros > LONG_STALL) {
                self.window.pop_front();
            }
        }
        if micros > STALL_LEAST {
            self.stalled_until = now;
            let is_aftermath = self.long_stall.is_some_and(|end| sent.saturating_sub(end) < AFTERMATH);
            if micros > LONG_STALL {
                self.long_stall = Some(now);
            } else if is_aftermath {
                return;
            }
            self.stalls.push_back(now);
            while self.stalls.front().is_some_and(|at| now.saturating_sub(*at) > STALLS_WITHIN) {
                self.stalls.pop_front();
            }
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
        if micros > LONG_STALL { !self.has_long_journeys() } else { self.stalls.len() < STALLS_MAX }
    }

    /// Whether half of the last journeys were so long that fewer would have been stalls.
    fn has_long_journeys(&self) -> bool {
        self.recent.iter().filter(|micros| **micros > LONG_STALL).count() >= LONG_STALLS_WITHIN / 2
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
    fn a_link_that_was_very_slow_is_soon_planned_for_as_before() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut latency, &mut now, 100, 1_000);
        hear(&mut latency, &mut now, 4, 1_200_000);
        assert!(latency.most(16_667) >= 1_200_000, "it is slow");
        hear(&mut latency, &mut now, 5, 1_000);
        assert!(latency.most(16_667) < 100_000, "{}", latency.most(16_667));
    }

    #[test]
    fn stalls_far_apart_are_stalls_however_few_journeys_lie_between() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut latency, &mut now, 20, 1_000);
        for _ in 0..9 {
            hear(&mut latency, &mut now, 1, 900_000);
            hear(&mut latency, &mut now, 2, 1_000);
            now += 10_000_000;
        }
        assert!(latency.most(16_667) < 100_000, "{}", latency.most(16_667));
    }

    #[test]
    fn what_piled_up_in_a_stall_is_part_of_it() {
        let (mut latency, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut latency, &mut now, 20, 1_000);
        hear(&mut latency, &mut now, 1, 30_000_000);
        for micros in [800_000, 600_000, 400_000] {
            hear(&mut latency, &mut now, 1, micros);
        }
        assert!(latency.most(16_667) < 100_000, "{}", latency.most(16_667));
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
        hear(&mut latency, &mut now, 4, 600_000);
        assert!(latency.most(16_667) >= 600_000);
        let (mut slow, mut now) = (Latency::new(Journey::Measured), 0);
        hear(&mut slow, &mut now, 4, 600_000);
        assert!(slow.most(16_667) >= 600_000, "also one that was slow from the beginning");
    }
}
