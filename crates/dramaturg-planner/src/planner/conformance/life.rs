//! A director and a game in a nutshell: they tell the planner the truth.

use std::collections::BTreeMap;

use dramaturg_model::{Chance, Step, StepEvent, StepEventKind, Tick};
use smol_str::SmolStr;

use super::{Outcome, Subject, Trial};
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::planner::{Budget, Planner, TickBounds, Workers};

/// A step that the game performs.
pub(super) struct Running {
    pub(super) start: Tick,
    pub(super) end: Tick,
    pub(super) fails: bool,
}

/// One planner's life.
pub(super) struct Life<'s> {
    pub(super) subject: &'s Subject<'s>,
    pub(super) trial: Trial,
    pub(super) planner: Box<dyn Planner>,
    pub(super) truth: Chronicle,
    pub(super) chance: Chance,
    /// Of what happens rarely: apart, so that everything else happens as it would without.
    pub(super) whims: Chance,
    pub(super) now: Tick,
    pub(super) insert_from: Tick,
    /// Published and not locked.
    pub(super) open: BTreeMap<u32, Step>,
    /// Locked and not started.
    pub(super) locked: BTreeMap<u32, Step>,
    pub(super) running: BTreeMap<u32, Running>,
    /// Steps of other planners that have not ended.
    pub(super) foreign: BTreeMap<u32, Step>,
    /// What was refused for good.
    pub(super) refused: Vec<(SmolStr, Vec<SmolStr>)>,
    /// The version of a plan that was not taken over, which the planner does not know yet.
    pub(super) rejected: Option<u64>,
    /// Goals that no reply has come to.
    pub(super) asked: Vec<SmolStr>,
    /// Everything that was started, as it was; none once something failed or was seen that no plan accounts for.
    pub(super) history: Option<Vec<Step>>,
    pub(super) outcome: Outcome,
    /// What happened that was not planned, for whoever looks for the reason of a breach.
    pub(super) happened: Vec<String>,
}

/// So many of the last things that happened are told beside a breach.
const TOLD: usize = 6;

impl<'s> Life<'s> {
    pub(super) fn new(subject: &'s Subject<'s>, trial: Trial) -> Self {
        let chronicle = ChronicleOptions { window: 200, ..ChronicleOptions::default() };
        Self {
            subject,
            trial,
            planner: (subject.make)(trial.seed),
            truth: Chronicle::begin(subject.model, chronicle),
            chance: Chance::new(trial.seed ^ 0xC0F0_12AA),
            whims: Chance::new(trial.seed ^ 0x3117_5EED),
            now: 0,
            insert_from: 1,
            open: BTreeMap::new(),
            locked: BTreeMap::new(),
            running: BTreeMap::new(),
            foreign: BTreeMap::new(),
            refused: Vec::new(),
            rejected: None,
            asked: Vec::new(),
            history: Some(Vec::new()),
            outcome: Outcome::default(),
            happened: Vec::new(),
        }
    }

    pub(super) fn run(mut self, workers: &Workers<'_>, save_at: Option<u32>) -> Result<Outcome, String> {
        for round in 0..self.trial.rounds {
            self.round(workers).map_err(|what| self.breach(&what))?;
            if save_at == Some(round) {
                self.planner.save();
            }
        }
        Ok(self.outcome)
    }

    pub(super) fn reloaded(mut self, save_at: Option<u32>) -> Result<Outcome, String> {
        for round in 0..self.trial.rounds {
            self.round(&Workers::single()).map_err(|what| self.breach(&what))?;
            if save_at == Some(round) {
                let save = self.planner.save();
                self.planner = (self.subject.load)(&save).map_err(|why| format!("8: it cannot be loaded: {why}"))?;
            }
        }
        Ok(self.outcome)
    }

