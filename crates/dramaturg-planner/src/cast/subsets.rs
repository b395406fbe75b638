//! Which goals to give up when not all of them can be had.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How goals are given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dropping {
    /// The one that matters least, until the rest can be had: the paper's way.
    Greedy,
    /// Those that together matter least.
    #[default]
    Best,
    /// From the one that matters most on, each that can be had beside those before it.
    Lexical,
}

/// Sets of goals to try, one after another, each as the goals that are given up. More than [`GOALS_MAX`] goals are given up greedily.
#[derive(Clone, Debug)]
pub(crate) struct Subsets {
    how: Dropping,
    /// Goals by salience, the least first; of equals the later ones first.
    order: Vec<(i64, usize)>,
    /// Dropped salience, then the places in `order` that are dropped, as bits.
    heap: BinaryHeap<Reverse<(i64, u32)>>,
    /// How many were given up so far, for the greedy way; how many were looked at, for the lexical one.
    step: usize,
    kept: Vec<usize>,
}

/// Up to so many goals all sets of them are tried.
const GOALS_MAX: usize = 16;

impl Subsets {
    pub(crate) fn new(saliences: &[i64], how: Dropping) -> Self {
        let mut order: Vec<(i64, usize)> = saliences.iter().copied().zip(0..).collect();
        order.sort_by_key(|(salience, place)| (*salience, Reverse(*place)));
        let how = if how == Dropping::Best && order.len() > GOALS_MAX { Dropping::Greedy } else { how };
        Self { how, order, heap: BinaryHeap::from([Reverse((0, 0))]), step: 0, kept: Vec::new() }
    }

    /// The next set of goals that are kept, in their own order; `could` says whether the one before could be had.
    pub(crate) fn next(&mut self, could: Option<bool>) -> Option<Vec<usize>> {
        match self.how {
            Dropping::Greedy => {
                let kept = self.order.get(self.step..)?;
                self.step += 1;
                (!kept.is_empty()).then(|| sorted(kept.iter().map(|(_, place)| *place)))
            }
            Dropping::Best => {
                let Reverse((sum, dropped)) = self.heap.pop()?;
                self.grow(sum, dropped);
                let kept = self.order.iter().enumerate().filter(|(bit, _)| dropped >> bit & 1 == 0);
                let kept = sorted(kept.map(|(_, (_, place))| *place));
                (!kept.is_empty()).then_some(kept)
            }
            Dropping::Lexical => {
                if could == Some(false) {
                    self.kept.pop();
                }
                let next = self.order.len().checked_sub(self.step + 1).and_then(|at| self.order.get(at));
                self.step += 1;
                self.kept.push(next?.1);
                Some(sorted(self.kept.iter().copied()))
            }
        }
    }

    /// Whether a set that could be had is the answer, or more may be added to it.
    pub(crate) fn is_final(&self) -> bool {
        self.how != Dropping::Lexical || self.step >= self.order.len()
    }

    /// Every set of dropped goals is reached exactly once: by dropping the next one too, or it in place of the last.
    fn grow(&mut self, sum: i64, dropped: u32) {
        let last = (u32::BITS - dropped.leading_zeros()) as usize;
        let salience = |bit: usize| self.order.get(bit).map(|(salience, _)| *salience);
        if let Some(next) = salience(last) {
            let bit = 1u32 << last;
            self.heap.push(Reverse((sum + next, dropped | bit)));
            if let Some(current) = last.checked_sub(1).and_then(salience) {
                self.heap.push(Reverse((sum + next - current, (dropped & !(bit >> 1)) | bit)));
            }
        }
    }
}

fn sorted(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_set_that_fits_is_tried_before_all_worse_ones() {
        let saliences = [90, 85, 80, 60, 50];
        let mut subsets = Subsets::new(&saliences, Dropping::Best);
        let (mut last, mut count) = (i64::MAX, 0);
        while let Some(kept) = subsets.next(None) {
            let sum = kept.iter().filter_map(|place| saliences.get(*place)).sum::<i64>();
            assert!(sum <= last, "{kept:?}");
            (last, count) = (sum, count + 1);
        }
        assert_eq!(count, 31);
    }

    #[test]
    fn the_greedy_way_drops_what_matters_least() {
        let mut subsets = Subsets::new(&[70, 90, 80], Dropping::Greedy);
        let tried: Vec<_> = std::iter::from_fn(|| subsets.next(Some(false))).collect();
        assert_eq!(tried, [vec![0, 1, 2], vec![1, 2], vec![1]]);
    }

    #[test]
    fn the_lexical_way_keeps_what_it_can() {
        let mut subsets = Subsets::new(&[70, 90, 80], Dropping::Lexical);
        assert_eq!(subsets.next(None), Some(vec![1]));
        assert_eq!(subsets.next(Some(true)), Some(vec![1, 2]));
        assert_eq!(subsets.next(Some(false)), Some(vec![0, 1]));
        assert!(subsets.is_final());
    }
}
