//! What every planner must satisfy, put to the test by a life of its own: time passes, steps are locked, performed, failed and missed,
//! things are seen that nobody planned.

use std::collections::BTreeMap;

use dramaturg_model::{
    Chance, Domain, FluentSource, Model, Observation, Plan, State, Status, Step, StepEvent, StepEventKind, Tick, Value,
};

use super::{Budget, PlanDelta, Planner, PlannerSave, TickBounds, Workers};
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::simulate::WorldEventKind;
use crate::validate::{Goals, ValidateOptions, validate};

/// Makes a planner from what one saved, or says why it cannot.
pub type Load<'s> = dyn Fn(&PlannerSave) -> Result<Box<dyn Planner>, String> + 's;

/// A planner under test.
pub struct Subject<'s> {
    /// What it plans for.
    pub model: &'s Model,
    /// A new planner for a seed.
    pub make: &'s dyn Fn(u64) -> Box<dyn Planner>,
    /// A planner from what one saved.
    pub load: &'s Load<'s>,
}

/// How hard a life is.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Where chance begins.
    pub seed: u64,
    /// How often the planner is asked.
    pub rounds: u32,
    /// Units of work each time.
    pub units: u32,
    /// Things that contradict the plan are seen, one in so many rounds; 0: never.
    pub surprises: usize,
    /// Steps fail or are missed, one in so many; 0: never.
    pub failures: usize,
}

/// What came of a trial, to be added up and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Everything that was published, in order.
    pub deltas: Vec<PlanDelta>,
    /// Steps that were performed to their end.
    pub performed: u32,
    /// Things seen that nobody planned.
    pub surprises: u32,
    /// Prefixes of plans that were judged.
    pub judged: u32,
}

/// Runs every check on one seed. The error says which point of the contract is broken, and when.
pub fn check(subject: &Subject<'_>, trial: Trial) -> Result<Outcome, String> {
    let live = |workers: &Workers<'_>, save_at: Option<u32>| Life::new(subject, trial).run(workers, save_at);
    let outcome = live(&Workers::single(), None)?;
    if live(&Workers::single(), None)? != outcome {
        return Err("6: the same inputs, budgets and seed gave another plan".to_owned());
    }
    // Jobs in the opposite order, as threads might finish them.
    let backwards = |count: usize, job: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(job);
    if live(&Workers::with(&backwards), None)? != outcome {
        return Err("10: another order of jobs gave another plan".to_owned());
    }
    let half = Some(trial.rounds / 2);
    let (saved, loaded) = (live(&Workers::single(), half)?, Life::new(subject, trial).reloaded(half)?);
    if saved != loaded {
        return Err("8: a planner that was loaded went on otherwise than the one that saved".to_owned());
    }
    monotone(subject, trial)?;
    Ok(outcome)
}

/// 7: more work never gives a dearer plan for the same inputs.
fn monotone(subject: &Subject<'_>, trial: Trial) -> Result<(), String> {
    let mut before = None;
    for factor in [1, 2, 4, 16] {
        let mut planner = (subject.make)(trial.seed);
        planner.advance(TickBounds::exactly(0), 1);
        planner.deliberate(&mut Budget::of(trial.units.saturating_mul(factor)), &Workers::single());
        let delta = planner.publish();
        if let (Some((complete, cost)), Some(now)) = (before, delta.cost)
            && complete
            && (!delta.complete || now > cost)
        {
            return Err(format!("7: {factor} times the work gave a plan of cost {now:?}, not {cost:?}"));
        }
        before = delta.cost.map(|cost| (delta.complete, cost));
    }
    Ok(())
}

/// A director and a game in a nutshell: they tell the planner the truth, and judge what it publishes.
struct Life<'s> {
    subject: &'s Subject<'s>,
    trial: Trial,
    planner: Box<dyn Planner>,
    truth: Chronicle,
    chance: Chance,
    now: Tick,
    insert_from: Tick,
    /// Published and not locked.
    open: BTreeMap<u32, Step>,
    /// Locked and not started.
    locked: BTreeMap<u32, Step>,
    /// Running, with the tick of its end and whether it will fail.
    running: BTreeMap<u32, (Tick, bool)>,
    /// Everything that was started, as it was; none once something failed or was seen that no plan accounts for.
    history: Option<Vec<Step>>,
    outcome: Outcome,
}

