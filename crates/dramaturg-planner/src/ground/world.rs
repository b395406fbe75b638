//! The facts that grounding starts from: a relation for every fluent.

use dramaturg_model::{
    Change, Domain as FluentDomain, Effect, Expr, FluentId, FluentSource, LevelId, MethodStep, Model, State, Table,
    Value,
};
use smallvec::SmallVec;

use super::entity::{Domains, Entities, Entity};
use super::options::{Meter, Scope};
use super::relation::{Marks, Relation, RelationId, RelationKind, RowIndexId};

/// Everything that the join and the relaxed evaluation read.
pub(crate) struct World<'m> {
    pub(crate) model: &'m Model,
    pub(crate) state: &'m State,
    pub(crate) level: Option<LevelId>,
    pub(crate) entities: Entities,
    pub(crate) domains: Domains,
    pub(crate) relations: Table<RelationId, Relation>,
    /// The relation of a fluent; none for what `means` something.
    pub(crate) of_fluent: Table<FluentId, Option<RelationId>>,
    /// The index of a relation over all columns but the value.
    pub(crate) by_args: Table<RelationId, Option<RowIndexId>>,
    /// Whether the value never changes, in expressions that `means` too.
    pub(crate) is_static: Table<FluentId, bool>,
}

impl<'m> World<'m> {
    pub(crate) fn new(model: &'m Model, state: &'m State, level: Option<LevelId>) -> Self {
        let entities = Entities::new(model);
        let mut world = World {
            model,
            state,
            level,
            entities,
            domains: Domains::new(entities, level),
            relations: Table::new(),
            of_fluent: Table::filled(model.fluents.len(), None),
            by_args: Table::new(),
            is_static: static_fluents(model),
        };
        world.make_relations();
        world
    }

    fn make_relations(&mut self) {
        let irregular = self.irregular_flags();
        for (id, fluent) in self.model.fluents.iter() {
            if matches!(fluent.source, FluentSource::Means(_)) || !self.model.is_visible(fluent.level, self.level) {
                continue;
            }
            let mut columns: SmallVec<[_; 4]> =
                fluent.params.iter().map(|param| self.domains.of(self.model, &param.choices, false)).collect();
            let kind = match &fluent.domain {
                FluentDomain::Bool if irregular[id] => {
                    columns.push(self.domains.of_bool());
                    RelationKind::Valued
                }
                FluentDomain::Bool => RelationKind::Flag,
                FluentDomain::Choice(choices) => {
                    columns.push(self.domains.of(self.model, choices, true));
                    RelationKind::Valued
                }
                FluentDomain::Number(_) | FluentDomain::Int(_) | FluentDomain::Duration => RelationKind::Number,
            };
            let args: Vec<u16> = (0..fluent.params.len() as u16).collect();
            let mut relation = Relation::new(Some(id), kind, self.is_static[id], columns, &self.domains);
            let by_args = (kind == RelationKind::Valued && relation.can_index(&args, &self.domains))
                .then(|| relation.index_on(&args, &[], &self.domains));
            self.of_fluent[id] = Some(self.relations.push(relation));
            self.by_args.push(by_args);
        }
    }

    /// Yes-or-no fluents that cannot be kept as "true here, false elsewhere".
    fn irregular_flags(&self) -> Table<FluentId, bool> {
        let model = self.model;
        let mut irregular: Table<FluentId, bool> = model
            .fluents
            .values()
            .map(|fluent| fluent.domain == FluentDomain::Bool && fluent.default.is_some_and(|value| value.is_true()))
            .collect();
        for (fluent, _, value) in self.state.entries() {
            irregular[fluent] |= !matches!(value, Value::Bool(_));
        }
        let mut note = |effect: &Effect| {
            irregular[effect.target.fluent] |= !matches!(&effect.change, Change::Set(Expr::Value(Value::Bool(_))));
        };
        for_each_effect(model, &mut note);
        for fluent in model.pools.values().flat_map(|pool| &pool.anchors) {
            irregular[*fluent] = true;
        }
        irregular
    }

    /// Fills the relations with what holds in the state (or, for every state, with all that could).
    pub(crate) fn fill(&mut self, scope: Scope, meter: &mut Meter) {
        let model = self.model;
        for (fluent, args, value) in self.state.entries() {
            let Some(relation) = self.of_fluent[fluent] else { continue };
            if self.relations[relation].kind == RelationKind::Flag && value.is_true() {
                let tuple: SmallVec<[Entity; 8]> = args.iter().filter_map(|arg| self.entities.of(*arg)).collect();
                if tuple.len() == self.relations[relation].width() {
                    // What is derived may cease to hold although no effect names it.
                    let deleted = matches!(model.fluents[fluent].source, FluentSource::Derived { .. });
                    let marks = Marks { initial: true, deleted };
                    self.relations[relation].insert(&tuple, marks, &self.domains);
                }
            }
        }
        for (fluent, declared) in model.fluents.iter() {
            let Some(relation) = self.of_fluent[fluent] else { continue };
            let kind = self.relations[relation].kind;
            // Whoever does not know a value may believe any.
            let everything = (scope == Scope::Everything || model.unknown_of(fluent).is_some())
                && !self.is_static[fluent]
                && !matches!(declared.source, FluentSource::Derived { .. });
            if kind != RelationKind::Valued && !everything {
                continue;
            }
            if !self.fill_all(fluent, relation, everything, meter) {
                return;
            }
        }
    }

