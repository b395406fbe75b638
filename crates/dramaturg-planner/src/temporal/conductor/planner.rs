//! The conductor: plans in time behind the contract of all planners.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_model::{Fixed, Model, Observation, Step, StepEvent, StepEventKind, Tick};
use smol_str::SmolStr;

use super::ConductorOptions;
use super::baton::{Baton, Beat};
use super::score::{Barred, Score};
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::forecast::with_committed;
use crate::ledger::Ledger;
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::repair::foresight::{Foresight, foresee};
use crate::simulate::{Detail, WorldOptions, names};

/// Plans in time while the plan is performed.
pub struct Conductor {
    pub(super) model: Arc<Model>,
    pub(super) options: ConductorOptions,
    pub(super) chronicle: Chronicle,
    pub(super) score: Option<Arc<Score>>,
    /// The course at hand; none until it is worked on, and where there is nothing to plan with.
    pub(super) baton: Option<Baton>,
    /// What is to be done, in an order in which it can be; starts and ids are those of the best plan.
    pub(super) intended: Vec<Step>,
    /// Of what is intended, so many steps at the front are left as they are while better plans are looked for.
    pub(super) held: usize,
    /// What did not come to its end and is to be done again, first of all.
    pub(super) again: Vec<Step>,
    pub(super) ledger: Ledger,
    /// What somebody said no to.
    pub(super) barred: Barred,
    /// Whether the world is not one of those that can come of the first one.
    pub(super) strange: bool,
    /// Committed steps that the plan does not count on, for they cannot start.
    pub(super) refused: BTreeSet<u32>,
    /// Whether a step went out of hand that the search is still free to move.
    pub(super) ahead_of_us: bool,
    /// Whether any step ever was out of hand.
    pub(super) has_begun: bool,
    /// Counts changes of what is intended.
    pub(super) edition: u64,
    /// Which edition was published last, with what was foreseen of it and when.
    pub(super) foreseen: Option<(u64, Tick, Foresight)>,
    /// Whether things came otherwise since the course was laid.
    pub(super) upset: bool,
    pub(super) reason: &'static str,
    replies: Vec<GoalReply>,
}

const FIRST_PLAN: &str = "a first plan";
const BETTER: &str = "a better plan was found";
/// So many ticks after a `later` a question may be asked again.
const LATER: Tick = 10;