impl<'s> Life<'s> {
    fn new(subject: &'s Subject<'s>, trial: Trial) -> Self {
        let chronicle = ChronicleOptions { window: 200, ..ChronicleOptions::default() };
        Self {
            subject,
            trial,
            planner: (subject.make)(trial.seed),
            truth: Chronicle::begin(subject.model, chronicle),
            chance: Chance::new(trial.seed ^ 0xC0F0_12AA),
            now: 0,
            insert_from: 1,
            open: BTreeMap::new(),
            locked: BTreeMap::new(),
            running: BTreeMap::new(),
            history: Some(Vec::new()),
            outcome: Outcome::default(),
        }
    }

    fn run(mut self, workers: &Workers<'_>, save_at: Option<u32>) -> Result<Outcome, String> {
        for round in 0..self.trial.rounds {
            self.round(workers)?;
            if save_at == Some(round) {
                self.planner.save();
            }
        }
        Ok(self.outcome)
    }

    fn reloaded(mut self, save_at: Option<u32>) -> Result<Outcome, String> {
        for round in 0..self.trial.rounds {
            self.round(&Workers::single())?;
            if save_at == Some(round) {
                let save = self.planner.save();
                self.planner = (self.subject.load)(&save).map_err(|why| format!("8: it cannot be loaded: {why}"))?;
            }
        }
        Ok(self.outcome)
    }

    fn round(&mut self, workers: &Workers<'_>) -> Result<(), String> {
        let until = self.now + 1 + self.chance.below(12) as Tick;
        while self.now < until {
            self.now += 1;
            self.perform_tick();
        }
        self.lock();
        self.surprise();
        self.planner.advance(TickBounds { least: self.now, most: self.now + 2 }, self.insert_from);
        let mut budget = Budget::of(self.trial.units);
        self.planner.deliberate(&mut budget, workers);
        if budget.used > budget.units || budget.units != self.trial.units {
            return Err(format!("4: {} units used of {}, at tick {}", budget.used, self.trial.units, self.now));
        }
        let delta = self.planner.publish();
        self.take(&delta)?;
        self.judge(&delta)?;
        self.outcome.deltas.push(delta);
        Ok(())
    }

    /// One tick of the game: what is due ends, what is locked for it starts.
    fn perform_tick(&mut self) {
        let mut events = Vec::new();
        let mut tell = |step, kind| events.push(StepEvent { step, version: 1, kind });
        let ended: Vec<u32> = self.running.iter().filter(|(_, (end, _))| *end <= self.now).map(|(id, _)| *id).collect();
        for id in ended {
            match self.running.remove(&id) {
                Some((_, true)) => {
                    self.history = None;
                    self.truth.cut(id, self.now);
                    tell(id, StepEventKind::Failed("it went wrong".into()));
                }
                _ => {
                    self.truth.finished(id, self.now);
                    self.outcome.performed += 1;
                    tell(id, StepEventKind::Finished(self.now));
                }
            }
        }
        let due: Vec<u32> = self.locked.values().filter(|step| step.start <= self.now).map(|step| step.id).collect();
        for id in due {
            let Some(step) = self.locked.remove(&id) else { continue };
            if self.trial.failures > 0 && self.chance.below(self.trial.failures) == 0 {
                tell(id, StepEventKind::Missed(1));
                continue;
            }
            let fails = self.trial.failures > 0 && self.chance.below(self.trial.failures) == 0;
            if self.truth.started(self.subject.model, &step, self.now).is_ok() {
                self.running.insert(id, (self.now + step.duration.max(1), fails));
                if let Some(history) = &mut self.history {
                    history.push(Step { start: self.now, ..step });
                }
                tell(id, StepEventKind::Started(self.now));
            }
        }
        self.truth.advance(self.subject.model, self.now);
        self.planner.feedback(&events);
    }

    /// Locks what starts too soon to be changed.
    fn lock(&mut self) {
        self.insert_from = self.now + 5;
        let soon: Vec<u32> =
            self.open.values().filter(|step| step.start < self.insert_from).map(|step| step.id).collect();
        let mut events = Vec::new();
        for id in soon {
            if let Some(step) = self.open.remove(&id) {
                self.locked.insert(id, step);
                events.push(StepEvent { step: id, version: 1, kind: StepEventKind::Locked });
            }
        }
        self.planner.feedback(&events);
    }

