//! The planners that come with dramaturg, by name. A new planner adds one line to [`builtin`]; one from elsewhere is put
//! beside them with [`Registry::with`], as `examples/own-planner` shows.

use dramaturg_model::Plan;
use dramaturg_planner::cast::{CastOptions, CharacterRollout};
use dramaturg_planner::planner::{PlannerEntry, PlannerLoader, Registry};
use dramaturg_planner::repair::{LocalRepair, RepairOptions};
use dramaturg_planner::scripted::{Script, ScriptOptions};
use dramaturg_planner::temporal::conductor::{ConductorOptions, Scheduling};

/// All planners that come with dramaturg.
pub fn builtin() -> Registry {
    Registry::default()
        .with(PlannerEntry::of::<CharacterRollout>("each character plans for itself", |seed| CastOptions {
            seed,
            ..CastOptions::default()
        }))
        .with(PlannerEntry::of::<LocalRepair>("the story's own goals and curves, by local search", |seed| {
            RepairOptions { seed, ..RepairOptions::default() }
        }))
        .with(PlannerEntry::of::<Scheduling>("the story's own goals, as soon as may be: schedules in time", |seed| {
            ConductorOptions { seed, ..ConductorOptions::default() }
        }))
        .with(PlannerEntry::of::<Script>("performs a plan that is given, and plans nothing", |seed| {
            (Plan::default(), ScriptOptions { seed, ..ScriptOptions::default() })
        }))
}

/// Makes any of them from what it saved.
pub fn loader() -> PlannerLoader {
    builtin().loader()
}
