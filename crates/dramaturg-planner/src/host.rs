//! The host of planners: the bookkeeping that every planner needs around its algorithm exists once, here.
//!
//! A planner is a [`Strategy`], the algorithm; [`Hosted`] makes a [`Planner`] of it: it keeps the world as reported, what
//! was published and what of it is committed, goals of the game, refusals and the save envelope, and decides when what
//! was projected no longer counts.
//!
//! # Layout
//!
//! | module | what |
//! |---|---|
//! | [`strategy`] | the trait of algorithms, and what they propose |
//! | [`situation`] | what a planner knows of the game when it plans |
//! | [`published`] | what was published, what of it is committed, and the commit point |
//! | [`goals`] | goals that a running game gives in place of those of the story |
//! | [`cooldowns`] | what was refused, and until when |
//! | [`reason`] | why a plan is made anew |
//! | [`forecast`] | the world ahead with what is committed |
//! | [`foresight`] | up to when a plan can be performed, by the simulator's word |
//! | `by_id` | maps by numbers of steps in saves |

pub(crate) mod by_id;
pub mod cooldowns;
pub mod forecast;
pub mod foresight;
pub mod goals;
pub mod published;
pub mod reason;
pub mod situation;
pub mod strategy;

pub use cooldowns::Cooldowns;
pub use forecast::Forecast;
pub use foresight::{Foresight, foresee};
pub use goals::{RuntimeGoals, Serves};
pub use published::PublishedPlan;
pub use reason::ReplanReason;
pub use situation::Situation;
pub use strategy::{Ended, Loss, Proposal, Strategy};

use std::sync::Arc;

use dramaturg_model::{Model, Observation, StepEvent, StepEventKind, Tick};
use serde::{Deserialize, Serialize};

use crate::chronicle::{Chronicle, ChronicleSave};
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::simulate::names;
use goals::SavedRequest;

/// A planner: a strategy with everything around it.
pub struct Hosted<S: Strategy> {
    strategy: S,
    now: Situation,
    replies: Vec<GoalReply>,
    /// Why the next change is published.
    reason: ReplanReason,
}

/// What is saved of a planner.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    chronicle: ChronicleSave,
    #[serde(flatten)]
    plan: PublishedPlan,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requests: Vec<SavedRequest>,
    #[serde(default, skip_serializing_if = "Cooldowns::is_empty")]
    barred: Cooldowns,
    #[serde(flatten)]
    strategy: T,
}

impl<S: Strategy> Hosted<S> {
    /// The planner of a story.
    pub fn new(model: Arc<Model>, options: S::Options) -> Self {
        let strategy = S::new(&model, options);
        let mut now = Situation::begin(model, strategy.world(), S::SERVES);
        now.plan.skip_to(strategy.first_number());
        Self { strategy, now, replies: Vec::new(), reason: ReplanReason::Begins }
    }

    /// Goes on from what was saved.
    pub fn load(model: Arc<Model>, save: &PlannerSave) -> Result<Self, String> {
        if save.planner != S::NAME {
            return Err(format!("this was saved by the planner `{}`, not by `{}`", save.planner, S::NAME));
        }
        let saved: Envelope<S::Saved> = serde_json::from_str(&save.data).map_err(|error| error.to_string())?;
        let (chronicle, _) = Chronicle::load(&model, &saved.chronicle);
        let mut now = Situation {
            chronicle,
            plan: saved.plan,
            goals: RuntimeGoals::load(&model, S::SERVES, saved.requests),
            cooldowns: saved.barred,
            refused: Default::default(),
            model,
        };
        let strategy = S::load(&mut now, saved.strategy);
        Ok(Self { strategy, now, replies: Vec::new(), reason: ReplanReason::Saved })
    }

    /// The algorithm.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// What the planner knows.
    pub fn situation(&self) -> &Situation {
        &self.now
    }

    /// Something came otherwise.
    fn invalidate(&mut self, reason: ReplanReason) {
        self.now.refused.clear();
        self.strategy.invalidate(&mut self.now, reason);
        self.reason = reason;
    }

