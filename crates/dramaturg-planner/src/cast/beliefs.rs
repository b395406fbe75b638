//! What a character believes of what can be unknown: what it has perceived where it was, and not what is so.

use std::collections::BTreeMap;

use dramaturg_model::{Args, FluentId, FluentSource, LevelId, Model, ObjectId, State, Value};
use smol_str::SmolStr;

use super::places::Places;
use crate::ground::{Place, Problem, VariableId};
use crate::packed::PackedState;
use crate::simulate::names;

/// A fluent with its arguments.
pub(crate) type Slot = (FluentId, Args);

/// What can be unknown in a story, and what tells who perceives it. Where nothing can be, everybody knows everything.
#[derive(Clone, Debug, Default)]
pub struct Senses {
    places: Places,
    slots: Vec<Slot>,
}

/// What one character believes: the values it has perceived, of what can be unknown. What is not here is unknown to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beliefs(BTreeMap<Slot, Value>);

impl Senses {
    /// Of a story.
    pub fn of(model: &Model) -> Self {
        let mut slots = Vec::new();
        for (fluent, declared) in model.fluents.iter() {
            if model.unknown_of(fluent).is_none() || declared.source != FluentSource::Stored {
                continue;
            }
            let mut tuples = vec![Args::new()];
            for param in &declared.params {
                let values = model.values_of_anywhere(&param.choices);
                let longer =
                    |tuple: Args| values.iter().map(move |value| tuple.iter().copied().chain([*value]).collect());
                tuples = tuples.into_iter().flat_map(longer).collect();
            }
            slots.extend(tuples.into_iter().map(|args| (fluent, args)));
        }
        Self { places: Places::of(model), slots }
    }

    /// Whether anything can be unknown.
    pub fn are_needed(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Whether a character perceives a value: it is about nobody but itself and what is together with it.
    fn perceives(&self, model: &Model, state: &State, who: ObjectId, slot: &Slot) -> bool {
        let objects = slot.1.iter().filter_map(|arg| arg.as_object());
        objects.clone().next().is_some()
            && objects.into_iter().all(|object| self.places.are_together(model, state, who, object))
    }
}

impl Beliefs {
    /// From names, as [`Beliefs::in_names`] gives them; what the story does not have any more is left out.
    pub fn read<'n>(model: &Model, told: impl IntoIterator<Item = (&'n str, &'n str)>) -> Self {
        let mut beliefs = Self::default();
        for (fluent, value) in told {
            let slot = names::fluent(model, fluent).ok();
            let found = slot.zip(model.find_value(value));
            if let Some((slot, value)) = found.filter(|(slot, value)| model.unknown_of(slot.0) != Some(*value)) {
                beliefs.learn(&slot, value);
            }
        }
        beliefs
    }

    /// Looks around: takes in what can be perceived, and notices that something is no longer where it was believed to be.
    pub fn perceive(&mut self, model: &Model, senses: &Senses, state: &State, who: ObjectId) {
        if !senses.are_needed() {
            return;
        }
        let believed = self.imagined(model, senses, state);
        for slot in &senses.slots {
            if senses.perceives(model, state, who, slot) {
                self.0.insert(slot.clone(), state.get(slot.0, &slot.1));
            } else if senses.places.say(slot.0) && senses.perceives(model, &believed, who, slot) {
                self.0.remove(slot);
            }
        }
    }

    /// Learns a value.
    pub(crate) fn learn(&mut self, slot: &Slot, value: Value) {
        self.0.insert(slot.clone(), value);
    }

    /// Has found out that a value is not what it was believed to be.
    pub(crate) fn doubt(&mut self, slot: &Slot) {
        self.0.remove(slot);
    }

    /// What is believed of something that can be unknown.
    pub fn value(&self, model: &Model, slot: &Slot) -> Value {
        let unknown = || model.unknown_of(slot.0).unwrap_or(Value::Nothing);
        self.0.get(slot).copied().unwrap_or_else(unknown)
    }

    /// A state as it is believed to be.
    pub fn imagined(&self, model: &Model, senses: &Senses, state: &State) -> State {
        let mut believed = state.clone();
        for slot in &senses.slots {
            believed.set(slot.0, &slot.1, self.value(model, slot));
        }
        believed
    }

    /// The same for a packed state.
    pub(crate) fn imagined_in(
        &self,
        model: &Model,
        senses: &Senses,
        problem: &Problem,
        state: &PackedState,
    ) -> PackedState {
        let mut believed = state.clone();
        for slot in &senses.slots {
            let Some(Place::Variable(variable)) = problem.place(slot.0, &slot.1) else { continue };
            if let Some(index) = problem.variables[variable].index_of(self.value(model, slot)) {
                believed.set(problem, variable, index);
            }
        }
        believed
    }

    /// What is believed of everything in a level that can be unknown, in names.
    pub fn in_names(&self, model: &Model, senses: &Senses, level: Option<LevelId>) -> Vec<(String, SmolStr)> {
        let exists =
            |value: &Value| value.as_object().is_none_or(|object| model.is_visible(model.objects[object].level, level));
        let slots = senses
            .slots
            .iter()
            .filter(|slot| model.is_visible(model.fluents[slot.0].level, level) && slot.1.iter().all(exists));
        slots.map(|slot| (model.fluent_name(slot.0, &slot.1), model.value_name(self.value(model, slot)))).collect()
    }

    /// What was perceived, with its values.
    pub(crate) fn perceived(&self) -> impl Iterator<Item = (&Slot, Value)> {
        self.0.iter().map(|(slot, value)| (slot, *value))
    }
}

/// The fluent of a variable, with its arguments.
pub(crate) fn slot_of(problem: &Problem, variable: VariableId) -> Option<Slot> {
    match &problem.variables[variable].meaning {
        crate::ground::Meaning::Fluent { fluent, args, .. } => Some((*fluent, args.clone())),
        _ => None,
    }
}
