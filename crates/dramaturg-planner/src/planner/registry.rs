//! Planners by name: which there are, how one is made for a story, and how one goes on from a save.

use std::fmt;
use std::sync::Arc;

use dramaturg_model::Model;

use super::{Planner, PlannerSave};
use crate::host::{Hosted, Strategy};

/// Makes the planner that goes on from a save.
pub type PlannerLoader =
    Arc<dyn Fn(&Arc<Model>, &PlannerSave) -> Result<Box<dyn Planner>, String> + Send + Sync + 'static>;

/// Makes a planner for a story, with a seed.
type Make = Arc<dyn Fn(Arc<Model>, u64) -> Box<dyn Planner> + Send + Sync + 'static>;

/// One planner that can be chosen by its name.
#[derive(Clone)]
pub struct PlannerEntry {
    name: &'static str,
    about: &'static str,
    make: Make,
    load: PlannerLoader,
}

impl PlannerEntry {
    /// The planner of a strategy: what it does in a few words, and how it plans by default, with a seed.
    pub fn of<S: Strategy + 'static>(about: &'static str, options: fn(u64) -> S::Options) -> Self {
        Self {
            name: S::NAME,
            about,
            make: Arc::new(move |model, seed| Box::new(Hosted::<S>::new(model, options(seed)))),
            load: Arc::new(|model, save| Ok(Box::new(Hosted::<S>::load(Arc::clone(model), save)?))),
        }
    }

    /// By what it is chosen, and known in saves.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it does, in a few words.
    pub fn about(&self) -> &'static str {
        self.about
    }
}

/// Planners by name.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<PlannerEntry>,
}

impl Registry {
    /// With one more planner. It takes the place of one with the same name.
    #[must_use]
    pub fn with(mut self, entry: PlannerEntry) -> Self {
        self.entries.retain(|known| known.name != entry.name);
        self.entries.push(entry);
        self
    }

    /// All of them, in the order in which they came.
    pub fn entries(&self) -> &[PlannerEntry] {
        &self.entries
    }

    /// A planner for a story; or what is wrong with the name.
    pub fn make(&self, name: &str, model: Arc<Model>, seed: u64) -> Result<Box<dyn Planner>, String> {
        let entry = self.find(name)?;
        Ok((entry.make)(model, seed))
    }

    /// Whether there is a planner of this name; or what is wrong with it.
    pub fn find(&self, name: &str) -> Result<&PlannerEntry, String> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.entries.iter().map(PlannerEntry::name).collect();
            format!("there is no planner called `{name}`; there are {}", known.join(", "))
        })
    }

    /// Makes any of them from what it saved.
    pub fn loader(&self) -> PlannerLoader {
        let registry = self.clone();
        Arc::new(move |model, save| {
            let entry = registry.find(&save.planner)?;
            (entry.load)(model, save)
        })
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(PlannerEntry::name)).finish()
    }
}