    /// The same, if there is a reason.
    fn invalidate_for(&mut self, reason: Option<ReplanReason>) {
        if let Some(reason) = reason {
            self.invalidate(reason);
        }
    }

    /// A step was locked or has started.
    fn commit(&mut self, id: u32) {
        if self.now.plan.commit(id) {
            let reason = self.strategy.committed(&mut self.now, id);
            self.invalidate_for(reason);
        }
    }

    fn started(&mut self, id: u32, tick: Tick) {
        self.commit(id);
        let Some(step) = self.now.plan.committed.get(&id).cloned() else { return };
        let as_planned = step.start == tick && !self.now.refused.contains(&id);
        let is_unforeseen = !as_planned || self.strategy.is_unforeseen(&self.now, &step);
        // The names are the model's own.
        let _ = self.now.chronicle.started(&self.now.model, &step, tick);
        if is_unforeseen {
            self.invalidate(ReplanReason::Started);
        }
    }

    fn finished(&mut self, id: u32, tick: Tick) {
        let expected = self.now.end_of_running(id);
        self.now.chronicle.finished(id, tick);
        let ended = Ended { id, step: self.now.plan.forget(id), expected, tick };
        let reason = self.strategy.finished(&mut self.now, &ended);
        self.invalidate_for(reason);
    }

    /// A step failed or never started. One that several actuators perform may have begun before one of them gave up.
    fn lost(&mut self, id: u32, reason: ReplanReason) {
        self.now.chronicle.cut(id, self.now.plan.now.least);
        let step = self.now.plan.forget(id);
        self.strategy.lost(&mut self.now, id, step, Loss::NotPerformed);
        self.invalidate(reason);
    }

    /// What a question about a step was answered with.
    fn answered(&mut self, id: u32, answer: &str) {
        let loss = match answer {
            "no" => Loss::Refused,
            "later" => Loss::PutOff,
            _ => return,
        };
        let step = self.now.plan.forget(id);
        self.strategy.lost(&mut self.now, id, step.clone(), loss);
        if let Some(step) = step {
            let until = self.now.plan.now.most.saturating_add(self.strategy.later());
            self.now.cooldowns.refuse(step, (loss == Loss::PutOff).then_some(until));
            self.invalidate(ReplanReason::Refused);
        }
    }
}

