//! Invariants: facts of which never more than one is true, found from the actions alone (Helmert, Concise finite-domain
//! representations for PDDL planning tasks, 2009). A candidate counts facts; it stands if no action can raise its count.
//!
//! For actions that take time a fact that is deleted at the start, where it is required, pays for one that is added at the start
//! or the end: while the action runs, the count is one lower and the debt is the action's own.

use dramaturg_model::{ConditionTime, Duration, Moment, Table};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::constraint::{Equalities, System};
use super::relation::{RelationId, RelationKind};
use super::schema::{Source, Term};
use super::template::{EffectKind, Sign, Template};
use super::world::World;

/// The most candidates looked at.
const CANDIDATES_MAX: usize = 300;

/// Where a counted part has an argument of the invariant, or counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PartArg {
    Param(u16),
    Counted,
}

/// The facts of one relation that an invariant counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    pub(crate) relation: RelationId,
    pub(crate) args: SmallVec<[PartArg; 4]>,
}

impl Part {
    fn arity(&self) -> usize {
        self.args.iter().filter(|arg| **arg != PartArg::Counted).count()
    }
}

/// For every choice of its parameters at most one of these facts is true. Parts are in ascending order, one a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Invariant {
    pub(crate) parts: Vec<Part>,
}

impl Invariant {
    pub(crate) fn part(&self, relation: RelationId) -> Option<&Part> {
        self.parts.iter().find(|part| part.relation == relation)
    }

    pub(crate) fn arity(&self) -> usize {
        self.parts.first().map_or(0, Part::arity)
    }
}

/// A term in the constraints of one check: a constant, a slot of the action, or a parameter of the invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Symbol {
    Entity(u32),
    Slot(u32),
    Param(u16),
}

/// A yes-or-no fact of an action with symbols.
#[derive(Clone, Debug)]
struct Fact {
    relation: RelationId,
    args: SmallVec<[Symbol; 4]>,
}

#[derive(Clone, Debug)]
struct SignedFact {
    fact: Fact,
    positive: bool,
    time: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Time {
    Start,
    End,
}

struct Change {
    fact: Fact,
    add: bool,
    time: Time,
    conditions: Vec<SignedFact>,
    /// Slots of its own.
    bound: std::ops::Range<u32>,
}

/// An action as the check sees it.
struct Changer {
    preconditions: Vec<SignedFact>,
    /// Slots that are equal, or different, in every instance.
    constraints: Vec<(Symbol, Symbol, bool)>,
    slots: u32,
    changes: Vec<Change>,
}

/// Finds invariants of the flags that only actions change, and simply.
pub(crate) fn find(world: &World<'_>, templates: &[Template<'_>]) -> Vec<Invariant> {
    let eligible = eligible(world, templates);
    let changers: Vec<Changer> = templates
        .iter()
        .filter(|template| matches!(template.source, Source::Action(_)))
        .map(|template| changer(world, template, &eligible))
        .collect();
    let mut queue: std::collections::VecDeque<Invariant> = std::collections::VecDeque::new();
    let mut seen: FxHashSet<Invariant> = FxHashSet::default();
    for (relation, rows) in world.relations.iter().filter(|(relation, _)| eligible[*relation]) {
        let width = rows.width();
        let all = (0..width as u16).map(PartArg::Param);
        enqueue(Invariant { parts: vec![Part { relation, args: all.collect() }] }, &mut queue, &mut seen);
        for counted in 0..width {
            let args = (0..width).map(|column| match column.cmp(&counted) {
                std::cmp::Ordering::Less => PartArg::Param(column as u16),
                std::cmp::Ordering::Equal => PartArg::Counted,
                std::cmp::Ordering::Greater => PartArg::Param(column as u16 - 1),
            });
            enqueue(Invariant { parts: vec![Part { relation, args: args.collect() }] }, &mut queue, &mut seen);
        }
    }
    let mut found = Vec::new();
    while let Some(candidate) = queue.pop_front() {
        let mut refined = Vec::new();
        if changers.iter().all(|changer| is_balanced(&candidate, changer, &mut refined)) {
            found.push(candidate);
        }
        for next in refined {
            enqueue(next, &mut queue, &mut seen);
        }
    }
    found
}

fn enqueue(candidate: Invariant, queue: &mut std::collections::VecDeque<Invariant>, seen: &mut FxHashSet<Invariant>) {
    if seen.len() < CANDIDATES_MAX && seen.insert(candidate.clone()) {
        queue.push_back(candidate);
    }
}

