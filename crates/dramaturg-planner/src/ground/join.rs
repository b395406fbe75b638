//! Joins: in which order the atoms of a schema are looked up once one of them has a new row, and the looking up.

use dramaturg_model::{Id, Table, ids};
use smallvec::SmallVec;

use super::entity::{DomainId, Domains, Entity};
use super::options::Meter;
use super::relation::{Relation, RelationId, RelationKind, RowId, RowIndexId};
use super::schema::{Atom, Constraint, Schema, Slot, Term};
use super::world::World;

ids! {
    /// A step of a join plan.
    StepId,
}

/// The order in which a schema's variables are found.
pub(crate) struct JoinPlan {
    /// How the triggering row binds variables; none when the plan starts from nothing.
    trigger: Option<Unify>,
    /// Checked once the trigger is bound.
    constraints: SmallVec<[Constraint; 2]>,
    steps: Table<StepId, Step>,
}

struct Step {
    lookup: Lookup,
    /// Checked as soon as the step has bound its variables.
    constraints: SmallVec<[Constraint; 2]>,
}

enum Lookup {
    /// All terms are known: is the row there?
    Check { atom: Atom, excluded: bool },
    /// Rows with these columns equal to known terms.
    Scan { relation: RelationId, index: RowIndexId, key: SmallVec<[Term; 4]>, unify: Unify, excluded: bool },
    /// All rows.
    All { relation: RelationId, unify: Unify, excluded: bool },
    /// All members of a variable's domain.
    Each { slot: Slot },
}

/// How a row binds variables.
#[derive(Default)]
struct Unify {
    /// The variable, its column, and whether the column may hold what the variable must not be.
    binds: SmallVec<[(Slot, u16, bool); 4]>,
    /// What a column must equal.
    matches: SmallVec<[(u16, Term); 2]>,
}

impl JoinPlan {
    /// Plans the join of a schema after a new row for one of its atoms, or from nothing.
    pub(crate) fn new(schema: &Schema<'_>, trigger: Option<usize>, world: &mut World<'_>) -> Self {
        let mut bound: Table<Slot, bool> = Table::filled(schema.slots.len(), false);
        let mut waiting: Vec<Constraint> = schema.constraints.clone();
        let mut left: Vec<usize> = (0..schema.body.len()).filter(|atom| Some(*atom) != trigger).collect();
        let trigger_atom = trigger.and_then(|trigger| schema.body.get(trigger));
        let unify = trigger_atom.map(|atom| unify(atom, schema, &mut bound, world, true));
        let constraints = ready(&mut waiting, &bound);
        let mut steps = Table::new();
        loop {
            let best = left.iter().enumerate().filter_map(|(place, atom)| {
                let atom = schema.body.get(*atom)?;
                Some((estimate(atom, schema, &bound, world), place))
            });
            let best = best.min();
            let unbound = schema.slots.iter().filter(|(slot, _)| !bound[*slot]);
            // Variables that no atom mentions are enumerated last, the smallest domain first.
            let free = unbound
                .filter(|(slot, _)| {
                    !left.iter().filter_map(|atom| schema.body.get(*atom)).any(|atom| mentions(atom, *slot))
                })
                .map(|(slot, domain)| (world.domains.size(*domain), slot))
                .min();
            let lookup = match (best, free) {
                (Some((cost, place)), free) if free.is_none_or(|(size, _)| cost <= size as u64 * 4) => {
                    let atom_place = left.remove(place);
                    let Some(atom) = schema.body.get(atom_place) else { break };
                    // Rows that arrive together would be joined twice; the earlier atom leaves the new row to the later one.
                    let same = trigger_atom.is_some_and(|trigger| trigger.relation == atom.relation);
                    let excluded = same && trigger.is_some_and(|trigger| atom_place < trigger);
                    lookup(atom, schema, &mut bound, world, excluded)
                }
                (_, Some((_, slot))) => {
                    bound[slot] = true;
                    Lookup::Each { slot }
                }
                (_, None) => break,
            };
            steps.push(Step { lookup, constraints: ready(&mut waiting, &bound) });
        }
        Self { trigger: unify, constraints, steps }
    }