impl<S: Strategy> Planner for Hosted<S> {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            let model = &self.now.model;
            let named = names::fluent(model, &seen.fluent).ok();
            let is_known = named.as_ref().is_some_and(|(fluent, args)| {
                let value = names::value_of(model, *fluent, &seen.value).ok();
                value == Some(self.now.chronicle.present().state().get(*fluent, args))
            });
            if let Some((fluent, args)) = named.filter(|_| !is_known) {
                self.strategy.surprised(&self.now, fluent, &args);
            }
            // What the model has no name for cannot matter.
            let _ = self.now.chronicle.observe(&self.now.model, seen);
            if !is_known || seen.from > self.now.chronicle.present().now() {
                self.invalidate(ReplanReason::Observed);
            }
        }
        self.strategy.reported();
    }

    fn feedback(&mut self, events: &[StepEvent]) {
        for event in events {
            let id = event.step;
            match &event.kind {
                StepEventKind::Accepted | StepEventKind::Progress(_) => continue,
                StepEventKind::Locked => self.commit(id),
                StepEventKind::Answered(answer) => self.answered(id, answer),
                StepEventKind::Started(tick) => self.started(id, *tick),
                StepEventKind::Amended(duration) => {
                    self.now.chronicle.amended(id, *duration);
                    self.invalidate(ReplanReason::Amended);
                }
                StepEventKind::Finished(tick) => self.finished(id, *tick),
                StepEventKind::Failed(_) => self.lost(id, ReplanReason::Failed),
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    self.lost(id, ReplanReason::NotPerformed);
                }
            }
            self.strategy.reported();
        }
    }

    fn rejected(&mut self, version: u64) {
        if self.now.plan.reject(version) {
            self.invalidate(ReplanReason::Rejected);
        }
    }

    fn exogenous(&mut self, change: &PlanDelta) {
        for step in &change.put {
            let _ = self.now.chronicle.started(&self.now.model, step, step.start);
        }
        for id in &change.removed {
            self.now.chronicle.withdrawn(*id, self.now.plan.now.least);
        }
        self.strategy.others(&mut self.now, &change.put);
        self.invalidate(ReplanReason::OtherPlanner);
    }

    fn set_goals(&mut self, change: &GoalChange) {
        if S::SERVES == Serves::Nobody {
            for goal in &change.goals {
                let reply = self.strategy.told_goal(&mut self.now, goal);
                self.replies.push(reply);
            }
            return;
        }
        let (changes, replies) = self.now.goals.take(&self.now.model, change, self.now.plan.now.most);
        self.replies.extend(replies);
        if changes {
            self.invalidate(ReplanReason::Goals);
        }
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        if let Some(released) = self.now.plan.pass(now, insert_from) {
            self.invalidate(ReplanReason::LessTime);
            self.strategy.released(&mut self.now, released);
        }
        self.now.chronicle.advance(&self.now.model, now.least);
        let events = self.now.chronicle.drain();
        let reason = self.strategy.world_advanced(&mut self.now, &events);
        self.invalidate_for(reason);
        if self.now.goals.look(self.now.chronicle.present().state(), now.least) {
            self.invalidate(ReplanReason::GoalOver);
        }
        if self.now.cooldowns.expire(now.least) {
            self.invalidate(ReplanReason::MayAskAgain);
        }
        // What starts before is no longer ours, whether or not it has been locked.
        for id in self.now.plan.commit_begun() {
            let reason = self.strategy.committed(&mut self.now, id);
            self.invalidate_for(reason);
        }
        // What should have started by now, as far as is known, will start later than planned.
        let late = |step: &&dramaturg_model::Step| step.start <= now.least;
        let mut waiting = self.now.waiting().filter(late);
        let is_late = waiting.any(|step| !self.strategy.awaits_answer(&self.now, step));
        drop(waiting);
        if is_late {
            self.invalidate(ReplanReason::TimePassed);
        }
        let reason = self.strategy.time_passed(&mut self.now);
        self.invalidate_for(reason);
    }

    fn deliberate(&mut self, budget: &mut Budget, workers: &Workers<'_>) -> Progress {
        self.strategy.search(&mut self.now, budget, workers)
    }

    fn publish(&mut self) -> PlanDelta {
        let proposal = self.strategy.proposal(&mut self.now);
        let mut delta = match &proposal.steps {
            Some(wanted) => self.now.plan.changes(wanted),
            None => self.now.plan.republish(),
        };
        (delta.valid_until, delta.complete, delta.cost) = (proposal.valid_until, proposal.complete, proposal.cost);
        if !delta.is_empty() {
            delta.reason = self.strategy.reason(&self.now, &delta).unwrap_or_else(|| self.reason.to_string());
            self.reason = ReplanReason::Better;
        }
        if let Some(wanted) = proposal.steps {
            self.now.plan.publish(wanted);
        }
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        self.strategy.explain(&self.now, inquiry)
    }

    fn skip_numbers(&mut self, next: u32) {
        // As when a session is loaded: nothing that was projected has numbers that are left out.
        self.save();
        self.now.plan.skip_to(next);
    }

    fn save(&mut self) -> PlannerSave {
        self.invalidate(ReplanReason::Saved);
        let strategy = self.strategy.save(&mut self.now);
        // The world runs again from where its window begins, here as after loading, so that nothing tells the two apart.
        let chronicle = self.now.chronicle.save(&self.now.model);
        (self.now.chronicle, _) = Chronicle::load(&self.now.model, &chronicle);
        let saved = Envelope {
            chronicle,
            plan: self.now.plan.clone(),
            requests: self.now.goals.save(),
            barred: self.now.cooldowns.clone(),
            strategy,
        };
        PlannerSave { planner: S::NAME.to_owned(), data: serde_json::to_string(&saved).unwrap_or_default() }
    }
}
