//! The playwright: the story's own planner behind the contract of all planners.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Model, Observation, Step, StepEvent, StepEventKind, Tick};
use smol_str::SmolStr;

use super::RepairOptions;
use super::foresight::Foresight;
use super::preference::Preference;
use super::repertoire::Repertoire;
use super::skeleton::Skeleton;
use super::workshop::{Turn, Workshop, no_preference};
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::ledger::Ledger;
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::requests::{Requests, Serves};
use crate::simulate::{Detail, WorldEventKind, WorldOptions, names};

/// What somebody said no to, or not yet, by names, with the tick from which it may be asked again.
pub(super) type Barred = Vec<(SmolStr, Vec<SmolStr>, Option<Tick>)>;

/// The story's own planner.
pub struct Playwright {
    pub(super) model: Arc<Model>,
    pub(super) options: RepairOptions,
    pub(super) chronicle: Chronicle,
    pub(super) repertoire: Option<Arc<Repertoire>>,
    /// The plan at hand; none until it is worked on, and after things came otherwise.
    pub(super) workshop: Option<Workshop>,
    /// The best plan, while there is no workshop.
    pub(super) intended: BTreeMap<u32, Step>,
    pub(super) preferences: Vec<Preference>,
    pub(super) chance: Chance,
    pub(super) ledger: Ledger,
    pub(super) barred: Barred,
    /// What the game asked for in place of the story's goals.
    pub(super) requests: Requests,
    pub(super) replies: Vec<GoalReply>,
    /// Which edition of the plan was published last, with what was foreseen of it and when, and whether anything was left out.
    pub(super) foreseen: Option<(u64, Tick, Foresight, bool)>,
    /// The words of what is wanted, by number of the aim.
    pub(super) wishes: Vec<SmolStr>,
    /// How long nothing better was found, before the projection was made anew for no other reason than its age, and what was missing then.
    pub(super) rested: Option<(u32, i64)>,
    /// A chain of steps that is looked for because repairing did not get there; none: not yet.
    pub(super) skeleton: Option<Skeleton>,
    /// Whether a chain was looked for since things last came otherwise.
    pub(super) has_looked: bool,
    /// Committed steps that the plan does not count on, for they cannot start.
    pub(super) refused: BTreeSet<u32>,
    /// Why the plan is being changed.
    pub(super) reason: &'static str,
}

impl Playwright {
    /// The planner of a story.
    pub fn new(model: Arc<Model>, options: RepairOptions) -> Self {
        let world = WorldOptions { seed: options.seed, detail: Detail::Happenings, ..WorldOptions::default() };
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chronicle,
            repertoire: None,
            workshop: None,
            intended: BTreeMap::new(),
            preferences: no_preference(),
            chance: Chance::new(options.seed ^ 0x00C0_FFEE_0B5E_55ED),
            ledger: Ledger::default(),
            barred: Vec::new(),
            requests: Requests::none(&model, Serves::Story),
            replies: Vec::new(),
            foreseen: None,
            wishes: Vec::new(),
            rested: None,
            skeleton: None,
            has_looked: false,
            refused: BTreeSet::new(),
            reason: FIRST_PLAN,
            model,
            options,
        }
    }

    /// Things came otherwise: what was projected does not count any longer, but the plan does until it has been looked at.
    pub(super) fn upset(&mut self, reason: &'static str) {
        if let Some(workshop) = self.workshop.take() {
            self.intended = self.extract(workshop);
        }
        self.reason = reason;
        (self.foreseen, self.rested) = (None, None);
        (self.skeleton, self.has_looked) = (None, false);
        self.refused.clear();
    }

    fn answered(&mut self, id: u32, answer: &str) {
        if !matches!(answer, "no" | "later") {
            return;
        }
        let Some(step) = self.ledger.lose(id) else { return };
        let until = (answer == "later").then(|| self.ledger.now.most.saturating_add(self.options.later));
        self.barred.push((step.action, step.args, until));
        self.upset("somebody said no");
        self.intended.remove(&id);
    }

    /// A step is in other hands now.
    fn take(&mut self, id: u32) {
        if self.ledger.take(id) {
            self.fix(id);
        }
    }

    /// A step stays where it is.
    fn fix(&mut self, id: u32) {
        if let Some(workshop) = &mut self.workshop {
            workshop.recall();
            let found = workshop.draft.steps.alive().find(|(_, step)| step.id == Some(id)).map(|(key, _)| key);
            match found {
                Some(key) => workshop.draft.steps.fix(key),
                // It was published, and the plan has been made without it since.
                None => self.upset("a step was locked that was no longer planned"),
            }
        }
    }
}

