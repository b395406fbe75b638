//! The values of fluents.

use dramaturg_model::{Args, Domain, FluentId, FluentSource, LevelId, Model, ObjectId, State, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::labels::Labels;
use super::report::LoadReport;
use super::value::{SavedValue, find_args_for};
use crate::simulate::batch::is_slot;
use crate::simulate::watch::{Bindings, Values};

/// A fluent and every value of it that is not its default. Fluents with no other values are listed too: what is listed was known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedFluent {
    fluent: SmolStr,
    default: SavedValue,
    values: Vec<SavedEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedEntry {
    args: Vec<SavedValue>,
    value: SavedValue,
}

/// Whether a fluent has values of its own; the others follow from them.
fn is_stored(model: &Model, fluent: FluentId) -> bool {
    matches!(model.fluents[fluent].source, FluentSource::Stored | FluentSource::Done(_))
}

/// Every stored fluent in order of the model.
pub(super) fn save(model: &Model, labels: &Labels, state: &State) -> Vec<SavedFluent> {
    let mut entries = state.entries().into_iter().peekable();
    let mut fluents = Vec::new();
    for fluent in model.fluents.ids() {
        let mut values = Vec::new();
        while let Some((_, args, value)) = entries.next_if(|(of, ..)| *of == fluent) {
            // What is given for no object can never be read.
            if is_slot(model, fluent, args) {
                let args = SavedValue::all(labels, args);
                values.push(SavedEntry { args, value: SavedValue::new(labels, value) });
            }
        }
        if is_stored(model, fluent) {
            let default = SavedValue::new(labels, model.default_value(fluent));
            fluents.push(SavedFluent { fluent: labels.fluents.of(fluent), default, values });
        }
    }
    fluents
}

/// Reads values into the state in which a level begins.
pub(super) struct StateLoader<'a> {
    pub(super) model: &'a Model,
    pub(super) labels: &'a Labels,
    /// The objects that the save knows.
    pub(super) known: &'a FxHashSet<ObjectId>,
    pub(super) report: &'a mut LoadReport,
}

impl StateLoader<'_> {
    /// The state of a level with the saved values; what the save does not know is as the story gives it.
    pub(super) fn load(&mut self, saved: &[SavedFluent], level: Option<LevelId>, seed: u64) -> State {
        let begin = State::entering(self.model, level, None, &[], seed);
        let mut state = begin.clone();
        let mut given: FxHashMap<FluentId, Vec<&Args>> = FxHashMap::default();
        for (fluent, args, _) in begin.entries() {
            given.entry(fluent).or_default().push(args);
        }
        let mut loaded: FxHashSet<FluentId> = FxHashSet::default();
        for saved in saved {
            match self.labels.fluents.find(&saved.fluent).filter(|fluent| is_stored(self.model, *fluent)) {
                Some(fluent) if loaded.insert(fluent) => {
                    // The save says more than the beginning about everything it knows.
                    for args in given.remove(&fluent).into_iter().flatten().filter(|args| self.knows(args)) {
                        state.set(fluent, args, self.model.default_value(fluent));
                    }
                    self.load_fluent(&begin, &mut state, fluent, saved);
                }
                Some(_) => self.report.dropped(format!("fluent `{}`", saved.fluent), "the save has it twice"),
                None => {
                    let why = "there is no such fluent any more";
                    self.report.dropped(format!("fluent `{}`", saved.fluent), why);
                }
            }
        }
        for fluent in
            self.model.fluents.ids().filter(|fluent| is_stored(self.model, *fluent) && !loaded.contains(fluent))
        {
            let what = format!("fluent `{}`", self.labels.fluents.of(fluent));
            self.report.defaulted(what, "it is new and has the values with which the level begins");
        }
        state.derive(self.model);
        state
    }

    fn knows(&self, args: &[Value]) -> bool {
        args.iter().filter_map(|arg| arg.as_object()).all(|object| self.known.contains(&object))
    }

    fn load_fluent(&mut self, begin: &State, state: &mut State, fluent: FluentId, saved: &SavedFluent) {
        let model = self.model;
        let default = model.default_value(fluent);
        let mut written: FxHashSet<Args> = FxHashSet::default();
        for entry in &saved.values {
            let args = match find_args_for(model, self.labels, &model.fluents[fluent].params, &entry.args) {
                Ok(args) => args,
                // An object that is gone is reported once, not with each of its values.
                Err(_) if self.mentions_gone(&entry.args) => continue,
                Err(why) => {
                    self.report.dropped(format!("a value of `{}`", saved.fluent), why);
                    continue;
                }
            };
            match self.fitting(fluent, &entry.value) {
                Ok(value) => state.set(fluent, &args, value),
                Err(why) => {
                    let value = if default == Value::Nothing { begin.get(fluent, &args) } else { default };
                    state.set(fluent, &args, value);
                    self.report.defaulted(format!("`{}`", model.fluent_name(fluent, &args)), why);
                }
            }
            written.insert(args);
        }
        self.keep_old_default(state, fluent, saved, &written);
    }

    fn mentions_gone(&self, args: &[SavedValue]) -> bool {
        args.iter().any(|arg| matches!(arg, SavedValue::Object(name) if self.labels.objects.find(name).is_none()))
    }

    /// The value if it is one of the fluent's, or why not.
    fn fitting(&self, fluent: FluentId, saved: &SavedValue) -> Result<Value, String> {
        let value = saved.find(self.labels).map_err(|name| format!("its value `{name}` does not exist any more"))?;
        let fits = match (&self.model.fluents[fluent].domain, value) {
            (_, Value::Nothing) | (Domain::Bool, Value::Bool(_)) => true,
            (Domain::Choice(choices), value) => self.model.is_among(value, choices),
            (domain, Value::Number(number)) => domain.is_numeric() && domain.clamp(number) == number,
            _ => false,
        };
        if fits { Ok(value) } else { Err(format!("it cannot be {} any more", self.model.value_name(value))) }
    }

    /// Values that equalled the default were not saved: if the default has changed, they keep the old one.
    fn keep_old_default(
        &mut self,
        state: &mut State,
        fluent: FluentId,
        saved: &SavedFluent,
        written: &FxHashSet<Args>,
    ) {
        let model = self.model;
        let what = || format!("the default of `{}`", saved.fluent);
        let old = match self.fitting(fluent, &saved.default) {
            Ok(old) if old == model.default_value(fluent) || old == Value::Nothing => return,
            Ok(old) => old,
            Err(why) => {
                self.report.defaulted(what(), why);
                return;
            }
        };
        let params = model.fluents[fluent].params.iter();
        let params = params.map(|param| Values::new(model.values_of_anywhere(&param.choices))).collect();
        match Bindings::new(params) {
            Some(bindings) => {
                for args in (0..bindings.len()).map(|index| bindings.get(index)) {
                    if self.knows(&args) && !written.contains(&args) {
                        state.set(fluent, &args, old);
                    }
                }
                self.report.mapped(what(), "it has changed; what had the old one keeps it");
            }
            None => self.report.defaulted(what(), "it has changed, and there are too many values to keep the old one"),
        }
    }
}
