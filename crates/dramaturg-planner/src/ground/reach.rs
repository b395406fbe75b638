//! What can happen at all: from the given state forward, with nothing ever made false again.

use std::collections::VecDeque;

use dramaturg_model::{Args, Evaluator, Set, Table, Value};
use smallvec::SmallVec;

use super::entity::Entity;
use super::join::{JoinPlan, Scratch};
use super::options::Meter;
use super::relation::{Marks, RelationId, RelationKind};
use super::relaxed::{Possible, Relaxed};
use super::schema::{Atom, General, Head, NewValue, Schema, SchemaId, Source, Term};
use super::world::{World, product};

/// The plans of one schema.
struct Plans {
    /// For each atom that can get new rows: its place and the plan from it.
    triggers: Vec<(usize, JoinPlan)>,
    /// From nothing, if no atom can get new rows.
    start: Option<JoinPlan>,
}

/// Reaches a fixed point: relations filled with all that can hold, instances with all that can happen.
pub(crate) struct Reach<'r, 'm> {
    world: &'r mut World<'m>,
    schemas: &'r Table<SchemaId, Schema<'m>>,
    meter: &'r mut Meter,
    /// Relations with rows that are not joined yet.
    dirty: VecDeque<RelationId>,
    /// Bindings whose tests failed so far.
    pending: Table<SchemaId, Vec<Entity>>,
    /// Bindings of schemas with general heads, looked at again in every round.
    general: Table<SchemaId, Vec<Entity>>,
    operators: usize,
    facts: usize,
    changed: bool,
}

impl<'r, 'm> Reach<'r, 'm> {
    pub(crate) fn run(world: &'r mut World<'m>, schemas: &'r Table<SchemaId, Schema<'m>>, meter: &'r mut Meter) {
        let plans: Table<SchemaId, Plans> = schemas.values().map(|schema| plan(schema, world)).collect();
        let mut users: Table<RelationId, Vec<(SchemaId, usize)>> = Table::filled(world.relations.len(), Vec::new());
        for (id, plans) in plans.iter() {
            for (place, (atom, _)) in plans.triggers.iter().enumerate() {
                if let Some(atom) = schemas[id].body.get(*atom) {
                    users[atom.relation].push((id, place));
                }
            }
        }
        let mut reach = Reach {
            world,
            schemas,
            meter,
            dirty: VecDeque::new(),
            pending: Table::filled(schemas.len(), Vec::new()),
            general: Table::filled(schemas.len(), Vec::new()),
            operators: 0,
            facts: 0,
            changed: false,
        };
        reach.begin();
        let mut scratch = Scratch::default();
        for (id, schema) in schemas.iter() {
            if let Some(plan) = &plans[id].start {
                plan.run(None, schema, &mut scratch, reach.world, reach.meter);
                reach.take(id, &mut scratch, true);
            }
        }
        loop {
            while let Some(relation) = reach.dirty.pop_front() {
                let users = &users[relation];
                while let Some(row) = reach.world.relations[relation].process_next(&reach.world.domains) {
                    for (schema, place) in users {
                        let Some((_, plan)) = plans[*schema].triggers.get(*place) else { continue };
                        let row = Some((relation, row));
                        plan.run(row, &schemas[*schema], &mut scratch, reach.world, reach.meter);
                        reach.take(*schema, &mut scratch, true);
                    }
                    if reach.meter.is_stopped() {
                        return;
                    }
                }
            }
            if !reach.again() {
                break;
            }
        }
    }

    /// Puts static rows into their indexes and queues the others.
    fn begin(&mut self) {
        for id in self.world.relations.ids() {
            let relation = &mut self.world.relations[id];
            if relation.is_static {
                while relation.process_next(&self.world.domains).is_some() {}
            } else if relation.len() > 0 {
                self.facts += relation.len();
                self.dirty.push_back(id);
            }
        }
        self.meter.allows_facts(self.facts);
    }

    /// Looks again at everything that waited for more to be possible; whether that gave anything.
    fn again(&mut self) -> bool {
        self.changed = false;
        let mut scratch = Scratch::default();
        for id in self.schemas.ids() {
            let waiting = std::mem::take(&mut self.pending[id]);
            if !waiting.is_empty() {
                scratch.found = waiting;
                self.take(id, &mut scratch, false);
            }
            let fired = std::mem::take(&mut self.general[id]);
            for binding in fired.chunks(self.schemas[id].slots.len().max(1)) {
                self.general_heads(id, binding.get(..self.schemas[id].slots.len()).unwrap_or(&[]));
                if self.meter.is_stopped() {
                    return false;
                }
            }
            let mut kept = fired;
            kept.append(&mut self.general[id]);
            self.general[id] = kept;
        }
        (self.changed || !self.dirty.is_empty()) && !self.meter.is_stopped()
    }

