//! The contract that every planner sits behind, and what goes in and out of it.
//!
//! A planner is a stepper: observations, feedback, other planners' steps, goals and time come in; it works a bounded number of
//! units; it always has a best plan so far. Locks, the world, rule monitors and dispatch belong to the director.
//!
//! # Layout
//!
//! The trait is here. [`delta`] is what changes in a published plan, [`budget`] how much work may be done and by how many workers,
//! [`inquiry`] why and why not, [`goal`] how goals change, [`written`] how a game writes them. [`registry`] has planners by name. [`conformance`] is the suite that every planner passes.

pub mod budget;
pub use budget::{Budget, Progress, Workers};
pub mod conformance;
pub mod delta;
pub use delta::{DeltaProblem, PlanDelta};
pub mod goal;
pub use goal::{GoalChange, GoalReply};
pub mod inquiry;
pub use inquiry::{Explanation, Inquiry};
pub mod registry;
pub use registry::{PlannerEntry, PlannerLoader, Registry};
pub mod written;
pub use written::WrittenGoal;

use dramaturg_model::{Observation, StepEvent, Tick};
use serde::{Deserialize, Serialize};

/// Between which ticks the executor certainly is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickBounds {
    /// It is not before this tick.
    pub least: Tick,
    /// It is not after this tick.
    pub most: Tick,
}

impl TickBounds {
    /// Exactly this tick.
    pub const fn exactly(tick: Tick) -> Self {
        Self { least: tick, most: tick }
    }
}

/// What a planner needs to go on elsewhere. What is in it is the planner's own business.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannerSave {
    /// Which planner wrote it.
    pub planner: String,
    /// What it wrote.
    pub data: String,
}

/// What every planner does.
pub trait Planner: Send {
    /// Something was seen. Observations are dated and may lie in the past.
    fn observe(&mut self, observations: &[Observation]);

    /// What became of published steps.
    fn feedback(&mut self, events: &[StepEvent]);

    /// What was published as this version was not taken over: it touched what was no longer the planner's. What was published
    /// before still stands.
    fn rejected(&mut self, version: u64);

    /// Committed steps of the other planners on the same world.
    fn exogenous(&mut self, change: &PlanDelta);

    /// Other goals from now on.
    fn set_goals(&mut self, change: &GoalChange);

    /// Time passes; steps that start before `insert_from` are no longer the planner's to add, move or remove.
    fn advance(&mut self, now: TickBounds, insert_from: Tick);

    /// Works until the budget is used up, or there is nothing to do. Each unit of work is bounded.
    fn deliberate(&mut self, budget: &mut Budget, workers: &Workers<'_>) -> Progress;

    /// What changed in the best plan since the last call; the plan up to its `valid_until` validates.
    fn publish(&mut self) -> PlanDelta;

    /// Which goals were accepted or refused since the last call.
    fn replies(&mut self) -> Vec<GoalReply>;

    /// Why this, why not that.
    fn explain(&self, inquiry: &Inquiry) -> Explanation;

    /// Leaves out numbers of steps below this one: the game has had steps of such numbers, of which nobody here knows.
    fn skip_numbers(&mut self, next: u32);

    /// What is needed to go on elsewhere. Search memory is dropped in the running planner too, so that loading changes nothing.
    fn save(&mut self) -> PlannerSave;
}
