//! Instances that ask for facts which exclude each other are dropped, and then what only they could reach.

use dramaturg_model::{ConditionTime, Table};
use smallvec::SmallVec;

use super::entity::{DomainId, Entity};
use super::group::{FactId, Facts, GroupId, Groups};
use super::options::Meter;
use super::reach::resolve;
use super::relation::{RelationId, RelationKind, RowId};
use super::schema::{Atom, Head, Schema, SchemaId, Source};
use super::template::{EffectKind, EffectPart, LiteralPart, Sign, Template};
use super::world::{World, product};

/// What is left.
pub(crate) struct Kept {
    /// Which instances of each template can happen.
    pub(crate) instances: Vec<Table<RowId, bool>>,
    /// Which facts can be true.
    pub(crate) can_hold: Table<FactId, bool>,
    /// Which facts can be false.
    pub(crate) can_fail: Table<FactId, bool>,
}

/// Reads the facts of instances.
pub(crate) struct FactReader<'a, 'm> {
    pub(crate) world: &'a World<'m>,
    pub(crate) facts: &'a Facts,
}

impl FactReader<'_, '_> {
    /// The row of an atom.
    #[inline]
    pub(crate) fn row(&self, atom: &Atom, binding: &[Entity]) -> Option<RowId> {
        let cells = atom.terms.iter().map(|term| resolve(*term, binding));
        self.world.relations[atom.relation].find_cells(cells, &self.world.domains)
    }

    /// The fact of an atom, if it is one that can be true and may change.
    #[inline]
    pub(crate) fn fact(&self, atom: &Atom, binding: &[Entity]) -> Option<FactId> {
        if self.world.relations[atom.relation].is_static {
            return None;
        }
        self.row(atom, binding).map(|row| self.facts.id(atom.relation, row))
    }

    /// Adds what literals ask of changing facts; false if one of them can never hold.
    fn literals(&self, literals: &[LiteralPart], binding: &[Entity], nodes: &mut Nodes) -> bool {
        let mut possible = true;
        for literal in literals {
            let holds = literal.sign == Sign::Yes;
            match self.row(&literal.atom, binding) {
                Some(row) if !self.world.relations[literal.atom.relation].is_static => {
                    nodes.push(Node { fact: self.facts.id(literal.atom.relation, row), holds });
                }
                Some(_) => possible &= holds,
                None => possible &= !holds,
            }
        }
        possible
    }
}

/// A fact that is true, or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    fact: FactId,
    holds: bool,
}

impl Node {
    const fn index(self) -> usize {
        self.fact.0 as usize * 2 + self.holds as usize
    }
}

type Nodes = SmallVec<[Node; 8]>;

/// Whether two facts that must be true exclude each other, or one must be both true and false.
fn is_contradiction(nodes: &[Node], groups: &Groups) -> bool {
    let mut taken: SmallVec<[(GroupId, FactId); 16]> = SmallVec::new();
    for node in nodes.iter().filter(|node| node.holds) {
        for group in &groups.of_fact[node.fact] {
            if taken.iter().any(|(other, fact)| other == group && *fact != node.fact) {
                return true;
            }
            taken.push((*group, node.fact));
        }
        if nodes.iter().any(|other| other.fact == node.fact && !other.holds) {
            return true;
        }
    }
    false
}

/// Drops what cannot happen.
pub(crate) fn prune<'m>(
    world: &World<'m>,
    schemas: &Table<SchemaId, Schema<'m>>,
    templates: &[Template<'m>],
    facts: &Facts,
    groups: &Groups,
    meter: &mut Meter,
) -> Kept {
    let reader = FactReader { world, facts };
    let mut kept = Kept {
        instances: Vec::new(),
        can_hold: Table::filled(facts.of.len(), true),
        can_fail: facts
            .of
            .values()
            .map(|(relation, row)| {
                let marks = world.relations[*relation].marks(*row);
                !marks.initial || marks.deleted
            })
            .collect(),
    };
    let mut dropped = false;
    for template in templates {
        let mut alive = Table::filled(world.relations[template.instances].len(), true);
        for (row, binding) in world.relations[template.instances].rows() {
            let mut nodes = Nodes::new();
            start_nodes(&reader, template, binding, &mut nodes);
            if is_contradiction(&nodes, groups) {
                alive[row] = false;
                dropped = true;
            }
        }
        meter.spend(alive.len() as u64);
        kept.instances.push(alive);
    }
    if dropped {
        again(&reader, schemas, templates, groups, &mut kept, meter);
    }
    kept
}

