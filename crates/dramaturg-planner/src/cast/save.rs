//! What a cast must keep to go on elsewhere. Minds are made up again.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Step, Tick};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::CastOptions;
use super::beliefs::{Beliefs, Senses};
use super::mind::Memory;
use super::planner::CharacterRollout;
use super::rehearsal::Domains;
use crate::host::Situation;

/// What a cast must keep to go on elsewhere.
#[derive(Serialize, Deserialize)]
pub struct SavedCast {
    options: CastOptions,
    memories: Vec<(SmolStr, SavedMemory)>,
    #[serde(default)]
    ended: Vec<Step>,
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

impl CharacterRollout {
    pub(super) fn write(&mut self, now: &mut Situation) -> SavedCast {
        self.remember(now);
        // Everything is rehearsed again, here as after loading, so that nothing tells the two apart.
        if let Some(rehearsal) = self.rehearsal.take() {
            now.plan.skip_to(rehearsal.next_id());
        }
        self.domains.clear();
        let model = &now.model;
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
        SavedCast { options: self.options, memories: memories.collect(), ended: self.ended.clone() }
    }

    /// Goes on from what was saved.
    pub(super) fn read(now: &Situation, saved: SavedCast) -> Self {
        let model = &now.model;
        // Whoever is no longer in the story has nothing to remember.
        let (mut memories, mut beliefs) = (BTreeMap::new(), BTreeMap::new());
        for (name, memory) in saved.memories {
            let Some(object) = model.find_object(&name) else { continue };
            let perceived = memory.perceived.iter().map(|(fluent, value)| (fluent.as_str(), value.as_str()));
            beliefs.insert(object, Beliefs::read(model, perceived));
            let barred = memory.barred.into_iter().map(|(action, args, until)| ((action, args), until));
            memories.insert(object, Memory { barred: barred.collect(), idle_turn: memory.idle_turn });
        }
        Self {
            memories,
            beliefs,
            senses: Senses::of(model),
            ended: saved.ended,
            domains: Domains::new(),
            rehearsal: None,
            options: saved.options,
        }
    }
}
