//! A share of some trials, and how sure it is.

use serde::Serialize;

/// A share, with the interval of Wilson in which the true one lies with a certainty of 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// So many of them.
    pub hits: u64,
    /// So many in all.
    pub of: u64,
    /// The share.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Of a normal distribution, 95 % lie within so many deviations.
const DEVIATIONS: f64 = 1.959_963_984_540_054;

impl Share {
    /// So many of so many; of none, nothing is known.
    pub fn of(hits: u64, of: u64) -> Self {
        if of == 0 {
            return Self { hits, of, share: 0.0, low: 0.0, high: 1.0 };
        }
        let count = of as f64;
        let share = hits as f64 / count;
        let square = DEVIATIONS * DEVIATIONS;
        let scale = 1.0 + square / count;
        let middle = (share + square / (2.0 * count)) / scale;
        let half = DEVIATIONS / scale * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
        Self { hits, of, share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        let close = |hits, of, low: f64, high: f64| {
            let share = Share::of(hits, of);
            assert!((share.low - low).abs() < 5e-4 && (share.high - high).abs() < 5e-4, "{share:?}");
        };
        close(8, 10, 0.4902, 0.9433);
        close(0, 10, 0.0, 0.2775);
        close(10, 10, 0.7225, 1.0);
        close(50, 100, 0.4038, 0.5962);
        close(81, 263, 0.2553, 0.3662);
        assert_eq!((Share::of(0, 0).low, Share::of(0, 0).high), (0.0, 1.0));
    }
}
