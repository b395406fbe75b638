//! Units of time, and the clock that the header sets.

use dramaturg_model::{Fixed, Span};

use super::lowering::Lowering;
use crate::diagnostics;
use crate::syntax::tree::{Ident, Number, Setting, Story, Unit};

/// Millionths of a second in a unit, for units that are made of seconds.
fn micros(unit: Unit) -> Option<i64> {
    match unit {
        Unit::Milliseconds => Some(1_000),
        Unit::Seconds => Some(1_000_000),
        Unit::Minutes => Some(60_000_000),
        Unit::Hours => Some(3_600_000_000),
        Unit::Ticks | Unit::Days | Unit::Percent => None,
    }
}

impl Lowering {
    /// Reads the header.
    pub(crate) fn header(&mut self, story: &Story, span: Span) {
        if let Some(first) = self.header_place {
            self.report(diagnostics::story_twice::diagnostic(span, first));
            return;
        }
        self.header_place = Some(span);
        self.model.title = story.title.plain();
        let braces = span.end > story.title.span.end;
        // Just behind the opening brace, or behind the title where there is none.
        let end = story.title.span.end + if braces { 2 } else { 0 };
        self.header = Some((Span::new(span.file, end, end), braces));
        for setting in &story.settings {
            if let Setting::Ticks(count, per) = setting {
                self.tick_length(*count, per);
            }
        }
        for setting in &story.settings {
            match setting {
                Setting::Ticks(..) => {}
                Setting::Day(length) => self.model.clock.day = self.duration(*length).map(|ticks| ticks.max(1)),
                Setting::Begins(time) => self.model.clock.begins = self.duration(*time).unwrap_or(0),
                Setting::Options(count) => {
                    self.model.options = u32::try_from(count.value.floor_int()).ok().filter(|count| *count > 0);
                }
                Setting::Language(name) => self.model.language = Some(name.plain().into()),
            }
        }
        if self.model.clock.day.is_none() {
            let day = self.ticks_for(Fixed::from_int(24), 3_600_000_000);
            self.model.clock.day = day.map(|(ticks, _)| ticks.max(1));
        }
    }

    fn tick_length(&mut self, count: Number, per: &Ident) {
        let unit = match per.text.as_str() {
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "min" => Unit::Minutes,
            "h" => Unit::Hours,
            _ => {
                self.report(diagnostics::unknown_unit::after_per(per.span, &per.text));
                return;
            }
        };
        let seconds = Fixed(micros(unit).unwrap_or(1_000_000));
        if count.value <= Fixed::ZERO {
            self.report(diagnostics::out_of_range::diagnostic(count.span, "this", "one or more ticks", Span::NONE));
            return;
        }
        self.ticks_per = Some((count.value, seconds));
        self.model.clock.ticks_per_second = Some(count.value.divide(seconds));
    }

    /// A number of ticks per so many seconds as ticks for an amount of time in millionths of a second, exactly.
    fn ticks_for(&self, value: Fixed, micros: i64) -> Option<(i64, bool)> {
        let (count, seconds) = self.ticks_per?;
        let numerator = i128::from(value.0) * i128::from(micros) * i128::from(count.0);
        let denominator = i128::from(seconds.0).checked_mul(1_000_000_000_000)?;
        let whole = numerator.div_euclid(denominator);
        let rest = numerator.rem_euclid(denominator);
        let rounded = if rest * 2 >= denominator { whole + 1 } else { whole };
        Some((i64::try_from(rounded).ok()?, rest == 0))
    }

    /// A literal time in ticks; reported if it is no time, or not a whole number of ticks.
    pub(crate) fn duration(&mut self, number: Number) -> Option<i64> {
        let Some(unit) = number.unit.filter(|unit| *unit != Unit::Percent) else {
            let found = diagnostics::wrong_type::diagnostic(number.span, "a duration", "a number", Span::NONE);
            self.report(found.hint("say the unit: `ticks`, `ms`, `s`, `min`, `h` or `days`"));
            return None;
        };
        let found = match unit {
            Unit::Ticks => Some((number.value.round_half_up(), number.value.is_int())),
            Unit::Days => match self.model.clock.day {
                Some(day) => {
                    let ticks = number.value.multiply(Fixed::from_int(day));
                    Some((ticks.round_half_up(), ticks.is_int()))
                }
                None => {
                    self.report(diagnostics::no_tick_length::no_day(number.span));
                    return None;
                }
            },
            other => self.ticks_for(number.value, micros(other).unwrap_or(0)),
        };
        match found {
            Some((ticks, exact)) => {
                if !exact {
                    self.report(diagnostics::uneven_time::diagnostic(number.span, ticks));
                }
                Some(ticks)
            }
            None => {
                self.report(diagnostics::no_tick_length::diagnostic(number.span, self.header));
                None
            }
        }
    }

    /// How many ticks the unit behind `per` has, as a number that may have decimals.
    pub(crate) fn ticks_in(&mut self, per: &Ident) -> Option<Fixed> {
        let unit = match per.text.as_str() {
            "tick" | "ticks" => return Some(Fixed::ONE),
            "day" | "days" => {
                let day = self.model.clock.day.map(Fixed::from_int);
                if day.is_none() {
                    self.report(diagnostics::no_tick_length::no_day(per.span));
                }
                return day;
            }
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "min" => Unit::Minutes,
            "h" => Unit::Hours,
            _ => {
                self.report(diagnostics::unknown_unit::after_per(per.span, &per.text));
                return None;
            }
        };
        let Some((count, seconds)) = self.ticks_per else {
            self.report(diagnostics::no_tick_length::diagnostic(per.span, self.header));
            return None;
        };
        let micros = i128::from(micros(unit).unwrap_or(0));
        Some(Fixed(i64::try_from(i128::from(count.0) * micros / i128::from(seconds.0)).unwrap_or(i64::MAX)))
    }
}
