//! Names in plan files: any case, as long as only one thing can be meant.

use dramaturg_model::{ActionId, Diagnostic, Model, Param, Span, TaskId, Value};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{unknown_name, wrong_count, wrong_type};
use crate::simulate::words;

/// What a step performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Action(ActionId),
    Task(TaskId),
}

/// All names of a model in lower case; two that differ only by case are not guessed between.
pub(super) struct Lookup<'a> {
    model: &'a Model,
    actions: FxHashMap<SmolStr, Option<Found>>,
    values: FxHashMap<SmolStr, Option<Value>>,
}

fn collect<T: Copy>(names: impl Iterator<Item = (SmolStr, T)>) -> FxHashMap<SmolStr, Option<T>> {
    let mut map: FxHashMap<SmolStr, Option<T>> = FxHashMap::default();
    for (name, thing) in names {
        map.entry(SmolStr::from(name.to_lowercase())).and_modify(|known| *known = None).or_insert(Some(thing));
    }
    map
}

impl<'a> Lookup<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let actions = model.actions.iter().map(|(id, action)| (action.name.clone(), Found::Action(id)));
        let tasks = model.tasks.iter().map(|(id, task)| (task.name.clone(), Found::Task(id)));
        let objects = model.objects.iter().map(|(id, object)| (object.name.clone(), Value::Object(id)));
        let taken: rustc_hash::FxHashSet<String> =
            model.objects.values().map(|object| object.name.to_lowercase()).collect();
        let symbols = model.symbols.iter().map(|(id, name)| (name.clone(), Value::Symbol(id)));
        let symbols = symbols.filter(|(name, _)| !taken.contains(&name.to_lowercase()));
        Self { model, actions: collect(actions.chain(tasks)), values: collect(objects.chain(symbols)) }
    }

    /// The action or task of this name.
    pub(super) fn action(&self, name: &str, span: Span) -> Result<Found, Box<Diagnostic>> {
        let exact = self.model.find_action(name).map(Found::Action);
        let guess = || self.actions.get(name.to_lowercase().as_str()).copied().flatten();
        exact.or_else(guess).ok_or_else(|| {
            let actions = self.model.actions.values().map(|action| action.name.as_str());
            let tasks = self.model.tasks.values().map(|task| task.name.as_str());
            Box::new(unknown_name::unknown(span, "action", name, actions.chain(tasks)))
        })
    }

    /// Name, parameters and place of what a step performs.
    pub(super) fn declared(&self, found: Found) -> (&'a SmolStr, &'a [Param], Span) {
        match found {
            Found::Action(action) => {
                let action = &self.model.actions[action];
                (&action.name, &action.params, action.place)
            }
            Found::Task(task) => {
                let task = &self.model.tasks[task];
                (&task.name, &task.params, task.place)
            }
        }
    }

    /// The arguments of a step with their places.
    pub(super) fn args(
        &self,
        found: Found,
        names: &[(&str, Span)],
        whole: Span,
    ) -> Result<Vec<Value>, Vec<Diagnostic>> {
        let (name, params, declared) = self.declared(found);
        if params.len() != names.len() {
            return Err(vec![wrong_count::wrong(whole, name, params.len(), names.len(), declared)]);
        }
        let mut values = Vec::new();
        let mut faults = Vec::new();
        for ((name, span), param) in names.iter().zip(params) {
            match self.value(name, param, *span, declared) {
                Ok(value) => values.push(value),
                Err(fault) => faults.push(*fault),
            }
        }
        if faults.is_empty() { Ok(values) } else { Err(faults) }
    }

    fn value(&self, name: &str, param: &Param, span: Span, declared: Span) -> Result<Value, Box<Diagnostic>> {
        let object = self.model.find_object(name).map(Value::Object);
        let symbol = self.model.find_symbol(name).map(Value::Symbol);
        let guess = self.values.get(name.to_lowercase().as_str()).copied().flatten();
        let candidates = [object, symbol, guess];
        if candidates.iter().all(Option::is_none) {
            // Objects that may stand there are the likelier meaning.
            let fitting = self.model.values_of(&param.choices, None);
            let names: Vec<SmolStr> = fitting.into_iter().map(|value| self.model.value_name(value)).collect();
            let all = self.model.objects.values().map(|object| object.name.as_str());
            let known = names.iter().map(SmolStr::as_str).chain(all);
            return Err(Box::new(unknown_name::unknown(span, "object", name, known)));
        }
        let fits = candidates.into_iter().flatten().find(|value| self.model.is_among(*value, &param.choices));
        fits.ok_or_else(|| {
            Box::new(wrong_type::wrong(span, name, &param.name, &words::choices(self.model, &param.choices), declared))
        })
    }
}
