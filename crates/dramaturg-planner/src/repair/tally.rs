//! Sums over many parts, kept up to date part by part, so that nothing is added up again for one repair.

use super::aims::{Aim, Want};

/// Parts that are never negative, with their sum, and with a place for every point up to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    /// Each holds the sum of as many parts up to its own as the lowest bit of its number, counted from one, says.
    nodes: Vec<i64>,
    total: i64,
}

impl Sums {
    /// So many parts, all of them nothing.
    pub(crate) fn new(count: usize) -> Self {
        Self { nodes: vec![0; count], total: 0 }
    }

    /// All parts together.
    pub(crate) const fn total(&self) -> i64 {
        self.total
    }

    /// Adds to a part.
    pub(crate) fn add(&mut self, part: usize, by: i64) {
        if by == 0 {
            return;
        }
        self.total += by;
        let mut number = part + 1;
        while let Some(node) = self.nodes.get_mut(number - 1) {
            *node += by;
            number += number & number.wrapping_neg();
        }
    }

    /// The part in which a point lies if all are laid end to end; none beyond the last.
    pub(crate) fn part_at(&self, point: i64) -> Option<usize> {
        if point >= self.total {
            return None;
        }
        let (mut before, mut left) = (0, point);
        let mut stride = self.nodes.len().checked_ilog2().map_or(0, |bits| 1 << bits);
        while stride > 0 {
            if let Some(node) = self.nodes.get(before + stride - 1)
                && *node <= left
            {
                left -= node;
                before += stride;
            }
            stride /= 2;
        }
        Some(before)
    }
}

/// What all aims miss together.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// What is required.
    pub(crate) required: Sums,
    /// What is liked and could be had.
    pub(crate) wished: Sums,
    /// What is liked, whether or not it could be had.
    pub(crate) liked: i64,
    /// How many ticks all of them wait.
    pub(crate) wait: i64,
}

impl Tally {
    /// The tally of so many aims that have not been measured yet.
    pub(crate) fn new(aims: &[Aim]) -> Self {
        let mut tally = Self { required: Sums::new(aims.len()), wished: Sums::new(aims.len()), liked: 0, wait: 0 };
        aims.iter().enumerate().for_each(|(number, aim)| tally.count(number, aim, 1));
        tally
    }

    /// An aim is measured again.
    pub(crate) fn measure(&mut self, number: usize, aim: &mut Aim, measure: impl FnOnce(&mut Aim)) {
        self.count(number, aim, -1);
        measure(aim);
        self.count(number, aim, 1);
    }

    fn count(&mut self, number: usize, aim: &Aim, by: i64) {
        self.wait += by * aim.wait;
        if aim.hard {
            self.required.add(number, by * aim.cost);
        } else {
            self.wished.add(number, by * wish_of(aim));
            self.liked += by * aim.cost;
        }
    }
}

/// What is liked and could be had: an amount without a bound can always be less.
fn wish_of(aim: &Aim) -> i64 {
    match aim.want {
        Want::Amount { bound: None, .. } => 1_000_000,
        _ => aim.cost.max(0),
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_model::Chance;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What was kept part by part is what comes out when everything is added up.
        #[test]
        fn sums_are_kept(count in 0usize..70, seed in 0u64..1_000_000) {
            let mut chance = Chance::new(seed);
            let (mut sums, mut parts) = (Sums::new(count), vec![0i64; count]);
            for _ in 0..200 {
                let at = chance.below(count);
                let value = if chance.below(3) == 0 { 0 } else { chance.below(1_000) as i64 };
                if let Some(part) = parts.get_mut(at) {
                    sums.add(at, value - *part);
                    *part = value;
                }
            }
            prop_assert_eq!(sums.total(), parts.iter().sum::<i64>());
            for _ in 0..50 {
                let point = chance.below(usize::try_from(sums.total()).unwrap_or(0) + 2) as i64;
                let mut left = point;
                let found = parts.iter().position(|part| {
                    left -= part;
                    left < 0
                });
                prop_assert_eq!(sums.part_at(point), found);
            }
        }
    }
}
