//! The whole model of a story.

use rustc_hash::FxHashMap;
use serde::Serialize;
use smol_str::SmolStr;

use crate::action::{Action, ActionId};
use crate::character::{
    Character, CharacterId, Futile, FutileId, Personality, PersonalityId, Population, PopulationId,
};
use crate::event::EventKind;
use crate::fluent::{Actuator, ActuatorId, Domain, Fluent, FluentId, FluentSource};
use crate::initial::Initial;
use crate::layer::{Layer, LayerId};
use crate::level::{Ending, EndingId, Level, LevelId, Milestone, MilestoneId};
use crate::object::{Choices, Object, ObjectId, Type, TypeId};
use crate::pool::{Pool, PoolId};
use crate::rule::{Rule, RuleId};
use crate::table::Table;
use crate::task::{MethodStep, TagId, Task, TaskId};
use crate::text::{Text, TextId, Translation};
use crate::tick::{Clock, Tick};
use crate::value::{SymbolId, Value};
use crate::wish::{Wish, WishId};

/// Everything a story says, in one lifted form: what the compilers of stories and of PDDL yield, what plans, saves, observations
/// and the validator speak of. It is plain data; [`Model::seal`] computes the indexes once it is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Model {
    /// The title for show.
    pub title: String,
    /// The name texts' ids begin with.
    pub name: SmolStr,
    /// Where it comes from.
    pub origin: Origin,
    /// How ticks relate to time.
    pub clock: Clock,
    /// How many options are shown to the player.
    pub options: Option<u32>,
    /// The language its texts are written in.
    pub language: Option<SmolStr>,
    /// Names that are values.
    pub symbols: Table<SymbolId, SmolStr>,
    /// Names of tags.
    pub tags: Table<TagId, SmolStr>,
    /// Kinds of objects.
    pub types: Table<TypeId, Type>,
    /// Objects.
    pub objects: Table<ObjectId, Object>,
    /// Fluents.
    pub fluents: Table<FluentId, Fluent>,
    /// Actuators.
    pub actuators: Table<ActuatorId, Actuator>,
    /// What is given, in order.
    pub initial: Vec<Initial>,
    /// Actions.
    pub actions: Table<ActionId, Action>,
    /// Rules, in order of priority.
    pub rules: Table<RuleId, Rule>,
    /// Tasks, in order of offering.
    pub tasks: Table<TaskId, Task>,
    /// Wishes of everybody.
    pub wishes: Table<WishId, Wish>,
    /// Characters, in order of acting.
    pub characters: Table<CharacterId, Character>,
    /// Personalities.
    pub personalities: Table<PersonalityId, Personality>,
    /// Populations.
    pub populations: Table<PopulationId, Population>,
    /// Goals for the idle.
    pub futile: Table<FutileId, Futile>,
    /// Levels; the first is where the story begins, unless it says otherwise.
    pub levels: Table<LevelId, Level>,
    /// Another level to begin in: that of a play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins: Option<LevelId>,
    /// Milestones.
    pub milestones: Table<MilestoneId, Milestone>,
    /// Endings.
    pub endings: Table<EndingId, Ending>,
    /// Planning layers.
    pub layers: Table<LayerId, Layer>,
    /// Pools of objects.
    pub pools: Table<PoolId, Pool>,
    /// Texts.
    pub texts: Table<TextId, Text>,
    /// The texts in other languages, in order of their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub translations: Vec<Translation>,
    /// Computed by [`Model::seal`].
    #[serde(skip)]
    pub index: Index,
}

/// Where a model comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Origin {
    /// A story.
    #[default]
    Story,
    /// A PDDL domain and problem.
    Pddl(PddlOrigin),
}

/// What PDDL adds to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PddlOrigin {
    /// The domain's name.
    pub domain: SmolStr,
    /// The problem's name.
    pub problem: SmolStr,
    /// How many ticks make one unit of PDDL's time.
    pub ticks_per_unit: i64,
    /// By how many ticks mutually exclusive happenings must be apart.
    pub epsilon: Tick,
    /// Whether it has durative actions, so that plans are time-triggered.
    pub temporal: bool,
    /// Durative actions that take no time at all: actions without duration here, with a duration of 0 in plan files.
    #[serde(default)]
    pub momentary: Vec<SmolStr>,
}

