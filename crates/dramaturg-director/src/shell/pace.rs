//! Wall time becomes units of work here and nowhere else.

use crate::clock::Moment;

/// The fewest units that a planner is given.
const LEAST: u32 = 16;
/// What a planner is given at first: a small number, for nobody knows yet how long it takes.
const FIRST: u32 = 128;

/// How many units of work fit into the time that a planner may take, by how long it took before.
///
/// ```
/// use dramaturg_director::shell::Pace;
/// let mut pace = Pace::new(4_000, 1_000_000);
/// let first = pace.units();
/// pace.worked(first, 500);
/// assert_eq!(pace.units(), first * 2, "it was quick: more next time, but not all at once");
/// pace.worked(first * 2, 16_000);
/// assert_eq!(pace.units(), first / 2, "it was slow: as much as will fit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    target: Moment,
    units: u32,
    most: u32,
}

impl Pace {
    /// A planner may take so many microseconds at a time, and is never given more than so many units.
    pub fn new(target: Moment, most: u32) -> Self {
        let most = most.max(1);
        Self { target: target.max(1), units: FIRST.min(most), most }
    }

    /// What it is to be given next.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// It used so many units in so many microseconds.
    pub fn worked(&mut self, used: u32, micros: Moment) {
        let micros = micros.max(1);
        let least = LEAST.min(self.most);
        if micros > self.target {
            // What would have fitted, by how it went.
            let fits = i128::from(used.max(1)) * i128::from(self.target) / i128::from(micros);
            self.units = u32::try_from(fits).unwrap_or(u32::MAX).clamp(least, self.units.max(least));
        } else if used >= self.units && micros < self.target / 2 {
            self.units = self.units.saturating_mul(2).clamp(least, self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_where_the_work_fits_into_the_time() {
        let mut pace = Pace::new(4_000, 1 << 20);
        // A planner that does 5 units in a microsecond and uses all it gets.
        for _ in 0..50 {
            let units = pace.units();
            pace.worked(units, i64::from(units) / 5);
        }
        let micros = i64::from(pace.units()) / 5;
        assert!((2_000..=4_000).contains(&micros), "{micros}");
    }

    #[test]
    fn a_planner_that_has_nothing_to_do_changes_nothing() {
        let mut pace = Pace::new(4_000, 1 << 20);
        let before = pace;
        (0..10).for_each(|_| pace.worked(1, 20));
        assert_eq!(pace, before);
    }

    #[test]
    fn it_never_goes_to_nothing() {
        let mut pace = Pace::new(1_000, 1 << 20);
        (0..10).for_each(|_| pace.worked(1, 1_000_000));
        assert_eq!(pace.units(), LEAST);
    }
}
