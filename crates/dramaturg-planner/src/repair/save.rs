//! What a playwright must keep to go on elsewhere. What it has projected is projected again.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Model, Step};
use serde::{Deserialize, Serialize};

use super::RepairOptions;
use super::planner::{Barred, Playwright};
use super::preference::Preference;
use super::workshop::no_preference;
use crate::chronicle::{Chronicle, ChronicleSave};
use crate::ledger::Ledger;
use crate::planner::PlannerSave;
use crate::requests::{Requests, SavedRequest, Serves};

const NAME: &str = "repair";

#[derive(Serialize, Deserialize)]
struct Saved {
    options: RepairOptions,
    chronicle: ChronicleSave,
    intended: BTreeMap<u32, Step>,
    preferences: Vec<Preference>,
    chance: Chance,
    #[serde(flatten)]
    ledger: Ledger,
    barred: Barred,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requests: Vec<SavedRequest>,
}

impl Playwright {
    pub(super) fn write(&mut self) -> PlannerSave {
        // Everything is projected again, here as after loading, so that nothing tells the two apart.
        self.upset("the story was saved");
        self.repertoire = None;
        let chronicle = self.chronicle.save(&self.model);
        (self.chronicle, _) = Chronicle::load(&self.model, &chronicle);
        let saved = Saved {
            options: self.options,
            chronicle,
            intended: self.intended.clone(),
            preferences: self.preferences.clone(),
            chance: self.chance.clone(),
            ledger: self.ledger.clone(),
            barred: self.barred.clone(),
            requests: self.requests.save(),
        };
        PlannerSave { planner: NAME.to_owned(), data: serde_json::to_string(&saved).unwrap_or_default() }
    }

    /// Goes on from what was saved.
    pub fn load(model: Arc<Model>, save: &PlannerSave) -> Result<Self, String> {
        if save.planner != NAME {
            return Err(format!("this was saved by the planner `{}`, not by `{NAME}`", save.planner));
        }
        let saved: Saved = serde_json::from_str(&save.data).map_err(|error| error.to_string())?;
        let (chronicle, _) = Chronicle::load(&model, &saved.chronicle);
        let mut playwright = Self::new(model, saved.options);
        playwright.chronicle = chronicle;
        playwright.intended = saved.intended;
        // Preferences of another version of the planner mean nothing to this one.
        let fresh = no_preference();
        playwright.preferences = if saved.preferences.len() == fresh.len() { saved.preferences } else { fresh };
        playwright.chance = saved.chance;
        playwright.ledger = saved.ledger;
        playwright.barred = saved.barred;
        playwright.requests = Requests::load(&playwright.model, Serves::Story, saved.requests);
        playwright.reason = "the story was saved";
        Ok(playwright)
    }
}
