//! The published plan and its locks.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Status, Step, Tick};
use dramaturg_planner::planner::{DeltaProblem, PlanDelta};
use dramaturg_wire::Outcome;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// So many steps that have ended are remembered, so that a planner cannot use their ids again.
const ENDED_MAX: usize = 4096;

/// A step of the published plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The step, as it was published or locked.
    pub step: Step,
    /// Counts what was sent for it.
    pub version: u32,
    /// Its tasks, once they were sent.
    pub parts: SmallVec<[Part; 1]>,
    /// Why it could not be sent when it was last looked at.
    pub blocked: Option<String>,
    /// Whether what was sent is the question that decides about it: the first of its tasks, before any that performs
    /// it.
    #[serde(default)]
    pub asking: bool,
    /// What was answered to that question.
    #[serde(default)]
    pub answer: Option<String>,
    /// Whether the planner never heard of it: it was planned in a time of which nothing is known here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
}

/// One task of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What was last heard of it; none: nothing yet.
    pub outcome: Option<Outcome>,
    /// Whether it was taken back.
    pub cancelled: bool,
}

impl Entry {
    /// A step of which nothing was sent.
    fn new(step: Step) -> Self {
        let parts = SmallVec::new();
        Self { step, version: 0, parts, blocked: None, asking: false, answer: None, adopted: false }
    }

    /// Whether the planner may no longer change it.
    pub fn is_locked(&self) -> bool {
        self.step.status != Status::Proposed
    }

    /// The number of the first task that performs it: a question comes before.
    pub fn first_part(&self) -> u16 {
        u16::from(self.answer.is_some() && !self.asking)
    }
}

/// The published plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    entries: BTreeMap<u32, Entry>,
    /// Steps that are not locked, by start.
    open: BTreeSet<(Tick, u32)>,
    ended: BTreeSet<u32>,
    /// Versions of steps that were sent in a time of which this session knows nothing, and were taken back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    left: BTreeMap<u32, u32>,
    /// The version that was published last.
    pub version: u64,
    /// Whether the plan reaches its goals.
    pub complete: bool,
    /// Up to which tick it holds.
    pub valid_until: Option<Tick>,
}

impl Board {
    /// All steps that have not ended, by id.
    pub fn entries(&self) -> impl Iterator<Item = (&u32, &Entry)> {
        self.entries.iter()
    }

    /// A step that has not ended.
    pub fn get(&self, step: u32) -> Option<&Entry> {
        self.entries.get(&step)
    }

    /// A step that has not ended. Its start must not be changed.
    pub fn get_mut(&mut self, step: u32) -> Option<&mut Entry> {
        self.entries.get_mut(&step)
    }

    /// Steps that are not locked and start at this tick at the latest, by start.
    pub fn due(&self, until: Tick) -> Vec<u32> {
        self.open.range(..=(until, u32::MAX)).map(|(_, id)| *id).collect()
    }

    /// When the first step starts that is not locked.
    pub fn next_start(&self) -> Option<Tick> {
        self.open.first().map(|(start, _)| *start)
    }

    /// How many steps are not locked.
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// Takes over what a planner published, or nothing of it.
    pub fn apply(&mut self, delta: &PlanDelta, insert_from: Tick, checks_locks: bool) -> Result<(), DeltaProblem> {
        if checks_locks {
            self.check(delta, insert_from)?;
        }
        for id in &delta.removed {
            self.take_out(*id);
        }
        for step in &delta.put {
            let old = self.take_out(step.id);
            let (version, parts) = old.map(|old| (old.version, old.parts)).unwrap_or_default();
            let version = self.left.remove(&step.id).map_or(version, |left| left.max(version));
            let step = Step { status: Status::Proposed, ..step.clone() };
            self.open.insert((step.start, step.id));
            self.entries.insert(step.id, Entry { version, parts, ..Entry::new(step) });
        }
        self.version = delta.version;
        self.complete = delta.complete;
        self.valid_until = delta.valid_until;
        Ok(())
    }

