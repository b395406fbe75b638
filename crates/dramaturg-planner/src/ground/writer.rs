//! Writes the lifted rules of a model.

use dramaturg_model::{
    Action, ActionId, Binder, Change, Comparison, ConditionTime, Contribution, Effect, EventKind, EventPattern, Expr,
    FluentRef, FluentSource, Initial, MethodStep, ObjectId, Param, PatternArg, Rule, RuleId, Table, Trigger,
};
use smallvec::SmallVec;

use super::entity::Entity;
use super::relation::{Relation, RelationId, RelationKind};
use super::world::World;

use super::schema::{
    Atom, Constraint, General, Head, NewValue, Schema, SchemaId, Slot, Source, Term, changes_early, done_terms,
};

/// Writes the schemas of a model.
pub(crate) struct SchemaWriter<'w, 'm> {
    world: &'w mut World<'m>,
    schemas: Table<SchemaId, Schema<'m>>,
    cast: Option<&'w [ObjectId]>,
}

impl<'w, 'm> SchemaWriter<'w, 'm> {
    pub(crate) fn write(world: &'w mut World<'m>, cast: Option<&'w [ObjectId]>) -> Table<SchemaId, Schema<'m>> {
        let (model, level) = (world.model, world.level);
        let mut writer = SchemaWriter { world, schemas: Table::new(), cast };
        for (id, action) in model.actions.iter().filter(|(_, a)| model.is_visible(a.level, level)) {
            writer.action(id, action);
        }
        for (id, rule) in model.rules.iter().filter(|(_, r)| model.is_visible(r.level, level)) {
            writer.rule(id, rule);
        }
        writer.derived();
        writer.story();
        writer.schemas
    }

    fn new_schema(&mut self, source: Source, params: &'m [Param]) -> Schema<'m> {
        let slots = params.iter().map(|param| self.world.domains.of(self.world.model, &param.choices, false));
        Schema {
            source,
            slots: slots.collect(),
            body: Vec::new(),
            constraints: Vec::new(),
            fixed: Vec::new(),
            tests: Vec::new(),
            heads: Vec::new(),
            instances: None,
            impossible: false,
        }
    }

    fn keep_instances(&mut self, schema: &mut Schema<'m>) {
        let columns = schema.slots.values().copied().collect();
        let id = self.world.relations.push(Relation::of_instances(columns));
        self.world.by_args.push(None);
        schema.instances = Some(id);
    }

    fn action(&mut self, id: ActionId, action: &'m Action) {
        let mut schema = self.new_schema(Source::Action(id), &action.params);
        if let (Some(cast), Some(performer)) = (self.cast, action.performer) {
            let slot = Slot(u32::from(performer));
            let own = self.world.domains.at(schema.slots[slot]);
            let members = cast.iter().map(|object| Entity(object.0)).filter(|entity| own.contains(*entity)).collect();
            schema.slots[slot] = self.world.domains.listed(members);
        }
        self.keep_instances(&mut schema);
        for timed in action.conditions.iter().filter(|timed| timed.weight.is_none()) {
            let own = timed.time != ConditionTime::Start && changes_early(action, &timed.condition, self.world);
            if !own {
                self.condition(&timed.condition, true, &mut schema);
            }
        }
        let expected = action.expectation.iter().flat_map(|e| e.effects.iter().chain(&e.otherwise));
        let effects: Vec<&'m Effect> = action.effects.iter().chain(expected).collect();
        let mut parts = Vec::new();
        for effect in effects {
            self.effect(effect, &mut schema, &mut parts);
        }
        for contribution in &action.contributions {
            self.contribution(contribution, &mut schema, &mut parts);
        }
        for target in action.reads.iter().flat_map(|reads| &reads.fluents) {
            self.any_value(target, &mut schema);
        }
        self.done(EventKind::Action(id), &action.tags, &mut schema);
        self.push(schema, parts);
    }

    fn rule(&mut self, id: RuleId, rule: &'m Rule) {
        let mut schema = self.new_schema(Source::Rule(id), &rule.params);
        self.keep_instances(&mut schema);
        match &rule.trigger {
            Trigger::When(condition, guard) => {
                self.condition(condition, true, &mut schema);
                if let Some(guard) = guard {
                    self.condition(guard, true, &mut schema);
                }
            }
            Trigger::While(condition) => self.condition(condition, true, &mut schema),
            Trigger::After(pattern, guard) => {
                self.after(pattern, &mut schema);
                if let Some(guard) = guard {
                    self.condition(guard, true, &mut schema);
                }
            }
            Trigger::Always => {}
        }
        let expected = rule.expectation.iter().flat_map(|e| e.effects.iter().chain(&e.otherwise));
        let effects: Vec<&'m Effect> = rule.effects.iter().chain(expected).collect();
        let mut parts = Vec::new();
        for effect in effects {
            self.effect(effect, &mut schema, &mut parts);
        }
        for contribution in &rule.contributions {
            self.contribution(contribution, &mut schema, &mut parts);
        }
        for target in rule.reads.iter().flat_map(|reads| &reads.fluents) {
            self.any_value(target, &mut schema);
        }
        self.done(EventKind::Rule(id), &rule.tags, &mut schema);
        self.push(schema, parts);
    }

    /// Adds a schema and, as schemas of their own, its conditional effects.
    fn push(&mut self, schema: Schema<'m>, parts: Vec<Schema<'m>>) {
        self.schemas.push(schema);
        for part in parts {
            self.schemas.push(part);
        }
    }

    /// A rule after an action needs an instance of that action.
    fn after(&mut self, pattern: &EventPattern, schema: &mut Schema<'m>) {
        let EventKind::Action(action) = pattern.kind else { return };
        let Some(relation) = self.instances_of(action) else {
            schema.impossible = true;
            return;
        };
        let Some(args) = &pattern.args else { return };
        let mut terms = SmallVec::new();
        for arg in args {
            match arg {
                PatternArg::Var(var) => terms.push(Term::Slot(Slot(u32::from(var.0)))),
                PatternArg::Is(value) => match self.world.entities.of(*value) {
                    Some(entity) => terms.push(Term::Entity(entity)),
                    None => return,
                },
                PatternArg::Any => return,
            }
        }
        if terms.len() == self.world.relations[relation].width() {
            schema.body.push(Atom { relation, terms });
        }
    }

    fn instances_of(&self, action: ActionId) -> Option<RelationId> {
        let wanted = Source::Action(action);
        self.schemas.values().find(|schema| schema.source == wanted).and_then(|schema| schema.instances)
    }

    /// Fluents made for `done X` are set by what matches X.
    fn done(&mut self, kind: EventKind, tags: &[dramaturg_model::TagId], schema: &mut Schema<'m>) {
        for (fluent, declared) in self.world.model.fluents.iter() {
            let FluentSource::Done(pattern) = &declared.source else { continue };
            let matches = pattern.kind == kind || matches!(pattern.kind, EventKind::Tag(tag) if tags.contains(&tag));
            let Some(relation) = self.world.of_fluent[fluent].filter(|_| matches) else { continue };
            if let Some(terms) = done_terms(pattern, declared.params.len()) {
                schema.heads.push(Head::Add(Atom { relation, terms }));
            }
        }
    }

    fn derived(&mut self) {
        for (fluent, declared) in self.world.model.fluents.iter() {
            let FluentSource::Derived { rules, .. } = &declared.source else { continue };
            let Some(relation) = self.world.of_fluent[fluent] else { continue };
            for rule in rules {
                let mut schema = self.new_schema(Source::Derived, &declared.params);
                let terms = schema.slots.ids().map(Term::Slot).collect();
                schema.heads.push(Head::Add(Atom { relation, terms }));
                let mut body = rule;
                // What a rule says about some object becomes a variable to be joined.
                while let Expr::Quantified(dramaturg_model::Quantifier::Any, binders, inner) = body {
                    if !self.bind(binders, &mut schema) {
                        break;
                    }
                    body = inner;
                }
                self.condition(body, true, &mut schema);
                self.schemas.push(schema);
            }
        }
    }

    /// What methods, milestones, endings and the clock may change; taken as possible at any time.
    fn story(&mut self) {
        let model = self.world.model;
        let level = self.world.level;
        for task in model.tasks.values().filter(|task| model.is_visible(task.level, level)) {
            for method in &task.methods {
                let mut schema = self.new_schema(Source::Story, &task.params);
                let mut parts = Vec::new();
                for effect in method.steps.iter().filter_map(|step| match step {
                    MethodStep::Then(effects) => Some(effects),
                    _ => None,
                }) {
                    effect.iter().for_each(|effect| self.effect_general(effect, &mut schema));
                }
                for need in &task.needs {
                    self.condition(need, true, &mut schema);
                }
                if !schema.heads.is_empty() {
                    self.push(schema, std::mem::take(&mut parts));
                }
            }
        }
        for population in model.populations.values().filter(|p| model.is_visible(p.level, level)) {
            let mut schema = self.new_schema(Source::Story, std::slice::from_ref(&population.param));
            for given in population.given.iter().filter(|given| given.at.is_some()) {
                schema.heads.push(general(given));
            }
            if !schema.heads.is_empty() {
                self.push(schema, Vec::new());
            }
        }
        let mut schema = self.new_schema(Source::Story, &[]);
        let milestones = model.milestones.values().filter(|m| model.is_visible(m.level, level));
        milestones.flat_map(|m| &m.effects).for_each(|effect| self.effect_general(effect, &mut schema));
        let endings = model.endings.values().filter(|e| model.is_visible(e.level, level));
        endings.flat_map(|e| &e.effects).for_each(|effect| self.effect_general(effect, &mut schema));
        for given in model.initial.iter().filter(|g| g.at.is_some() && model.is_visible(g.level, level)) {
            schema.heads.push(general(given));
        }
        for (fluent, declared) in model.fluents.iter() {
            // What tasks, milestones and endings have done is true from then on, for whom the pattern says.
            if let FluentSource::Done(pattern) = &declared.source
                && (!matches!(pattern.kind, EventKind::Action(_) | EventKind::Rule(_))
                    || done_terms(pattern, declared.params.len()).is_none())
                && let Some(relation) = self.world.of_fluent[fluent]
            {
                let mut done = self.new_schema(Source::Story, &declared.params);
                let terms = done.slots.ids().map(Term::Slot).collect();
                done.heads.push(Head::Add(Atom { relation, terms }));
                self.schemas.push(done);
            }
        }
        if !schema.heads.is_empty() {
            self.schemas.push(schema);
        }
    }

    fn effect_general(&mut self, effect: &'m Effect, schema: &mut Schema<'m>) {
        schema.heads.push(Head::General(General {
            binders: &effect.binders,
            condition: effect.condition.as_ref(),
            target: &effect.target,
            value: new_value(&effect.change),
        }));
    }

    fn any_value(&mut self, target: &'m FluentRef, schema: &mut Schema<'m>) {
        schema.heads.push(Head::General(General { binders: &[], condition: None, target, value: NewValue::Any }));
    }

    fn effect(&mut self, effect: &'m Effect, schema: &mut Schema<'m>, parts: &mut Vec<Schema<'m>>) {
        let value = match &effect.change {
            Change::Set(value) => NewValue::Expr(value),
            Change::Random(set) => NewValue::Random(set),
            Change::Add(_) => NewValue::Any,
        };
        let general =
            General { binders: &effect.binders, condition: effect.condition.as_ref(), target: &effect.target, value };
        self.general(general, schema, parts);
    }

    fn contribution(&mut self, part: &'m Contribution, schema: &mut Schema<'m>, parts: &mut Vec<Schema<'m>>) {
        let general = General {
            binders: &part.binders,
            condition: part.condition.as_ref(),
            target: &part.target,
            value: NewValue::Any,
        };
        self.general(general, schema, parts);
    }

    /// Adds an effect as simply as it can be said.
    fn general(&mut self, general: General<'m>, schema: &mut Schema<'m>, parts: &mut Vec<Schema<'m>>) {
        if general.binders.is_empty() && general.condition.is_none() {
            if let Some(head) = self.simple_head(general, schema) {
                schema.heads.push(head);
            } else {
                schema.heads.push(Head::General(general));
            }
            return;
        }
        let Some(instances) = schema.instances else {
            schema.heads.push(Head::General(general));
            return;
        };
        let mut part = Schema {
            source: Source::Effect,
            slots: schema.slots.clone(),
            body: Vec::new(),
            constraints: Vec::new(),
            fixed: Vec::new(),
            tests: Vec::new(),
            heads: Vec::new(),
            instances: None,
            impossible: false,
        };
        part.body.push(Atom { relation: instances, terms: schema.slots.ids().map(Term::Slot).collect() });
        if !self.bind(general.binders, &mut part) {
            schema.heads.push(Head::General(general));
            return;
        }
        if let Some(condition) = general.condition {
            self.condition(condition, true, &mut part);
        }
        let inner = General { binders: &[], condition: None, ..general };
        let head = self.simple_head(inner, &part).unwrap_or(Head::General(inner));
        part.heads.push(head);
        parts.push(part);
    }

    /// Adds the binders as variables; false if they depend on the state.
    fn bind(&mut self, binders: &'m [Binder], schema: &mut Schema<'m>) -> bool {
        for binder in binders {
            let domain = match &binder.among {
                None => self.world.domains.of(self.world.model, &binder.param.choices, false),
                Some(among) => {
                    let mut members = Vec::new();
                    for value in among {
                        match value {
                            Expr::Value(value) => members.extend(self.world.entities.of(*value)),
                            _ => return false,
                        }
                    }
                    self.world.domains.listed(members)
                }
            };
            schema.slots.push(domain);
        }
        true
    }

    fn simple_head(&mut self, general: General<'m>, schema: &Schema<'m>) -> Option<Head<'m>> {
        let relation = self.world.of_fluent[general.target.fluent]?;
        let mut terms = self.terms(&general.target.args, schema)?;
        let kind = self.world.relations[relation].kind;
        match (kind, general.value) {
            (RelationKind::Number, _) => Some(Head::Add(Atom { relation, terms })),
            (RelationKind::Flag, NewValue::Expr(Expr::Value(value))) if value.is_true() => {
                Some(Head::Add(Atom { relation, terms }))
            }
            (RelationKind::Flag, NewValue::Expr(Expr::Value(_))) => Some(Head::Delete(Atom { relation, terms })),
            (RelationKind::Valued, NewValue::Expr(value)) => {
                let value = self.term(value, schema)?;
                let is_nothing = value == Term::Entity(self.world.entities.nothing());
                terms.push(value);
                (!is_nothing).then_some(Head::Add(Atom { relation, terms }))
            }
            _ => None,
        }
    }

    fn term(&self, expr: &Expr, schema: &Schema<'m>) -> Option<Term> {
        match expr {
            Expr::Var(var) if usize::from(var.0) < schema.slots.len() => Some(Term::Slot(Slot(u32::from(var.0)))),
            Expr::Value(value) => self.world.entities.of(*value).map(Term::Entity),
            _ => None,
        }
    }

    fn terms(&self, exprs: &[Expr], schema: &Schema<'m>) -> Option<SmallVec<[Term; 4]>> {
        exprs.iter().map(|expr| self.term(expr, schema)).collect()
    }

    /// Adds a condition that must have this sign: as atoms where it can be joined, else as tests.
    fn condition(&mut self, expr: &'m Expr, sign: bool, schema: &mut Schema<'m>) {
        match (expr, sign) {
            (Expr::And(parts), true) | (Expr::Or(parts), false) => {
                parts.iter().for_each(|part| self.condition(part, sign, schema));
            }
            (Expr::Not(inner), _) => self.condition(inner, !sign, schema),
            (Expr::Value(value), _) => schema.impossible |= value.is_true() != sign,
            (Expr::Fluent(fluent, args), true) => {
                let relation = self.world.of_fluent[*fluent];
                let terms = self.terms(args, schema);
                match (relation, terms) {
                    (Some(relation), Some(terms)) if self.world.relations[relation].kind == RelationKind::Flag => {
                        self.atom(Atom { relation, terms }, schema);
                    }
                    _ => self.test(expr, sign, schema),
                }
            }
            (Expr::Compare(Comparison::Equal, left, right), true) => self.equal(expr, left, right, schema),
            (Expr::Compare(Comparison::Equal, left, right), false)
            | (Expr::Compare(Comparison::NotEqual, left, right), true) => {
                match (self.term(left, schema), self.term(right, schema)) {
                    (Some(left), Some(right)) => {
                        schema.constraints.push(Constraint { left, right, equal: false });
                        self.nothing(left, right, sign, schema);
                    }
                    _ => self.test(expr, sign, schema),
                }
            }
            _ => self.test(expr, sign, schema),
        }
    }

    /// Nothing is neither equal to nor different from anything; only literal `nothing` can be such a term.
    fn nothing(&self, left: Term, right: Term, sign: bool, schema: &mut Schema<'m>) {
        let nothing = Term::Entity(self.world.entities.nothing());
        schema.impossible |= sign && (left == nothing || right == nothing);
    }

    fn equal(&mut self, expr: &'m Expr, left: &'m Expr, right: &'m Expr, schema: &mut Schema<'m>) {
        match (self.term(left, schema), self.term(right, schema)) {
            (Some(left), Some(right)) => {
                schema.constraints.push(Constraint { left, right, equal: true });
                self.nothing(left, right, true, schema);
            }
            (None, Some(value)) => self.has_value(expr, left, value, schema),
            (Some(value), None) => self.has_value(expr, right, value, schema),
            (None, None) => self.test(expr, true, schema),
        }
    }

    fn has_value(&mut self, expr: &'m Expr, read: &'m Expr, value: Term, schema: &mut Schema<'m>) {
        let nothing = Term::Entity(self.world.entities.nothing());
        if let Expr::Fluent(fluent, args) = read
            && let Some(relation) = self.world.of_fluent[*fluent]
            && self.world.relations[relation].kind == RelationKind::Valued
            && let Some(mut terms) = self.terms(args, schema)
            && value != nothing
        {
            terms.push(value);
            self.atom(Atom { relation, terms }, schema);
        } else {
            self.test(expr, true, schema);
        }
    }

    /// Adds an atom to the body; one about a single object that never changes narrows the variable instead.
    fn atom(&mut self, atom: Atom, schema: &mut Schema<'m>) {
        let relation = &self.world.relations[atom.relation];
        match atom.terms.as_slice() {
            [Term::Slot(slot)] if relation.is_static => {
                schema.slots[*slot] = self.world.domains.narrow(schema.slots[*slot], atom.relation, relation);
            }
            _ => schema.body.push(atom),
        }
    }

    fn test(&mut self, expr: &'m Expr, sign: bool, schema: &mut Schema<'m>) {
        if self.world.is_quick(expr) {
            schema.fixed.push((expr, sign));
        } else {
            schema.tests.push((expr, sign));
        }
    }
}

/// What is given at a tick, as something that may come about.
fn general(given: &Initial) -> Head<'_> {
    Head::General(General {
        binders: &given.binders,
        condition: given.condition.as_ref(),
        target: &given.target,
        value: new_value(&given.change),
    })
}

fn new_value(change: &Change) -> NewValue<'_> {
    match change {
        Change::Set(value) => NewValue::Expr(value),
        Change::Random(set) => NewValue::Random(set),
        Change::Add(_) => NewValue::Any,
    }
}
