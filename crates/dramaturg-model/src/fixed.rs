//! Decimal fixed-point numbers, so that `0.1` is exact and every machine computes the same.

use std::fmt;
use std::ops::{Add, Neg, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Millionths in a whole.
pub const MILLION: i64 = 1_000_000;

/// A number in millionths. Arithmetic saturates at the ends of the range and never panics.
///
/// ```
/// use dramaturg_model::Fixed;
/// let tenth: Fixed = "0.1".parse().unwrap();
/// assert_eq!((tenth + tenth + tenth).to_string(), "0.3");
/// assert_eq!(Fixed::from_int(1).divide(Fixed::from_int(3)).to_string(), "0.333333");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fixed(pub i64);

impl Fixed {
    /// Nought.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(MILLION);
    /// The largest number.
    pub const MAX: Self = Self(i64::MAX);
    /// The smallest number.
    pub const MIN: Self = Self(i64::MIN + 1);

    /// A whole number.
    pub const fn from_int(value: i64) -> Self {
        Self(value.saturating_mul(MILLION))
    }

    /// Whether there are no decimals.
    pub const fn is_int(self) -> bool {
        self.0 % MILLION == 0
    }

    /// The largest whole number that is not greater.
    pub const fn floor_int(self) -> i64 {
        self.0.div_euclid(MILLION)
    }

    /// The largest whole number that is not greater, as a number.
    pub const fn floor(self) -> Self {
        Self::from_int(self.floor_int())
    }

    /// The nearest whole number, a half upwards: how durations become ticks.
    pub const fn round_half_up(self) -> i64 {
        self.0.saturating_add(MILLION / 2).div_euclid(MILLION)
    }

    /// The size without the sign.
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// The product, rounded to the nearest millionth, a half away from zero.
    pub fn multiply(self, other: Self) -> Self {
        Self::rounded(i128::from(self.0) * i128::from(other.0), i128::from(MILLION))
    }

    /// The quotient, rounded to the nearest millionth, a half away from zero; 0 when divided by 0.
    pub fn divide(self, other: Self) -> Self {
        if other.0 == 0 {
            return Self::ZERO;
        }
        Self::rounded(i128::from(self.0) * i128::from(MILLION), i128::from(other.0))
    }

    /// The remainder, with the sign of the divisor's range `0..other`; 0 when divided by 0.
    pub const fn modulo(self, other: Self) -> Self {
        match self.0.checked_rem_euclid(other.0) {
            Some(rest) => Self(rest),
            None => Self::ZERO,
        }
    }

    /// The length of the hypotenuse over two sides, rounded to the nearest millionth.
    pub fn hypot(self, other: Self) -> Self {
        let square = |side: i64| side.unsigned_abs() as u128 * side.unsigned_abs() as u128;
        let sum = square(self.0).saturating_add(square(other.0));
        let root = sum.isqrt();
        // root² ≤ sum < (root+1)²; the nearest integer is root + 1 exactly when sum > root² + root.
        let nearest = if sum - root * root > root { root + 1 } else { root };
        Self(i64::try_from(nearest).unwrap_or(i64::MAX))
    }

    fn rounded(numerator: i128, denominator: i128) -> Self {
        let (numerator, denominator) =
            if denominator < 0 { (-numerator, -denominator) } else { (numerator, denominator) };
        let half = denominator / 2;
        let shifted = if numerator < 0 { numerator - half } else { numerator + half };
        let quotient = shifted / denominator;
        Self(quotient.clamp(i128::from(Self::MIN.0), i128::from(Self::MAX.0)) as i64)
    }
}

impl Add for Fixed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Fixed {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Fixed {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for Fixed {
    /// The shortest decimal: `3`, `-0.25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        let (whole, rest) = (size / MILLION as u64, size % MILLION as u64);
        let sign = if self.0 < 0 { "-" } else { "" };
        if rest == 0 {
            return f.pad(&format!("{sign}{whole}"));
        }
        let decimals = format!("{rest:06}");
        f.pad(&format!("{sign}{whole}.{}", decimals.trim_end_matches('0')))
    }
}

impl fmt::Debug for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not a [`Fixed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedError {
    /// Not digits with an optional sign and point.
    Malformed,
    /// More than six decimals that are not zero.
    TooPrecise,
    /// Beyond nine million million.
    TooLarge,
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a number",
            Self::TooPrecise => "more than six decimals",
            Self::TooLarge => "beyond 9223372036854.775807",
        })
    }
}

impl std::error::Error for FixedError {}

impl std::str::FromStr for Fixed {
    type Err = FixedError;

    fn from_str(text: &str) -> Result<Self, FixedError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && decimals.is_empty() || digits.ends_with('.') {
            return Err(FixedError::Malformed);
        }
        // Counted downwards, for the smallest number has no opposite.
        let mut value: i64 = 0;
        for digit in whole.bytes() {
            if !digit.is_ascii_digit() {
                return Err(FixedError::Malformed);
            }
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_sub(i64::from(digit - b'0')))
                .ok_or(FixedError::TooLarge)?;
        }
        value = value.checked_mul(MILLION).ok_or(FixedError::TooLarge)?;
        let mut unit = MILLION / 10;
        for digit in decimals.bytes() {
            if !digit.is_ascii_digit() {
                return Err(FixedError::Malformed);
            }
            if unit == 0 && digit != b'0' {
                return Err(FixedError::TooPrecise);
            }
            value = value.checked_sub(i64::from(digit - b'0') * unit).ok_or(FixedError::TooLarge)?;
            unit /= 10;
        }
        if negative { Ok(Self(value)) } else { value.checked_neg().map(Self).ok_or(FixedError::TooLarge) }
    }
}

impl Serialize for Fixed {
    /// Whole numbers as numbers, others as decimal text, so that no reader loses a digit.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_int() { serializer.serialize_i64(self.0 / MILLION) } else { serializer.collect_str(self) }
    }
}

impl<'de> Deserialize<'de> for Fixed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Fixed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number with at most six decimals")
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Fixed, E> {
                value.checked_mul(MILLION).map(Fixed).ok_or_else(|| E::custom(FixedError::TooLarge))
            }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Fixed, E> {
                i64::try_from(value)
                    .ok()
                    .and_then(|value| value.checked_mul(MILLION))
                    .map(Fixed)
                    .ok_or_else(|| E::custom(FixedError::TooLarge))
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Fixed, E> {
                format!("{value}").parse().map_err(E::custom)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Fixed, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(text: &str) -> Fixed {
        text.parse().unwrap()
    }

    #[test]
    fn products_and_quotients_round_half_away_from_zero() {
        assert_eq!(fixed("0.000001").multiply(fixed("0.5")), Fixed(1));
        assert_eq!(fixed("-0.000001").multiply(fixed("0.5")), Fixed(-1));
        assert_eq!(fixed("2").divide(fixed("3")), fixed("0.666667"));
        assert_eq!(fixed("-2").divide(fixed("3")), fixed("-0.666667"));
        assert_eq!(fixed("1").divide(Fixed::ZERO), Fixed::ZERO);
    }

    #[test]
    fn ends_of_the_range_saturate() {
        assert_eq!(Fixed::MAX + Fixed::ONE, Fixed::MAX);
        assert_eq!(Fixed::MAX.multiply(Fixed::from_int(2)), Fixed::MAX);
        assert_eq!(Fixed::MIN.abs(), Fixed::MAX);
        assert_eq!(Fixed::from_int(i64::MAX), Fixed::MAX);
    }

    #[test]
    fn text_is_read_exactly_or_refused() {
        assert_eq!(fixed("-12.5").to_string(), "-12.5");
        assert_eq!("1.0000001".parse::<Fixed>(), Err(FixedError::TooPrecise));
        assert_eq!("1.".parse::<Fixed>(), Err(FixedError::Malformed));
        assert_eq!("9223372036854.775808".parse::<Fixed>(), Err(FixedError::TooLarge));
        assert_eq!(fixed("-9223372036854.775808"), Fixed(i64::MIN));
        assert_eq!("99999999999999999999".parse::<Fixed>(), Err(FixedError::TooLarge));
        assert_eq!(fixed("3").hypot(fixed("4")), fixed("5"));
        assert_eq!(fixed("1").hypot(fixed("1")), fixed("1.414214"));
    }

    #[test]
    fn a_half_tick_rounds_up() {
        assert_eq!(fixed("2.5").round_half_up(), 3);
        assert_eq!(fixed("-2.5").round_half_up(), -2);
        assert_eq!(fixed("7").modulo(fixed("7")), Fixed::ZERO);
        assert_eq!(fixed("-1").modulo(fixed("7")), fixed("6"));
    }
}
