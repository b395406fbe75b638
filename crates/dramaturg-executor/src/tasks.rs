//! The table of all tasks the executor knows.

use std::collections::{HashMap, VecDeque};

use dramaturg_wire::{Execute, NameId, Task, TaskRecord, TaskState, Tick};

use crate::ended::{Ended, EndedRing};
use crate::held::{Brief, Extras, Held};
use crate::near::BuildNear;
use crate::perform::Run;
use crate::waiting::Waiting;

/// Where a task is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Waiting or running, in this slot.
    Held(u32),
    /// Over; its number in the ring.
    Ended(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Free,
    Waiting,
    Running,
}

/// What must be known of a slot to take a task from it: apart, so that a task that ends need not be looked at.
#[derive(Clone, Copy, Debug)]
struct Slot {
    stage: Stage,
    /// Whether its extras hold a question: texts of any length, which are not kept until another task comes.
    asks: bool,
}

/// How a task stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing<'a> {
    Unknown,
    Waiting { slot: u32, version: u32 },
    Running { slot: u32, version: u32 },
    Ended(&'a Ended),
}

/// Every task that waits or runs, and the last that ended. Slots and places are used again, so that it does not allocate once it
/// has been as full as it gets.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    slots: Vec<Slot>,
    /// By slot.
    briefs: Vec<Brief>,
    /// By slot; what was left there by another is not looked at.
    extras: Vec<Extras>,
    /// The slot that has been free for longest is taken first: so tasks that come one after another, and start so, lie side by side.
    free: VecDeque<u32>,
    index: HashMap<Task, Place, BuildNear>,
    /// How many entries the index has room for, counting none as lost.
    index_room: usize,
    waiting: Waiting,
    ended: EndedRing,
}

impl Tasks {
    pub(crate) fn new(ended_max: usize) -> Self {
        Self {
            slots: Vec::new(),
            briefs: Vec::new(),
            extras: Vec::new(),
            free: VecDeque::new(),
            index: HashMap::default(),
            index_room: 0,
            waiting: Waiting::default(),
            ended: EndedRing::new(ended_max),
        }
    }

    /// How many tasks wait for their tick.
    pub(crate) fn waiting_count(&self) -> usize {
        self.waiting.count()
    }

