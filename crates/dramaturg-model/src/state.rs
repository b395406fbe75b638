//! The state of the world: a value for every fluent and its arguments.

use rustc_hash::FxHashMap;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::chance::Chance;
use crate::effect::Change;
use crate::eval::{Evaluator, Facts};
use crate::expr::Set;
use crate::fluent::{Domain, FluentId, FluentSource};
use crate::initial::Initial;
use crate::level::LevelId;
use crate::model::Model;
use crate::table::Table;
use crate::tick::Tick;
use crate::value::{Args, Value};

/// The values of all fluents at one moment. Values that equal the default are not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    values: Table<FluentId, FluentTable>,
    level: Option<LevelId>,
    /// The levels that were left, each once. What only they know keeps its last value until a level carries it on.
    left: Vec<LevelId>,
    now: Tick,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FluentTable {
    default: Value,
    /// Only what differs from the default.
    values: FxHashMap<Args, Value>,
}

impl State {
    /// Every fluent at its default, tick 0, the first level.
    pub fn empty(model: &Model) -> Self {
        let tables = model
            .fluents
            .ids()
            .map(|fluent| FluentTable { default: model.default_value(fluent), values: FxHashMap::default() });
        Self { values: tables.collect(), level: model.first_level(), left: Vec::new(), now: 0 }
    }

    /// The state before tick 0 in the first level.
    pub fn initial(model: &Model, seed: u64) -> Self {
        Self::entering(model, model.first_level(), None, &[], seed)
    }

    /// The state in which a level begins: everything as given for it, except the carried fluents, which keep their values from the
    /// last level that knew them. What the new level does not know is kept for one that carries it on.
    pub fn entering(
        model: &Model,
        level: Option<LevelId>,
        before: Option<&Self>,
        carrying: &[FluentId],
        seed: u64,
    ) -> Self {
        let mut state = Self::empty(model);
        state.level = level;
        state.clear_anchored(model);
        if let Some(before) = before {
            state.now = before.now;
            state.left.clone_from(&before.left);
            state.left.extend(before.level.filter(|level| !before.left.contains(level)));
            for (fluent, table) in before.values.iter() {
                if carrying.contains(&fluent) {
                    state.values[fluent] = table.clone();
                    continue;
                }
                let kept = table.values.iter().filter(|(args, _)| !is_slot_of(model, fluent, args, level));
                state.values[fluent].values.extend(kept.map(|(args, value)| (args.clone(), *value)));
            }
        }
        let left = state.left.clone();
        let keeps = |fluent: FluentId, args: &[Value]| {
            let was_known = |level: &LevelId| is_slot_of(model, fluent, args, Some(*level));
            // A story without levels to leave has nothing to keep.
            carrying.contains(&fluent)
                && before.is_some_and(|before| before.level.is_none() || left.iter().any(was_known))
        };
        let mut chance = Chance::new(seed);
        for population in model.populations.values().filter(|p| model.is_visible(p.level, level)) {
            for object in &population.objects {
                for given in population.given.iter().filter(|given| given.at.is_none()) {
                    state.give_unless(model, given, &[Value::Object(*object)], &mut chance, &keeps);
                }
            }
        }
        for given in &model.initial {
            if given.at.is_none() && model.is_visible(given.level, level) {
                state.give_unless(model, given, &[], &mut chance, &keeps);
            }
        }
        state.derive(model);
        state
    }

    /// What a pool anchors has no value before.
    fn clear_anchored(&mut self, model: &Model) {
        for pool in model.pools.values() {
            for fluent in &pool.anchors {
                for object in &pool.objects {
                    self.set(*fluent, &[Value::Object(*object)], Value::Nothing);
                }
            }
        }
    }

    /// The levels that were left, each once, in the order of leaving.
    pub fn left(&self) -> &[LevelId] {
        &self.left
    }

    /// Says which levels were left.
    pub fn set_left(&mut self, left: Vec<LevelId>) {
        self.left = left;
    }

    /// Sets what is given, except where a value is kept.
    fn give_unless(
        &mut self,
        model: &Model,
        given: &Initial,
        arguments: &[Value],
        chance: &mut Chance,
        keeps: &dyn Fn(FluentId, &[Value]) -> bool,
    ) {
        let fluent = given.target.fluent;
        let kept: Vec<(Args, Value)> = {
            let (mut all, before) = (Vec::new(), &*self);
            let mut scope = Evaluator::with(model, before, arguments);
            scope.for_each(&given.binders, &mut |scope| {
                let args = scope.args(&given.target.args);
                if keeps(fluent, &args) {
                    let value = before.get(fluent, &args);
                    all.push((args, value));
                }
            });
            all
        };
        self.give(model, given, arguments, chance);
        for (args, value) in kept {
            self.set(fluent, &args, value);
        }
    }

