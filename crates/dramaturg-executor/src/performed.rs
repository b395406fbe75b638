//! What the last tasks were that the game has started: enough to tell a director that has lost its record of them.

use std::collections::VecDeque;

use dramaturg_wire::{NameId, Params, Task, Tick};
use serde::{Deserialize, Serialize};

use crate::held::Held;

/// What a task performs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) action: NameId,
    pub(crate) params: Params,
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
}

impl Content {
    pub(crate) fn of(held: Held<'_>) -> Self {
        let brief = held.brief;
        Self {
            action: brief.action,
            params: Params::from_slice(held.params()),
            start: brief.start,
            duration: brief.duration,
        }
    }
}

/// The last so many tasks that were started, oldest first. They are noted when they start, for then they lie in the
/// cache; when they end they need not be looked at.
#[derive(Clone, Debug)]
pub(crate) struct Performed {
    ring: VecDeque<(Task, Content)>,
    max: usize,
}

impl Performed {
    pub(crate) fn new(max: usize) -> Self {
        Self { ring: VecDeque::new(), max: max.max(1) }
    }

    pub(crate) fn note(&mut self, task: Task, content: Content) {
        if self.ring.len() >= self.max {
            self.ring.pop_front();
        }
        self.ring.push_back((task, content));
    }

    pub(crate) fn find(&self, task: Task) -> Option<&Content> {
        self.ring.iter().rev().find(|(noted, _)| *noted == task).map(|(_, content)| content)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Task, Content)> {
        self.ring.iter()
    }

    /// Gives every name another number.
    pub(crate) fn renumber(&mut self, number: &impl Fn(&mut NameId)) {
        for (_, content) in &mut self.ring {
            number(&mut content.action);
            content.params.iter_mut().for_each(number);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.ring.clear();
    }
}