/// Projections that begin too long ago are made anew, so that they do not carry the past along.
const STALE: Tick = 600;

/// After so many repairs in which what is required came no nearer a chain of steps is looked for by search.
const LONG_ENOUGH: u32 = 60;

const FIRST_PLAN: &str = "the story begins";
const BETTER: &str = "a better plan was found";
const SOONER: &str = "less time has passed than was thought";

impl Planner for Playwright {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            let named = names::fluent(&self.model, &seen.fluent).ok();
            let is_known = named.as_ref().is_some_and(|(fluent, args)| {
                let value = names::value_of(&self.model, *fluent, &seen.value).ok();
                value == Some(self.chronicle.present().state().get(*fluent, args))
            });
            if let Some((fluent, args)) = named.filter(|_| !is_known) {
                let grounded = |repertoire: &Arc<Repertoire>| repertoire.problem.place(fluent, &args).is_some();
                // What was taken for granted when the level was grounded may be so no longer.
                self.repertoire = self.repertoire.take().filter(grounded);
            }
            // What the model has no name for cannot matter.
            let _ = self.chronicle.observe(&self.model, seen);
            if !is_known || seen.from > self.chronicle.present().now() {
                self.upset("something was seen that nobody had planned");
            }
        }
    }

    fn feedback(&mut self, events: &[StepEvent]) {
        for event in events {
            let id = event.step;
            match &event.kind {
                StepEventKind::Locked => self.take(id),
                StepEventKind::Accepted | StepEventKind::Progress(_) => {}
                StepEventKind::Answered(answer) => self.answered(id, answer),
                StepEventKind::Started(tick) => {
                    self.take(id);
                    if let Some(step) = self.ledger.taken.get(&id) {
                        let _ = self.chronicle.started(&self.model, step, *tick);
                        if step.start != *tick || self.refused.contains(&id) {
                            self.upset("a step started at another time");
                        }
                    }
                }
                StepEventKind::Amended(duration) => {
                    self.chronicle.amended(id, *duration);
                    self.upset("a step takes another time than planned");
                }
                StepEventKind::Finished(tick) => {
                    self.chronicle.finished(id, *tick);
                    if self.ledger.lose(id).is_some_and(|step| step.end() != *tick) {
                        self.upset("a step ended at another time");
                    } else if self.workshop.as_ref().is_some_and(|workshop| workshop.lacks(id)) {
                        // Nobody can repair that any more, and nobody must.
                        self.upset("a step is over that lacked something");
                    }
                }
                StepEventKind::Failed(_) => {
                    self.chronicle.cut(id, self.ledger.now.least);
                    self.ledger.lose(id);
                    self.upset("a step failed");
                }
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    self.ledger.lose(id);
                    self.upset("a step was not performed");
                    self.intended.remove(&id);
                }
            }
        }
    }

    fn rejected(&mut self, version: u64) {
        if self.ledger.reject(version) {
            self.upset("the last plan came too late");
        }
    }

    fn exogenous(&mut self, change: &PlanDelta) {
        for step in &change.put {
            let _ = self.chronicle.started(&self.model, step, step.start);
        }
        for id in &change.removed {
            self.chronicle.withdrawn(*id, self.ledger.now.least);
        }
        self.upset("somebody else has planned something");
    }

    fn set_goals(&mut self, change: &GoalChange) {
        let (changes, replies) = self.requests.take(&self.model, change, self.ledger.now.most);
        self.replies.extend(replies);
        if changes {
            // What is wanted is part of what was grounded.
            self.repertoire = None;
            self.upset("the game asked for something else");
        }
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        if let Some(released) = self.ledger.pass(now, insert_from) {
            self.upset(SOONER);
            self.intended.extend(released.into_iter().map(|step| (step.id, step)));
        }
        self.chronicle.advance(&self.model, now.least);
        let waits = self.chronicle.drain().iter().any(|event| matches!(event.kind, WorldEventKind::Expectation { .. }));
        if waits {
            self.upset("what was expected has come, or not");
        }
        if self.requests.look(self.chronicle.present().state(), now.least) {
            self.upset("what the game asked for is reached, or too late");
        }
        let before = self.barred.len();
        self.barred.retain(|(_, _, until)| until.is_none_or(|until| until > now.least));
        if self.barred.len() != before {
            self.upset("it may be asked again");
        }
        // What starts before is no longer ours, whether or not it has been locked.
        self.ledger.take_begun().into_iter().for_each(|id| self.fix(id));
        // What should have started by now, as far as is known, will start later than planned.
        let mut waiting = self.ledger.taken.values().filter(|step| !self.chronicle.is_running(step.id));
        let is_late = waiting.any(|step| step.start <= now.least);
        let is_stale = self
            .workshop
            .as_ref()
            .is_some_and(|workshop| now.least.saturating_sub(workshop.draft.projection.first_tick()) > STALE);
        if is_late || is_stale {
            let resting = self.workshop.as_ref().filter(|_| !is_late);
            let rested = resting.map(|workshop| (workshop.quiet, workshop.best.hard));
            self.upset("time has passed");
            self.rested = rested;
        } else if let Some(workshop) = &mut self.workshop {
            let (published, taken) = (&self.ledger.published, &self.ledger.taken);
            workshop.advance(self.ledger.insert_from, |id| published.contains_key(&id) || taken.contains_key(&id));
        }
    }

    fn deliberate(&mut self, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.workshop.is_none() {
            if !budget.take() {
                return Progress::Searching;
            }
            self.workshop = self.open_workshop();
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        let enough = if workshop.draft.follows { self.options.enough_for_curves } else { self.options.enough };
        let (mut improved, mut perfect) = (false, false);
        while let Some(workshop) = &mut self.workshop {
            let has_looked = self.has_looked;
            let looks = |workshop: &Workshop| !has_looked && workshop.best.hard > 0;
            let is_stuck = |workshop: &Workshop| looks(workshop) && workshop.vain >= LONG_ENOUGH;
            while !perfect && workshop.quiet < enough && !is_stuck(workshop) && budget.take() {
                match workshop.turn(&mut self.preferences, &mut self.chance) {
                    Turn::Perfect => perfect = true,
                    Turn::Tried => {}
                    Turn::Improved => improved = true,
                }
            }
            if perfect || budget.left() == 0 || !looks(workshop) {
                break;
            }
            improved |= self.look_for_chain(budget);
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        if improved && self.reason.is_empty() {
            self.reason = BETTER;
        }
        let cost = Fixed(workshop.best.hard.saturating_mul(1000).saturating_add(workshop.best.soft));
        let rests = workshop.quiet >= enough && (self.has_looked || workshop.best.hard == 0);
        match (perfect || rests, workshop.best.hard) {
            (true, 0) => Progress::Complete { cost },
            (true, _) => Progress::Infeasible { proof: false, core: self.given_up() },
            (false, _) if improved => Progress::Improved { cost },
            (false, _) => Progress::Searching,
        }
    }

    fn publish(&mut self) -> PlanDelta {
        let known = self.known_foresight();
        let (wanted, until, whole) = match known {
            Some((foresight, whole)) => (None, foresight.until, whole),
            // Until it has been worked on again, what was published stands, and nothing is promised of it.
            None if self.workshop.is_none() => (None, Some(self.ledger.now.least), false),
            None => {
                let mut wanted = self.wanted();
                let count = wanted.len();
                let foresight = self.foresee(&mut wanted);
                let whole = wanted.len() == count;
                let edition = self.workshop.as_ref().map_or(0, |workshop| workshop.edition);
                self.foreseen = Some((edition, self.ledger.now.most, foresight, whole));
                (Some(wanted), foresight.until, whole)
            }
        };
        let mut delta = match &wanted {
            Some(wanted) => self.ledger.changes(wanted),
            None => self.ledger.stay(),
        };
        delta.valid_until = until.map(|until| until.max(self.ledger.now.least));
        if let Some(workshop) = &self.workshop {
            delta.complete = workshop.best.hard == 0 && whole;
            delta.cost = Some(Fixed(workshop.best.hard.saturating_mul(1000).saturating_add(workshop.best.soft)));
        }
        if !delta.is_empty() {
            delta.reason = if self.reason.is_empty() { BETTER } else { self.reason }.to_owned();
            self.reason = "";
        }
        if let Some(wanted) = wanted {
            self.ledger.publish(wanted);
        }
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => self.why(*id),
            Inquiry::WhyNot { action, args } => self.why_not(action, args),
            Inquiry::Beliefs(_) => Explanation::of("the story's own planner knows the world as it is reported"),
        }
    }

    fn save(&mut self) -> PlannerSave {
        self.write()
    }
}
