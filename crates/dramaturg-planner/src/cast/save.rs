//! What a cast must keep to go on elsewhere. Minds are made up again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::CastOptions;
use super::beliefs::{Beliefs, Senses};
use super::mind::Memory;
use super::planner::Cast;
use super::rehearsal::Domains;
use crate::chronicle::{Chronicle, ChronicleSave};
use crate::ledger::Ledger;
use crate::planner::PlannerSave;
use crate::requests::{Requests, SavedRequest, Serves};

pub(super) const NAME: &str = "cast";

#[derive(Serialize, Deserialize)]
struct Saved {
    options: CastOptions,
    chronicle: ChronicleSave,
    memories: Vec<(SmolStr, SavedMemory)>,
    #[serde(default)]
    ended: Vec<Step>,
    #[serde(flatten)]
    ledger: Ledger,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requests: Vec<SavedRequest>,
}

/// Like [`Memory`], but JSON has no keys that are lists.
#[derive(Serialize, Deserialize)]
struct SavedMemory {
    barred: Vec<(SmolStr, Vec<SmolStr>, Option<Tick>)>,
    idle_turn: u32,
    /// What it has perceived: a fluent and its value, in names.
    #[serde(default)]
    perceived: Vec<(SmolStr, SmolStr)>,
}

impl Cast {
    pub(super) fn write(&mut self) -> PlannerSave {
        self.remember();
        // Everything is rehearsed again, here as after loading, so that nothing tells the two apart.
        if let Some(rehearsal) = self.rehearsal.take() {
            self.ledger.next_id = self.ledger.next_id.max(rehearsal.next_id());
        }
        self.domains.clear();
        let chronicle = self.chronicle.save(&self.model);
        (self.chronicle, _) = Chronicle::load(&self.model, &chronicle);
        let model = &self.model;
        let who: BTreeSet<_> = self.memories.keys().chain(self.beliefs.keys()).copied().collect();
        let memories = who.into_iter().map(|object| {
            let memory = self.memories.get(&object).cloned().unwrap_or_default();
            let perceived = self.beliefs.get(&object).into_iter().flat_map(Beliefs::perceived);
            let saved = SavedMemory {
                barred: memory.barred.into_iter().map(|((action, args), until)| (action, args, until)).collect(),
                idle_turn: memory.idle_turn,
                perceived: perceived
                    .map(|((fluent, args), value)| (model.fluent_name(*fluent, args).into(), model.value_name(value)))
                    .collect(),
            };
            (model.objects[object].name.clone(), saved)
        });
        let saved = Saved {
            options: self.options,
            chronicle,
            memories: memories.collect(),
            ended: self.ended.clone(),
            ledger: self.ledger.clone(),
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
        // Whoever is no longer in the story has nothing to remember.
        let (mut memories, mut beliefs) = (BTreeMap::new(), BTreeMap::new());
        for (name, memory) in saved.memories {
            let Some(object) = model.find_object(&name) else { continue };
            let perceived = memory.perceived.iter().map(|(fluent, value)| (fluent.as_str(), value.as_str()));
            beliefs.insert(object, Beliefs::read(&model, perceived));
            let barred = memory.barred.into_iter().map(|(action, args, until)| ((action, args), until));
            memories.insert(object, Memory { barred: barred.collect(), idle_turn: memory.idle_turn });
        }
        Ok(Self {
            memories,
            beliefs,
            senses: Senses::of(&model),
            ended: saved.ended,
            chronicle,
            domains: Domains::new(),
            rehearsal: None,
            ledger: saved.ledger,
            replies: Vec::new(),
            requests: Requests::load(&model, Serves::Characters, saved.requests),
            options: saved.options,
            model,
        })
    }
}