/// Flags that change, and only by plain effects of actions.
fn eligible(world: &World<'_>, templates: &[Template<'_>]) -> Table<RelationId, bool> {
    let mut eligible: Table<RelationId, bool> =
        world.relations.values().map(|rows| rows.kind == RelationKind::Flag && !rows.is_static).collect();
    let mut touched: Table<RelationId, bool> = Table::filled(eligible.len(), false);
    for template in templates {
        for effect in &template.effects {
            match &effect.kind {
                EffectKind::Flag(atom, _) if matches!(template.source, Source::Action(_)) && !effect.expected => {
                    touched[atom.relation] = true;
                    if effect.bound.is_none() || matches!(effect.moment, Moment::After(_)) {
                        eligible[atom.relation] = false;
                    }
                }
                EffectKind::Flag(atom, _) | EffectKind::Value(atom) => eligible[atom.relation] = false,
                EffectKind::General(effect) => {
                    if let Some(relation) = world.of_fluent[effect.target.fluent] {
                        eligible[relation] = false;
                    }
                }
            }
        }
    }
    // What anything but an action may set is not known well enough.
    let model = world.model;
    let mut exclude = |fluent| {
        if let Some(relation) = world.of_fluent[fluent] {
            eligible[relation] = false;
        }
    };
    let expectations = model.actions.values().filter_map(|action| action.expectation.as_ref());
    expectations.flat_map(|e| &e.otherwise).for_each(|effect| exclude(effect.target.fluent));
    let reads = model.actions.values().filter_map(|action| action.reads.as_ref());
    let rule_reads = model.rules.values().filter_map(|rule| rule.reads.as_ref());
    reads.chain(rule_reads).flat_map(|reads| &reads.fluents).for_each(|read| exclude(read.fluent));
    for step in model.tasks.values().flat_map(|task| &task.methods).flat_map(|method| &method.steps) {
        if let dramaturg_model::MethodStep::Then(effects) = step {
            effects.iter().for_each(|effect| exclude(effect.target.fluent));
        }
    }
    model.milestones.values().flat_map(|m| &m.effects).for_each(|effect| exclude(effect.target.fluent));
    model.endings.values().flat_map(|e| &e.effects).for_each(|effect| exclude(effect.target.fluent));
    model.timed_given().for_each(|given| exclude(given.target.fluent));
    for (fluent, declared) in model.fluents.iter() {
        if !matches!(declared.source, dramaturg_model::FluentSource::Stored) {
            exclude(fluent);
        }
    }
    for (relation, eligible) in eligible.iter_mut() {
        *eligible &= touched[relation];
    }
    eligible
}

fn symbol(term: Term) -> Symbol {
    match term {
        Term::Entity(entity) => Symbol::Entity(entity.0),
        Term::Slot(slot) => Symbol::Slot(slot.0),
    }
}

fn changer(world: &World<'_>, template: &Template<'_>, eligible: &Table<RelationId, bool>) -> Changer {
    let mut preconditions = Vec::new();
    let mut constraints = Vec::new();
    let is_instant = match template.source {
        Source::Action(action) => world.model.actions[action].duration == Duration::Instant,
        _ => false,
    };
    for condition in &template.conditions {
        let time = match condition.time {
            _ if is_instant => Time::Start,
            ConditionTime::Start => Time::Start,
            ConditionTime::Throughout | ConditionTime::End => Time::End,
            ConditionTime::After(_) => continue,
        };
        preconditions.extend(facts(&condition.part.literals, time));
        for constraint in &condition.part.constraints {
            constraints.push((symbol(constraint.left), symbol(constraint.right), constraint.equal));
        }
    }
    constraints.extend(different_slots(world, template));
    let mut slots = template.params as u32;
    let mut changes = Vec::new();
    for effect in &template.effects {
        let (EffectKind::Flag(atom, add), Some(bound)) = (&effect.kind, &effect.bound) else { continue };
        if !eligible[atom.relation] {
            continue;
        }
        // Every effect's own variables get numbers of their own; a universal effect may happen twice at once.
        let copies = if bound.is_empty() { 1 } else { 2 };
        for _ in 0..copies {
            let shift = slots - template.params as u32;
            let rename = |term: Term| match symbol(term) {
                Symbol::Slot(slot) if slot >= template.params as u32 => Symbol::Slot(slot + shift),
                other => other,
            };
            let time = if is_instant || *effect.moment == Moment::Start { Time::Start } else { Time::End };
            let fact = Fact { relation: atom.relation, args: atom.terms.iter().map(|term| rename(*term)).collect() };
            let mut conditions: Vec<SignedFact> = Vec::new();
            for literal in &effect.when.literals {
                if literal.sign == Sign::Other {
                    continue;
                }
                let args = literal.atom.terms.iter().map(|term| rename(*term)).collect();
                conditions.push(SignedFact {
                    fact: Fact { relation: literal.atom.relation, args },
                    positive: literal.sign == Sign::Yes,
                    time,
                });
            }
            // A condition that is not fully understood may only be used as a reason to add, never to delete.
            let whole = effect.when.rest.is_empty()
                && effect.when.fixed.is_empty()
                && effect.when.constraints.is_empty()
                && effect.when.literals.iter().all(|literal| literal.sign != Sign::Other);
            let end = slots + bound.len() as u32;
            if *add || whole {
                changes.push(Change { fact, add: *add, time, conditions, bound: slots..end });
            }
            slots = end;
        }
    }
    Changer { preconditions, constraints, slots, changes }
}