    /// Takes the bindings that a join found: those whose tests hold fire, the others wait.
    fn take(&mut self, id: SchemaId, scratch: &mut Scratch, fresh: bool) {
        let schema = &self.schemas[id];
        let width = schema.slots.len();
        let found = std::mem::take(&mut scratch.found);
        for binding in found.chunks(width.max(1)) {
            self.take_one(id, binding.get(..width).unwrap_or(&[]), fresh);
            if self.meter.is_stopped() {
                break;
            }
        }
        scratch.found = found;
        scratch.found.clear();
    }

    fn take_one(&mut self, id: SchemaId, binding: &[Entity], fresh: bool) {
        let schema = &self.schemas[id];
        if !schema.fixed.is_empty() || !schema.tests.is_empty() {
            let values = self.values(binding);
            if fresh {
                let mut evaluator = Evaluator::with(self.world.model, self.world.state, &values);
                if schema.fixed.iter().any(|(expr, sign)| evaluator.holds(expr) != *sign) {
                    return;
                }
            }
            let mut relaxed = Relaxed::new(self.world, &values, self.meter.left());
            let passes = schema.tests.iter().all(|(expr, sign)| {
                let chance = relaxed.chance(expr);
                if *sign { chance.hold } else { chance.fail }
            });
            let work = relaxed.work;
            self.meter.spend(work);
            if !passes {
                self.wait(id, binding);
                return;
            }
        }
        self.fire(id, binding);
    }

    fn wait(&mut self, id: SchemaId, binding: &[Entity]) {
        if binding.is_empty() {
            self.pending[id].push(Entity(0));
        } else {
            self.pending[id].extend_from_slice(binding);
        }
    }

    fn values(&self, binding: &[Entity]) -> SmallVec<[Value; 8]> {
        binding.iter().map(|entity| self.world.entities.value(*entity)).collect()
    }

    fn fire(&mut self, id: SchemaId, binding: &[Entity]) {
        let schema = &self.schemas[id];
        self.changed = true;
        if let Some(instances) = schema.instances {
            let relation = &mut self.world.relations[instances];
            let row = relation.append(binding);
            if row.0 == relation.processed {
                self.dirty.push_back(instances);
            }
            if matches!(schema.source, Source::Action(_) | Source::Rule(_)) {
                self.operators += 1;
                self.meter.allows_operators(self.operators);
            }
        }
        let mut has_general = false;
        for head in &schema.heads {
            match head {
                Head::Add(atom) => {
                    let tuple = tuple(atom, binding);
                    self.add(atom.relation, &tuple);
                }
                Head::Delete(atom) => {
                    let tuple = tuple(atom, binding);
                    self.delete(atom.relation, &tuple);
                }
                Head::General(_) => has_general = true,
            }
        }
        if has_general {
            if binding.is_empty() {
                self.general[id].push(Entity(0));
            } else {
                self.general[id].extend_from_slice(binding);
            }
            self.general_heads(id, binding);
        }
    }

    fn add(&mut self, id: RelationId, tuple: &[Entity]) {
        let relation = &mut self.world.relations[id];
        if let Some(row) = relation.insert(tuple, Marks::default(), &self.world.domains) {
            self.changed = true;
            self.facts += 1;
            self.meter.allows_facts(self.facts);
            if row.0 == relation.processed {
                self.dirty.push_back(id);
            }
        }
    }

    fn delete(&mut self, id: RelationId, tuple: &[Entity]) {
        let relation = &mut self.world.relations[id];
        if let Some(row) = relation.find(tuple, &self.world.domains) {
            let marks = relation.marks_mut(row);
            self.changed |= marks.initial && !marks.deleted;
            marks.deleted = true;
        }
    }

    /// Concludes what the general heads of a schema can come to now.
    fn general_heads(&mut self, id: SchemaId, binding: &[Entity]) {
        let values = self.values(binding);
        for head in &self.schemas[id].heads {
            if let Head::General(general) = head {
                self.general_head(general, &values);
            }
        }
    }

