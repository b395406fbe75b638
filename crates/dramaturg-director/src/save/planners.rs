//! Planners by the name that they save under.

use std::sync::Arc;

use dramaturg_model::Model;
use dramaturg_planner::cast::Cast;
use dramaturg_planner::planner::{Planner, PlannerSave};
use dramaturg_planner::repair::Playwright;
use dramaturg_planner::scripted::Scripted;
use dramaturg_planner::temporal::Conductor;

/// Makes the planner that goes on from a save.
pub type PlannerLoader =
    Arc<dyn Fn(&Arc<Model>, &PlannerSave) -> Result<Box<dyn Planner>, String> + Send + Sync + 'static>;

/// Makes any of the planners that come with dramaturg.
pub fn known() -> PlannerLoader {
    Arc::new(|model, save| match save.planner.as_str() {
        "scripted" => Ok(Box::new(Scripted::load(Arc::clone(model), save)?)),
        "cast" => Ok(Box::new(Cast::load(Arc::clone(model), save)?)),
        "conductor" => Ok(Box::new(Conductor::load(Arc::clone(model), save)?)),
        "repair" => Ok(Box::new(Playwright::load(Arc::clone(model), save)?)),
        other => Err(format!("there is no planner called `{other}`")),
    })
}
