//! A game that performs what it is told, not always as planned, and remembers everything it ever did.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_executor::{Game, Report, TaskView, ValueRef};
use dramaturg_wire::{Task, Tick};

/// One start of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Which.
    pub task: Task,
    /// Which version of it.
    pub version: u32,
    /// When it should have started.
    pub planned: Tick,
    /// When it did.
    pub tick: Tick,
    /// In which life of the game.
    pub life: u32,
}

/// Everything that really happened: it survives crashes of the game.
#[derive(Default)]
pub struct Truth {
    pub starts: Vec<Start>,
    pub finished: BTreeMap<Task, Tick>,
    pub amended: BTreeSet<Task>,
    /// Where everybody is, for guards that ask.
    pub places: BTreeMap<String, String>,
    /// Who is on the way: when they arrive and where, in which life of the game.
    pub arrivals: BTreeMap<String, (Tick, String, u32)>,
    /// What is ready.
    pub ready: BTreeSet<String>,
}

/// The game in one of its lives.
pub struct Performer<'t> {
    pub truth: &'t mut Truth,
    pub life: u32,
    pub tick: Tick,
    pub seed: u64,
    pub fails: usize,
    pub stretches: usize,
}

impl Performer<'_> {
    /// What becomes of a task, by its name alone: the same in every life.
    fn fate(&self, task: Task) -> Fate {
        let mut chance = dramaturg_model::Chance::new(self.seed ^ u64::from(task.step) << 8 ^ u64::from(task.part));
        if self.fails > 0 && chance.below(self.fails) == 0 {
            Fate::Fails(chance.below(4) as Tick)
        } else if self.stretches > 0 && chance.below(self.stretches) == 0 {
            Fate::Stretches(1 + chance.below(8) as Tick)
        } else {
            Fate::AsPlanned
        }
    }
}

enum Fate {
    AsPlanned,
    Fails(Tick),
    Stretches(Tick),
}

/// The wind by tick: it turns for the first ten seconds.
pub fn wind(tick: Tick) -> i64 {
    tick.clamp(0, 600) / 40 * 7 % 100
}

impl Game for Performer<'_> {
    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        if let Some(who) = fluent.strip_suffix(".place") {
            let arrived = self.truth.arrivals.get(who).filter(|(at, _, life)| *at <= self.tick && *life == self.life);
            let place = arrived.map(|(_, place, _)| place).or_else(|| self.truth.places.get(who));
            return place.map(|place| ValueRef::Name(place));
        }
        if let Some(chore) = fluent.strip_suffix(".ready") {
            return Some(ValueRef::Bool(self.truth.ready.contains(chore)));
        }
        (fluent == "wind").then(|| ValueRef::Number(wind(self.tick) * 1_000_000))
    }

    fn start(&mut self, task: &TaskView<'_>) {
        let params: Vec<&str> = task.params().collect();
        if let ("walk", [who, _, to]) = (task.action(), params.as_slice()) {
            let lasts = match self.fate(task.id()) {
                Fate::AsPlanned => Some(task.duration()),
                Fate::Stretches(by) => Some(task.duration() + by),
                Fate::Fails(_) => None,
            };
            self.truth.arrivals.remove(*who);
            if let Some(lasts) = lasts {
                self.truth.arrivals.insert((*who).to_owned(), (self.tick + lasts, (*to).to_owned(), self.life));
            }
        }
        self.truth.starts.push(Start {
            task: task.id(),
            version: task.version(),
            planned: task.start(),
            tick: self.tick,
            life: self.life,
        });
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let ran = tick - task.started();
        let planned = task.duration().max(1);
        match self.fate(task.id()) {
            Fate::Fails(after) if ran >= after.min(planned - 1) => Report::Failed("it went wrong".into()),
            Fate::Stretches(by) if ran >= 1 => {
                // A clock that was set back shows the same tick again and again.
                if ran == 1 && planned > 1 && self.truth.amended.insert(task.id()) {
                    return Report::Amended(planned + by);
                }
                self.end(task, ran >= planned)
            }
            _ => self.end(task, ran >= planned),
        }
    }
}

impl Performer<'_> {
    fn end(&mut self, task: &TaskView<'_>, over: bool) -> Report {
        if over {
            self.truth.finished.insert(task.id(), self.tick);
            let params: Vec<&str> = task.params().collect();
            match (task.action(), params.as_slice()) {
                ("walk", [who, _, to]) => {
                    self.truth.places.insert((*who).to_owned(), (*to).to_owned());
                }
                ("work", [_, chore]) => {
                    self.truth.ready.insert((*chore).to_owned());
                }
                _ => {}
            }
            Report::Finished
        } else {
            Report::Running
        }
    }
}