    fn general_head(&mut self, general: &General<'m>, values: &[Value]) {
        let Some(id) = self.world.of_fluent[general.target.fluent] else { return };
        let mut writes: Vec<(Option<Vec<Args>>, Possible)> = Vec::new();
        let mut relaxed = Relaxed::new(self.world, values, self.meter.left());
        relaxed.for_each(general.binders, &mut |scope| {
            if general.condition.is_some_and(|condition| !scope.chance(condition).hold) {
                return;
            }
            let targets = scope.tuples(&general.target.args);
            let value = match general.value {
                NewValue::Expr(expr) => scope.possible(expr),
                NewValue::Random(Set::Among(members)) => {
                    let mut all = Possible::default();
                    for member in members {
                        let one = scope.possible(member);
                        all.anything |= one.anything;
                        all.values.extend(one.values);
                    }
                    all
                }
                NewValue::Random(_) | NewValue::Any => Possible { anything: true, values: SmallVec::new() },
            };
            writes.push((targets, value));
        });
        let work = relaxed.work;
        self.meter.spend(work);
        for (targets, value) in writes {
            self.write(id, targets, &value);
        }
    }

    /// Makes values possible for some arguments (none: for all).
    fn write(&mut self, id: RelationId, targets: Option<Vec<Args>>, value: &Possible) {
        let kind = self.world.relations[id].kind;
        let columns = self.world.relations[id].columns.clone();
        let arity = if kind == RelationKind::Valued { columns.len().saturating_sub(1) } else { columns.len() };
        let tuples: Vec<SmallVec<[Entity; 8]>> = match targets {
            Some(targets) => {
                let entities = self.world.entities;
                targets.iter().map(|args| args.iter().filter_map(|arg| entities.of(*arg)).collect()).collect()
            }
            None => {
                let sets: Vec<&[Entity]> =
                    columns.iter().take(arity).map(|id| self.world.domains.at(*id).members.as_slice()).collect();
                product(&sets).take(1 << 20).collect()
            }
        };
        let mut possible: Vec<Entity> = match (value.anything, columns.last()) {
            (true, Some(column)) if kind == RelationKind::Valued => self.world.domains.at(*column).members.clone(),
            _ => value.values.iter().filter_map(|value| self.world.entities.of(*value)).collect(),
        };
        // Nothing is never written: an effect without a value changes nothing.
        possible.retain(|value| *value != self.world.entities.nothing());
        let (yes, no) = (self.world.entities.yes(), self.world.entities.no());
        for mut tuple in tuples.into_iter().filter(|tuple| tuple.len() == arity) {
            if !self.meter.spend(1) {
                return;
            }
            match kind {
                RelationKind::Number => self.add(id, &tuple),
                RelationKind::Flag => {
                    if value.anything || possible.contains(&yes) {
                        self.add(id, &tuple);
                    }
                    if value.anything || possible.contains(&no) {
                        self.delete(id, &tuple);
                    }
                }
                RelationKind::Valued => {
                    for value in &possible {
                        tuple.push(*value);
                        self.add(id, &tuple);
                        tuple.pop();
                    }
                }
                RelationKind::Instance => {}
            }
        }
    }
}

#[inline]
fn tuple(atom: &Atom, binding: &[Entity]) -> SmallVec<[Entity; 8]> {
    atom.terms.iter().map(|term| resolve(*term, binding)).collect()
}

/// The entity that a term stands for.
#[inline]
pub(crate) fn resolve(term: Term, binding: &[Entity]) -> Entity {
    match term {
        Term::Entity(entity) => entity,
        Term::Slot(slot) => binding.get(slot.0 as usize).copied().unwrap_or(Entity(0)),
    }
}

fn plan(schema: &Schema<'_>, world: &mut World<'_>) -> Plans {
    if schema.impossible {
        return Plans { triggers: Vec::new(), start: None };
    }
    let changing: Vec<usize> = schema
        .body
        .iter()
        .enumerate()
        .filter(|(_, atom)| !world.relations[atom.relation].is_static)
        .map(|(place, _)| place)
        .collect();
    if changing.is_empty() {
        return Plans { triggers: Vec::new(), start: Some(JoinPlan::new(schema, None, world)) };
    }
    let triggers = changing.into_iter().map(|place| (place, JoinPlan::new(schema, Some(place), world))).collect();
    Plans { triggers, start: None }
}
