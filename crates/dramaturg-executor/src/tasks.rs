//! The table of all tasks the executor knows.

use std::collections::{HashMap, VecDeque};

use dramaturg_wire::{Execute, Guard, NameId, Outcome, Task, TaskRecord, TaskState, Test, Tick};

use crate::ended::{Content, Ended, EndedRing};
use crate::near::BuildNear;
use crate::perform::Run;
use crate::waiting::Waiting;

/// Where a task is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Waiting or running, in this slot.
    Held(u32),
    /// Over; its number in the ring.
    Ended(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Free,
    Waiting,
    Running,
}

#[derive(Clone, Debug)]
struct Slot {
    execute: Execute,
    stage: Stage,
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
            Some(Place::Held(slot)) => match self.slot(*slot) {
                Some(Slot { stage: Stage::Waiting, execute, .. }) => {
                    Standing::Waiting { slot: *slot, version: execute.version }
                }
                Some(Slot { stage: Stage::Running, execute, .. }) => {
                    Standing::Running { slot: *slot, version: execute.version }
                }
                _ => Standing::Unknown,
            },
        }
    }

    fn slot(&self, slot: u32) -> Option<&Slot> {
        self.slots.get(slot as usize)
    }

    fn slot_mut(&mut self, slot: u32) -> Option<&mut Slot> {
        self.slots.get_mut(slot as usize)
    }

    /// What is to be performed.
    pub(crate) fn execute(&self, slot: u32) -> Option<&Execute> {
        self.slot(slot).filter(|slot| slot.stage != Stage::Free).map(|slot| &slot.execute)
    }

    /// The same for one that is known to run: it is not looked at, for what nobody reads need not come from memory.
    pub(crate) fn held(&self, slot: u32) -> Option<&Execute> {
        self.slot(slot).map(|slot| &slot.execute)
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
        if let Some(held) = self.slot_mut(slot) {
            held.execute = execute;
            self.waiting.remove(slot);
            self.waiting.push(slot, start, task);
        }
    }

    fn hold(&mut self, execute: Execute, stage: Stage) -> u32 {
        let task = execute.task;
        let held = Slot { execute, stage };
        let slot = self.free.pop_front().unwrap_or(self.slots.len() as u32);
        match self.slots.get_mut(slot as usize) {
            Some(free) => *free = held,
            None => self.slots.push(held),
        }
        self.place(task, Place::Held(slot));
        slot
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
        if let Some(held) = self.slot_mut(slot) {
            held.stage = Stage::Running;
        }
        Some(slot)
    }

    /// Ends a task that waits or runs, and remembers how.
    pub(crate) fn end(&mut self, slot: u32, tick: Tick, ran: bool, outcome: Outcome) {
        let Some(held) = self.slot_mut(slot) else { return };
        let was_waiting = held.stage == Stage::Waiting;
        if held.stage == Stage::Free {
            return;
        }
        held.stage = Stage::Free;
        held.execute.question = None;
        let (task, version) = (held.execute.task, held.execute.version);
        let content = Some(Content::taken_from(&mut held.execute));
        self.free.push_back(slot);
        if was_waiting {
            self.waiting.remove(slot);
        }
        self.remember(Ended { task, version, tick, ran, outcome, content });
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
        self.free.clear();
        self.index.clear();
        self.waiting.clear();
        self.ended.clear();
    }

    /// All tasks that wait, sorted by (start, task).
    pub(crate) fn waiting(&self) -> Vec<&Execute> {
        let mut waiting: Vec<_> =
            self.slots.iter().filter(|slot| slot.stage == Stage::Waiting).map(|slot| &slot.execute).collect();
        waiting.sort_by_key(|execute| (execute.start, execute.task));
        waiting
    }

    /// All ended tasks that are remembered and have not been sent again since, oldest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &Ended> {
        let current = |(number, ended): &(u64, &Ended)| self.index.get(&ended.task) == Some(&Place::Ended(*number));
        self.ended.iter().filter(current).map(|(_, ended)| ended)
    }

    /// What a task is or was, if that is remembered.
    pub(crate) fn content(&self, task: Task) -> Option<Content> {
        match self.index.get(&task)? {
            Place::Held(slot) => self.execute(*slot).map(Content::of),
            Place::Ended(number) => self.ended.get(*number)?.content.clone(),
        }
    }

    /// Gives every name that a task speaks of another number.
    pub(crate) fn renumber(&mut self, number: impl Fn(&mut NameId)) {
        for Slot { execute, .. } in self.slots.iter_mut().filter(|slot| slot.stage != Stage::Free) {
            number(&mut execute.action);
            execute.actuator.iter_mut().chain(&mut execute.params).chain(&mut execute.reads).for_each(&number);
            for Guard { fluent, test } in &mut execute.guards {
                number(fluent);
                if let Test::Among(names) | Test::NotAmong(names) = test {
                    names.iter_mut().for_each(&number);
                }
            }
        }
        for content in self.ended.iter_mut().filter_map(|ended| ended.content.as_mut()) {
            number(&mut content.action);
            content.params.iter_mut().for_each(&number);
        }
    }

    /// The whole table as the director is told it, sorted by task.
    pub(crate) fn records(&self, running: &[Run]) -> Vec<TaskRecord> {
        let record = |execute: &Execute, state| TaskRecord { task: execute.task, version: execute.version, state };
        let waiting = self.waiting().into_iter().map(|execute| record(execute, TaskState::Waiting));
        let running = running
            .iter()
            .filter_map(|run| self.execute(run.slot).map(|execute| record(execute, TaskState::Running(run.started))));
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
