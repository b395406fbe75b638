//! The plan at hand: its steps, and a journal of what was done to them, so that everything can be undone.

use dramaturg_model::{Table, Tick, ids};

use super::occurrence::OccurrenceId;
use super::repertoire::FormId;

ids! {
    /// A step of the plan at hand.
    StepKey,
}

/// A step of the plan at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) form: FormId,
    pub(crate) start: Tick,
    /// What it is called outside; none until it is first published.
    pub(crate) id: Option<u32>,
    /// Whether it is no longer ours to change.
    pub(crate) fixed: bool,
    pub(crate) alive: bool,
    pub(crate) occurrence: OccurrenceId,
    /// Its place among those that can be changed.
    place: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// A step was added.
    Added(StepKey),
    /// A step was taken out.
    Removed(StepKey),
    /// A step was moved, from this tick.
    Moved(StepKey, Tick),
}

/// The plan at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    table: Table<StepKey, Planned>,
    /// Steps that can be changed.
    open: Vec<StepKey>,
    /// How far the plan has been looked over.
    looked: usize,
    owners: Vec<Option<StepKey>>,
    /// Keys of steps that are gone for good.
    free: Vec<StepKey>,
    /// What was done since the best plan, in order.
    pub(crate) journal: Vec<Edit>,
}

impl Steps {
    pub(crate) fn get(&self, key: StepKey) -> &Planned {
        &self.table[key]
    }

    pub(crate) fn get_mut(&mut self, key: StepKey) -> &mut Planned {
        &mut self.table[key]
    }

    /// Steps that can be changed, in no order that means anything.
    pub(crate) fn open(&self) -> &[StepKey] {
        &self.open
    }

    /// The step after the one that was looked at last, of those that can be changed.
    pub(crate) fn look_on(&mut self) -> Option<StepKey> {
        self.looked = if self.looked + 1 < self.open.len() { self.looked + 1 } else { 0 };
        self.open.get(self.looked).copied()
    }

    /// Every step that is in the plan.
    pub(crate) fn alive(&self) -> impl Iterator<Item = (StepKey, &Planned)> {
        self.table.iter().filter(|(_, step)| step.alive)
    }

    /// The step that an occurrence belongs to.
    pub(crate) fn owner(&self, occurrence: OccurrenceId) -> Option<StepKey> {
        self.owners.get(occurrence.0 as usize).copied().flatten()
    }

    /// Takes a step in.
    pub(crate) fn add(&mut self, form: FormId, start: Tick, id: Option<u32>, fixed: bool, of: OccurrenceId) -> StepKey {
        let step = Planned { form, start, id, fixed, alive: false, occurrence: of, place: u32::MAX };
        let key = match self.free.pop() {
            Some(key) => {
                self.table[key] = step;
                key
            }
            None => self.table.push(step),
        };
        self.revive(key, of);
        key
    }

    /// A step is there again, as another occurrence.
    pub(crate) fn revive(&mut self, key: StepKey, occurrence: OccurrenceId) {
        let at = occurrence.0 as usize;
        if self.owners.len() <= at {
            self.owners.resize(at + 1, None);
        }
        if let Some(owner) = self.owners.get_mut(at) {
            *owner = Some(key);
        }
        let step = &mut self.table[key];
        (step.alive, step.occurrence) = (true, occurrence);
        if !step.fixed {
            step.place = self.open.len() as u32;
            self.open.push(key);
        }
    }

    /// A step is there no longer; it may come again.
    pub(crate) fn lay_down(&mut self, key: StepKey) {
        let step = &mut self.table[key];
        step.alive = false;
        if let Some(owner) = self.owners.get_mut(step.occurrence.0 as usize) {
            *owner = None;
        }
        self.close(key);
    }

    /// A step can no longer be changed.
    pub(crate) fn fix(&mut self, key: StepKey) {
        if !std::mem::replace(&mut self.table[key].fixed, true) {
            self.close(key);
        }
    }

    fn close(&mut self, key: StepKey) {
        let place = std::mem::replace(&mut self.table[key].place, u32::MAX);
        if place == u32::MAX {
            return;
        }
        self.open.swap_remove(place as usize);
        if let Some(moved) = self.open.get(place as usize) {
            self.table[*moved].place = place;
        }
    }

    /// Steps that were only tried are gone for good.
    pub(crate) fn forget(&mut self, keys: Vec<StepKey>) {
        self.free.extend(keys);
    }

    /// What was done cannot be undone any more.
    pub(crate) fn commit(&mut self) {
        for edit in self.journal.drain(..) {
            if let Edit::Removed(key) = edit
                && !self.table[key].alive
            {
                self.free.push(key);
            }
        }
        // A step that came and went more than once is gone once.
        self.free.sort_unstable();
        self.free.dedup();
    }
}