impl Conductor {
    /// The planner of a problem with durations.
    pub fn new(model: Arc<Model>, options: ConductorOptions) -> Self {
        // Nobody hears what happens in a planner's own world, only what could not happen.
        let world = WorldOptions { seed: options.seed, detail: Detail::Violations, ..WorldOptions::default() };
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chronicle,
            score: None,
            baton: None,
            intended: Vec::new(),
            held: 0,
            again: Vec::new(),
            ledger: Ledger::default(),
            barred: Barred::new(),
            strange: false,
            refused: BTreeSet::new(),
            ahead_of_us: false,
            has_begun: false,
            edition: 0,
            foreseen: None,
            upset: true,
            reason: FIRST_PLAN,
            replies: Vec::new(),
            model,
            options,
        }
    }

    /// The tick at which the best plan is over; none while there is no plan.
    pub fn end(&self) -> Option<Tick> {
        self.baton.as_ref().filter(|baton| baton.leads() && !self.upset).map(Baton::end)
    }

    /// Things came otherwise: the order of steps stays for now, their times do not.
    pub(super) fn upset(&mut self, reason: &'static str) {
        self.upset = true;
        self.foreseen = None;
        self.refused.clear();
        self.reason = reason;
    }

    pub(super) fn earliest(&self) -> Tick {
        self.ledger.insert_from.max(self.options.from)
    }

    /// Whether the stage begins before the first tick that may still be changed.
    fn is_stale(&self) -> bool {
        let is_late = |baton: &Baton| baton.course().is_some() && (self.ahead_of_us || baton.base < self.earliest());
        self.baton.as_ref().is_some_and(is_late)
    }

    /// A step is in other hands now.
    fn take(&mut self, id: u32) {
        if self.ledger.take(id) {
            self.fix(id);
        }
    }

    /// A step stays where it is.
    fn fix(&mut self, id: u32) {
        let Some(step) = self.ledger.taken.get(&id) else { return };
        self.has_begun = true;
        let place = self.intended.iter().position(|known| known.id == id);
        match place.and_then(|place| self.intended.get(place).map(|known| (place, known == step))) {
            Some((place, true)) if place < self.held => {
                self.intended.remove(place);
                self.held -= 1;
            }
            Some((place, true)) => {
                self.intended.remove(place);
                self.ahead_of_us = true;
            }
            Some((place, false)) => {
                self.intended.remove(place);
                self.held -= usize::from(place < self.held);
                self.upset("a step was locked where it was before");
            }
            None => self.upset("a step was locked that was no longer planned"),
        }
        if self.baton.as_ref().is_none_or(|baton| !baton.leads()) {
            self.upset = true;
        }
    }

    /// A step did not come to its end: it is to be done again.
    fn repeat(&mut self, id: u32, reason: &'static str) {
        let known = self.ledger.lose(id);
        self.ledger.published_before.remove(&id);
        let intended = self.intended.iter().position(|step| step.id == id).map(|place| {
            self.held -= usize::from(place < self.held);
            self.intended.remove(place)
        });
        if let Some(step) = known.or(intended) {
            self.again.push(Step { id: self.ledger.number(), ..step });
        }
        self.upset(reason);
    }

    /// What a question about a step was answered with.
    fn answered(&mut self, id: u32, answer: &str) {
        if !matches!(answer, "no" | "later") {
            return;
        }
        let Some(step) = self.ledger.lose(id) else { return };
        self.ledger.published_before.remove(&id);
        self.intended.retain(|intended| intended.id != id);
        let until = (answer == "later").then(|| self.ledger.now.most.saturating_add(LATER));
        self.barred.push((step.action, step.args, until));
        self.ground_again("somebody said no");
    }

    /// Other operators than before may be used.
    fn ground_again(&mut self, reason: &'static str) {
        (self.score, self.baton, self.held) = (None, None, 0);
        self.upset(reason);
    }

    /// What can be foreseen of what is intended.
    fn foresight(&mut self, wanted: &BTreeMap<u32, Step>) -> Foresight {
        if let Some((edition, at, foresight)) = self.foreseen
            && edition == self.edition
            && self.ledger.now.most <= at.saturating_add(self.options.look / 2)
        {
            return foresight;
        }
        let look = self.ledger.now.most.max(self.ledger.insert_from).saturating_add(self.options.look);
        let ahead = with_committed(&self.model, &self.chronicle, self.ledger.taken.values());
        self.refused = ahead.refused;
        let foresight = foresee(&self.model, ahead.world, wanted, look);
        self.foreseen = Some((self.edition, self.ledger.now.most, foresight));
        foresight
    }

    fn cost(&self) -> Option<Fixed> {
        let baton = self.baton.as_ref().filter(|baton| baton.leads() && !self.upset)?;
        Some(baton.cost())
    }
}

