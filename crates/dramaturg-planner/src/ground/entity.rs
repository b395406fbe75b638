//! Values as small numbers, and the sets of them that parameters and fluents range over.

use dramaturg_model::{Choices, LevelId, Model, ObjectId, SymbolId, Table, Value, ids};
use rustc_hash::FxHashMap;

use super::relation::{Relation, RelationId};

ids! {
    /// A value that is no number: an object, a name, yes, no or nothing.
    Entity,
    /// A set of entities that a column or variable ranges over.
    DomainId,
}

/// All entities of a model: objects, then names, then no, yes and nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entities {
    objects: u32,
    symbols: u32,
}

impl Entities {
    pub(crate) fn new(model: &Model) -> Self {
        Self { objects: model.objects.len() as u32, symbols: model.symbols.len() as u32 }
    }

    pub(crate) const fn count(self) -> usize {
        self.objects as usize + self.symbols as usize + 3
    }

    pub(crate) const fn no(self) -> Entity {
        Entity(self.objects + self.symbols)
    }

    pub(crate) const fn yes(self) -> Entity {
        Entity(self.objects + self.symbols + 1)
    }

    pub(crate) const fn nothing(self) -> Entity {
        Entity(self.objects + self.symbols + 2)
    }

    /// The entity of a value; none for numbers.
    pub(crate) fn of(self, value: Value) -> Option<Entity> {
        match value {
            Value::Object(object) => Some(Entity(object.0)),
            Value::Symbol(symbol) => Some(Entity(self.objects + symbol.0)),
            Value::Bool(false) => Some(self.no()),
            Value::Bool(true) => Some(self.yes()),
            Value::Nothing => Some(self.nothing()),
            Value::Number(_) => None,
        }
    }

    pub(crate) fn value(self, entity: Entity) -> Value {
        if entity.0 < self.objects {
            Value::Object(ObjectId(entity.0))
        } else if entity.0 < self.objects + self.symbols {
            Value::Symbol(SymbolId(entity.0 - self.objects))
        } else if entity == self.no() {
            Value::Bool(false)
        } else if entity == self.yes() {
            Value::Bool(true)
        } else {
            Value::Nothing
        }
    }
}

/// A set of entities with the place of each.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    pub(crate) members: Vec<Entity>,
    /// The place of an entity among the members, or [`ABSENT`].
    ordinals: Table<Entity, u32>,
}

const ABSENT: u32 = u32::MAX;

impl Domain {
    fn new(members: Vec<Entity>, entities: Entities) -> Self {
        let mut ordinals = Table::filled(entities.count(), ABSENT);
        for (place, member) in members.iter().enumerate() {
            ordinals[*member] = place as u32;
        }
        Self { members, ordinals }
    }

    /// The place of an entity among the members.
    #[inline]
    pub(crate) fn ordinal(&self, entity: Entity) -> Option<u32> {
        let ordinal = self.ordinals[entity];
        (ordinal != ABSENT).then_some(ordinal)
    }

    #[inline]
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        self.ordinals[entity] != ABSENT
    }
}

/// The domains in use, each once.
#[derive(Clone, Debug)]
pub(crate) struct Domains {
    pub(crate) entities: Entities,
    level: Option<LevelId>,
    table: Table<DomainId, Domain>,
    of_choices: FxHashMap<(Choices, bool), DomainId>,
    of_bool: Option<DomainId>,
    narrowed: FxHashMap<(DomainId, RelationId), DomainId>,
}

impl Domains {
    pub(crate) fn new(entities: Entities, level: Option<LevelId>) -> Self {
        Self {
            entities,
            level,
            table: Table::new(),
            of_choices: FxHashMap::default(),
            of_bool: None,
            narrowed: FxHashMap::default(),
        }
    }

    /// The domain of these choices in the level at hand, with nothing as its last member if wanted.
    pub(crate) fn of(&mut self, model: &Model, choices: &Choices, nothing: bool) -> DomainId {
        if let Some(id) = self.of_choices.get(&(choices.clone(), nothing)) {
            return *id;
        }
        let values = model.values_of(choices, self.level);
        let mut members: Vec<Entity> = values.into_iter().filter_map(|value| self.entities.of(value)).collect();
        if nothing {
            members.push(self.entities.nothing());
        }
        let id = self.table.push(Domain::new(members, self.entities));
        self.of_choices.insert((choices.clone(), nothing), id);
        id
    }

    /// No, yes and nothing.
    pub(crate) fn of_bool(&mut self) -> DomainId {
        let entities = self.entities;
        let table = &mut self.table;
        *self.of_bool.get_or_insert_with(|| {
            table.push(Domain::new(vec![entities.no(), entities.yes(), entities.nothing()], entities))
        })
    }

    /// A domain of its own for a listed set.
    pub(crate) fn listed(&mut self, members: Vec<Entity>) -> DomainId {
        let mut seen = Vec::with_capacity(members.len());
        for member in members {
            if !seen.contains(&member) {
                seen.push(member);
            }
        }
        self.table.push(Domain::new(seen, self.entities))
    }

    /// The members of a domain that are rows of a relation with one column.
    pub(crate) fn narrow(&mut self, base: DomainId, by: RelationId, rows: &Relation) -> DomainId {
        if let Some(id) = self.narrowed.get(&(base, by)) {
            return *id;
        }
        let keep = |member: &Entity| rows.find(std::slice::from_ref(member), self).is_some();
        let members = self.table[base].members.iter().copied().filter(keep).collect();
        let id = self.table.push(Domain::new(members, self.entities));
        self.narrowed.insert((base, by), id);
        id
    }

    #[inline]
    pub(crate) fn at(&self, id: DomainId) -> &Domain {
        &self.table[id]
    }

    pub(crate) fn size(&self, id: DomainId) -> usize {
        self.table[id].members.len()
    }
}
