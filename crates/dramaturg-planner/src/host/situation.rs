//! What a planner knows of the game when it plans.

use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};

use super::cooldowns::Cooldowns;
use super::forecast::{Forecast, with_committed};
use super::goals::{RuntimeGoals, Serves};
use super::published::PublishedPlan;
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::simulate::WorldOptions;

/// What a planner knows of the game when it plans.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The story.
    pub model: Arc<Model>,
    /// The world as it was reported.
    pub chronicle: Chronicle,
    /// What was published, what of it is committed, and where in time the game is.
    pub plan: PublishedPlan,
    /// What the game asked for in place of the story's goals.
    pub goals: RuntimeGoals,
    /// What somebody said no to.
    pub cooldowns: Cooldowns,
    /// Committed steps that the last forecast left out, for they cannot start.
    pub(super) refused: BTreeSet<u32>,
}

impl Situation {
    pub(super) fn begin(model: Arc<Model>, world: WorldOptions, serves: Serves) -> Self {
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chronicle,
            plan: PublishedPlan::default(),
            goals: RuntimeGoals::none(&model, serves),
            cooldowns: Cooldowns::default(),
            refused: BTreeSet::new(),
            model,
        }
    }

    /// The world ahead with all committed steps that can start.
    pub fn forecast(&mut self) -> Forecast {
        let forecast = with_committed(&self.model, &self.chronicle, self.plan.committed.values());
        self.refused.clone_from(&forecast.refused);
        forecast
    }

    /// Committed steps that have not started, as far as is known.
    pub fn waiting(&self) -> impl Iterator<Item = &Step> {
        self.plan.committed.values().filter(|step| !self.chronicle.is_running(step.id))
    }

    /// When a running step ends as far as is known.
    pub(super) fn end_of_running(&self, id: u32) -> Option<Tick> {
        let mut running = self.chronicle.running();
        running.find(|(step, ..)| step.id == id).map(|(_, start, lasts)| start.saturating_add(lasts))
    }
}
