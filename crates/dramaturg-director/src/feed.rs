//! What a planner is told before it goes on, and what it answers.

use dramaturg_model::{Observation, Step, StepEvent, Tick};
use dramaturg_planner::planner::{Budget, GoalChange, GoalReply, PlanDelta, Planner, Progress, TickBounds, Workers};
use serde::{Deserialize, Serialize};

/// What a planner is told before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    /// Plans of these versions were not taken over.
    pub rejected: Vec<u64>,
    /// What was seen.
    pub observations: Vec<Observation>,
    /// Steps that the game has started and the planner never published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exogenous: Vec<Step>,
    /// What became of steps.
    pub events: Vec<StepEvent>,
    /// Other goals.
    pub goals: Vec<GoalChange>,
    /// Between which ticks the game is.
    pub now: TickBounds,
    /// The first tick that may be changed.
    pub insert_from: Tick,
    /// Whether the world is still far behind the game: the planner only takes in what happened up to there, and does
    /// not plan for a present that is past.
    #[serde(default)]
    pub catches_up: bool,
}

/// What a planner answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// What changes in its plan.
    pub delta: PlanDelta,
    /// How far it came.
    pub progress: Progress,
    /// What it was given and what it used.
    pub budget: Budget,
    /// Which goals it takes up.
    pub replies: Vec<GoalReply>,
    /// Whether it only took in what happened: then it publishes nothing.
    pub caught_up: bool,
}

impl Feed {
    /// Tells a planner everything, lets it work, and takes what it publishes. The same wherever it runs: inline, in a
    /// thread of its own, in a replay.
    pub fn think(&self, planner: &mut dyn Planner, units: u32, workers: &Workers<'_>) -> Thought {
        self.rejected.iter().for_each(|version| planner.rejected(*version));
        if !self.observations.is_empty() {
            planner.observe(&self.observations);
        }
        if !self.exogenous.is_empty() {
            planner.exogenous(&PlanDelta { put: self.exogenous.clone(), ..PlanDelta::default() });
        }
        if !self.events.is_empty() {
            planner.feedback(&self.events);
        }
        self.goals.iter().for_each(|goals| planner.set_goals(goals));
        planner.advance(self.now, self.insert_from);
        if self.catches_up {
            let (delta, budget) = (PlanDelta::default(), Budget::of(0));
            return Thought { delta, progress: Progress::Searching, budget, replies: Vec::new(), caught_up: true };
        }
        let mut budget = Budget::of(units);
        let progress = planner.deliberate(&mut budget, workers);
        Thought { delta: planner.publish(), progress, budget, replies: planner.replies(), caught_up: false }
    }
}
