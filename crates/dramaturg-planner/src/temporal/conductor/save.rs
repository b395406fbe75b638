//! What a conductor must keep to go on elsewhere. What it searched is searched again.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};
use serde::{Deserialize, Serialize};

use super::ConductorOptions;
use super::planner::Conductor;
use crate::chronicle::{Chronicle, ChronicleSave};
use crate::planner::{PlannerSave, TickBounds};

const NAME: &str = "conductor";

#[derive(Serialize, Deserialize)]
struct Saved {
    options: ConductorOptions,
    chronicle: ChronicleSave,
    intended: Vec<Step>,
    again: Vec<Step>,
    published: BTreeMap<u32, Step>,
    published_before: BTreeMap<u32, Step>,
    taken: BTreeMap<u32, Step>,
    strange: bool,
    has_begun: bool,
    now: TickBounds,
    insert_from: Tick,
    next_id: u32,
    version: u64,
}

impl Conductor {
    pub(super) fn write(&mut self) -> PlannerSave {
        // The course is laid again, here as after loading, so that nothing tells the two apart.
        self.forget();
        let chronicle = self.chronicle.save(&self.model);
        (self.chronicle, _) = Chronicle::load(&self.model, &chronicle);
        let saved = Saved {
            options: self.options,
            chronicle,
            intended: self.intended.clone(),
            again: self.again.clone(),
            published: self.published.clone(),
            published_before: self.published_before.clone(),
            taken: self.taken.clone(),
            strange: self.strange,
            has_begun: self.has_begun,
            now: self.now,
            insert_from: self.insert_from,
            next_id: self.next_id,
            version: self.version,
        };
        PlannerSave { planner: NAME.to_owned(), data: serde_json::to_string(&saved).unwrap_or_default() }
    }

    fn forget(&mut self) {
        self.upset("the session was saved");
        (self.baton, self.score, self.held) = (None, None, 0);
    }

    /// Goes on from what was saved.
    pub fn load(model: Arc<Model>, save: &PlannerSave) -> Result<Self, String> {
        if save.planner != NAME {
            return Err(format!("this was saved by the planner `{}`, not by `{NAME}`", save.planner));
        }
        let saved: Saved = serde_json::from_str(&save.data).map_err(|error| error.to_string())?;
        let (chronicle, _) = Chronicle::load(&model, &saved.chronicle);
        let mut conductor = Self::new(model, saved.options);
        conductor.chronicle = chronicle;
        conductor.intended = saved.intended;
        conductor.again = saved.again;
        conductor.published = saved.published;
        conductor.published_before = saved.published_before;
        conductor.taken = saved.taken;
        conductor.strange = saved.strange;
        conductor.has_begun = saved.has_begun;
        conductor.now = saved.now;
        conductor.insert_from = saved.insert_from;
        conductor.next_id = saved.next_id;
        conductor.version = saved.version;
        conductor.forget();
        Ok(conductor)
    }
}
