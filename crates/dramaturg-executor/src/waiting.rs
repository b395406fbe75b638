//! The order in which tasks start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dramaturg_wire::{Task, Tick};

/// A place in the order. Compared by start, then task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(crate) start: Tick,
    pub(crate) task: Task,
    /// Where the task is kept.
    pub(crate) slot: u32,
    /// Must be the slot's own: a task that was taken back or replaced leaves its old place in the order behind.
    pub(crate) stamp: u64,
}

/// Tasks sorted by (start, task). A heap, not a tree: a tree would allocate with each task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    heap: BinaryHeap<Reverse<Due>>,
}

impl Waiting {
    pub(crate) fn push(&mut self, due: Due) {
        self.heap.push(Reverse(due));
    }

    /// Takes the first place if its task starts at this tick or before.
    pub(crate) fn pop_due(&mut self, tick: Tick) -> Option<Due> {
        if self.heap.peek()?.0.start > tick {
            return None;
        }
        self.heap.pop().map(|Reverse(due)| due)
    }

    /// Drops places that no longer count, once they are the greater part. `live` is how many tasks wait.
    pub(crate) fn tidy(&mut self, live: usize, holds: impl Fn(&Due) -> bool) {
        if self.heap.len() > 64 + 2 * live {
            self.heap.retain(|Reverse(due)| holds(due));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.heap.clear();
    }
}
