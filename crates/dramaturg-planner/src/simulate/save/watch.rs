//! What was last read of the conditions that are watched.

use dramaturg_model::{Args, Evaluator, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::value::{SavedValue, find_args};
use super::{Loader, Saver};
use crate::simulate::rules::Entry;
use crate::simulate::watch::{Bindings, WatchId, Watched};

/// Some bindings of the parameters of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedBindings {
    #[default]
    None,
    /// All that the save knows.
    All,
    Some(Vec<Vec<SavedValue>>),
}

/// A watched condition: for which bindings it held when it was last read, and which must be read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedWatch {
    holds: SavedBindings,
    unread: SavedBindings,
}

/// What fires, or contributes, when a condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedEdge {
    of: SavedCondition,
    watch: SavedWatch,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedCondition {
    Rule(SmolStr),
    Milestone(SmolStr),
    Ending(SmolStr),
}

impl Saver<'_> {
    pub(super) fn edges(&self) -> Vec<SavedEdge> {
        let labels = self.labels;
        let mut edges = Vec::new();
        for (id, watch) in self.world.watches.watches.iter() {
            let of = match watch.what {
                Watched::Rule(rule) => SavedCondition::Rule(labels.rules.of(rule)),
                Watched::Milestone(milestone) => SavedCondition::Milestone(labels.milestones.of(milestone)),
                Watched::Ending(ending) => SavedCondition::Ending(labels.endings.of(ending)),
                // These are saved with the goals they belong to.
                Watched::Condition(_) | Watched::Aim(..) | Watched::Keep(_) => continue,
            };
            edges.push(SavedEdge { of, watch: self.watch(id) });
        }
        edges
    }

    pub(super) fn watch(&self, id: WatchId) -> SavedWatch {
        let watch = self.world.watches.get(id);
        let holds: Vec<usize> = (0..watch.bindings.len()).filter(|index| watch.value(*index)).collect();
        let mut unread: Vec<usize> = watch.dirty.iter().map(|index| *index as usize).collect();
        unread.sort_unstable();
        let bindings = |indexes: Vec<usize>| match indexes.len() {
            0 => SavedBindings::None,
            all if all == watch.bindings.len() => SavedBindings::All,
            _ => SavedBindings::Some(
                indexes.into_iter().map(|index| SavedValue::all(self.labels, &watch.bindings.get(index))).collect(),
            ),
        };
        SavedWatch { holds: bindings(holds), unread: bindings(unread) }
    }
}

impl Loader<'_> {
    pub(super) fn load_edges(&mut self, saved: &[SavedEdge]) {
        let labels = self.labels;
        for saved in saved {
            let (kind, name, what) = match &saved.of {
                SavedCondition::Rule(name) => ("rule", name, labels.rules.find(name).map(Watched::Rule)),
                SavedCondition::Milestone(name) => {
                    ("milestone", name, labels.milestones.find(name).map(Watched::Milestone))
                }
                SavedCondition::Ending(name) => ("ending", name, labels.endings.find(name).map(Watched::Ending)),
            };
            let watches = self.world.watches.watches.iter();
            let watch = what.and_then(|what| watches.into_iter().find(|(_, watch)| watch.what == what));
            match watch.map(|(id, _)| id) {
                Some(id) => self.load_watch(id, &saved.watch),
                None => {
                    self.report.dropped(format!("{kind} `{name}`"), format!("there is no such {kind} here any more"))
                }
            }
        }
        self.rebuild_active();
    }

    /// What was read of a condition. Bindings that the save does not know are read for the first time, and so are those of which
    /// the saved value is not true any more because the story was edited.
    pub(super) fn load_watch(&mut self, id: WatchId, saved: &SavedWatch) {
        let (what, bindings) = {
            let watch = self.world.watches.get(id);
            (watch.what, watch.bindings.clone())
        };
        let values = self.find_bindings(&bindings, &saved.holds);
        let mut unread = self.find_bindings(&bindings, &saved.unread);
        let expr = what.expr(self.model);
        for ((index, unread), value) in unread.iter_mut().enumerate().zip(&values) {
            let args = bindings.get(index);
            let holds = || Evaluator::with(self.model, &self.world.state, &args).holds(expr);
            *unread |= !self.knows(&args) || holds() != *value;
        }
        self.world.watches.restore(id, values, &unread);
    }

    fn knows(&self, args: &[Value]) -> bool {
        args.iter().filter_map(|arg| arg.as_object()).all(|object| self.known.contains(&object))
    }

    fn find_bindings(&self, bindings: &Bindings, saved: &SavedBindings) -> Vec<bool> {
        let mut found = vec![false; bindings.len()];
        match saved {
            SavedBindings::None => {}
            SavedBindings::All => {
                for (index, found) in found.iter_mut().enumerate() {
                    *found = self.knows(&bindings.get(index));
                }
            }
            SavedBindings::Some(all) => {
                // Bindings of what is gone are gone with it.
                let known = all.iter().filter_map(|args| find_args(self.labels, args).ok());
                for index in known.filter_map(|args: Args| bindings.index(&args)) {
                    if let Some(found) = found.get_mut(index) {
                        *found = true;
                    }
                }
            }
        }
        found
    }

    /// A rule that contributes while it holds does so for the bindings for which it was last read as true.
    fn rebuild_active(&mut self) {
        for entry in &self.world.rules.entries {
            if let Entry::Level(_, id) = entry {
                let watch = self.world.watches.get(*id);
                let holds = (0..watch.bindings.len()).filter(|index| watch.value(*index));
                self.world.rules.active.insert(*id, holds.map(|index| index as u32).collect());
            }
        }
    }
}
