//! Times as people type them: `500`, `500 ticks`, `40s`, `12h`.

use std::str::FromStr;

use dramaturg::model::{Clock, Fixed, Tick};

use crate::exit::Failure;

/// A time that was typed; how many ticks it is depends on the story's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    number: Fixed,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Ticks,
    /// So many milliseconds.
    Time(i64),
    Days,
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let number = number.parse().map_err(|error| format!("`{number}` is no time: {error}"))?;
        let unit = match unit.trim() {
            "" | "tick" | "ticks" => Unit::Ticks,
            "ms" => Unit::Time(1),
            "s" => Unit::Time(1_000),
            "min" => Unit::Time(60_000),
            "h" => Unit::Time(3_600_000),
            "day" | "days" => Unit::Days,
            other => return Err(format!("`{other}` is no unit; write ticks, ms, s, min, h or days")),
        };
        Ok(Self { number, unit })
    }
}

impl Moment {
    /// In ticks of a story.
    pub fn ticks(self, clock: &Clock) -> Result<Tick, Failure> {
        let no_clock = || {
            let failure = Failure::usage("this story does not say how long a tick is");
            failure.hint("give the time in ticks, or add `ticks 10 per s` to the story's header")
        };
        let ticks = match self.unit {
            Unit::Ticks => self.number,
            Unit::Days => self.number.multiply(Fixed::from_int(clock.day.ok_or_else(no_clock)?)),
            Unit::Time(milliseconds) => {
                let rate = clock.ticks_per_second.ok_or_else(no_clock)?;
                let seconds = self.number.multiply(Fixed::from_int(milliseconds)).divide(Fixed::from_int(1_000));
                // Where ticks are long the rate is rounded, and so its inverse is the exact figure.
                if rate < Fixed::ONE {
                    seconds.divide(Fixed::from_int(Fixed::ONE.divide(rate).round_half_up()))
                } else {
                    seconds.multiply(rate)
                }
            }
        };
        Ok(ticks.round_half_up())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(text: &str, rate: &str) -> Tick {
        let clock = Clock { ticks_per_second: rate.parse().ok(), day: Some(1440), begins: 0 };
        text.parse::<Moment>().ok().and_then(|moment| moment.ticks(&clock).ok()).unwrap_or(-1)
    }

    #[test]
    fn times_have_units() {
        assert_eq!(ticks("500", "10"), 500);
        assert_eq!(ticks("500 ticks", "10"), 500);
        assert_eq!(ticks("2.5s", "10"), 25);
        assert_eq!(ticks("12 h", "0.016667"), 720);
        assert_eq!(ticks("2 days", "0.016667"), 2880);
        assert!("5 sec".parse::<Moment>().is_err());
        assert!("soon".parse::<Moment>().is_err());
    }
}