impl Planner for Conductor {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            let named = names::fluent(&self.model, &seen.fluent).ok();
            let is_known = named.as_ref().is_some_and(|(fluent, args)| {
                let value = names::value_of(&self.model, *fluent, &seen.value).ok();
                value == Some(self.chronicle.present().state().get(*fluent, args))
            });
            if let Some((fluent, args)) = named.filter(|_| !is_known) {
                // What was taken for granted when the problem was grounded may be so no longer.
                if self.score.as_ref().is_some_and(|score| !score.knows(fluent, &args)) {
                    (self.score, self.strange) = (None, true);
                }
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
                    let mut running = self.chronicle.running();
                    let expected = running.find(|(step, ..)| step.id == id).map(|(_, start, lasts)| start + lasts);
                    drop(running);
                    self.chronicle.finished(id, *tick);
                    self.ledger.lose(id);
                    if expected != Some(*tick) {
                        self.upset("a step ended at another time");
                    }
                }
                StepEventKind::Failed(_) => {
                    self.chronicle.cut(id, self.ledger.now.least);
                    self.repeat(id, "a step failed");
                }
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    self.repeat(id, "a step was not performed");
                }
                StepEventKind::Answered(answer) => self.answered(id, answer),
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
        for goal in &change.goals {
            let reason = "the goals are those that are written in the problem".to_owned();
            self.replies.push(GoalReply { goal: goal.clone(), accepted: false, reason, expected: None });
        }
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        if let Some(released) = self.ledger.pass(now, insert_from) {
            self.again.extend(released);
            self.upset("less time has passed than was thought");
        }
        let before = self.barred.len();
        self.barred.retain(|(_, _, until)| until.is_none_or(|until| until > now.least));
        if self.barred.len() != before {
            self.ground_again("it may be asked again");
        }
        self.chronicle.advance(&self.model, now.least);
        self.chronicle.drain();
        // What starts before is no longer ours, whether or not it has been locked.
        self.ledger.take_begun().into_iter().for_each(|id| self.fix(id));
        // What should have started or ended by now, as far as is known, will do so later than planned.
        let mut waiting = self.ledger.taken.values().filter(|step| !self.chronicle.is_running(step.id));
        let is_late = waiting.any(|step| step.start <= now.least);
        let is_overdue = self
            .chronicle
            .running()
            .any(|(step, start, lasts)| lasts > step.duration && start.saturating_add(lasts) <= now.least + 1);
        if is_late || is_overdue {
            self.upset("time has passed");
        }
    }

    fn deliberate(&mut self, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.upset || self.is_stale() {
            if !budget.take() {
                return Progress::Searching;
            }
            self.lay();
        }
        let mut improved = false;
        let mut rests = false;
        while budget.left() > 0 && !rests {
            let Some(baton) = &mut self.baton else { return Progress::Infeasible { proof: false, core: Vec::new() } };
            let leads = baton.leads();
            if leads && (baton.quiet >= self.options.enough || (self.has_begun && !self.options.replans)) {
                rests = true;
                break;
            }
            match baton.beat(budget, &self.options) {
                Beat::Same => {}
                Beat::Rest => rests = true,
                Beat::Better => {
                    improved = true;
                    if !leads && baton.base < self.ledger.insert_from.max(self.options.from) {
                        // It took so long to find that its first steps would come too late.
                        self.held = 0;
                        self.write_down();
                        self.upset = true;
                        self.lay();
                    }
                }
            }
        }
        if improved {
            self.foreseen = None;
            self.write_down();
            if self.reason.is_empty() {
                self.reason = BETTER;
            }
        }
        let is_over = self.baton.as_ref().is_none_or(Baton::is_over);
        match self.cost() {
            _ if is_over => Progress::Infeasible { proof: false, core: Vec::new() },
            Some(cost) if rests => Progress::Complete { cost },
            Some(cost) if improved => Progress::Improved { cost },
            _ => Progress::Searching,
        }
    }

    fn publish(&mut self) -> PlanDelta {
        let leads = self.baton.as_ref().is_some_and(Baton::leads) && !self.upset;
        let soon = self.intended.iter().any(|step| step.start < self.ledger.insert_from);
        if !leads || soon {
            // Until there is a plan again, what was published stands, and nothing is promised of it.
            let stands = self.ledger.published.clone();
            let delta = self.ledger.changes(&stands);
            self.ledger.publish(stands);
            return PlanDelta { valid_until: Some(self.ledger.now.least), ..delta };
        }
        let wanted: BTreeMap<u32, Step> = self.intended.iter().map(|step| (step.id, step.clone())).collect();
        let mut delta = self.ledger.changes(&wanted);
        let foresight = self.foresight(&wanted);
        delta.valid_until = foresight.until.map(|until| until.max(self.ledger.now.least));
        delta.complete = foresight.trouble.is_none();
        delta.cost = self.cost();
        if !delta.is_empty() {
            delta.reason = if self.reason.is_empty() { BETTER } else { self.reason }.to_owned();
            self.reason = "";
        }
        self.ledger.publish(wanted);
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => {
                match self.ledger.taken.get(id).or_else(|| self.intended.iter().find(|step| step.id == *id)) {
                    Some(step) if self.ledger.taken.contains_key(id) => {
                        Explanation::of(format!("step {id} is under way since tick {} or about to be", step.start))
                    }
                    Some(step) => Explanation::of(format!(
                        "step {id} starts at tick {}, as early as what it touches allows in the best order so far",
                        step.start
                    )),
                    None => Explanation::of(format!("step {id} is not in the plan")),
                }
            }
            Inquiry::WhyNot { action, args } => {
                let known = self.intended.iter().find(|step| step.action == *action && step.args == *args);
                Explanation::of(match known {
                    Some(step) => format!("`{action}` is in the plan, at tick {}", step.start),
                    None if self.end().is_none() => "there is no plan yet that reaches the goals".to_owned(),
                    None => format!("the best plan so far reaches its goals without `{}`", called(action, args)),
                })
            }
            Inquiry::Beliefs(_) => Explanation::of("this planner knows the world as it is reported"),
        }
    }

    fn save(&mut self) -> PlannerSave {
        self.write()
    }
}

fn called(action: &SmolStr, args: &[SmolStr]) -> String {
    let args: Vec<&str> = args.iter().map(SmolStr::as_str).collect();
    format!("{action}({})", args.join(", "))
}
