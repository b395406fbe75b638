//! Which variable or number stands for which fluent: the frame of a ground state.

use dramaturg_model::{Args, Domain as FluentDomain, FluentId, FluentSource, Id as _, Table, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::entity::Entity;
use super::group::{FactId, Facts, Groups};
use super::prune::Kept;
use super::relation::{RelationId, RelationKind, RowId};
use super::variable::{BitPlace, Meaning, Number, NumberId, Place, Variable, VariableId};
use super::world::World;

/// Whole numbers with at most so many values become variables.
const WHOLE_MAX: i64 = 65_536;

/// Variables, numbers and where fluents are found among them.
pub(crate) struct Places<'a, 'm> {
    pub(crate) world: &'a World<'m>,
    pub(crate) facts: &'a Facts,
    pub(crate) variables: Table<VariableId, Variable>,
    pub(crate) numbers: Table<NumberId, Number>,
    /// For each fact where it is and, for one of several values, which.
    of_fact: Table<FactId, FactPlace>,
    of_number: Table<RelationId, Table<RowId, Place>>,
}

/// Where a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactPlace {
    /// It is always true.
    Always,
    /// It is never true.
    Never,
    /// It is true when the variable has this value.
    At(VariableId, u32),
}

impl<'a, 'm> Places<'a, 'm> {
    /// Makes the variables; `emptied` says which chosen groups can have no true fact.
    pub(crate) fn new(world: &'a World<'m>, facts: &'a Facts, groups: &Groups, kept: &Kept, emptied: &[bool]) -> Self {
        let mut places = Places {
            world,
            facts,
            variables: Table::new(),
            numbers: Table::new(),
            of_fact: Table::filled(facts.of.len(), FactPlace::Never),
            of_number: Table::filled(world.relations.len(), Table::new()),
        };
        let mut grouped: Table<FactId, Option<u32>> = Table::filled(facts.of.len(), None);
        for (place, group) in groups.chosen.iter().enumerate() {
            for fact in group {
                grouped[*fact] = Some(place as u32);
            }
        }
        let mut made: Vec<bool> = vec![false; groups.chosen.len()];
        for (id, relation) in world.relations.iter() {
            match relation.kind {
                _ if relation.is_static => {}
                RelationKind::Flag => {
                    for row in (0..relation.len()).map(RowId::from_index) {
                        let fact = facts.id(id, row);
                        match grouped[fact].map(|place| place as usize) {
                            None => places.flag(fact, kept),
                            Some(place) => {
                                if let Some(made) = made.get_mut(place)
                                    && !std::mem::replace(made, true)
                                    && let Some(group) = groups.chosen.get(place)
                                {
                                    places.group(group, kept, emptied.get(place).copied().unwrap_or(true));
                                }
                            }
                        }
                    }
                }
                RelationKind::Valued => places.valued(id),
                RelationKind::Number => places.number_rows(id),
                RelationKind::Instance => {}
            }
        }
        places.lay_out();
        places
    }

    fn args(&self, cells: &[Entity]) -> Args {
        cells.iter().map(|cell| self.world.entities.value(*cell)).collect()
    }

    fn add(&mut self, meaning: Meaning, initial: u32, derived: bool) -> VariableId {
        self.variables.push(Variable { meaning, initial, derived, place: BitPlace::default() })
    }

    fn is_initial(&self, fact: FactId) -> bool {
        let (relation, row) = self.facts.of[fact];
        self.world.relations[relation].marks(row).initial
    }

    fn flag(&mut self, fact: FactId, kept: &Kept) {
        let (relation, row) = self.facts.of[fact];
        self.of_fact[fact] = match (kept.can_hold[fact], kept.can_fail[fact]) {
            (false, _) => FactPlace::Never,
            (true, false) => FactPlace::Always,
            (true, true) => {
                let relation = &self.world.relations[relation];
                let Some(fluent) = relation.fluent else { return };
                let args = self.args(relation.row(row));
                let derived = matches!(self.world.model.fluents[fluent].source, FluentSource::Derived { .. });
                let values = vec![Value::Bool(false), Value::Bool(true)];
                let initial = u32::from(relation.marks(row).initial);
                FactPlace::At(self.add(Meaning::Fluent { fluent, args, values }, initial, derived), 1)
            }
        };
    }

    fn group(&mut self, group: &[FactId], kept: &Kept, emptied: bool) {
        let possible: Vec<FactId> = group.iter().copied().filter(|fact| kept.can_hold[*fact]).collect();
        let initial = possible.iter().position(|fact| self.is_initial(*fact));
        let none = emptied || initial.is_none();
        match possible.as_slice() {
            [] => return,
            [only] => return self.flag(*only, kept),
            _ => {}
        }
        let facts = possible.iter().filter_map(|fact| {
            let (relation, row) = self.facts.of[*fact];
            let relation = &self.world.relations[relation];
            Some((relation.fluent?, self.args(relation.row(row))))
        });
        let facts: Vec<(FluentId, Args)> = facts.collect();
        let initial = initial.unwrap_or(facts.len()) as u32;
        let variable = self.add(Meaning::Group { facts, none }, initial, false);
        for (value, fact) in possible.iter().enumerate() {
            self.of_fact[*fact] = FactPlace::At(variable, value as u32);
        }
    }

