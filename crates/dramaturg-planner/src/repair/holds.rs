//! Who holds an actuator when, and by how much it is held too much.

use dramaturg_model::Tick;

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
    /// No hold was ever longer.
    longest: Tick,
    /// How much is held too much, times how long.
    excess: i64,
    /// Room for sweeping.
    marks: Vec<(Tick, i64)>,
}

impl Holds {
    pub(crate) const fn new(capacity: i64) -> Self {
        Self { capacity, holds: Vec::new(), longest: 0, excess: 0, marks: Vec::new() }
    }

    /// How much is held too much, times how long.
    pub(crate) const fn excess(&self) -> i64 {
        self.excess
    }

    /// All holds, by their beginning.
    pub(crate) fn all(&self) -> &[Hold] {
        &self.holds
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
        self.excess += self.more_with(hold.from, hold.to, hold.amount, None);
        self.longest = self.longest.max(hold.to - hold.from);
        let at = self.holds.partition_point(|known| *known < hold);
        self.holds.insert(at, hold);
    }

    /// Lets go.
    pub(crate) fn remove(&mut self, hold: Hold) {
        let Ok(at) = self.holds.binary_search(&hold) else { return };
        self.holds.remove(at);
        self.excess -= self.more_with(hold.from, hold.to, hold.amount, None);
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
}
