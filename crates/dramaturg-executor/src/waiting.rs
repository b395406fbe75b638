//! The order in which tasks start.

use dramaturg_wire::{Task, Tick};

/// A wheel has so many places; a tick's tasks stand in the place that its number comes to when the wheel is turned.
const PLACES: usize = 4096;
/// No slot.
const NONE: u32 = u32::MAX;

/// A task whose tick has come. Compared by start, then task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    start: Tick,
    task: Task,
    slot: u32,
}

/// How a task that waits is tied to those of the same place.
#[derive(Clone, Copy, Debug)]
struct Tie {
    start: Tick,
    task: Task,
    before: u32,
    after: u32,
    /// Where it stands; none if it does not wait.
    place: u32,
}

/// Tasks by the tick in which they start. A wheel, not a heap: to take the first of ten thousand from a heap means a dozen looks into
/// memory that has gone cold since the last frame, each after the other; a wheel needs one or two. It does not allocate once it has
/// been as full as it gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// The first slot of each place. Empty until the first task waits.
    places: Vec<u32>,
    /// By slot.
    ties: Vec<Tie>,
    /// The last tick whose tasks were taken.
    taken: Option<Tick>,
    /// Those whose tick has come, the last first.
    due: Vec<Due>,
    count: usize,
}

impl Waiting {
    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Lets the task in a slot wait that does not wait yet.
    pub(crate) fn push(&mut self, slot: u32, start: Tick, task: Task) {
        let free = Tie { start, task, before: NONE, after: NONE, place: NONE };
        if self.ties.len() <= slot as usize {
            self.ties.resize(slot as usize + 1, free);
        }
        if let Some(tie) = self.ties.get_mut(slot as usize) {
            *tie = free;
        }
        self.count += 1;
        self.tie(slot);
    }

    /// Puts a slot into the place of its tick; if that is past, into the place of the last tick, which is looked at again.
    fn tie(&mut self, slot: u32) {
        if self.places.is_empty() {
            self.places.resize(PLACES, NONE);
        }
        let Some(tie) = self.ties.get_mut(slot as usize) else { return };
        let place = place(self.taken.map_or(tie.start, |taken| tie.start.max(taken)));
        let Some(first) = self.places.get_mut(place) else { return };
        let after = std::mem::replace(first, slot);
        (tie.place, tie.before, tie.after) = (place as u32, NONE, after);
        if let Some(tie) = self.ties.get_mut(after as usize) {
            tie.before = slot;
        }
    }

    /// The task in a slot waits no longer.
    pub(crate) fn remove(&mut self, slot: u32) {
        if self.untie(slot) {
            self.count -= 1;
        }
    }

    fn untie(&mut self, slot: u32) -> bool {
        let Some(tie) = self.ties.get_mut(slot as usize).filter(|tie| tie.place != NONE) else { return false };
        let Tie { before, after, place, .. } = *tie;
        tie.place = NONE;
        match self.ties.get_mut(before as usize) {
            Some(tie) => tie.after = after,
            None => {
                if let Some(first) = self.places.get_mut(place as usize) {
                    *first = after;
                }
            }
        }
        if let Some(tie) = self.ties.get_mut(after as usize) {
            tie.before = before;
        }
        true
    }

    /// The next slot whose task starts at this tick or before, in the order of (start, task).
    pub(crate) fn pop_due(&mut self, tick: Tick) -> Option<u32> {
        if self.due.is_empty() {
            self.turn(tick);
        }
        self.due.pop().map(|due| due.slot)
    }

    /// Turns the wheel to a tick.
    fn turn(&mut self, tick: Tick) {
        let last = self.taken.filter(|taken| *taken <= tick);
        let back = self.taken.is_some_and(|taken| taken > tick);
        self.taken = Some(tick);
        let places = PLACES as Tick;
        let turns = last.map_or(places, |last| tick.saturating_sub(last).saturating_add(1).min(places));
        for passed in 0..turns {
            self.collect(place(tick.saturating_sub(passed)), tick);
        }
        if back {
            // What was late for the old time stands where that goes on.
            for slot in 0..self.ties.len() as u32 {
                if self.untie(slot) {
                    self.tie(slot);
                }
            }
        }
        self.due.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Takes what is due from a place.
    fn collect(&mut self, place: usize, tick: Tick) {
        let mut next = self.places.get(place).copied().unwrap_or(NONE);
        while let Some(tie) = self.ties.get(next as usize) {
            let (slot, start, task) = (next, tie.start, tie.task);
            next = tie.after;
            if start <= tick && self.untie(slot) {
                self.count -= 1;
                self.due.push(Due { start, task, slot });
            }
        }
    }

    /// None wait any longer.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.ties.clear();
        self.due.clear();
        self.count = 0;
    }
}

fn place(tick: Tick) -> usize {
    tick.rem_euclid(PLACES as Tick) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Deed {
        Push(Tick),
        Remove(usize),
        Move(usize, Tick),
        Turn(Tick),
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let tick = prop_oneof![0..200i64, 0..20_000i64, -50..10i64];
        let deed = prop_oneof![
            4 => tick.clone().prop_map(Deed::Push),
            1 => any::<usize>().prop_map(Deed::Remove),
            1 => (any::<usize>(), tick).prop_map(|(which, start)| Deed::Move(which, start)),
            3 => prop_oneof![8 => 0..40i64, 1 => 0..9_000i64, 1 => -300..0i64].prop_map(Deed::Turn),
        ];
        proptest::collection::vec(deed, 1..200)
    }

    proptest! {
        #[test]
        fn a_wheel_gives_what_a_sorted_list_gives(deeds in deeds()) {
            let (mut wheel, mut list, mut free) = (Waiting::default(), BTreeSet::new(), Vec::new());
            let (mut slots, mut now) = (0, 0);
            for (step, deed) in (0..).zip(deeds) {
                let task = Task { step, part: 0 };
                let at = |which: usize, list: &BTreeSet<(Tick, Task, u32)>| {
                    list.iter().nth(which % list.len().max(1)).copied()
                };
                match deed {
                    Deed::Push(start) => {
                        let slot = free.pop().unwrap_or_else(|| { slots += 1; slots - 1 });
                        wheel.push(slot, start + now, task);
                        list.insert((start + now, task, slot));
                    }
                    Deed::Remove(which) => {
                        if let Some(entry) = at(which, &list) {
                            wheel.remove(entry.2);
                            list.remove(&entry);
                            free.push(entry.2);
                        }
                    }
                    Deed::Move(which, start) => {
                        if let Some(entry) = at(which, &list) {
                            wheel.remove(entry.2);
                            wheel.push(entry.2, start + now, entry.1);
                            list.remove(&entry);
                            list.insert((start + now, entry.1, entry.2));
                        }
                    }
                    Deed::Turn(on) => {
                        now += on;
                        let mut given = Vec::new();
                        while let Some(slot) = wheel.pop_due(now) {
                            given.push(slot);
                        }
                        let due: Vec<_> = list.iter().copied().filter(|entry| entry.0 <= now).collect();
                        list.retain(|entry| entry.0 > now);
                        free.extend(due.iter().map(|entry| entry.2));
                        prop_assert_eq!(given, due.iter().map(|entry| entry.2).collect::<Vec<_>>());
                    }
                }
                prop_assert_eq!(wheel.count(), list.len());
            }
        }
    }
}
