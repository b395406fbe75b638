//! How long it takes until a message is acknowledged.

use serde::{Deserialize, Serialize};

/// Parts of a unit of time that are reckoned with.
const PARTS: i64 = 16;

/// How long it takes until a message is acknowledged: the mean and how far it strays, both in parts of the caller's unit of time, each
/// new one counting an eighth and a quarter, as TCP does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoundTrip {
    known: Option<(i64, i64)>,
}

impl RoundTrip {
    /// It took so long.
    pub(super) fn hear(&mut self, long: i64) {
        let long = long.clamp(0, i64::MAX / (16 * PARTS)) * PARTS;
        self.known = Some(match self.known {
            None => (long, long / 2),
            Some((mean, stray)) => {
                let apart = mean.saturating_sub(long).saturating_abs();
                (mean.saturating_mul(7).saturating_add(long) / 8, stray.saturating_mul(3).saturating_add(apart) / 4)
            }
        });
    }

    /// After so long it is time to send again, and never later than after the given time.
    pub(super) fn pause(&self, most: i64) -> i64 {
        match self.known {
            None => most,
            Some((mean, stray)) => {
                let long = mean.saturating_add(stray.saturating_mul(4)) / PARTS;
                // Never so soon that a short stutter of the other side would double everything.
                long.clamp((most / 4).max(1), most.max(1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_link_is_trusted_and_a_straying_one_is_given_time() {
        let mut steady = RoundTrip::default();
        assert_eq!(steady.pause(1_000), 1_000, "nothing is known");
        (0..100).for_each(|_| steady.hear(50));
        assert_eq!(steady.pause(1_000), 250, "a quarter at least");
        (0..100).for_each(|_| steady.hear(400));
        assert!((400..500).contains(&steady.pause(1_000)), "{}", steady.pause(1_000));
        let mut straying = RoundTrip::default();
        (0..100).for_each(|number| straying.hear(if number % 2 == 0 { 300 } else { 500 }));
        assert!(straying.pause(1_000) > steady.pause(1_000));
        straying.hear(i64::MAX);
        assert_eq!(straying.pause(1_000), 1_000);
    }
}