    fn valued(&mut self, id: RelationId) {
        let world = self.world;
        let relation = &world.relations[id];
        let Some(fluent) = relation.fluent else { return };
        let mut by_args: FxHashMap<&[Entity], Vec<RowId>> = FxHashMap::default();
        let mut order: Vec<&[Entity]> = Vec::new();
        for (row, cells) in relation.rows() {
            let args = cells.split_last().map_or(cells, |(_, args)| args);
            by_args
                .entry(args)
                .or_insert_with(|| {
                    order.push(args);
                    Vec::new()
                })
                .push(row);
        }
        for args in order {
            let Some(rows) = by_args.get(args) else { continue };
            if let [only] = rows.as_slice() {
                self.of_fact[self.facts.id(id, *only)] = FactPlace::Always;
                continue;
            }
            let mut values: Vec<(Value, RowId)> = Vec::with_capacity(rows.len());
            for row in rows {
                if let Some(value) = relation.row(*row).last() {
                    values.push((self.world.entities.value(*value), *row));
                }
            }
            values.sort_unstable();
            let initial = values.iter().position(|(_, row)| relation.marks(*row).initial).unwrap_or(0) as u32;
            let meaning = Meaning::Fluent {
                fluent,
                args: self.args(args),
                values: values.iter().map(|(value, _)| *value).collect(),
            };
            let variable = self.add(meaning, initial, false);
            for (value, (_, row)) in values.iter().enumerate() {
                let fact = self.facts.id(id, *row);
                self.of_fact[fact] = FactPlace::At(variable, value as u32);
            }
        }
    }

    fn number_rows(&mut self, id: RelationId) {
        let relation = &self.world.relations[id];
        let Some(fluent) = relation.fluent else { return };
        let domain = &self.world.model.fluents[fluent].domain;
        let bounds = match domain {
            FluentDomain::Int(range) => range.least.zip(range.most),
            _ => None,
        };
        let few = bounds
            .map(|(least, most)| (least.floor_int(), most.floor_int()))
            .filter(|(least, most)| most.checked_sub(*least).is_some_and(|size| (0..WHOLE_MAX).contains(&size)));
        let mut places = Table::new();
        for row in (0..relation.len()).map(RowId::from_index) {
            let args = self.args(relation.row(row));
            let initial = self.world.state.get(fluent, &args);
            let place = match few {
                Some((least, most)) => {
                    let count = (most - least + 1) as u32;
                    // What has a value never loses it.
                    let nothing = initial == Value::Nothing;
                    let meaning = Meaning::Whole { fluent, args, least, count, nothing };
                    let id = self.add(meaning, 0, false);
                    let index = self.variables[id].index_of(initial).unwrap_or(0);
                    self.variables[id].initial = index;
                    Place::Variable(id)
                }
                None => {
                    let domain = domain.clone();
                    Place::Number(self.numbers.push(Number { fluent, args, domain, initial: initial.as_number() }))
                }
            };
            places.push(place);
        }
        self.of_number[id] = places;
    }

    /// Gives every variable its bits; none lies across two words.
    fn lay_out(&mut self) {
        let (mut word, mut used) = (0u32, 0u32);
        for variable in self.variables.values_mut() {
            let width = 32 - variable.size().saturating_sub(1).leading_zeros();
            let width = width.max(1);
            if used + width > 64 {
                word += 1;
                used = 0;
            }
            variable.place = BitPlace { word, shift: used as u8, width: width as u8 };
            used += width;
        }
    }

    /// Where the row of a changing flag or value is.
    #[inline]
    pub(crate) fn fact(&self, relation: RelationId, row: RowId) -> FactPlace {
        self.of_fact[self.facts.id(relation, row)]
    }

    /// Where a fluent with arguments is found.
    pub(crate) fn place(&self, fluent: FluentId, args: &[Value]) -> Place {
        let world = self.world;
        let constant = || Place::Constant(world.state.get(fluent, args));
        let declared = &world.model.fluents[fluent];
        let fits = args.iter().zip(&declared.params).all(|(arg, param)| world.model.is_among(*arg, &param.choices));
        if !fits {
            return Place::Constant(Value::Nothing);
        }
        let Some(id) = world.of_fluent[fluent] else { return constant() };
        let relation = &world.relations[id];
        if relation.is_static {
            return constant();
        }
        let tuple: Option<SmallVec<[Entity; 8]>> = args.iter().map(|arg| world.entities.of(*arg)).collect();
        let Some(tuple) = tuple else { return constant() };
        match relation.kind {
            RelationKind::Flag => match relation.find(&tuple, &world.domains).map(|row| self.fact(id, row)) {
                None | Some(FactPlace::Never) => Place::Constant(Value::Bool(false)),
                Some(FactPlace::Always) => Place::Constant(Value::Bool(true)),
                Some(FactPlace::At(variable, value)) => match self.variables[variable].meaning {
                    Meaning::Group { .. } => Place::Member(variable, value),
                    _ => Place::Variable(variable),
                },
            },
            RelationKind::Valued => {
                let first =
                    world.by_args[id].and_then(|index| relation.first(index, tuple.iter().copied(), &world.domains));
                match first.map(|row| self.fact(id, row)) {
                    Some(FactPlace::At(variable, _)) => Place::Variable(variable),
                    _ => constant(),
                }
            }
            RelationKind::Number => match relation.find(&tuple, &world.domains) {
                Some(row) => self.of_number[id][row],
                None => constant(),
            },
            RelationKind::Instance => constant(),
        }
    }
}