/// What must be true or false when an instance starts.
fn start_nodes(reader: &FactReader<'_, '_>, template: &Template<'_>, binding: &[Entity], nodes: &mut Nodes) {
    for condition in template.conditions.iter().filter(|condition| *condition.time == ConditionTime::Start) {
        reader.literals(&condition.part.literals, binding, nodes);
    }
}

/// Relations that are changed by something other than plain effects of actions; their facts stay as they are.
fn open_relations(
    world: &World<'_>,
    schemas: &Table<SchemaId, Schema<'_>>,
    templates: &[Template<'_>],
) -> Table<RelationId, bool> {
    let mut open: Table<RelationId, bool> =
        world.relations.values().map(|relation| relation.kind != RelationKind::Flag).collect();
    for schema in schemas.values().filter(|schema| !matches!(schema.source, Source::Action(_) | Source::Effect)) {
        for head in &schema.heads {
            match head {
                Head::Add(atom) | Head::Delete(atom) => open[atom.relation] = true,
                Head::General(general) => {
                    if let Some(relation) = world.of_fluent[general.target.fluent] {
                        open[relation] = true;
                    }
                }
            }
        }
    }
    for schema in schemas.values() {
        for head in &schema.heads {
            if let Head::General(general) = head
                && let Some(relation) = world.of_fluent[general.target.fluent]
            {
                open[relation] = true;
            }
        }
    }
    for template in templates {
        let is_action = matches!(template.source, Source::Action(_));
        for effect in &template.effects {
            let plain = is_action && effect.bound.is_some();
            match &effect.kind {
                EffectKind::Flag(atom, _) | EffectKind::Value(atom) => open[atom.relation] |= !plain,
                EffectKind::General(effect) => {
                    if let Some(relation) = world.of_fluent[effect.target.fluent] {
                        open[relation] = true;
                    }
                }
            }
        }
    }
    for (fluent, declared) in world.model.fluents.iter() {
        if !matches!(declared.source, dramaturg_model::FluentSource::Stored)
            && let Some(relation) = world.of_fluent[fluent]
        {
            open[relation] = true;
        }
    }
    open
}

/// A ground transition for reachability: an instance, or one conditional effect of it.
struct Transition {
    needs: u32,
    template: u32,
    row: RowId,
    /// The instance itself, not only an effect of it.
    whole: bool,
}

/// Reachability once more, from fact to fact, without the dropped instances.
fn again(
    reader: &FactReader<'_, '_>,
    schemas: &Table<SchemaId, Schema<'_>>,
    templates: &[Template<'_>],
    groups: &Groups,
    kept: &mut Kept,
    meter: &mut Meter,
) {
    let world = reader.world;
    let mut budget = meter.left();
    let open = open_relations(world, schemas, templates);
    let mut reached: Vec<bool> = Vec::with_capacity(reader.facts.of.len() * 2);
    for (relation, row) in reader.facts.of.values() {
        let initial = world.relations[*relation].marks(*row).initial;
        reached.push(open[*relation] || !initial);
        reached.push(open[*relation] || initial);
    }
    let mut transitions: Vec<Transition> = Vec::new();
    let mut gains: Vec<(u32, Node)> = Vec::new();
    let mut waits: Vec<(u32, u32)> = Vec::new();
    for (place, template) in templates.iter().enumerate() {
        let Some(alive) = kept.instances.get(place) else { continue };
        for (row, binding) in world.relations[template.instances].rows().filter(|(row, _)| alive[*row]) {
            let mut nodes = Nodes::new();
            start_nodes(reader, template, binding, &mut nodes);
            let mut add = |nodes: &Nodes, whole: bool, gains: &mut Vec<(u32, Node)>, gained: Option<Node>| {
                let id = transitions.len() as u32;
                let mut needs = 0;
                for node in nodes {
                    if !reached.get(node.index()).copied().unwrap_or(true) {
                        needs += 1;
                        waits.push((node.index() as u32, id));
                    }
                }
                transitions.push(Transition { needs, template: place as u32, row, whole });
                gains.extend(gained.map(|node| (id, node)));
                id
            };
            let own = add(&nodes, true, &mut gains, None);
            for effect in &template.effects {
                for_each_binding(reader, effect, binding, &mut budget, &mut |binding| {
                    let (atom, holds) = match &effect.kind {
                        EffectKind::Flag(atom, holds) => (atom, *holds),
                        EffectKind::Value(_) | EffectKind::General(_) => return,
                    };
                    let Some(fact) = reader.fact(atom, binding) else { return };
                    let gained = Node { fact, holds };
                    if effect.when.literals.is_empty() {
                        gains.push((own, gained));
                        return;
                    }
                    let mut needed = nodes.clone();
                    let possible = reader.literals(&effect.when.literals, binding, &mut needed);
                    if possible && !is_contradiction(&needed, groups) {
                        add(&needed, false, &mut gains, Some(gained));
                    }
                });
            }
        }
    }
    meter.spend(meter.left() - budget);
    propagate(&mut transitions, gains, waits, &mut reached);
    for transition in transitions.iter().filter(|transition| transition.whole && transition.needs > 0) {
        if let Some(alive) = kept.instances.get_mut(transition.template as usize) {
            alive[transition.row] = false;
        }
    }
    for fact in reader.facts.of.ids() {
        let at = |holds| reached.get(Node { fact, holds }.index()).copied().unwrap_or(true);
        kept.can_hold[fact] = at(true);
        kept.can_fail[fact] = at(false);
    }
}

/// Fires transitions until nothing more is reached.
fn propagate(
    transitions: &mut [Transition],
    mut gains: Vec<(u32, Node)>,
    mut waits: Vec<(u32, u32)>,
    reached: &mut [bool],
) {
    gains.sort_by_key(|(transition, _)| *transition);
    waits.sort_unstable();
    let mut ready: Vec<u32> = Vec::new();
    ready.extend(transitions.iter().enumerate().filter(|(_, t)| t.needs == 0).map(|(id, _)| id as u32));
    while let Some(id) = ready.pop() {
        let first = gains.partition_point(|(transition, _)| *transition < id);
        for (_, node) in gains.iter().skip(first).take_while(|(transition, _)| *transition == id) {
            let Some(known) = reached.get_mut(node.index()) else { continue };
            if std::mem::replace(known, true) {
                continue;
            }
            let first = waits.partition_point(|(waited, _)| (*waited as usize) < node.index());
            for (_, waiting) in waits.iter().skip(first).take_while(|(waited, _)| *waited as usize == node.index()) {
                if let Some(transition) = transitions.get_mut(*waiting as usize) {
                    transition.needs -= 1;
                    if transition.needs == 0 {
                        ready.push(*waiting);
                    }
                }
            }
        }
    }
}

/// Calls `visit` with the binding of an instance, followed by each binding of an effect's own variables for which its fixed
/// conditions hold, as long as the budget of work lasts.
pub(crate) fn for_each_binding(
    reader: &FactReader<'_, '_>,
    effect: &EffectPart<'_>,
    binding: &[Entity],
    budget: &mut u64,
    visit: &mut dyn FnMut(&[Entity]),
) {
    let Some(bound) = &effect.bound else { return };
    if effect.when.impossible {
        return;
    }
    if bound.is_empty() {
        if fixed_holds(reader, effect, binding) {
            visit(binding);
        }
        return;
    }
    let sets: SmallVec<[&[Entity]; 4]> =
        bound.iter().map(|id: &DomainId| reader.world.domains.at(*id).members.as_slice()).collect();
    let mut longer: SmallVec<[Entity; 16]> = SmallVec::from_slice(binding);
    for tuple in product(&sets) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        longer.truncate(binding.len());
        longer.extend(tuple);
        if fixed_holds(reader, effect, &longer) {
            visit(&longer);
        }
    }
}

/// Whether what never changes in an effect's condition holds.
fn fixed_holds(reader: &FactReader<'_, '_>, effect: &EffectPart<'_>, binding: &[Entity]) -> bool {
    let when = &effect.when;
    let constraints = when.constraints.iter().all(|constraint| {
        (resolve(constraint.left, binding) == resolve(constraint.right, binding)) == constraint.equal
    });
    if !constraints {
        return false;
    }
    if when.fixed.is_empty() {
        return true;
    }
    let values: SmallVec<[dramaturg_model::Value; 8]> =
        binding.iter().map(|entity| reader.world.entities.value(*entity)).collect();
    let mut evaluator = dramaturg_model::Evaluator::with(reader.world.model, reader.world.state, &values);
    when.fixed.iter().all(|(expr, sign)| evaluator.holds(expr) == *sign)
}
