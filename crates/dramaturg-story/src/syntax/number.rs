//! Numbers with their units.

use dramaturg_model::{Fixed, FixedError};

use super::parser::Parser;
use super::token::TokenKind;
use super::tree::{Number, Unit};
use super::unit;
use crate::diagnostics::{too_large, too_precise};

/// How many decimals a number may have.
const DECIMALS_MAX: usize = 6;

impl Parser<'_> {
    /// NUMBER
    pub(super) fn number(&mut self) -> Option<Number> {
        let token = self.peek();
        if token.kind != TokenKind::Number {
            self.fail_expected("a number");
            return None;
        }
        self.bump();
        let text = self.text(token);
        let digits_length = text.trim_end_matches(|last: char| !last.is_ascii_digit()).len();
        let (digits, rest) = text.split_at_checked(digits_length).unwrap_or((text, ""));
        let unit = unit::unit(rest.trim_start()).or_else(|| self.misspelt_unit());
        let span = self.span(token);
        let mut digits_span = span;
        digits_span.end = span.start + digits_length as u32;
        let value = match read(digits) {
            Ok(value) if unit == Some(Unit::Percent) && value.0 % 100 != 0 => {
                let rounded = Fixed(hundredth(value).0 * 100);
                self.note(too_precise::percent(digits_span, digits, &rounded.to_string()));
                hundredth(value)
            }
            Ok(value) if unit == Some(Unit::Percent) => hundredth(value),
            Ok(value) => value,
            Err(FixedError::TooPrecise) => {
                let rounded = rounded(digits);
                self.note(too_precise::too_precise(digits_span, digits, &rounded.to_string()));
                if unit == Some(Unit::Percent) { hundredth(rounded) } else { rounded }
            }
            Err(_) => {
                self.note(too_large::number(digits_span));
                Fixed::MAX
            }
        };
        Some(Number { value, unit, span })
    }
}

fn read(digits: &str) -> Result<Fixed, FixedError> {
    match digits.split_once('.') {
        Some((whole, decimals)) if decimals.len() > DECIMALS_MAX => {
            // Too large is worse than too precise.
            whole.parse::<Fixed>().and(Err(FixedError::TooPrecise))
        }
        _ => digits.parse(),
    }
}

/// To the nearest millionth, a half up.
fn rounded(digits: &str) -> Fixed {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let kept = decimals.get(..DECIMALS_MAX).unwrap_or(decimals);
    let value: Fixed = format!("{whole}.{kept}").parse().unwrap_or(Fixed::MAX);
    let up = decimals.as_bytes().get(DECIMALS_MAX).is_some_and(|digit| *digit >= b'5');
    value + Fixed(i64::from(up))
}

/// To the nearest millionth, a half up.
fn hundredth(value: Fixed) -> Fixed {
    Fixed(value.0 / 100 + i64::from(value.0 % 100 >= 50))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_as_people_do() {
        assert_eq!(rounded("0.1234565"), Fixed(123_457));
        assert_eq!(rounded("0.1234564999"), Fixed(123_456));
        assert_eq!(hundredth("25".parse().unwrap()), Fixed(250_000));
        assert_eq!(read("1.0000000"), Err(FixedError::TooPrecise));
        assert_eq!(read("99999999999999.0000000"), Err(FixedError::TooLarge));
    }
}