    fn check(&self, delta: &PlanDelta, insert_from: Tick) -> Result<(), DeltaProblem> {
        let touched = delta.removed.iter().filter_map(|id| self.entries.get(id).map(|entry| (*id, entry.step.start)));
        let put = delta.put.iter().map(|step| {
            let old = self.entries.get(&step.id).map_or(Tick::MAX, |old| old.step.start);
            (step.id, step.start.min(old))
        });
        for (id, start) in touched.chain(put) {
            if self.entries.get(&id).is_some_and(Entry::is_locked) {
                return Err(DeltaProblem::Locked(id));
            }
            if start < insert_from {
                return Err(DeltaProblem::TooEarly { step: id, start, insert_from });
            }
        }
        // A planner that drops a step which was performed while it thought would never learn what the step did.
        let mut touched = delta.removed.iter().copied().chain(delta.put.iter().map(|step| step.id));
        match touched.find(|id| self.has_ended(*id)) {
            Some(id) => Err(DeltaProblem::UnknownStep(id)),
            None => Ok(()),
        }
    }

    fn has_ended(&self, id: u32) -> bool {
        !self.entries.contains_key(&id) && self.ended.contains(&id)
    }

    fn take_out(&mut self, id: u32) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        self.open.remove(&(entry.step.start, id));
        Some(entry)
    }

    /// Fixes a step: it belongs to the executor from here on.
    pub fn lock(&mut self, id: u32, parts: usize, keeps_locks: bool) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        self.open.remove(&(entry.step.start, id));
        if keeps_locks {
            entry.step.status = Status::Dispatched;
        }
        entry.version += 1;
        entry.blocked = None;
        entry.parts.truncate(usize::from(entry.first_part()));
        entry.parts.extend((0..parts).map(|_| Part { outcome: None, cancelled: false }));
    }

    /// Whether no step of this number was ever sent or ended here, as far as that is remembered.
    pub(crate) fn is_new(&self, id: u32) -> bool {
        let is_forgotten = self.ended.len() >= ENDED_MAX && self.ended.first().is_some_and(|first| id < *first);
        !self.entries.contains_key(&id) && !self.ended.contains(&id) && !is_forgotten
    }

    /// The game has had a task of this number in this version: the next one has a higher version.
    pub(crate) fn leave_version(&mut self, id: u32, version: u32) {
        let left = self.left.entry(id).or_default();
        *left = version.max(*left);
    }

    /// Takes in a step that the game performed and that was never published here. [`Board::take_over`] says how it was
    /// sent.
    pub(crate) fn adopt(&mut self, step: Step) {
        self.entries.insert(step.id, Entry { adopted: true, ..Entry::new(step) });
    }

    /// A step was sent in a time of which this session knows nothing: so it started, with these parts (first and last).
    pub(crate) fn take_over(&mut self, id: u32, start: Tick, version: u32, parts: (u16, u16), asks: bool) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        self.open.remove(&(entry.step.start, id));
        let part = |outcome| Part { outcome, cancelled: false };
        let (first, last) = parts;
        entry.step.start = start;
        entry.step.status = Status::Dispatched;
        (entry.version, entry.asking, entry.blocked) = (version, asks, None);
        if first > 0 {
            // The parts before those that perform it asked, and were answered in a way that let it go on.
            entry.answer.get_or_insert_default();
        }
        entry.parts = (0..=last).map(|number| part((number < first).then_some(Outcome::Finished))).collect();
    }

    /// A step was asked about and may be performed: it is to be sent again, to start at this tick. It stays locked.
    pub fn agree(&mut self, id: u32, start: Tick) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        entry.asking = false;
        entry.step.start = start;
        self.open.insert((start, id));
    }

    /// A step has ended, whichever way.
    pub fn end(&mut self, id: u32) -> Option<Entry> {
        let entry = self.take_out(id)?;
        self.ended.insert(id);
        while self.ended.len() > ENDED_MAX {
            self.ended.pop_first();
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_model::Plan;

    use super::*;

    #[test]
    fn ended_steps_are_remembered_up_to_a_bound() {
        let (mut board, mut plan) = (Board::default(), Plan::default());
        let count = ENDED_MAX + 100;
        let ids: Vec<u32> = (0..count).map(|_| plan.add("beat", ["ann"], 10, 4)).collect();
        let delta = PlanDelta { put: plan.steps, ..PlanDelta::default() };
        board.apply(&delta, 0, true).expect("taken over");
        ids.iter().for_each(|id| drop(board.end(*id)));
        assert_eq!(board.ended.len(), ENDED_MAX);
        assert!(board.has_ended(ids[count - 1]) && !board.has_ended(ids[0]));
        assert!(!board.is_new(ids[0]), "what was forgotten is not taken for new either");
    }
}