    /// Appends to `found` the bindings of all variables that the join finds.
    pub(crate) fn run(
        &self,
        row: Option<(RelationId, RowId)>,
        schema: &Schema<'_>,
        scratch: &mut Scratch,
        world: &World<'_>,
        meter: &mut Meter,
    ) {
        let Scratch { bindings, cursors, found } = scratch;
        bindings.clear();
        bindings.extend(std::iter::repeat_n(Entity(0), schema.slots.len()));
        let mut bindings = Bindings(bindings);
        let domains = &world.domains;
        let trigger_row = row.map(|(_, row)| row);
        if let (Some((relation, row)), Some(unify)) = (row, &self.trigger)
            && !unify.apply(world.relations[relation].row(row), &mut bindings, schema, domains)
        {
            return;
        }
        if !bindings.all_hold(&self.constraints) {
            return;
        }
        if self.steps.is_empty() {
            bindings.save(found);
            return;
        }
        cursors.clear();
        cursors.resize(self.steps.len(), Cursor::Fresh);
        let mut depth = 0usize;
        let mut work = 0u64;
        // A plain loop with a cursor for each step: the depth follows the story's text, not the stack.
        while let (Some(step), Some(cursor)) = (self.steps.try_at(StepId::from_index(depth)), cursors.get_mut(depth)) {
            work += 1;
            if step.advance(cursor, &mut bindings, schema, world, trigger_row) {
                if !bindings.all_hold(&step.constraints) {
                    continue;
                }
                if depth + 1 == self.steps.len() {
                    bindings.save(found);
                    if work > 4096 {
                        if !meter.spend(work) {
                            return;
                        }
                        work = 0;
                    }
                } else {
                    depth += 1;
                    if let Some(cursor) = cursors.get_mut(depth) {
                        *cursor = Cursor::Fresh;
                    }
                }
            } else if depth == 0 {
                break;
            } else {
                depth -= 1;
            }
            if work > 65_536 {
                if !meter.spend(work) {
                    return;
                }
                work = 0;
            }
        }
        meter.spend(work);
    }
}

/// Memory that joins use again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    bindings: Vec<Entity>,
    cursors: Vec<Cursor>,
    /// Complete bindings, one after another.
    pub(crate) found: Vec<Entity>,
}

#[derive(Clone, Copy)]
enum Cursor {
    Fresh,
    /// The row to look at next.
    Row(RowId),
    /// The place to look at next.
    Place(u32),
    Done,
}

struct Bindings<'a>(&'a mut Vec<Entity>);

impl Bindings<'_> {
    /// Appends the binding; that of no variables takes one place too, so that it is counted.
    #[inline]
    fn save(&self, found: &mut Vec<Entity>) {
        if self.0.is_empty() {
            found.push(Entity(0));
        } else {
            found.extend_from_slice(self.0);
        }
    }

    #[inline]
    fn get(&self, term: Term) -> Entity {
        match term {
            Term::Entity(entity) => entity,
            Term::Slot(slot) => self.0.get(slot.index()).copied().unwrap_or(Entity(0)),
        }
    }

    #[inline]
    fn set(&mut self, slot: Slot, entity: Entity) {
        if let Some(place) = self.0.get_mut(slot.index()) {
            *place = entity;
        }
    }

    #[inline]
    fn all_hold(&self, constraints: &[Constraint]) -> bool {
        constraints
            .iter()
            .all(|constraint| (self.get(constraint.left) == self.get(constraint.right)) == constraint.equal)
    }
}

impl Step {
    /// Moves to the next match; false when there is none.
    #[inline]
    fn advance(
        &self,
        cursor: &mut Cursor,
        bindings: &mut Bindings<'_>,
        schema: &Schema<'_>,
        world: &World<'_>,
        trigger: Option<RowId>,
    ) -> bool {
        let domains = &world.domains;
        match &self.lookup {
            Lookup::Check { atom, excluded } => {
                if matches!(cursor, Cursor::Done) {
                    return false;
                }
                *cursor = Cursor::Done;
                let relation = &world.relations[atom.relation];
                relation
                    .find_cells(atom.terms.iter().map(|term| bindings.get(*term)), domains)
                    .is_some_and(|row| row.0 < relation.processed && !(*excluded && Some(row) == trigger))
            }
            Lookup::Scan { relation, index, key, unify, excluded } => {
                let relation = &world.relations[*relation];
                let mut next = match cursor {
                    Cursor::Fresh => relation.first(*index, key.iter().map(|term| bindings.get(*term)), domains),
                    Cursor::Row(row) => Some(*row),
                    Cursor::Place(_) | Cursor::Done => None,
                };
                while let Some(row) = next {
                    next = relation.next(*index, row);
                    if *excluded && Some(row) == trigger {
                        continue;
                    }
                    if unify.apply(relation.row(row), bindings, schema, domains) {
                        *cursor = next.map_or(Cursor::Done, Cursor::Row);
                        return true;
                    }
                }
                *cursor = Cursor::Done;
                false
            }
            Lookup::All { relation, unify, excluded } => {
                let relation = &world.relations[*relation];
                let mut place = match cursor {
                    Cursor::Fresh => 0,
                    Cursor::Place(place) => *place,
                    Cursor::Row(_) | Cursor::Done => return false,
                };
                while place < relation.processed {
                    let row = RowId(place);
                    place += 1;
                    if *excluded && Some(row) == trigger {
                        continue;
                    }
                    if unify.apply(relation.row(row), bindings, schema, domains) {
                        *cursor = Cursor::Place(place);
                        return true;
                    }
                }
                *cursor = Cursor::Done;
                false
            }
            Lookup::Each { slot } => {
                let place = match cursor {
                    Cursor::Fresh => 0,
                    Cursor::Place(place) => *place,
                    Cursor::Row(_) | Cursor::Done => return false,
                };
                match domains.at(schema.slots[*slot]).members.get(place as usize) {
                    Some(member) => {
                        bindings.set(*slot, *member);
                        *cursor = Cursor::Place(place + 1);
                        true
                    }
                    None => {
                        *cursor = Cursor::Done;
                        false
                    }
                }
            }
        }
    }
}