    pub(crate) fn standing(&self, task: Task) -> Standing<'_> {
        match self.index.get(&task) {
            None => Standing::Unknown,
            Some(Place::Ended(number)) => self.ended.get(*number).map_or(Standing::Unknown, Standing::Ended),
            Some(Place::Held(slot)) => match (self.stage(*slot), self.briefs.get(*slot as usize)) {
                (Stage::Waiting, Some(brief)) => Standing::Waiting { slot: *slot, version: brief.version },
                (Stage::Running, Some(brief)) => Standing::Running { slot: *slot, version: brief.version },
                _ => Standing::Unknown,
            },
        }
    }

    fn stage(&self, slot: u32) -> Stage {
        self.slots.get(slot as usize).map_or(Stage::Free, |slot| slot.stage)
    }

    /// What is to be performed.
    pub(crate) fn held(&self, slot: u32) -> Option<Held<'_>> {
        self.slots.get(slot as usize).filter(|slot| slot.stage != Stage::Free)?;
        Some(Held { brief: self.briefs.get(slot as usize)?, extras: self.extras.get(slot as usize)? })
    }

    /// Lets a task wait for its tick that neither waits nor runs.
    pub(crate) fn wait(&mut self, execute: Execute) {
        let (start, task) = (execute.start, execute.task);
        let slot = self.hold(execute, Stage::Waiting);
        self.waiting.push(slot, start, task);
    }

    /// Takes in a task that runs already, from a checkpoint.
    pub(crate) fn run(&mut self, execute: Execute) -> u32 {
        self.hold(execute, Stage::Running)
    }

    /// Puts a later version in the place of one that waits.
    pub(crate) fn replace(&mut self, slot: u32, execute: Execute) {
        let (start, task) = (execute.start, execute.task);
        self.put(slot, execute, Stage::Waiting);
        self.waiting.remove(slot);
        self.waiting.push(slot, start, task);
    }

    fn hold(&mut self, execute: Execute, stage: Stage) -> u32 {
        let task = execute.task;
        let slot = self.free.pop_front().unwrap_or(self.slots.len() as u32);
        self.put(slot, execute, stage);
        self.place(task, Place::Held(slot));
        slot
    }

    /// Fills a slot, or makes the next one.
    fn put(&mut self, slot: u32, execute: Execute, stage: Stage) {
        let (at, brief) = (slot as usize, Brief::of(&execute));
        let filled = Slot { stage, asks: execute.question.is_some() };
        let (Some(old), Some(old_brief)) = (self.slots.get_mut(at), self.briefs.get_mut(at)) else {
            self.slots.push(filled);
            self.briefs.push(brief);
            self.extras.push(Extras::of(execute));
            return;
        };
        if (brief.has_extras || old.asks)
            && let Some(extras) = self.extras.get_mut(at)
        {
            *extras = Extras::of(execute);
        }
        (*old, *old_brief) = (filled, brief);
    }

    fn place(&mut self, task: Task, place: Place) {
        // A hash map that is at most half full clears up lost entries in place; fuller, it would allocate in the midst of a game.
        if (self.index.len() + 1) * 2 > self.index_room {
            self.index_room = ((self.index.len() + 1) * 4).next_power_of_two();
            self.index.reserve(self.index_room - self.index.len());
        }
        self.index.insert(task, place);
    }

    /// The next task whose tick has come; it counts as running until it is ended. In the order of (start, task).
    pub(crate) fn take_due(&mut self, tick: Tick) -> Option<u32> {
        let slot = self.waiting.pop_due(tick)?;
        if let Some(slot) = self.slots.get_mut(slot as usize) {
            slot.stage = Stage::Running;
        }
        Some(slot)
    }

    /// Ends a task that waits or runs, and remembers how.
    pub(crate) fn end(&mut self, slot: u32, ended: Ended) {
        let Some(held) = self.slots.get_mut(slot as usize).filter(|held| held.stage != Stage::Free) else { return };
        let left = std::mem::replace(held, Slot { stage: Stage::Free, asks: false });
        if left.asks
            && let Some(extras) = self.extras.get_mut(slot as usize)
        {
            *extras = Extras::default();
        }
        self.free.push_back(slot);
        if left.stage == Stage::Waiting {
            self.waiting.remove(slot);
        }
        self.remember(ended);
    }

    /// Remembers the end of a task that is not held.
    pub(crate) fn remember(&mut self, ended: Ended) {
        let task = ended.task;
        let (number, forgotten) = self.ended.push(ended);
        if let Some((number, forgotten)) = forgotten
            && self.index.get(&forgotten.task) == Some(&Place::Ended(number))
        {
            self.index.remove(&forgotten.task);
        }
        self.place(task, Place::Ended(number));
    }

    /// Forgets every task.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.briefs.clear();
        self.extras.clear();
        self.free.clear();
        self.index.clear();
        self.waiting.clear();
        self.ended.clear();
    }

    /// All tasks that wait, sorted by (start, task).
    pub(crate) fn waiting(&self) -> Vec<Held<'_>> {
        let slots = self.slots.iter().zip(&self.briefs).zip(&self.extras);
        let mut waiting: Vec<_> = slots
            .filter(|((slot, _), _)| slot.stage == Stage::Waiting)
            .map(|((_, brief), extras)| Held { brief, extras })
            .collect();
        waiting.sort_by_key(|held| (held.brief.start, held.brief.task));
        waiting
    }

    /// All ended tasks that are remembered and have not been sent again since, oldest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &Ended> {
        let current = |(number, ended): &(u32, &Ended)| self.index.get(&ended.task) == Some(&Place::Ended(*number));
        self.ended.iter().filter(current).map(|(_, ended)| ended)
    }

    /// A task that waits or runs.
    pub(crate) fn find(&self, task: Task) -> Option<Held<'_>> {
        match self.index.get(&task)? {
            Place::Held(slot) => self.held(*slot),
            Place::Ended(_) => None,
        }
    }

    /// Gives every name that a task speaks of another number.
    pub(crate) fn renumber(&mut self, number: &impl Fn(&mut NameId)) {
        for (brief, extras) in self.briefs.iter_mut().zip(&mut self.extras) {
            brief.renumber(number);
            extras.renumber(number);
        }
    }

    /// The whole table as the director is told it, sorted by task.
    pub(crate) fn records(&self, running: &[Run]) -> Vec<TaskRecord> {
        let record = |brief: &Brief, state| TaskRecord { task: brief.task, version: brief.version, state };
        let waiting = self.waiting().into_iter().map(|held| record(held.brief, TaskState::Waiting));
        let running = running
            .iter()
            .filter_map(|run| self.held(run.slot).map(|held| record(held.brief, TaskState::Running(run.started))));
        let ended = self.ended().map(|ended| TaskRecord {
            task: ended.task,
            version: ended.version,
            state: TaskState::Ended(ended.tick, ended.outcome.clone()),
        });
        let mut records: Vec<_> = waiting.chain(running).chain(ended).collect();
        records.sort_by_key(|record| record.task);
        records
    }
}