fn facts(literals: &[super::template::LiteralPart], time: Time) -> impl Iterator<Item = SignedFact> + '_ {
    literals.iter().filter(|literal| literal.sign != Sign::Other).map(move |literal| SignedFact {
        fact: Fact {
            relation: literal.atom.relation,
            args: literal.atom.terms.iter().map(|term| symbol(*term)).collect(),
        },
        positive: literal.sign == Sign::Yes,
        time,
    })
}

/// Pairs of parameters that differ in every instance.
fn different_slots(world: &World<'_>, template: &Template<'_>) -> Vec<(Symbol, Symbol, bool)> {
    let rows = &world.relations[template.instances];
    let mut pairs: Vec<(usize, usize)> =
        (0..template.params).flat_map(|a| (a + 1..template.params).map(move |b| (a, b))).collect();
    for (_, row) in rows.rows() {
        if pairs.is_empty() {
            break;
        }
        pairs.retain(|(a, b)| row.get(*a) != row.get(*b));
    }
    pairs.into_iter().map(|(a, b)| (Symbol::Slot(a as u32), Symbol::Slot(b as u32), false)).collect()
}

/// Whether an action cannot raise the count; if not, more candidates that might be kept.
fn is_balanced(invariant: &Invariant, changer: &Changer, refined: &mut Vec<Invariant>) -> bool {
    let counts = |change: &&Change| invariant.part(change.fact.relation).is_some();
    let adds: Vec<&Change> = changer.changes.iter().filter(|change| change.add).filter(counts).collect();
    if adds.is_empty() {
        return true;
    }
    for (place, first) in adds.iter().enumerate() {
        for second in adds.iter().skip(place + 1) {
            if is_too_heavy(invariant, changer, first, second) {
                return false;
            }
        }
    }
    for add in adds {
        let deletes = changer.changes.iter().filter(|change| !change.add).filter(counts);
        if !deletes.into_iter().any(|delete| balances(invariant, changer, add, delete)) {
            refine(invariant, changer, add, refined);
            return false;
        }
    }
    true
}

/// The equalities between the invariant's parameters and the arguments of a fact.
fn cover(invariant: &Invariant, fact: &Fact, equalities: &mut Equalities) {
    let Some(part) = invariant.part(fact.relation) else { return };
    for (arg, symbol) in part.args.iter().zip(&fact.args) {
        if let PartArg::Param(param) = arg {
            equalities.push((Symbol::Param(*param), *symbol));
        }
    }
}

/// Whether two facts could be added at once for the same parameters.
fn is_too_heavy(invariant: &Invariant, changer: &Changer, first: &Change, second: &Change) -> bool {
    let mut system = System::default();
    system.differ(&first.fact.args, &second.fact.args, first.fact.relation == second.fact.relation);
    cover(invariant, &first.fact, &mut system.equalities);
    cover(invariant, &second.fact, &mut system.equalities);
    // What is known only counts when it is known of the moment at which both are added.
    let mut literals: Vec<(&Fact, bool)> = Vec::new();
    if first.time == second.time {
        let now = |fact: &&SignedFact| fact.time == first.time;
        literals.extend(changer.preconditions.iter().filter(now).map(|fact| (&fact.fact, fact.positive)));
        literals.extend(first.conditions.iter().map(|fact| (&fact.fact, fact.positive)));
        literals.extend(second.conditions.iter().map(|fact| (&fact.fact, fact.positive)));
        literals.push((&first.fact, false));
        literals.push((&second.fact, false));
    }
    for (left, right, equal) in &changer.constraints {
        if *equal {
            system.equalities.push((*left, *right));
        } else {
            system.inequalities.push(vec![(*left, *right)]);
        }
    }
    // No fact can be required and excluded at once.
    for (positive, _) in literals.iter().filter(|(_, positive)| *positive) {
        for (negative, _) in literals.iter().filter(|(_, positive)| !*positive) {
            if positive.relation == negative.relation && !positive.args.is_empty() {
                system.differ(&positive.args, &negative.args, true);
            }
        }
    }
    system.is_solvable()
}

