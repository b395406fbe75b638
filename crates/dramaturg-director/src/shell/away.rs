//! A stand-in for a planner that works elsewhere.

use dramaturg_model::{Observation, StepEvent, Tick};
use dramaturg_planner::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};

/// Stands where a planner was that works in a thread of its own just now. It plans nothing.
pub(crate) struct Away;

impl Planner for Away {
    fn observe(&mut self, _: &[Observation]) {}

    fn feedback(&mut self, _: &[StepEvent]) {}

    fn rejected(&mut self, _: u64) {}

    fn exogenous(&mut self, _: &PlanDelta) {}

    fn set_goals(&mut self, _: &GoalChange) {}

    fn advance(&mut self, _: TickBounds, _: Tick) {}

    fn deliberate(&mut self, _: &mut Budget, _: &Workers<'_>) -> Progress {
        Progress::Idle
    }

    fn publish(&mut self) -> PlanDelta {
        PlanDelta::default()
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        Vec::new()
    }

    fn explain(&self, _: &Inquiry) -> Explanation {
        Explanation::of("the planner is at work; ask again when it has published".to_owned())
    }

    fn skip_numbers(&mut self, _: u32) {}

    fn save(&mut self) -> PlannerSave {
        PlannerSave::default()
    }
}
