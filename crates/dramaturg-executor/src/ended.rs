//! What is remembered of tasks that are over.

use std::collections::VecDeque;

use dramaturg_wire::{Execute, NameId, Outcome, Task, Tick};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A task that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) task: Task,
    pub(crate) version: u32,
    pub(crate) tick: Tick,
    /// Whether it ever started (or may have): then no later version of it starts again.
    pub(crate) ran: bool,
    pub(crate) outcome: Outcome,
    /// What it was, if it was ever held here. A checkpoint keeps it apart, for older ones lack it.
    #[serde(skip)]
    pub(crate) content: Option<Content>,
}

/// What a task was: enough to tell a director that has lost its record of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) action: NameId,
    pub(crate) params: SmallVec<[NameId; 8]>,
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
}

impl Content {
    pub(crate) fn of(execute: &Execute) -> Self {
        Self { params: execute.params.clone(), ..Self::without_params(execute) }
    }

    /// Takes the parameters out of a task that nobody needs any more: they may lie on the heap, and a warm executor
    /// does not allocate.
    pub(crate) fn taken_from(execute: &mut Execute) -> Self {
        let params = std::mem::take(&mut execute.params);
        Self { params, ..Self::without_params(execute) }
    }

    fn without_params(execute: &Execute) -> Self {
        let (action, start, duration) = (execute.action, execute.start, execute.duration);
        Self { action, params: SmallVec::new(), start, duration }
    }
}

/// The last so many tasks that ended, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndedRing {
    ring: VecDeque<Ended>,
    /// The number of the oldest.
    first: u64,
    max: usize,
}

impl EndedRing {
    pub(crate) fn new(max: usize) -> Self {
        Self { ring: VecDeque::new(), first: 0, max: max.max(1) }
    }

    /// Remembers another; returns its number and, if there were too many, the oldest with its number.
    pub(crate) fn push(&mut self, ended: Ended) -> (u64, Option<(u64, Ended)>) {
        let mut forgotten = None;
        if self.ring.len() >= self.max
            && let Some(oldest) = self.ring.pop_front()
        {
            forgotten = Some((self.first, oldest));
            self.first += 1;
        }
        let number = self.first + self.ring.len() as u64;
        self.ring.push_back(ended);
        (number, forgotten)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Ended> {
        self.ring.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// All that are remembered, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Ended)> {
        (self.first..).zip(&self.ring)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Ended> {
        self.ring.iter_mut()
    }

    pub(crate) fn clear(&mut self) {
        self.first += self.ring.len() as u64;
        self.ring.clear();
    }
}
