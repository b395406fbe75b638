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

/// Has the planner that goes on from a save number its next steps from here on. All planners that come with dramaturg
/// keep that number in the same place; the text says why another cannot do it.
pub(crate) fn skip_numbers(save: &mut PlannerSave, next: u32) -> Result<(), String> {
    let why = |what: &str| format!("the planner `{}` cannot leave numbers out: {what}", save.planner);
    let mut data: serde_json::Value = serde_json::from_str(&save.data).map_err(|error| why(&error.to_string()))?;
    let number = data.get_mut("next_id").ok_or_else(|| why("its save has no `next_id`"))?;
    if number.as_u64().is_some_and(|number| number < u64::from(next)) {
        *number = next.into();
        save.data = data.to_string();
    }
    Ok(())
}