/// Look-ups computed once from the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The objects of each type and its kinds, in order of declaration.
    members: Table<TypeId, Vec<ObjectId>>,
    objects: FxHashMap<SmolStr, ObjectId>,
    symbols: FxHashMap<SmolStr, SymbolId>,
    types: FxHashMap<SmolStr, TypeId>,
    relations: FxHashMap<SmolStr, FluentId>,
    attributes: FxHashMap<(TypeId, SmolStr), FluentId>,
    actions: FxHashMap<SmolStr, ActionId>,
}

impl Model {
    /// Computes the indexes and which fluents are static. Call it once when all tables are filled.
    pub fn seal(&mut self) {
        let mut members: Table<TypeId, Vec<ObjectId>> = Table::filled(self.types.len(), Vec::new());
        for (id, object) in self.objects.iter() {
            let mut ty = Some(object.ty);
            // Bounded: a circle of parents, which the compiler reports, must not hang us.
            for _ in 0..=self.types.len() {
                let Some(current) = ty.filter(|ty| self.types.try_at(*ty).is_some()) else { break };
                if members[current].last() != Some(&id) {
                    members[current].push(id);
                }
                ty = self.types[current].parent;
            }
        }
        let mut index = Index { members, ..Index::default() };
        index.objects = self.objects.iter().map(|(id, object)| (object.name.clone(), id)).collect();
        index.symbols = self.symbols.iter().map(|(id, name)| (name.clone(), id)).collect();
        index.types = self.types.iter().map(|(id, ty)| (ty.name.clone(), id)).collect();
        for (id, fluent) in self.fluents.iter() {
            match fluent.attribute_of {
                Some(ty) => {
                    index.attributes.insert((ty, fluent.name.clone()), id);
                }
                None => {
                    index.relations.insert(fluent.name.clone(), id);
                }
            }
        }
        index.actions = self.actions.iter().map(|(id, action)| (action.name.clone(), id)).collect();
        self.index = index;
        self.find_static_fluents();
    }

    fn find_static_fluents(&mut self) {
        let mut changing: Table<FluentId, bool> = Table::filled(self.fluents.len(), false);
        {
            let mut touch = |fluent: FluentId| changing[fluent] = true;
            for action in self.actions.values() {
                action.effects.iter().for_each(|effect| touch(effect.target.fluent));
                action.contributions.iter().for_each(|part| touch(part.target.fluent));
                let expectation = action.expectation.iter();
                expectation.flat_map(|e| e.effects.iter().chain(&e.otherwise)).for_each(|e| touch(e.target.fluent));
                action.reads.iter().flat_map(|reads| &reads.fluents).for_each(|read| touch(read.fluent));
            }
            for rule in self.rules.values() {
                rule.effects.iter().for_each(|effect| touch(effect.target.fluent));
                rule.contributions.iter().for_each(|part| touch(part.target.fluent));
                let expectation = rule.expectation.iter();
                expectation.flat_map(|e| e.effects.iter().chain(&e.otherwise)).for_each(|e| touch(e.target.fluent));
                rule.reads.iter().flat_map(|reads| &reads.fluents).for_each(|read| touch(read.fluent));
            }
            for step in self.tasks.values().flat_map(|task| &task.methods).flat_map(|method| &method.steps) {
                if let MethodStep::Then(effects) = step {
                    effects.iter().for_each(|effect| touch(effect.target.fluent));
                }
            }
            let ends = self.milestones.values().map(|m| &m.effects).chain(self.endings.values().map(|e| &e.effects));
            ends.flatten().for_each(|effect| touch(effect.target.fluent));
            self.timed_given().for_each(|given| touch(given.target.fluent));
            for (id, fluent) in self.fluents.iter() {
                if let FluentSource::Done(pattern) = &fluent.source
                    && self.may_happen(pattern.kind)
                {
                    touch(id);
                }
            }
            for pool in self.pools.values() {
                pool.anchors.iter().for_each(|fluent| touch(*fluent));
                touch(pool.anchored);
                touch(pool.committed);
            }
        }
        for (id, fluent) in self.fluents.iter_mut() {
            fluent.is_static = matches!(fluent.source, FluentSource::Stored | FluentSource::Done(_)) && !changing[id];
        }
    }

