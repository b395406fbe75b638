//! Samples of time and their percentiles.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Times of one thing done again and again.
#[derive(Clone, Debug)]
pub struct Samples {
    nanoseconds: Histogram<u64>,
}

impl Default for Samples {
    fn default() -> Self {
        // Three figures, for any time: the histogram grows as needed.
        let histogram = Histogram::new(3).unwrap_or_else(|_| unreachable!("three figures are allowed"));
        Self { nanoseconds: histogram }
    }
}

impl Samples {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Measures one run and hands on what it yields.
    pub fn measure<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = run();
        self.add(begun.elapsed());
        result
    }

    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        // It grows as needed, up to centuries.
        let _ = self.nanoseconds.record(nanoseconds);
    }

    /// Percentiles of all times so far.
    pub fn timing(&self) -> Timing {
        let at = |quantile| milliseconds(self.nanoseconds.value_at_quantile(quantile));
        Timing { runs: self.nanoseconds.len(), p50: at(0.5), p99: at(0.99), max: milliseconds(self.nanoseconds.max()) }
    }
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

/// Percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// How often it was done.
    pub runs: u64,
    /// Half of the runs took at most this.
    pub p50: f64,
    /// 99 of 100 runs took at most this.
    pub p99: f64,
    /// The slowest.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_in_milliseconds() {
        let mut samples = Samples::new();
        for millisecond in 1..=100 {
            samples.add(Duration::from_millis(millisecond));
        }
        let timing = samples.timing();
        assert_eq!(timing.runs, 100);
        assert!((timing.p50 - 50.0).abs() < 0.1, "{timing:?}");
        assert!((timing.p99 - 99.0).abs() < 0.1, "{timing:?}");
        assert!((timing.max - 100.0).abs() < 0.1, "{timing:?}");
    }
}