    /// Fills a relation tuple by tuple; false when there are too many.
    fn fill_all(&mut self, fluent: FluentId, relation: RelationId, everything: bool, meter: &mut Meter) -> bool {
        let arity = self.model.fluents[fluent].params.len();
        let kind = self.relations[relation].kind;
        let columns = self.relations[relation].columns.clone();
        let domains: Vec<&[Entity]> =
            columns.iter().take(arity).map(|column| self.domains.at(*column).members.as_slice()).collect();
        let possible: Vec<Entity> = match columns.get(arity) {
            Some(column) if everything => self.domains.at(*column).members.clone(),
            _ => Vec::new(),
        };
        for tuple in product(&domains) {
            if !meter.spend(1) || !meter.allows_facts(self.relations[relation].len()) {
                return false;
            }
            let args: SmallVec<[Value; 4]> = tuple.iter().map(|entity| self.entities.value(*entity)).collect();
            let mut row: SmallVec<[Entity; 8]> = tuple;
            let rows = &mut self.relations[relation];
            match kind {
                RelationKind::Valued => {
                    let Some(value) = self.entities.of(self.state.get(fluent, &args)) else { continue };
                    row.push(value);
                    rows.insert(&row, Marks { initial: true, deleted: false }, &self.domains);
                    for value in &possible {
                        row.pop();
                        row.push(*value);
                        rows.insert(&row, Marks::default(), &self.domains);
                    }
                }
                RelationKind::Flag => {
                    rows.insert(&row, Marks::default(), &self.domains);
                    if let Some(found) = rows.find(&row, &self.domains) {
                        rows.marks_mut(found).deleted = true;
                    }
                }
                RelationKind::Number | RelationKind::Instance => {
                    rows.insert(&row, Marks::default(), &self.domains);
                }
            }
        }
        true
    }

    /// Whether an expression always has the same value.
    pub(crate) fn is_static_expr(&self, expr: &Expr) -> bool {
        is_static_expr(expr, &self.is_static)
    }

    /// Whether an expression always has the same value and is computed at once: quantifiers are left to those who count work.
    pub(crate) fn is_quick(&self, expr: &Expr) -> bool {
        let mut quick = self.is_static_expr(expr);
        expr.walk(&mut |part| {
            quick &= match part {
                Expr::Quantified(..) => false,
                Expr::Fluent(fluent, _) => !matches!(self.model.fluents[*fluent].source, FluentSource::Means(_)),
                _ => true,
            }
        });
        quick
    }
}

fn is_static_expr(expr: &Expr, fluents: &Table<FluentId, bool>) -> bool {
    let mut result = true;
    expr.walk(&mut |part| {
        result &= match part {
            Expr::Fluent(fluent, _) => fluents[*fluent],
            Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => false,
            _ => true,
        }
    });
    result
}

/// Which fluents never change: stored ones that nothing sets, and what is computed from those alone.
fn static_fluents(model: &Model) -> Table<FluentId, bool> {
    let stays = |(id, fluent): (FluentId, &dramaturg_model::Fluent)| {
        matches!(fluent.source, FluentSource::Stored) && fluent.is_static && model.unknown_of(id).is_none()
    };
    let mut fixed: Table<FluentId, bool> = model.fluents.iter().map(stays).collect();
    // Each round settles at least one fluent, so there are no more rounds than fluents.
    for _ in model.fluents.ids() {
        let mut settled = false;
        for (id, fluent) in model.fluents.iter() {
            if let FluentSource::Means(meaning) = &fluent.source
                && !fixed[id]
                && is_static_expr(meaning, &fixed)
            {
                fixed[id] = true;
                settled = true;
            }
        }
        if !settled {
            break;
        }
    }
    fixed
}

/// Calls `visit` on every effect of the model, whoever has it.
pub(crate) fn for_each_effect<'m>(model: &'m Model, visit: &mut impl FnMut(&'m Effect)) {
    for action in model.actions.values() {
        action.effects.iter().for_each(&mut *visit);
        let expectation = action.expectation.iter();
        expectation.flat_map(|e| e.effects.iter().chain(&e.otherwise)).for_each(&mut *visit);
    }
    for rule in model.rules.values() {
        rule.effects.iter().for_each(&mut *visit);
        let expectation = rule.expectation.iter();
        expectation.flat_map(|e| e.effects.iter().chain(&e.otherwise)).for_each(&mut *visit);
    }
    for step in model.tasks.values().flat_map(|task| &task.methods).flat_map(|method| &method.steps) {
        if let MethodStep::Then(effects) = step {
            effects.iter().for_each(&mut *visit);
        }
    }
    model.milestones.values().flat_map(|milestone| &milestone.effects).for_each(&mut *visit);
    model.endings.values().flat_map(|ending| &ending.effects).for_each(&mut *visit);
}

/// All tuples with one member of each set, the last set fastest.
pub(crate) fn product<'a, T: Copy>(sets: &'a [&'a [T]]) -> impl Iterator<Item = SmallVec<[T; 8]>> + 'a {
    let mut places: SmallVec<[usize; 8]> = SmallVec::from_elem(0, sets.len());
    let mut done = sets.iter().any(|set| set.is_empty());
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let tuple = places.iter().zip(sets).filter_map(|(place, set)| set.get(*place).copied()).collect();
        done = true;
        for (place, set) in places.iter_mut().zip(sets).rev() {
            *place += 1;
            if *place < set.len() {
                done = false;
                break;
            }
            *place = 0;
        }
        Some(tuple)
    })
}