/// Whether a delete surely happens, for the same parameters, when a fact is added.
fn balances(invariant: &Invariant, changer: &Changer, add: &Change, delete: &Change) -> bool {
    if delete.time > add.time {
        return false;
    }
    let mut system = System::default();
    let produced: Vec<(&Fact, bool, Time)> = changer
        .preconditions
        .iter()
        .chain(&add.conditions)
        .map(|fact| (&fact.fact, fact.positive, fact.time))
        .chain(std::iter::once((&add.fact, false, add.time)))
        .collect();
    let deleted = SignedFact { fact: delete.fact.clone(), positive: true, time: delete.time };
    for needed in delete.conditions.iter().chain(std::iter::once(&deleted)) {
        let mut choices = Vec::new();
        for (fact, positive, time) in &produced {
            if fact.relation == needed.fact.relation && *positive == needed.positive && *time == needed.time {
                choices.push(needed.fact.args.iter().copied().zip(fact.args.iter().copied()).collect());
            }
        }
        if choices.is_empty() {
            return false;
        }
        system.choices.push(choices);
    }
    system.differ(&add.fact.args, &delete.fact.args, add.fact.relation == delete.fact.relation);
    let mut cover_add = Equalities::default();
    cover(invariant, &add.fact, &mut cover_add);
    // The solution must hold for all instances: it may not make parameters equal that the cover leaves free.
    let mut classes = System { equalities: cover_add.clone(), ..System::default() };
    let Some(representatives) = classes.representatives() else { return false };
    let own = (0..changer.slots).filter(|slot| {
        let bound = changer.changes.iter().find(|change| change.bound.contains(slot));
        bound.is_none_or(|change| std::ptr::eq(change, add))
    });
    let params: Vec<Symbol> = own.map(Symbol::Slot).collect();
    for (place, first) in params.iter().enumerate() {
        let representative = representatives.of(*first);
        if !matches!(representative, Symbol::Entity(_)) {
            system.not_constant.push(*first);
        }
        for second in params.iter().skip(place + 1) {
            if representative != representatives.of(*second) {
                system.inequalities.push(vec![(*first, *second)]);
            }
        }
    }
    system.equalities.extend(cover_add);
    cover(invariant, &delete.fact, &mut system.equalities);
    system.is_solvable()
}

/// Candidates that also count a fact which the action deletes, so that it pays for the added one.
fn refine(invariant: &Invariant, changer: &Changer, add: &Change, refined: &mut Vec<Invariant>) {
    let Some(part) = invariant.part(add.fact.relation) else { return };
    for delete in changer.changes.iter().filter(|change| !change.add && change.time <= add.time) {
        if invariant.part(delete.fact.relation).is_some() {
            continue;
        }
        for new in matches(part, &add.fact, &delete.fact) {
            let mut parts = invariant.parts.clone();
            parts.push(new);
            parts.sort_unstable();
            refined.push(Invariant { parts });
        }
    }
}

/// The ways in which the arguments of another fact can be the invariant's parameters, one of them counted if there is one more.
fn matches(part: &Part, own: &Fact, other: &Fact) -> Vec<Part> {
    let arity = part.arity();
    let width = other.args.len();
    if width != arity && width != arity + 1 {
        return Vec::new();
    }
    let mut own_params: Vec<(u16, Symbol)> = Vec::new();
    for (arg, symbol) in part.args.iter().zip(&own.args) {
        if let PartArg::Param(param) = arg {
            own_params.push((*param, *symbol));
        }
    }
    // Depth-first over the columns of the other fact; facts have few columns.
    let mut found = Vec::new();
    let mut stack: Vec<SmallVec<[PartArg; 4]>> = vec![SmallVec::new()];
    while let Some(args) = stack.pop() {
        let Some(symbol) = other.args.get(args.len()) else {
            found.push(Part { relation: other.relation, args });
            continue;
        };
        if width == arity + 1 && !args.contains(&PartArg::Counted) {
            let mut with = args.clone();
            with.push(PartArg::Counted);
            stack.push(with);
        }
        for (param, value) in &own_params {
            if value == symbol && !args.contains(&PartArg::Param(*param)) {
                let mut with = args.clone();
                with.push(PartArg::Param(*param));
                stack.push(with);
            }
        }
        if stack.len() > 1000 {
            break;
        }
    }
    found.retain(|part| part.arity() == arity);
    found
}
