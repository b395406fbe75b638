//! What a planner is, apart from the bookkeeping that all of them share: its algorithm.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Fixed, FluentId, Model, Step, Tick, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use smol_str::SmolStr;

use super::goals::Serves;
use super::reason::ReplanReason;
use super::situation::Situation;
use crate::planner::{Budget, Explanation, GoalReply, Inquiry, PlanDelta, Progress, Workers};
use crate::simulate::{WorldEvent, WorldOptions};

/// An algorithm that plans. [`Hosted`](super::Hosted) makes a [`Planner`](crate::planner::Planner) of it.
///
/// The host keeps the world, the published plan, goals and refusals in a [`Situation`], takes in what happened, and tells
/// the strategy only what concerns a search: that what it projected does not count any longer, and how much it may work.
pub trait Strategy: Send + Sized {
    /// By what its saves are known.
    const NAME: &'static str;
    /// Whose goals it plans for.
    const SERVES: Serves;
    /// How it plans.
    type Options;
    /// What it needs to go on elsewhere, beside what the host keeps.
    type Saved: Serialize + DeserializeOwned;

    /// A strategy that has planned nothing yet.
    fn new(model: &Arc<Model>, options: Self::Options) -> Self;

    /// The number of the first step that it makes: those of a script have theirs already.
    fn first_number(&self) -> u32 {
        0
    }

    /// How the planner's world is driven.
    fn world(&self) -> WorldOptions;

    /// After how many ticks something may be asked about again that was put off.
    fn later(&self) -> Tick;

    /// Something came otherwise: what was projected no longer counts. The plan stays what it is until the next search.
    fn invalidate(&mut self, now: &mut Situation, reason: ReplanReason);

    /// Searches until the budget is used up, or there is nothing to do.
    fn search(&mut self, now: &mut Situation, budget: &mut Budget, workers: &Workers<'_>) -> Progress;

    /// The best plan so far.
    fn proposal(&mut self, now: &mut Situation) -> Proposal;

    /// Why this, why not that.
    fn explain(&self, now: &Situation, inquiry: &Inquiry) -> Explanation;

    /// What it needs to go on elsewhere. Search memory is dropped, so that loading changes nothing.
    fn save(&mut self, now: &mut Situation) -> Self::Saved;

    /// Goes on from what was saved.
    fn load(now: &mut Situation, saved: Self::Saved) -> Self;

    /// Why a change is published, if that can be said better than by what led to it.
    fn reason(&self, _now: &Situation, _delta: &PlanDelta) -> Option<String> {
        None
    }

    /// Something was reported, whatever it is.
    fn reported(&mut self) {}

    /// A fluent was seen to have another value than it was known to have.
    fn surprised(&mut self, _now: &Situation, _fluent: FluentId, _args: &[Value]) {}

    /// A step is committed from now on.
    fn committed(&mut self, _now: &mut Situation, _id: u32) -> Option<ReplanReason> {
        None
    }

    /// Steps that were committed only by their start are not any more.
    fn released(&mut self, _now: &mut Situation, _steps: Vec<Step>) {}

    /// Whether a step that starts at its tick starts otherwise than was projected.
    fn is_unforeseen(&self, _now: &Situation, _step: &Step) -> bool {
        false
    }

    /// A step has ended with its effects.
    fn finished(&mut self, _now: &mut Situation, ended: &Ended) -> Option<ReplanReason>;

    /// A step failed, never started, or was refused.
    fn lost(&mut self, _now: &mut Situation, _id: u32, _step: Option<Step>, _loss: Loss) {}

    /// Other planners have started these steps.
    fn others(&mut self, _now: &mut Situation, _steps: &[Step]) {}

    /// The world has come to the last tick that was reported; what happened on the way.
    fn world_advanced(&mut self, _now: &mut Situation, _events: &[WorldEvent]) -> Option<ReplanReason> {
        None
    }

    /// Whether a committed step has not started because somebody is still asked about it.
    fn awaits_answer(&self, _now: &Situation, _step: &Step) -> bool {
        false
    }

    /// Time has passed, and all that is due is committed.
    fn time_passed(&mut self, _now: &mut Situation) -> Option<ReplanReason> {
        None
    }

    /// What is said to a goal of the game, where nobody's goals can be set.
    fn told_goal(&mut self, _now: &mut Situation, goal: &SmolStr) -> GoalReply {
        let reason = "the goals are those that are written in the problem".to_owned();
        GoalReply { goal: goal.clone(), accepted: false, reason, expected: None }
    }
}

/// The best plan so far.
#[derive(Clone, Debug, Default)]
pub struct Proposal {
    /// The steps that are not committed; none: what was published stands.
    pub steps: Option<BTreeMap<u32, Step>>,
    /// Up to this tick the plan can be performed; none: all of it.
    pub valid_until: Option<Tick>,
    /// Whether it reaches all goals.
    pub complete: bool,
    /// What it costs.
    pub cost: Option<Fixed>,
}

/// A step that has ended with its effects.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its number.
    pub id: u32,
    /// The step as it was planned; none if the planner never published it.
    pub step: Option<Step>,
    /// When it was to end, as far as was known.
    pub expected: Option<Tick>,
    /// When it ended.
    pub tick: Tick,
}

/// Why a step did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It failed, or never started.
    NotPerformed,
    /// Somebody said no.
    Refused,
    /// Somebody said not yet.
    PutOff,
}
