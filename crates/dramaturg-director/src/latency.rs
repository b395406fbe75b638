//! How long messages take.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// So many of the last journeys are kept.
const WINDOW: usize = 2048;
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
}

impl Latency {
    /// Nothing is known yet.
    pub fn new(journey: Journey) -> Self {
        Self { journey, window: VecDeque::new(), count: 0, smooth: 0, deviation: 0 }
    }

    /// How many journeys were measured.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A journey there and back took so long.
    pub fn hear(&mut self, micros: Moment) {
        let micros = micros.max(0);
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
        let oldest = self.count.saturating_sub(WINDOW as u64);
        while self.window.front().is_some_and(|(number, _)| *number <= oldest) {
            self.window.pop_front();
        }
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

    #[test]
    fn it_follows_upward_at_once_and_downward_slowly() {
        let mut latency = Latency::new(Journey::Measured);
        (0..100).for_each(|_| latency.hear(1_000));
        assert_eq!(latency.most(16_667), 17_667);
        latency.hear(50_000);
        assert_eq!(latency.most(16_667), 66_667);
        (0..2_000).for_each(|_| latency.hear(1_000));
        assert_eq!(latency.most(16_667), 66_667);
        (0..100).for_each(|_| latency.hear(1_000));
        assert_eq!(latency.most(16_667), 17_667);
    }
}
