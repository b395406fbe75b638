//! The six phases of a tick.

use dramaturg_model::{Args, FluentId, Model, Value};

use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Phase};
use super::step::{Performed, StepKey};
use super::world::World;

impl World {
    pub(super) fn run_phase(&mut self, model: &Model) {
        match self.phase {
            Phase::Observe => self.observe_phase(model),
            Phase::End => self.end_phase(model),
            Phase::Rules => self.rules_phase(model),
            Phase::Check => self.check_phase(model),
            Phase::Start => self.start_phase(model),
            Phase::Rates => {
                self.contribute(model);
                // What was observed in this tick shielded its fluents from contributions that the next tick brings
                // again.
                self.is_steady = self.version == self.tick_version && self.masked.is_empty();
                self.check_work();
            }
        }
    }

    /// P0: what is observed overwrites what was believed, and stays for the rest of the tick.
    fn observe_phase(&mut self, model: &Model) {
        self.effort.ticks += 1;
        self.tick_version = self.version;
        self.masked.clear();
        self.due = self.agenda.take(self.tick);
        self.watches.time_passed();
        let mut batch = Batch::default();
        for item in &self.due {
            match item {
                Item::Observe(fluent, args, value) => batch.set(*fluent, args.clone(), *value, Cause::Observation),
                Item::Given(due) => {
                    let args = due.args();
                    let reader = Reader { model, state: &self.state, args: &args, duration: None, cause: Cause::Given };
                    if let Some(given) = due.find(model) {
                        let whom = (given.binders.as_slice(), given.condition.as_ref());
                        batch.change(&reader, whom, &given.target, &given.change, &mut self.chance);
                    }
                }
                _ => {}
            }
        }
        self.write_observed(model, batch);
    }

    /// Writes an observation at once and masks it for the rest of the tick.
    pub(super) fn see(&mut self, model: &Model, fluent: FluentId, args: Args, value: Value) {
        let mut batch = Batch::default();
        batch.set(fluent, args, value, Cause::Observation);
        self.write_observed(model, batch);
    }

    /// P1: steps end, then tasks go on.
    fn end_phase(&mut self, model: &Model) {
        self.look_for_expected();
        let mut batch = Batch::default();
        let mut ended: Vec<StepKey> = Vec::new();
        let mut runs = Vec::new();
        for at in 0..self.due.len() {
            match self.due.get(at) {
                Some(Item::End(key)) => {
                    let key = *key;
                    if self.end_step(model, key, &mut batch) {
                        ended.push(key);
                    }
                }
                Some(Item::RuleEnd(key)) => {
                    let key = *key;
                    self.end_run(model, key, &mut batch);
                    runs.push(key);
                }
                _ => {}
            }
        }
        self.write(model, batch);
        ended.into_iter().for_each(|key| self.finish_step(model, key));
        runs.into_iter().for_each(|key| self.finish_run(model, key));
        for at in 0..self.due.len() {
            if let Some(Item::Release(key, number)) = self.due.get(at)
                && let Some(step) = self.steps.get(*key)
            {
                self.actuators.release(*key, Some(*number), &step.held);
            }
        }
        // A task whose action has just ended was put behind the others.
        let mut at = 0;
        while at < self.due.len() {
            if let Some(Item::Task(key)) = self.due.get(at) {
                let key = *key;
                self.go_on(model, key);
            }
            at += 1;
        }
    }

    /// P2: rules, then milestones and endings.
    fn rules_phase(&mut self, model: &Model) {
        self.look_for_expected();
        for at in 0..self.due.len() {
            if let Some(Item::Deadline(key)) = self.due.get(at) {
                let key = *key;
                self.pass_deadline(model, key);
            }
        }
        self.rest(model);
        self.turn(model);
    }

    /// P3: goals, then the conditions of what runs and of what would start.
    fn check_phase(&mut self, model: &Model) {
        self.look_at_goals(model);
        if self.ending.is_some() {
            self.over = true;
            return;
        }
        self.check_throughout(model, None);
        let mut at = 0;
        while at < self.due.len() {
            match self.due.get(at) {
                Some(Item::Condition(key, number)) => {
                    let (key, number) = (*key, *number);
                    self.check_moment(model, key, number);
                }
                Some(Item::Start(key)) => {
                    let key = *key;
                    self.check_start(model, key);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// P4: steps start; then what they promise throughout is read for the first time.
    fn start_phase(&mut self, model: &Model) {
        let mut batch = Batch::default();
        let mut started: Vec<StepKey> = Vec::new();
        let due = std::mem::take(&mut self.due);
        for item in &due {
            match item {
                Item::Start(key) => {
                    self.start_step(model, *key, &mut batch);
                    started.push(*key);
                }
                Item::Effect(key, number) => self.effect_at(model, *key, *number, &mut batch),
                Item::RuleEffect(key, number) => self.rule_effect_at(model, *key, *number, &mut batch),
                _ => {}
            }
        }
        self.write(model, batch);
        for item in &due {
            match item {
                Item::Start(key) => self.acquire(model, *key, None),
                Item::Acquire(key, number) => self.acquire(model, *key, Some(*number)),
                Item::Say(key, number) => self.say_at(model, *key, *number),
                _ => {}
            }
        }
        for key in started {
            self.check_throughout(model, Some(key));
            self.say_start(model, key);
            let is_instant =
                self.steps.get(key).is_some_and(|step| step.duration == 0 && matches!(step.what, Performed::Action(_)));
            if is_instant {
                self.finish_step(model, key);
            }
        }
    }
}
