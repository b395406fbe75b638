//! What a conductor must keep to go on elsewhere. What it searched is searched again.

use std::sync::Arc;

use dramaturg_model::{Model, Step};
use serde::{Deserialize, Serialize};

use super::ConductorOptions;
use super::planner::Conductor;
use super::score::Barred;
use crate::chronicle::{Chronicle, ChronicleSave};
use crate::ledger::Ledger;
use crate::planner::PlannerSave;

const NAME: &str = "conductor";

#[derive(Serialize, Deserialize)]
struct Saved {
    options: ConductorOptions,
    chronicle: ChronicleSave,
    intended: Vec<Step>,
    again: Vec<Step>,
    strange: bool,
    has_begun: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    barred: Barred,
    #[serde(flatten)]
    ledger: Ledger,
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
            strange: self.strange,
            has_begun: self.has_begun,
            barred: self.barred.clone(),
            ledger: self.ledger.clone(),
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
        conductor.strange = saved.strange;
        conductor.has_begun = saved.has_begun;
        conductor.barred = saved.barred;
        conductor.ledger = saved.ledger;
        conductor.forget();
        Ok(conductor)
    }
}
