//! Groups of facts that exclude each other, from invariants and the initial state.

use dramaturg_model::{Table, ids};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::entity::Entity;
use super::invariant::{Invariant, PartArg};
use super::relation::{RelationId, RelationKind, RowId};
use super::world::World;

ids! {
    /// A reachable fact: a row of some fluent.
    FactId,
    /// A group of facts of which at most one is true.
    GroupId,
}

/// Numbers for all rows of changing fluents.
pub(crate) struct Facts {
    bases: Table<RelationId, u32>,
    /// The relation and row of each fact.
    pub(crate) of: Table<FactId, (RelationId, RowId)>,
}

impl Facts {
    pub(crate) fn new(world: &World<'_>) -> Self {
        let mut bases = Table::new();
        let mut of: Table<FactId, (RelationId, RowId)> = Table::new();
        for (id, relation) in world.relations.iter() {
            bases.push(of.len() as u32);
            let is_fact = matches!(relation.kind, RelationKind::Flag | RelationKind::Valued) && !relation.is_static;
            if is_fact {
                for row in 0..relation.len() {
                    of.push((id, RowId(row as u32)));
                }
            }
        }
        Self { bases, of }
    }

    /// The fact of a row of a changing fluent.
    #[inline]
    pub(crate) fn id(&self, relation: RelationId, row: RowId) -> FactId {
        FactId(self.bases[relation] + row.0)
    }
}

/// All groups, and those chosen to become variables.
pub(crate) struct Groups {
    /// Every group of two facts or more.
    pub(crate) all: Table<GroupId, Vec<FactId>>,
    /// The groups a fact is in.
    pub(crate) of_fact: Table<FactId, SmallVec<[GroupId; 2]>>,
    /// Groups that become variables; no fact is in two.
    pub(crate) chosen: Vec<Vec<FactId>>,
}

impl Groups {
    /// Only what fluents with many values say themselves.
    pub(crate) fn plain(world: &World<'_>, facts: &Facts) -> Self {
        let mut groups =
            Self { all: Table::new(), of_fact: Table::filled(facts.of.len(), SmallVec::new()), chosen: Vec::new() };
        for (id, relation) in world.relations.iter() {
            if relation.kind != RelationKind::Valued || relation.is_static {
                continue;
            }
            let mut by_args: FxHashMap<&[Entity], GroupId> = FxHashMap::default();
            for (row, cells) in relation.rows() {
                let args = cells.split_last().map_or(cells, |(_, args)| args);
                let all = &mut groups.all;
                let group = *by_args.entry(args).or_insert_with(|| all.push(Vec::new()));
                all[group].push(facts.id(id, row));
                groups.of_fact[facts.id(id, row)].push(group);
            }
        }
        groups
    }

    /// Adds the groups of the invariants that are met exactly once in the initial state, and chooses those that become variables,
    /// the largest first.
    pub(crate) fn add(&mut self, world: &World<'_>, facts: &Facts, invariants: &[Invariant]) {
        let first = self.all.len();
        for invariant in invariants {
            self.instantiate(world, facts, invariant);
        }
        let mut sizes: Vec<usize> = self.all.values().skip(first).map(Vec::len).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); largest + 1];
        // The first of several equally large groups is taken first.
        for (place, size) in sizes.iter().enumerate().rev() {
            if let Some(bucket) = buckets.get_mut(*size) {
                bucket.push(place);
            }
        }
        let mut covered: Table<FactId, bool> = Table::filled(facts.of.len(), false);
        let mut size = largest;
        while size > 1 {
            let Some(place) = buckets.get_mut(size).and_then(Vec::pop) else {
                size -= 1;
                continue;
            };
            let current = sizes.get(place).copied().unwrap_or(0);
            if current != size {
                if let Some(bucket) = buckets.get_mut(current) {
                    bucket.push(place);
                }
                continue;
            }
            let group = GroupId((first + place) as u32);
            let members: Vec<FactId> = self.all[group].iter().copied().filter(|fact| !covered[*fact]).collect();
            for fact in &members {
                covered[*fact] = true;
                for other in &self.of_fact[*fact] {
                    if let Some(size) = (other.0 as usize).checked_sub(first).and_then(|place| sizes.get_mut(place)) {
                        *size = size.saturating_sub(1);
                    }
                }
            }
            self.chosen.push(members);
        }
        for group in &mut self.chosen {
            group.sort_unstable();
        }
        self.chosen.sort_unstable();
    }

    fn instantiate(&mut self, world: &World<'_>, facts: &Facts, invariant: &Invariant) {
        type Key = SmallVec<[Entity; 4]>;
        let key = |args: &[PartArg], row: &[Entity]| -> Key {
            let mut key: Key = SmallVec::from_elem(Entity(0), invariant.arity());
            for (arg, entity) in args.iter().zip(row) {
                if let PartArg::Param(param) = arg
                    && let Some(place) = key.get_mut(usize::from(*param))
                {
                    *place = *entity;
                }
            }
            key
        };
        // How many facts of each group are true at first, and its members.
        let mut weights: FxHashMap<Key, (u32, usize)> = FxHashMap::default();
        for part in &invariant.parts {
            let relation = &world.relations[part.relation];
            for (row, cells) in relation.rows() {
                if relation.marks(row).initial {
                    weights.entry(key(&part.args, cells)).or_insert((0, usize::MAX)).0 += 1;
                }
            }
        }
        let mut members: Vec<Vec<FactId>> = Vec::new();
        for part in &invariant.parts {
            let relation = &world.relations[part.relation];
            for (row, cells) in relation.rows() {
                if let Some((1, place)) = weights.get_mut(&key(&part.args, cells)) {
                    if *place == usize::MAX {
                        *place = members.len();
                        members.push(Vec::new());
                    }
                    if let Some(group) = members.get_mut(*place) {
                        group.push(facts.id(part.relation, row));
                    }
                }
            }
        }
        for group in members.into_iter().filter(|group| group.len() > 1) {
            let id = self.all.next_id();
            for fact in &group {
                self.of_fact[*fact].push(id);
            }
            self.all.push(group);
        }
    }
}
