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

/// A number of ticks, if it can be counted.
fn countable(ticks: i128) -> Option<i64> {
    const MOST: i64 = i64::MAX / 1_000_000;
    i64::try_from(ticks).ok().filter(|ticks| (-MOST..=MOST).contains(ticks))
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
        let brace = self.brace_behind(story.title.span, span.end);
        let end = brace.unwrap_or(story.title.span.end);
        self.header = Some((Span::new(span.file, end, end), brace.is_some()));
        for setting in &story.settings {
            if let Setting::Ticks(count, per) = setting {
                self.tick_length(*count, per);
            }
        }
        for setting in &story.settings {
            match setting {
                Setting::Ticks(..) => {}
                Setting::Day(length) => {
                    self.model.clock.day = self.duration(*length).map(|ticks| ticks.max(1));
                    self.day_missed |= self.model.clock.day.is_none();
                }
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

    /// Just behind the opening brace between a title and the end of its header, if there is one.
    fn brace_behind(&self, title: Span, end: u32) -> Option<u32> {
        let rest = self.sources.text(Span::new(title.file, title.end, end));
        let mut at = title.end;
        for line in rest.split_inclusive('\n') {
            let code = line.split_once("//").map_or(line, |(code, _)| code);
            if let Some(brace) = code.find('{') {
                return Some(at + brace as u32 + 1);
            }
            at += line.len() as u32;
        }
        None
    }

    fn tick_length(&mut self, count: Number, per: &Ident) {
        // Whatever is wrong with it, times in seconds are no second fault.
        self.tick_length_missed = true;
        let unit = match per.text.as_str() {
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "min" => Unit::Minutes,
            "h" => Unit::Hours,
            _ => {
                if !per.text.is_empty() {
                    self.report(diagnostics::unknown_unit::after_per(per.span, &per.text, true));
                }
                return;
            }
        };
        let seconds = Fixed(micros(unit).unwrap_or(1_000_000));
        if count.value <= Fixed::ZERO {
            self.report(diagnostics::out_of_range::not_a(count.span, "a number above 0"));
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
        Some((countable(rounded)?, rest == 0))
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
                    let millionths = i128::from(number.value.0) * i128::from(day);
                    let ticks = (millionths + 500_000).div_euclid(1_000_000);
                    countable(ticks).map(|ticks| (ticks, millionths.rem_euclid(1_000_000) == 0))
                }
                None => {
                    self.no_day(number.span);
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
            None if self.ticks_per.is_some() || unit == Unit::Days => {
                self.report(diagnostics::too_large::number(number.span));
                None
            }
            None => {
                self.no_tick_length(number.span);
                None
            }
        }
    }

    /// Says once that the length of a tick is missing.
    fn no_tick_length(&mut self, span: Span) {
        if !std::mem::replace(&mut self.tick_length_missed, true) {
            self.report(diagnostics::no_tick_length::diagnostic(span, self.header));
        }
    }

    /// Says once that the length of a day is missing.
    fn no_day(&mut self, span: Span) {
        if !std::mem::replace(&mut self.day_missed, true) {
            self.report(diagnostics::no_tick_length::no_day(span));
        }
    }

    /// How many ticks the unit behind `per` has, as a number that may have decimals.
    pub(crate) fn ticks_in(&mut self, per: &Ident) -> Option<Fixed> {
        let unit = match per.text.as_str() {
            "tick" | "ticks" => return Some(Fixed::ONE),
            "day" | "days" => {
                let day = self.model.clock.day.map(Fixed::from_int);
                if day.is_none() {
                    self.no_day(per.span);
                }
                return day;
            }
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "min" => Unit::Minutes,
            "h" => Unit::Hours,
            _ => {
                if !per.text.is_empty() {
                    self.report(diagnostics::unknown_unit::after_per(per.span, &per.text, false));
                }
                return None;
            }
        };
        let Some((count, seconds)) = self.ticks_per else {
            self.no_tick_length(per.span);
            return None;
        };
        let micros = i128::from(micros(unit).unwrap_or(0));
        Some(Fixed(i64::try_from(i128::from(count.0) * micros / i128::from(seconds.0)).unwrap_or(i64::MAX)))
    }
}