    /// What is given at a tick, for the story and for populations.
    pub fn timed_given(&self) -> impl Iterator<Item = &Initial> {
        let crowds = self.populations.values().flat_map(|population| &population.given);
        self.initial.iter().chain(crowds).filter(|given| given.at.is_some())
    }

    /// Whether anything that is declared can happen in this way.
    fn may_happen(&self, kind: EventKind) -> bool {
        match kind {
            EventKind::Tag(tag) => {
                self.actions.values().any(|action| action.tags.contains(&tag))
                    || self.tasks.values().any(|task| task.tags.contains(&tag) && !task.methods.is_empty())
                    || self.rules.values().any(|rule| rule.tags.contains(&tag))
            }
            EventKind::Task(task) => self.tasks.try_at(task).is_some_and(|task| !task.methods.is_empty()),
            EventKind::Method(task, method) => {
                self.tasks.try_at(task).is_some_and(|task| usize::from(method) < task.methods.len())
            }
            EventKind::Action(_) | EventKind::Rule(_) | EventKind::Milestone(_) | EventKind::Ending(_) => true,
        }
    }

    /// Whether one type is another or a kind of it.
    pub fn is_subtype(&self, ty: TypeId, of: TypeId) -> bool {
        let mut current = Some(ty);
        for _ in 0..=self.types.len() {
            match current {
                Some(found) if found == of => return true,
                Some(found) => current = self.types[found].parent,
                None => return false,
            }
        }
        false
    }

    /// The objects of a type and its kinds, in order of declaration, whatever their level.
    pub fn objects_of(&self, ty: TypeId) -> &[ObjectId] {
        self.index.members.try_at(ty).map_or(&[], |members| members)
    }

