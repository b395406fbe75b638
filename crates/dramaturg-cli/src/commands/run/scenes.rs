//! When which tagged action was performed: the cues and rewards under a curve.

use std::collections::BTreeMap;

use dramaturg::model::{Model, Tick};
use dramaturg_executor::scripted::{Happening, What};

/// One performance of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The action.
    pub action: String,
    /// Its first tag.
    pub tag: String,
    /// When it started.
    pub from: Tick,
    /// When it ended; none: it went on to the end.
    pub to: Option<Tick>,
    /// Whether it came to nothing.
    pub failed: bool,
}

/// The performances of actions that have a tag.
#[derive(Clone, Debug, Default)]
pub struct Scenes {
    tags: BTreeMap<String, String>,
    /// By step: the parts of one are one performance.
    by_step: BTreeMap<u32, Scene>,
}

impl Scenes {
    /// None yet.
    pub fn of(model: &Model) -> Self {
        let tag = |tag| model.tags[tag].to_string();
        let tags = model
            .actions
            .values()
            .filter_map(|action| action.tags.first().map(|first| (action.name.to_string(), tag(*first))));
        Self { tags: tags.collect(), by_step: BTreeMap::new() }
    }

    /// Hears what happened in the game.
    pub fn hear(&mut self, Happening { tick, task, what }: &Happening) {
        let Some(step) = task.map(|task| task.step) else { return };
        match what {
            What::Started { action, .. } => {
                let Some(tag) = self.tags.get(action) else { return };
                let scene = || Scene { action: action.clone(), tag: tag.clone(), from: *tick, to: None, failed: false };
                self.by_step.entry(step).or_insert_with(scene);
            }
            What::Finished { .. } | What::Failed { .. } | What::Cancelled { .. } => {
                if let Some(scene) = self.by_step.get_mut(&step) {
                    scene.to = Some(scene.to.map_or(*tick, |to| to.max(*tick)));
                    scene.failed |= !matches!(what, What::Finished { .. });
                }
            }
            _ => {}
        }
    }

    /// All of them by tag, in order of tags, then of steps.
    pub fn lanes(&self) -> BTreeMap<&str, Vec<&Scene>> {
        let mut lanes: BTreeMap<&str, Vec<&Scene>> = BTreeMap::new();
        for scene in self.by_step.values() {
            lanes.entry(scene.tag.as_str()).or_default().push(scene);
        }
        lanes
    }
}
