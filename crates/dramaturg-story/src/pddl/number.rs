//! Numbers as PDDL writes them.

use dramaturg_model::Fixed;
use dramaturg_model::fixed::MILLION;

/// A number: digits with an optional sign, point and exponent. Decimals beyond the sixth are rounded, a half away from zero,
/// because benchmark files carry the noise of floating point. None if it is no number; an error if it is too large.
pub(super) fn parse(text: &str) -> Option<Result<Fixed, TooLarge>> {
    // Most atoms are names, so the first byte decides.
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (first == b'-', rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && decimals.is_empty() || !whole.bytes().chain(decimals.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millionths = scaled(whole, decimals, exponent.saturating_add(6));
    Some(millionths.map(|size| Fixed(if negative { -size } else { size })))
}

/// The digits with the point moved to the right, rounded to a whole number.
fn scaled(whole: &str, decimals: &str, shift: i32) -> Result<i64, TooLarge> {
    let point = (whole.len() as i64).saturating_add(i64::from(shift));
    let mut value: i64 = 0;
    for (position, digit) in whole.bytes().chain(decimals.bytes()).enumerate() {
        if position as i64 >= point {
            let rounds_up = position as i64 == point && digit >= b'5';
            return value.checked_add(i64::from(rounds_up)).ok_or(TooLarge);
        }
        value = push_digit(value, digit - b'0')?;
    }
    if value == 0 {
        return Ok(0);
    }
    for _ in (whole.len() + decimals.len()) as i64..point {
        value = push_digit(value, 0)?;
    }
    Ok(value)
}

fn push_digit(value: i64, digit: u8) -> Result<i64, TooLarge> {
    value.checked_mul(10).and_then(|value| value.checked_add(i64::from(digit))).ok_or(TooLarge)
}

/// The number is beyond what [`Fixed`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// A number times a whole one, rounded to a whole number, a half upwards: units of PDDL's time to ticks.
pub(super) fn ticks(units: Fixed, ticks_per_unit: i64) -> i64 {
    let scaled = i128::from(units.0) * i128::from(ticks_per_unit);
    let rounded = (scaled + i128::from(MILLION) / 2).div_euclid(i128::from(MILLION));
    rounded.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        parse(text).map(|number| number.map_or("too large".to_owned(), |number| number.to_string()))
    }

    #[test]
    fn numbers_of_all_shapes() {
        let cases = [
            ("12", "12"),
            ("-0.5", "-0.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+3", "3"),
            ("1e3", "1000"),
            ("1.5e-3", "0.0015"),
            ("0.00000051", "0.000001"),
            ("0.00000049", "0"),
            ("60.28999999999999", "60.29"),
            ("99999999999999999999", "too large"),
            ("1e99999", "too large"),
            ("0e2000000000", "0"),
            ("1e-2000000000", "0"),
        ];
        for (text, wanted) in cases {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["", "-", "-a", ".", "1a", "e5", "1e", "1.2.3", "--1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_unit_of_time_is_many_ticks() {
        assert_eq!(ticks(Fixed(1_500_000), 1000), 1500);
        assert_eq!(ticks(Fixed(500), 1000), 1);
        assert_eq!(ticks(Fixed(499), 1000), 0);
        assert_eq!(ticks(Fixed::MAX, i64::MAX), i64::MAX);
    }
}
