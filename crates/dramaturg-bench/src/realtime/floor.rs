//! The game: a shop floor, or roads and runways, where operations take their time and some do not go as planned.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_executor::{Game, Report, TaskView, ValueRef};
use dramaturg_model::Tick;
use dramaturg_wire::{Observation, Value};

use super::fate::{Disturbance, Fate};
use super::piece::{Deed, Piece};

/// An operation under way.
struct Run {
    deed: Deed,
    fate: Fate,
    operation: String,
}

/// What the world came to.
pub struct Floor {
    facts: BTreeSet<String>,
    goal: Vec<String>,
    disturbance: Disturbance,
    /// How long operations took that have started, and how many there were: what is usual.
    lasted: (Tick, Tick),
    running: BTreeMap<u32, Run>,
    tries: BTreeMap<String, u32>,
    /// How often each operation came to its end.
    pub ended: BTreeMap<String, u32>,
    /// What must be told to the director.
    pub seen: Vec<Observation>,
    /// Operations that started although the world was not ready for them.
    pub breaches: u64,
    /// Operations that took longer or failed.
    pub disturbed: u64,
    /// The tick in which the last goal came true.
    pub over: Option<Tick>,
}

impl Floor {
    /// The world as a piece has it at first.
    pub fn new(piece: &Piece, disturbance: Disturbance) -> Self {
        Self {
            facts: piece.facts.clone(),
            goal: piece.goal.clone(),
            disturbance,
            lasted: (0, 0),
            running: BTreeMap::new(),
            tries: BTreeMap::new(),
            ended: BTreeMap::new(),
            seen: Vec::new(),
            breaches: 0,
            disturbed: 0,
            over: None,
        }
    }

    fn end(&mut self, step: u32, tick: Tick) {
        let Some(run) = self.running.remove(&step) else { return };
        self.facts.extend(run.deed.gives);
        *self.ended.entry(run.operation).or_default() += 1;
        if self.over.is_none() && self.goal.iter().all(|fact| self.facts.contains(fact)) {
            self.over = Some(tick);
        }
    }

    /// It is as if it had not been tried, and that can be seen.
    fn fail(&mut self, step: u32, tick: Tick) {
        let Some(run) = self.running.remove(&step) else { return };
        for fact in run.deed.takes {
            let seen = Observation { fluent: fact.clone(), value: Value::Bool(true), from: tick, to: None };
            self.seen.push(seen);
            self.facts.insert(fact);
        }
    }
}

impl Game for Floor {
    fn start(&mut self, task: &TaskView<'_>) {
        let args: Vec<&str> = task.params().collect();
        let deed = Deed::of(task.action(), &args);
        self.breaches += u64::from(!deed.needs.iter().all(|fact| self.facts.contains(fact)));
        for fact in &deed.takes {
            self.facts.remove(fact);
        }
        let operation = format!("{}({})", task.action(), args.join(", "));
        let tries = self.tries.entry(operation.clone()).or_default();
        self.lasted = (self.lasted.0 + task.duration(), self.lasted.1 + 1);
        let usual = self.lasted.0 / self.lasted.1;
        let fate = Fate::draw(&self.disturbance, &operation, *tries, task.duration(), usual);
        *tries += 1;
        self.disturbed += u64::from(fate != Fate::Steady);
        self.running.insert(task.id().step, Run { deed, fate, operation });
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let step = task.id().step;
        let Some(run) = self.running.get(&step) else { return Report::Running };
        let so_far = tick - task.started();
        match run.fate {
            Fate::Longer(from, lasts) if so_far >= from && so_far < lasts => Report::Amended(lasts),
            Fate::Fails(at) if so_far >= at => {
                self.fail(step, tick);
                Report::Failed("it went wrong".into())
            }
            Fate::Longer(_, lasts) if so_far >= lasts => {
                self.end(step, tick);
                Report::Finished
            }
            Fate::Steady if so_far >= task.duration() => {
                self.end(step, tick);
                Report::Finished
            }
            _ => Report::Running,
        }
    }

    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        Some(ValueRef::Bool(self.facts.contains(fluent)))
    }
}