    /// Something is seen that nobody planned.
    fn surprise(&mut self) {
        if self.trial.surprises == 0 || self.chance.below(self.trial.surprises) != 0 {
            return;
        }
        let model = self.subject.model;
        let changing: Vec<_> = model
            .fluents
            .iter()
            .filter(|(_, fluent)| fluent.source == FluentSource::Stored && !fluent.is_static)
            .map(|(id, _)| id)
            .collect();
        let Some(fluent) = changing.get(self.chance.below(changing.len())).copied() else { return };
        let declared = &model.fluents[fluent];
        let mut args = Vec::new();
        for param in &declared.params {
            let values = model.values_of(&param.choices, self.truth.present().state().level());
            let Some(value) = values.get(self.chance.below(values.len())).copied() else { return };
            args.push(value);
        }
        let value = match &declared.domain {
            Domain::Bool => Value::Bool(self.chance.below(2) == 0),
            Domain::Choice(choices) => {
                let values = model.values_of(choices, self.truth.present().state().level());
                let Some(value) = values.get(self.chance.below(values.len())).copied() else { return };
                value
            }
            _ => return,
        };
        let seen = Observation {
            fluent: model.fluent_name(fluent, &args).into(),
            value: model.value_name(value),
            from: self.now,
            to: None,
            source: 0,
            sequence: u64::from(self.outcome.surprises),
        };
        if self.truth.observe(model, &seen).is_ok() {
            self.truth.advance(model, self.now);
            self.outcome.surprises += 1;
            self.history = None;
            self.planner.observe(&[seen]);
        }
    }

    /// 2 and 3: what is locked or too soon is left alone.
    fn take(&mut self, delta: &PlanDelta) -> Result<(), String> {
        let now = self.now;
        for id in &delta.removed {
            match self.open.remove(id) {
                Some(step) if step.start >= self.insert_from => {}
                Some(step) => return Err(format!("3: step {id} of tick {} is removed at tick {now}", step.start)),
                None if self.locked.contains_key(id) || self.running.contains_key(id) => {
                    return Err(format!("2: locked step {id} is removed at tick {now}"));
                }
                None => {}
            }
        }
        for step in &delta.put {
            let id = step.id;
            if self.locked.contains_key(&id) || self.running.contains_key(&id) {
                return Err(format!("2: locked step {id} is changed at tick {now}"));
            }
            let old = self.open.insert(id, step.clone());
            let soonest = old.map_or(step.start, |old| old.start.min(step.start));
            if soonest < self.insert_from {
                return Err(format!("3: step {id} is put at tick {soonest}, before {}", self.insert_from));
            }
            if step.status != Status::Proposed {
                return Err(format!("2: step {id} is published as {:?}", step.status));
            }
        }
        Ok(())
    }

    /// 1 and 5: the plan holds up to the tick it says.
    fn judge(&mut self, delta: &PlanDelta) -> Result<(), String> {
        let model = self.subject.model;
        let until = delta.valid_until.unwrap_or(Tick::MAX);
        let prefix = self.open.values().chain(self.locked.values()).filter(|step| step.start <= until);
        let mut world = self.truth.ahead(model);
        let mut last = self.now;
        let mut plan = Plan::default();
        for step in prefix {
            world.schedule(model, step).map_err(|why| format!("1: step {} cannot be read: {why}", step.id))?;
            last = last.max(step.start);
            // What is locked and late starts at the next chance.
            plan.steps.push(Step { start: step.start.max(self.now + 1), ..step.clone() });
        }
        world.step_to(model, last);
        for event in world.drain() {
            if let WorldEventKind::Violation(found) = event.kind
                && found.step.is_some_and(|id| self.open.contains_key(&id))
            {
                return Err(format!(
                    "1: the plan published at tick {} is said to hold until {until}, but {found}",
                    self.now
                ));
            }
        }
        // The judge takes whole plans from the beginning: what was performed, and what is to come.
        if let Some(history) = self.history.as_ref().filter(|_| !plan.steps.is_empty()) {
            plan.steps.extend(history.iter().cloned());
            let options = ValidateOptions { goals: Goals::None, until: Some(last), ..ValidateOptions::default() };
            let report = validate(model, &State::initial(model, 0), &plan, &options);
            // A step that was locked and performed although it lacked something is not the plan's fault any more.
            if report.violations.iter().any(|found| found.step.is_some_and(|id| !self.open.contains_key(&id))) {
                return Ok(());
            }
            let found = report.violations.iter().find(|found| found.step.is_some_and(|id| self.open.contains_key(&id)));
            if let Some(found) = found {
                return Err(format!("1: the judge at tick {}: {found}", self.now));
            }
            self.outcome.judged += 1;
        }
        Ok(())
    }
}