impl Unify {
    #[inline]
    fn apply(&self, row: &[Entity], bindings: &mut Bindings<'_>, schema: &Schema<'_>, domains: &Domains) -> bool {
        for (slot, column, check) in &self.binds {
            let Some(entity) = row.get(usize::from(*column)) else { return false };
            if *check && !domains.at(schema.slots[*slot]).contains(*entity) {
                return false;
            }
            bindings.set(*slot, *entity);
        }
        self.matches.iter().all(|(column, term)| row.get(usize::from(*column)) == Some(&bindings.get(*term)))
    }
}

fn mentions(atom: &Atom, slot: Slot) -> bool {
    atom.terms.contains(&Term::Slot(slot))
}

fn is_bound(term: Term, bound: &Table<Slot, bool>) -> bool {
    match term {
        Term::Entity(_) => true,
        Term::Slot(slot) => bound[slot],
    }
}

/// Takes out the constraints whose terms are all bound.
fn ready(waiting: &mut Vec<Constraint>, bound: &Table<Slot, bool>) -> SmallVec<[Constraint; 2]> {
    let is_ready = |constraint: &Constraint| is_bound(constraint.left, bound) && is_bound(constraint.right, bound);
    let now = waiting.iter().filter(|constraint| is_ready(constraint)).copied().collect();
    waiting.retain(|constraint| !is_ready(constraint));
    now
}

/// How a row of an atom binds what is not yet bound; `all` also checks domains and bound columns, which an index has done.
fn unify(atom: &Atom, schema: &Schema<'_>, bound: &mut Table<Slot, bool>, world: &World<'_>, all: bool) -> Unify {
    let mut unify = Unify::default();
    let before = bound.clone();
    for (column, term) in atom.terms.iter().enumerate() {
        let column_id = column as u16;
        match term {
            Term::Slot(slot) if !bound[*slot] => {
                bound[*slot] = true;
                let domain = world.relations[atom.relation].columns.get(column);
                let check = all && domain != Some(&schema.slots[*slot]);
                unify.binds.push((*slot, column_id, check));
            }
            Term::Slot(slot) if before[*slot] && !all => {}
            Term::Entity(_) if !all => {}
            term => unify.matches.push((column_id, *term)),
        }
    }
    unify
}

fn lookup(
    atom: &Atom,
    schema: &Schema<'_>,
    bound: &mut Table<Slot, bool>,
    world: &mut World<'_>,
    excluded: bool,
) -> Lookup {
    let known = atom.terms.iter().enumerate().filter(|(_, term)| is_bound(**term, bound));
    let columns: SmallVec<[u16; 4]> = known.map(|(column, _)| column as u16).collect();
    let is_instance = world.relations[atom.relation].kind == RelationKind::Instance;
    if columns.len() == atom.terms.len() && !is_instance {
        return Lookup::Check { atom: atom.clone(), excluded };
    }
    let relation = atom.relation;
    if columns.is_empty() || !world.relations[relation].can_index(&columns, &world.domains) {
        return Lookup::All { relation, unify: unify(atom, schema, bound, world, true), excluded };
    }
    let key = atom.terms.iter().filter(|term| is_bound(**term, bound)).copied().collect();
    let mut filters: SmallVec<[(u16, DomainId); 2]> = SmallVec::new();
    for (column, term) in atom.terms.iter().enumerate() {
        if let Term::Slot(slot) = term
            && !bound[*slot]
            && world.relations[relation].columns.get(column) != Some(&schema.slots[*slot])
        {
            filters.push((column as u16, schema.slots[*slot]));
        }
    }
    let index = world.relations[relation].index_on(&columns, &filters, &world.domains);
    Lookup::Scan { relation, index, key, unify: unify(atom, schema, bound, world, false), excluded }
}

/// About how many rows of an atom match what is bound, in quarters.
fn estimate(atom: &Atom, schema: &Schema<'_>, bound: &Table<Slot, bool>, world: &World<'_>) -> u64 {
    let relation: &Relation = &world.relations[atom.relation];
    let free = atom.terms.iter().enumerate().filter(|(_, term)| !is_bound(**term, bound));
    let mut open = 1u64;
    let mut any = false;
    for (_, term) in free {
        any = true;
        if let Term::Slot(slot) = term {
            open = open.saturating_mul(world.domains.size(schema.slots[*slot]) as u64);
        }
    }
    if !any {
        return 0;
    }
    let known = atom.terms.iter().enumerate().filter(|(_, term)| is_bound(**term, bound));
    if relation.is_static {
        let mut keys = 1u64;
        for (column, _) in known {
            let size = relation.columns.get(column).map_or(1, |column| world.domains.size(*column));
            keys = keys.saturating_mul(size.max(1) as u64);
        }
        let expected = (relation.len() as u64 * 4).div_ceil(keys);
        return expected.min(open.saturating_mul(4)).max(1);
    }
    open.saturating_mul(4)
}
