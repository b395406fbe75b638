//! What is remembered of tasks that are over.

use std::collections::VecDeque;

use dramaturg_wire::{Outcome, Task, Tick};
use serde::{Deserialize, Serialize};

/// A task that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) task: Task,
    pub(crate) version: u32,
    pub(crate) tick: Tick,
    /// Whether it ever started (or may have): then no later version of it starts again.
    pub(crate) ran: bool,
    pub(crate) outcome: Outcome,
}

/// The last so many tasks that ended, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndedRing {
    ring: VecDeque<Ended>,
    /// The number of the oldest. Numbers go round: what they are told by is forgotten long before.
    first: u32,
    max: usize,
}

impl EndedRing {
    pub(crate) fn new(max: usize) -> Self {
        Self { ring: VecDeque::new(), first: 0, max: max.clamp(1, u32::MAX as usize) }
    }

    /// Remembers another; returns its number and, if there were too many, the oldest with its number.
    pub(crate) fn push(&mut self, ended: Ended) -> (u32, Option<(u32, Ended)>) {
        let mut forgotten = None;
        if self.ring.len() >= self.max
            && let Some(oldest) = self.ring.pop_front()
        {
            forgotten = Some((self.first, oldest));
            self.first = self.first.wrapping_add(1);
        }
        let number = self.first.wrapping_add(self.ring.len() as u32);
        self.ring.push_back(ended);
        (number, forgotten)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Ended> {
        self.ring.get(number.wrapping_sub(self.first) as usize)
    }

    /// All that are remembered, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Ended)> {
        (0..).map(|place| self.first.wrapping_add(place)).zip(&self.ring)
    }

    pub(crate) fn clear(&mut self) {
        self.first = self.first.wrapping_add(self.ring.len() as u32);
        self.ring.clear();
    }
}