    /// Something happens that was not planned.
    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        let what = format!("tick {}: {}", self.now, what());
        self.happened.push(what);
    }

    /// A breach, with what happened before it.
    fn breach(&self, what: &str) -> String {
        let last = self.happened.iter().rev().take(TOLD).rev().map(String::as_str);
        format!("{what}\nbefore that: {}", last.collect::<Vec<_>>().join("; "))
    }

    /// Whether something happens that happens rarely.
    pub(super) fn has_whim(&mut self) -> bool {
        self.trial.whims > 0 && self.whims.below(self.trial.whims) == 0
    }

    /// One of some things; none if there are none.
    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.whims.below(of.len().max(1))).cloned()
    }

    fn round(&mut self, workers: &Workers<'_>) -> Result<(), String> {
        if let Some(version) = self.rejected.take() {
            self.planner.rejected(version);
        }
        let until = self.now + 1 + self.chance.below(12) as Tick;
        while self.now < until {
            self.now += 1;
            self.perform_tick();
        }
        self.lock();
        self.refuse();
        self.tell_of_unknown();
        self.surprise();
        self.see_late();
        self.others_plan();
        self.ask_for_goals();
        self.planner.advance(TickBounds { least: self.now, most: self.now + 2 }, self.insert_from);
        let mut budget = Budget::of(self.trial.units);
        self.planner.deliberate(&mut budget, workers);
        if budget.used > budget.units || budget.units != self.trial.units {
            return Err(format!("4: {} units used of {}, at tick {}", budget.used, self.trial.units, self.now));
        }
        let delta = self.planner.publish();
        self.hear_replies()?;
        if !self.rejects(&delta) {
            self.take(&delta)?;
            self.judge(&delta)?;
        }
        self.explain()?;
        self.outcome.deltas.push(delta);
        Ok(())
    }

    /// One tick of the game: what is due ends, what is locked for it starts.
    fn perform_tick(&mut self) {
        let mut events = Vec::new();
        let mut tell = |step, kind| events.push(StepEvent { step, version: 1, kind });
        let ended: Vec<u32> =
            self.running.iter().filter(|(_, running)| running.end <= self.now).map(|(id, _)| *id).collect();
        for id in ended {
            if self.running.remove(&id).is_some_and(|running| running.fails) {
                self.history = None;
                self.truth.cut(id, self.now);
                tell(id, StepEventKind::Failed("it went wrong".into()));
            } else {
                self.truth.finished(id, self.now);
                self.outcome.performed += 1;
                tell(id, StepEventKind::Finished(self.now));
            }
        }
        let over = self.foreign.extract_if(.., |_, step| step.end().max(step.start + 1) <= self.now);
        for (id, _) in over {
            self.truth.finished(id, self.now);
            tell(id, StepEventKind::Finished(self.now));
        }
        let due: Vec<u32> = self.locked.values().filter(|step| step.start <= self.now).map(|step| step.id).collect();
        for id in due {
            let Some(step) = self.locked.remove(&id) else { continue };
            if self.trial.failures > 0 && self.chance.below(self.trial.failures) == 0 {
                let kind = match if self.trial.whims > 0 { self.whims.below(3) } else { 0 } {
                    0 => StepEventKind::Missed(1),
                    1 => StepEventKind::GuardFailed,
                    _ => StepEventKind::Cancelled,
                };
                tell(id, kind);
                continue;
            }
            let fails = self.trial.failures > 0 && self.chance.below(self.trial.failures) == 0;
            if self.truth.started(self.subject.model, &step, self.now).is_ok() {
                let end = self.now + step.duration.max(1);
                self.running.insert(id, Running { start: self.now, end, fails });
                if let Some(history) = &mut self.history {
                    history.push(Step { start: self.now, ..step });
                }
                tell(id, StepEventKind::Started(self.now));
            }
        }
        self.amend(&mut events);
        self.truth.advance(self.subject.model, self.now);
        self.planner.feedback(&events);
    }

    /// Locks what starts too soon to be changed.
    fn lock(&mut self) {
        self.insert_from = self.now + 5;
        let soon: Vec<u32> =
            self.open.values().filter(|step| step.start < self.insert_from).map(|step| step.id).collect();
        // The director takes the game to be further than it is; in the next round it knows better.
        if self.has_whim() {
            self.insert_from += 40;
            self.note(|| "the game is taken to be 40 ticks further".to_owned());
            self.outcome.whims.ahead += 1;
        }
        let mut events = Vec::new();
        for id in soon {
            if let Some(step) = self.open.remove(&id) {
                self.locked.insert(id, step);
                events.push(StepEvent { step: id, version: 1, kind: StepEventKind::Locked });
                if self.trial.whims > 0 {
                    events.push(StepEvent { step: id, version: 1, kind: StepEventKind::Accepted });
                }
            }
        }
        self.planner.feedback(&events);
    }
}
