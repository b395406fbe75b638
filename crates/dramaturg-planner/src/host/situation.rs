//! What a planner knows of the game when it plans.

use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};
use smol_str::SmolStr;

use super::cooldowns::Cooldowns;
use super::forecast::{Forecast, with_committed};
use super::goals::{RuntimeGoals, Serves};
use super::published::PublishedPlan;
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::simulate::step::{Performed, duration_bounds};
use crate::simulate::{WorldOptions, names};

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

    /// A new step with a number of its own, which takes as long as the action does at least, as things are.
    pub fn new_step(&mut self, name: &str, args: &[SmolStr], start: Tick) -> Result<Step, String> {
        let model = &self.model;
        let what = names::performed(model, name).map_err(|problem| problem.to_string())?;
        let values = names::args(model, what, args).map_err(|problem| problem.to_string())?;
        let duration = match what {
            Performed::Task(_) => 1,
            Performed::Action(action) => {
                let state = self.chronicle.present().state();
                let bounds = duration_bounds(model, state, &model.actions[action].duration, &values);
                bounds.map(|(least, _)| least).ok_or_else(|| format!("how long `{name}` takes is not known"))?
            }
        };
        Ok(Step::new(self.plan.number(), SmolStr::new(name), args.to_vec(), start, duration))
    }

    /// When a running step ends as far as is known.
    pub(super) fn end_of_running(&self, id: u32) -> Option<Tick> {
        let mut running = self.chronicle.running();
        running.find(|(step, ..)| step.id == id).map(|(_, start, lasts)| start.saturating_add(lasts))
    }
}