    /// Whether a value is one of these choices.
    pub fn is_among(&self, value: Value, choices: &Choices) -> bool {
        match value {
            Value::Object(object) => {
                let ty = self.objects[object].ty;
                choices.types.iter().any(|wanted| self.is_subtype(ty, *wanted))
            }
            Value::Symbol(symbol) => choices.symbols.contains(&symbol),
            Value::Nothing | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// All values of these choices that exist in a level: objects in order of declaration, each once, then names.
    pub fn values_of(&self, choices: &Choices, level: Option<LevelId>) -> Vec<Value> {
        let mut objects: Vec<ObjectId> = match choices.types.as_slice() {
            [ty] => self.objects_of(*ty).to_vec(),
            types => {
                let mut all: Vec<ObjectId> = types.iter().flat_map(|ty| self.objects_of(*ty)).copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        objects.retain(|object| self.is_visible(self.objects[*object].level, level));
        objects.into_iter().map(Value::Object).chain(choices.symbols.iter().copied().map(Value::Symbol)).collect()
    }

    /// All values of these choices, whatever their level.
    pub fn values_of_anywhere(&self, choices: &Choices) -> Vec<Value> {
        let objects = choices.types.iter().flat_map(|ty| self.objects_of(*ty)).copied().map(Value::Object);
        objects.chain(choices.symbols.iter().copied().map(Value::Symbol)).collect()
    }

    /// Whether what is declared in one level (none: everywhere) exists in another.
    pub fn is_visible(&self, declared: Option<LevelId>, current: Option<LevelId>) -> bool {
        let Some(declared) = declared else { return true };
        let mut level = current;
        for _ in 0..=self.levels.len() {
            match level {
                Some(found) if found == declared => return true,
                Some(found) => level = self.levels[found].parent,
                None => return false,
            }
        }
        false
    }

    /// The level in which the story begins: the first one, or the first inside it if it has levels itself.
    pub fn first_level(&self) -> Option<LevelId> {
        let mut level = self.begins.or_else(|| self.levels.ids().next())?;
        while let Some((inner, _)) = self.levels.iter().find(|(_, inner)| inner.parent == Some(level)) {
            level = inner;
        }
        Some(level)
    }

    /// The object with this name.
    pub fn find_object(&self, name: &str) -> Option<ObjectId> {
        self.index.objects.get(name).copied()
    }

    /// The name-value with this spelling.
    pub fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        self.index.symbols.get(name).copied()
    }

    /// What a fluent says that somebody does not know; none if it cannot be unknown: its author lists `unknown` among its values.
    pub fn unknown_of(&self, fluent: FluentId) -> Option<Value> {
        let unknown = self.find_symbol("unknown")?;
        match &self.fluents[fluent].domain {
            Domain::Choice(choices) if choices.symbols.contains(&unknown) => Some(Value::Symbol(unknown)),
            _ => None,
        }
    }

    /// The type with this name.
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        self.index.types.get(name).copied()
    }

    /// The action with this name.
    pub fn find_action(&self, name: &str) -> Option<ActionId> {
        self.index.actions.get(name).copied()
    }

    /// The fluent with this name that is not an attribute.
    pub fn find_relation(&self, name: &str) -> Option<FluentId> {
        self.index.relations.get(name).copied()
    }

    /// The attribute with this name of a type or the types it is a kind of.
    pub fn find_attribute(&self, ty: TypeId, name: &str) -> Option<FluentId> {
        let mut current = Some(ty);
        for _ in 0..=self.types.len() {
            let found = current?;
            if let Some(fluent) = self.index.attributes.get(&(found, SmolStr::new(name))) {
                return Some(*fluent);
            }
            current = self.types[found].parent;
        }
        None
    }

    /// The object or name-value spelt so, as arguments of plans and observations write it.
    pub fn find_value(&self, name: &str) -> Option<Value> {
        match name {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            _ => {}
        }
        let object = self.find_object(name).map(Value::Object);
        object.or_else(|| self.find_symbol(name).map(Value::Symbol)).or_else(|| name.parse().ok().map(Value::Number))
    }

    /// A value as plans, observations and messages write it.
    pub fn value_name(&self, value: Value) -> SmolStr {
        match value {
            Value::Nothing => SmolStr::new_static("nothing"),
            Value::Bool(value) => SmolStr::new_static(if value { "true" } else { "false" }),
            Value::Number(number) => SmolStr::from(number.to_string()),
            Value::Symbol(symbol) => self.symbols[symbol].clone(),
            Value::Object(object) => self.objects[object].name.clone(),
        }
    }

    /// A fluent with its arguments, as stories write it: `hector.location`, `talked(paris, helen)`, `peace`.
    pub fn fluent_name(&self, fluent: FluentId, args: &[Value]) -> String {
        let Fluent { name, attribute_of, .. } = &self.fluents[fluent];
        let args: Vec<SmolStr> = args.iter().map(|arg| self.value_name(*arg)).collect();
        match args.as_slice() {
            [] => name.to_string(),
            [owner] if attribute_of.is_some() => format!("{owner}.{name}"),
            args => format!("{name}({})", args.join(", ")),
        }
    }

    /// An action with its arguments, as stories write it: `walk(hector, dock)`, `catchOne`.
    pub fn action_name(&self, action: ActionId, args: &[Value]) -> String {
        let name = &self.actions[action].name;
        if args.is_empty() {
            return name.to_string();
        }
        let args: Vec<SmolStr> = args.iter().map(|arg| self.value_name(*arg)).collect();
        format!("{name}({})", args.join(", "))
    }

    /// The value a fluent has before anything is given: its default, or none.
    pub fn default_value(&self, fluent: FluentId) -> Value {
        let fluent = &self.fluents[fluent];
        match (fluent.default, &fluent.domain) {
            (Some(value), _) => value,
            (None, Domain::Bool) => Value::Bool(false),
            (None, _) => Value::Nothing,
        }
    }

    /// Whether the model came from PDDL.
    pub fn pddl(&self) -> Option<&PddlOrigin> {
        match &self.origin {
            Origin::Pddl(origin) => Some(origin),
            Origin::Story => None,
        }
    }
}
