//! Time in ticks, and the story's clock.

use serde::Serialize;

use crate::fixed::Fixed;

/// The executor's unit of time, counted from the story's beginning.
pub type Tick = i64;

/// How ticks relate to the time that authors write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Clock {
    /// How many ticks make a second; none: only `ticks` may be written.
    pub ticks_per_second: Option<Fixed>,
    /// How many ticks make a day.
    pub day: Option<Tick>,
    /// The time of day at tick 0, in ticks.
    pub begins: Tick,
}

impl Clock {
    /// Ticks since midnight; with no day, since the beginning.
    pub fn time_of_day(&self, now: Tick) -> Tick {
        let since = now.saturating_add(self.begins);
        match self.day {
            Some(day) if day > 0 => since.rem_euclid(day),
            _ => since,
        }
    }

    /// Days begun since the story began: 0 on the first.
    pub fn day_number(&self, now: Tick) -> i64 {
        match self.day {
            Some(day) if day > 0 => now.saturating_add(self.begins).div_euclid(day),
            _ => 0,
        }
    }
}