    /// Sets what is given, once for each binding of its binders after the arguments; what was set to which values.
    pub fn give(
        &mut self,
        model: &Model,
        given: &Initial,
        arguments: &[Value],
        chance: &mut Chance,
    ) -> Vec<(Args, Value)> {
        let mut writes: Vec<(Args, Value)> = Vec::new();
        let mut scope = Evaluator::with(model, &*self, arguments);
        let domain = &model.fluents[given.target.fluent].domain;
        scope.for_each(&given.binders, &mut |scope| {
            if given.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let args = scope.args(&given.target.args);
            let value = match &given.change {
                Change::Set(value) => scope.value(value),
                Change::Add(amount) => match (scope.number(amount), self_number(&*self, given.target.fluent, &args)) {
                    (Some(amount), Some(old)) => Value::Number(old + amount),
                    _ => Value::Nothing,
                },
                Change::Random(set) => random_value(scope, set, domain, chance),
            };
            writes.push((args, value));
        });
        for (args, value) in &mut writes {
            if let Value::Number(number) = value {
                *number = domain.clamp(*number);
            }
            self.set(given.target.fluent, args, *value);
        }
        writes
    }

    /// The stored value of a fluent.
    pub fn get(&self, fluent: FluentId, args: &[Value]) -> Value {
        let table = &self.values[fluent];
        if table.values.is_empty() {
            return table.default;
        }
        table.values.get(args).copied().unwrap_or(table.default)
    }

    /// Stores a value.
    pub fn set(&mut self, fluent: FluentId, args: &[Value], value: Value) {
        let table = &mut self.values[fluent];
        if value == table.default {
            table.values.remove(args);
        } else if let Some(slot) = table.values.get_mut(args) {
            *slot = value;
        } else {
            table.values.insert(Args::from_slice(args), value);
        }
    }

    /// The tick now.
    pub fn now(&self) -> Tick {
        self.now
    }

    /// Moves to a tick.
    pub fn set_now(&mut self, now: Tick) {
        self.now = now;
    }

    /// The level whose objects exist.
    pub fn level(&self) -> Option<LevelId> {
        self.level
    }

    /// Everything that differs from its default, in order of fluent and arguments.
    pub fn entries(&self) -> Vec<(FluentId, &Args, Value)> {
        let mut all: Vec<_> = self
            .values
            .iter()
            .flat_map(|(fluent, table)| table.values.iter().map(move |(args, value)| (fluent, args, *value)))
            .collect();
        all.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        all
    }

    /// Recomputes derived fluents, stratum by stratum to the least fixed point.
    pub fn derive(&mut self, model: &Model) {
        let mut derived: Vec<(u16, FluentId)> = Vec::new();
        for (id, fluent) in model.fluents.iter() {
            if let FluentSource::Derived { stratum, .. } = &fluent.source {
                derived.push((*stratum, id));
                self.values[id].values.clear();
            }
        }
        derived.sort_unstable();
        for stratum in derived.chunk_by(|a, b| a.0 == b.0) {
            loop {
                let mut found: Vec<(FluentId, Args)> = Vec::new();
                for (_, fluent) in stratum {
                    self.derive_once(model, *fluent, &mut found);
                }
                if found.is_empty() {
                    break;
                }
                for (fluent, args) in found {
                    self.set(fluent, &args, Value::Bool(true));
                }
            }
        }
    }

    fn derive_once(&self, model: &Model, fluent: FluentId, found: &mut Vec<(FluentId, Args)>) {
        let declared = &model.fluents[fluent];
        let FluentSource::Derived { rules, .. } = &declared.source else { return };
        let binders: Vec<_> =
            declared.params.iter().map(|param| crate::expr::Binder { param: param.clone(), among: None }).collect();
        let mut scope = Evaluator::new(model, self);
        scope.for_each(&binders, &mut |scope| {
            let args = Args::from_slice(scope.variables());
            if !self.get(fluent, &args).is_true() && rules.iter().any(|rule| scope.holds(rule)) {
                found.push((fluent, args));
            }
        });
    }
}

impl Facts for State {
    fn value(&self, fluent: FluentId, args: &[Value]) -> Value {
        self.get(fluent, args)
    }

    fn now(&self) -> Tick {
        self.now
    }

    fn level(&self) -> Option<LevelId> {
        self.level
    }
}

/// Whether a level knows a fluent and all its arguments.
fn is_slot_of(model: &Model, fluent: FluentId, args: &[Value], level: Option<LevelId>) -> bool {
    let exists =
        |arg: &Value| arg.as_object().is_none_or(|object| model.is_visible(model.objects[object].level, level));
    model.is_visible(model.fluents[fluent].level, level) && args.iter().all(exists)
}

fn self_number(state: &State, fluent: FluentId, args: &[Value]) -> Option<crate::Fixed> {
    state.get(fluent, args).as_number()
}

/// A value drawn from a set: each of its members is as likely as the others.
pub fn random_value<F: Facts + ?Sized>(
    scope: &mut Evaluator<'_, F>,
    set: &Set,
    domain: &Domain,
    chance: &mut Chance,
) -> Value {
    match set {
        Set::Among(values) => {
            let index = chance.below(values.len());
            values.get(index).map_or(Value::Nothing, |value| scope.value(value))
        }
        Set::Choices(choices) => {
            let values = scope.choices(choices);
            values.get(chance.below(values.len())).copied().unwrap_or(Value::Nothing)
        }
        Set::Range(least, most) => match (scope.number(least), scope.number(most)) {
            (Some(least), Some(most)) => {
                let whole = matches!(domain, Domain::Int(_) | Domain::Duration);
                Value::Number(chance.between(least, most, whole))
            }
            _ => Value::Nothing,
        },
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.entries();
        let mut sequence = serializer.serialize_seq(Some(entries.len()))?;
        for entry in &entries {
            sequence.serialize_element(entry)?;
        }
        sequence.end()
    }
}
