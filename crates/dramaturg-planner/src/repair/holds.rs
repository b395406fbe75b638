//! Who holds an actuator when, and by how much it is held too much.

use dramaturg_model::Tick;
use smallvec::SmallVec;

/// One hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hold {
    pub(crate) from: Tick,
    pub(crate) to: Tick,
    /// Who holds.
    pub(crate) source: u32,
    /// Which of its grips.
    pub(crate) part: u16,
    pub(crate) amount: i64,
}

/// All holds on one actuator.
#[derive(Clone, Debug)]
pub(crate) struct Holds {
    capacity: i64,
    holds: Vec<Hold>,
    /// Those of them that hold too much together with others, in the same order.
    crowded: Vec<Hold>,
    /// No hold was ever longer.
    longest: Tick,
    /// How much is held too much, times how long.
    excess: i64,
    /// Room for sweeping.
    marks: Vec<(Tick, i64)>,
}

impl Holds {
    pub(crate) const fn new(capacity: i64) -> Self {
        Self { capacity, holds: Vec::new(), crowded: Vec::new(), longest: 0, excess: 0, marks: Vec::new() }
    }

    /// How much is held too much, times how long.
    pub(crate) const fn excess(&self) -> i64 {
        self.excess
    }

    /// How many holds there are.
    pub(crate) fn count(&self) -> usize {
        self.holds.len()
    }

    /// All that hold too much together with others, from the hold with this number on and round to it again.
    pub(crate) fn crowded_from(&self, first: usize) -> impl Iterator<Item = &Hold> {
        let first = self.holds.get(first);
        let at = self.crowded.partition_point(|hold| Some(hold) < first);
        let (before, after) = self.crowded.split_at_checked(at).unwrap_or_default();
        after.iter().chain(before)
    }

    /// The holds that meet a time.
    pub(crate) fn meeting(&self, from: Tick, to: Tick) -> impl Iterator<Item = &Hold> {
        let first = self.holds.partition_point(|hold| hold.from <= from.saturating_sub(self.longest).saturating_sub(1));
        let rest = self.holds.get(first..).unwrap_or(&[]);
        rest.iter().take_while(move |hold| hold.from < to).filter(move |hold| hold.to > from)
    }

    /// Takes hold.
    pub(crate) fn add(&mut self, hold: Hold) {
        if hold.from >= hold.to || hold.amount <= 0 {
            return;
        }
        let more = self.more_with(hold.from, hold.to, hold.amount, None);
        self.excess += more;
        self.longest = self.longest.max(hold.to - hold.from);
        let at = self.holds.partition_point(|known| *known < hold);
        self.holds.insert(at, hold);
        if more > 0 {
            self.mark_crowded(hold.from, hold.to);
        }
    }

    /// Lets go.
    pub(crate) fn remove(&mut self, hold: Hold) {
        let Ok(at) = self.holds.binary_search(&hold) else { return };
        self.holds.remove(at);
        let less = self.more_with(hold.from, hold.to, hold.amount, None);
        self.excess -= less;
        // Where nothing was held too much, nobody was in anybody's way.
        if less > 0 {
            if let Ok(at) = self.crowded.binary_search(&hold) {
                self.crowded.remove(at);
            }
            self.mark_crowded(hold.from, hold.to);
        }
    }

    /// Finds anew which of the holds that meet a time hold too much together with others.
    fn mark_crowded(&mut self, from: Tick, to: Tick) {
        let near: SmallVec<[Hold; 8]> = self.meeting(from, to).copied().collect();
        for hold in near {
            let crowds = self.more_with(hold.from, hold.to, hold.amount, Some(hold.source)) > 0;
            match self.crowded.binary_search(&hold) {
                Ok(at) if !crowds => drop(self.crowded.remove(at)),
                Err(at) if crowds => self.crowded.insert(at, hold),
                _ => {}
            }
        }
    }

    /// How much more would be held too much with one more hold; whoever is left out is not counted.
    pub(crate) fn more_with(&mut self, from: Tick, to: Tick, amount: i64, without: Option<u32>) -> i64 {
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        for hold in self.meeting(from, to).filter(|hold| Some(hold.source) != without) {
            marks.push((hold.from.max(from), hold.amount));
            marks.push((hold.to.min(to), -hold.amount));
        }
        marks.push((to, 0));
        marks.sort_unstable();
        let (mut held, mut at, mut more) = (0i64, from, 0i64);
        for (tick, change) in &marks {
            let over = |held: i64| (held - self.capacity).max(0);
            more += (over(held + amount) - over(held)) * (tick - at);
            held += change;
            at = *tick;
        }
        self.marks = marks;
        more
    }

    /// When the first of those who hold during a time lets go; whoever is left out is not counted.
    pub(crate) fn first_release(&self, from: Tick, to: Tick, without: u32) -> Option<Tick> {
        self.meeting(from, to).filter(|hold| hold.source != without).map(|hold| hold.to).min()
    }

    /// A time near the wanted one at which one more hold fits: later times are looked at first, or earlier ones.
    pub(crate) fn gap(&mut self, wanted: Tick, length: Tick, amount: i64, without: u32, later: bool) -> Option<Tick> {
        let mut start = wanted;
        for _ in 0..=self.holds.len() {
            if self.more_with(start, start + length, amount, Some(without)) == 0 {
                return Some(start);
            }
            let others = self.meeting(start, start + length).filter(|hold| hold.source != without);
            start =
                if later { others.map(|hold| hold.to).min()? } else { others.map(|hold| hold.from).max()? - length };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlap_is_as_long_as_two_hold() {
        let mut hands = Holds::new(1);
        let hold = |from, to, source| Hold { from, to, source, part: 0, amount: 1 };
        hands.add(hold(480, 500, 1));
        hands.add(hold(475, 480, 2));
        assert_eq!(hands.excess(), 0);
        hands.remove(hold(475, 480, 2));
        hands.add(hold(478, 483, 2));
        assert_eq!(hands.excess(), 3);
        assert_eq!(hands.gap(478, 5, 1, 2, true), Some(500));
        assert_eq!(hands.gap(478, 5, 1, 2, false), Some(475));
        hands.add(hold(470, 510, 3));
        assert_eq!(hands.excess(), 2 + 2 * 3 + 17);
    }

    #[test]
    fn who_holds_too_much_is_known() {
        for seed in 0..200 {
            let mut chance = dramaturg_model::Chance::new(seed);
            let (mut hands, mut all) = (Holds::new(2), Vec::new());
            for source in 0..40 {
                if chance.below(3) == 0 && !all.is_empty() {
                    hands.remove(all.swap_remove(chance.below(all.len())));
                } else {
                    let from = chance.below(60) as Tick;
                    let (to, amount) = (from + 1 + chance.below(8) as Tick, 1 + chance.below(2) as i64);
                    let hold = Hold { from, to, source: source / 2, part: (source % 2) as u16, amount };
                    hands.add(hold);
                    all.push(hold);
                }
            }
            all.sort_unstable();
            let mut crowds = |hold: &Hold| hands.more_with(hold.from, hold.to, hold.amount, Some(hold.source)) > 0;
            let anew: Vec<Hold> = all.iter().copied().filter(|hold| crowds(hold)).collect();
            let kept: Vec<Hold> = hands.crowded_from(0).copied().collect();
            assert_eq!(kept, anew, "seed {seed}");
        }
    }
}
