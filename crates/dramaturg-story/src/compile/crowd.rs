//! Pools and populations: many objects from one declaration.

use dramaturg_model::{
    Action, ActionOrigin, Change, Choices, Comparison, ConditionTime, Domain, Duration, Effect, Expr, Fluent, FluentId,
    FluentRef, FluentSource, LevelId, Moment, ObjectOrigin, Owner, Param, Pool, PoolId, Population, PopulationId, Rule,
    Set, Share, Span, TimedCondition, Trigger, TypeId, Value, Var,
};
use smol_str::SmolStr;

use super::declare::{empty_action, empty_rule};
use super::effect::EffectPlace;
use super::lowering::{Attribute, Lowering};
use super::names::{Meaning, nearest};
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind, CrowdDecl};

/// How many objects one declaration may make.
const OBJECTS_MAX: i64 = 100_000;

impl Lowering {
    /// How many objects, within the limit.
    fn crowd_size(&mut self, decl: &CrowdDecl) -> i64 {
        let Some(count) = decl.count else { return 0 };
        let size = count.value.floor_int();
        if !(0..=OBJECTS_MAX).contains(&size) || !count.value.is_int() || count.unit.is_some() {
            let wanted = format!("a whole number up to {OBJECTS_MAX}");
            self.report(diagnostics::out_of_range::not_a(count.span, &wanted));
        }
        size.clamp(0, OBJECTS_MAX)
    }

    /// The one parameter that stands for a member, and its type.
    fn crowd_param(&mut self, decl: &CrowdDecl) -> Option<(Param, TypeId)> {
        let [written] = decl.params.as_slice() else {
            let name = &decl.named.name;
            self.report(diagnostics::wrong_count::one_parameter(name.span, &name.text, decl.params.len()));
            return None;
        };
        let choices = self.types_named(&written.types);
        let ty = choices.types.first().copied()?;
        if let Some(second) = written.types.get(1) {
            let report = diagnostics::wrong_type::diagnostic(second.span, "one type", "several types", Span::NONE);
            self.report(report);
        }
        Some((Param { name: written.name.text.clone(), choices: Choices::of_type(ty) }, ty))
    }

    fn crowd_objects(
        &mut self,
        decl: &CrowdDecl,
        ty: TypeId,
        level: Option<LevelId>,
        origin: ObjectOrigin,
    ) -> Vec<dramaturg_model::ObjectId> {
        let size = self.crowd_size(decl);
        let base = &decl.named.name;
        let mut objects = Vec::new();
        for number in 1..=size {
            let name = tree::Ident { text: SmolStr::from(format!("{}-{number}", base.text)), span: base.span };
            let id = self.model.objects.next_id();
            if self.declare(&name, level, Meaning::Object(id))
                && let Some(object) =
                    self.push_object(&name.text, decl.named.title.as_ref(), ty, level, (origin, false), base.span)
            {
                objects.push(object);
            }
        }
        objects
    }

    /// `anchored` and `committed` of a type, made once.
    fn pool_attribute(&mut self, ty: TypeId, name: &'static str, place: Span) -> FluentId {
        if let Some(Attribute::Fluent(fluent)) = self.member(ty, name) {
            return fluent;
        }
        let fluent = self.model.fluents.push(Fluent {
            name: SmolStr::new_static(name),
            attribute_of: Some(ty),
            params: vec![Param { name: SmolStr::new_static("self"), choices: Choices::of_type(ty) }],
            domain: Domain::Bool,
            default: Some(Value::Bool(false)),
            source: FluentSource::Stored,
            is_static: false,
            level: None,
            place,
            doc: None,
        });
        self.attributes.insert((ty, SmolStr::new_static(name)), Attribute::Fluent(fluent));
        fluent
    }

    pub(crate) fn declare_pool(&mut self, decl: &CrowdDecl, level: Option<LevelId>) {
        let name = &decl.named.name;
        let Some((param, ty)) = self.crowd_param(decl) else {
            self.missing.insert(name.text.clone());
            return;
        };
        let id = self.model.pools.next_id();
        self.declare(name, level, Meaning::Pool(id));
        let title = self.title(&name.text, decl.named.title.as_ref(), false, name.span);
        let anchored = self.pool_attribute(ty, "anchored", name.span);
        let committed = self.pool_attribute(ty, "committed", name.span);
        let made = |part: &str| SmolStr::from(format!("{}.{part}", name.text));
        let anchor = Action {
            origin: ActionOrigin::Anchor(id),
            ..empty_action(made("anchor"), vec![param.clone()], level, name.span)
        };
        let reanchor = Action {
            origin: ActionOrigin::Reanchor(id),
            ..empty_action(made("reanchor"), vec![param.clone()], level, name.span)
        };
        let anchor = self.model.actions.push(anchor);
        let reanchor = self.model.actions.push(reanchor);
        let commits = decl.body.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Commit(_)));
        let commit = commits.then(|| {
            let rule = Rule { commits: Some(id), ..empty_rule(made("commit"), vec![param.clone()], level, name.span) };
            self.model.rules.push(rule)
        });
        let objects = self.crowd_objects(decl, ty, level, ObjectOrigin::Pool(id));
        self.model.pools.push(Pool {
            name: name.text.clone(),
            title,
            param,
            ty,
            objects,
            anchors: Vec::new(),
            anchored,
            committed,
            anchor,
            reanchor,
            commit,
            level,
            place: name.span,
        });
        self.pool_of.insert(name.span, id);
    }

    /// Which attributes pools anchor; before any effect is checked, and before patterns name anchor actions.
    pub(crate) fn pool_anchors(&mut self, id: PoolId, decl: &CrowdDecl) {
        let ty = self.model.pools[id].ty;
        let mut params = vec![self.model.pools[id].param.clone()];
        let mut anchors = Vec::new();
        let paths = decl.body.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Anchors(paths) => paths.as_slice(),
            _ => &[],
        });
        let level = self.model.pools[id].level;
        for path in paths {
            let stands_for = self.model.pools[id].param.name.clone();
            if path.name.text != stands_for && self.names.find(&path.name.text, level).is_none() {
                let near = nearest(&path.name.text, std::iter::once(stands_for.as_str()));
                let wanted = format!("`{stands_for}`");
                let report = diagnostics::unknown_name::diagnostic(path.name.span, &path.name.text, &wanted, near);
                self.report(report);
                continue;
            }
            let ([attribute], None, true) = (path.attributes.as_slice(), &path.arguments, path.name.text == stands_for)
            else {
                let wanted = format!("an attribute of `{stands_for}`");
                self.report(diagnostics::wrong_type::diagnostic(path.span, &wanted, "something else", Span::NONE));
                continue;
            };
            let Some(Attribute::Fluent(fluent)) = self.attribute(&Choices::of_type(ty), attribute) else { continue };
            let declared = &self.model.fluents[fluent];
            let Domain::Choice(choices) = &declared.domain else {
                let (found, place) = (Ty::of_domain(&declared.domain).describe(&self.model), declared.place);
                let report =
                    diagnostics::wrong_type::declared(path.span, "a choice of objects or names", &found, place);
                self.report(report);
                continue;
            };
            params.push(Param { name: attribute.text.clone(), choices: choices.clone() });
            anchors.push(fluent);
            self.anchored_by.insert(fluent, (id, path.span));
        }
        let (anchor, reanchor) = (self.model.pools[id].anchor, self.model.pools[id].reanchor);
        self.model.actions[anchor].params.clone_from(&params);
        self.model.actions[reanchor].params = params;
        self.model.pools[id].anchors = anchors;
    }

    /// Fills in the actions and the rule of a pool.
    pub(crate) fn pool(&mut self, id: PoolId, decl: &CrowdDecl) {
        let pool = self.model.pools[id].clone();
        let mut scope = self.scope_of(pool.level, &decl.params, std::slice::from_ref(&pool.param), &pool.name);
        let mut anchor = self.model.actions[pool.anchor].clone();
        let mut duration = Duration::Fixed(Expr::int(1));
        let mut uses = Vec::new();
        let mut commit = None;
        let own = EffectPlace { moment: Moment::End, pool: Some(id) };
        // The values chosen come between the object and any binder, as in the parameters of the actions.
        for param in anchor.params.iter().skip(1) {
            let hidden = tree::Ident { text: SmolStr::from(format!("\u{1}{}", param.name)), span: pool.place };
            scope.push(&hidden, param.choices.clone());
        }
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::Takes(least, most) => duration = self.takes(&mut scope, least, most.as_ref()),
                ClauseKind::Needs(condition, at) => {
                    let time = self.condition_time(&mut scope, at.as_ref());
                    let condition = self.condition(&mut scope, condition);
                    anchor.conditions.push(TimedCondition { time, condition, weight: None, place: clause.span });
                }
                ClauseKind::Uses(holds) => uses = self.uses(&mut scope, holds),
                ClauseKind::Then(effects) => anchor.effects.extend(self.effects(&mut scope, effects, &own)),
                ClauseKind::Say { speaker, lines, anchor: at, condition } => {
                    let words = (speaker.as_ref(), lines.as_slice());
                    let say = self.say(&mut scope, words, at.as_ref(), condition.as_ref(), clause.span);
                    anchor.says.push(say);
                }
                ClauseKind::Costs(tag, cost) => {
                    if let Some(tag) = tag {
                        self.report(diagnostics::clause_not_here::scaled_cost(tag.name.span));
                    }
                    anchor.cost = Some(self.number_expr(&mut scope, cost));
                }
                ClauseKind::Commit(condition) => commit = Some(self.condition(&mut scope, condition)),
                _ => {}
            }
        }
        (anchor.duration, anchor.uses) = (duration.clone(), uses.clone());
        let member = self.only_members(&pool);
        let is = |fluent: FluentId, yes: bool| {
            let reads = Expr::Fluent(fluent, vec![Expr::Var(Var(0))]);
            if yes { reads } else { reads.negate() }
        };
        let condition =
            |time: ConditionTime, condition: Expr| TimedCondition { time, condition, weight: None, place: pool.place };
        let chosen: Vec<Effect> = pool
            .anchors
            .iter()
            .enumerate()
            .map(|(index, fluent)| set_effect(*fluent, Expr::Var(Var(index as u16 + 1)), pool.place))
            .collect();

        let mut conditions: Vec<TimedCondition> =
            member.iter().map(|member| condition(ConditionTime::Start, member.clone())).collect();
        conditions.push(condition(ConditionTime::Start, is(pool.anchored, false)));
        conditions.append(&mut anchor.conditions);
        anchor.conditions = conditions;
        let mut effects = chosen.clone();
        effects.push(set_effect(pool.anchored, Expr::TRUE, pool.place));
        effects.append(&mut anchor.effects);
        anchor.effects = effects;

        let mut again = self.model.actions[pool.reanchor].clone();
        again.conditions = member.iter().map(|member| condition(ConditionTime::Start, member.clone())).collect();
        again.conditions.push(condition(ConditionTime::Start, is(pool.anchored, true)));
        again.conditions.push(condition(ConditionTime::Start, is(pool.committed, false)));
        again.conditions.push(condition(ConditionTime::Throughout, is(pool.committed, false)));
        let differs = pool.anchors.iter().enumerate().map(|(index, fluent)| {
            let old = Expr::Fluent(*fluent, vec![Expr::Var(Var(0))]);
            Expr::compare(Comparison::NotEqual, old, Expr::Var(Var(index as u16 + 1)))
        });
        again.conditions.push(condition(ConditionTime::Start, Expr::Or(differs.collect())));
        (again.duration, again.uses, again.cost) = (duration, uses, anchor.cost.clone());
        again.effects = chosen;

        if let (Some(rule), Some(commit)) = (pool.commit, commit) {
            let mut parts: Vec<Expr> = member.into_iter().collect();
            parts.push(is(pool.anchored, true));
            parts.push(commit);
            self.model.rules[rule].trigger = Trigger::When(Expr::all(parts), None);
            self.model.rules[rule].effects = vec![set_effect(pool.committed, Expr::TRUE, pool.place)];
        }
        self.model.actions[pool.anchor] = anchor;
        self.model.actions[pool.reanchor] = again;
    }

    /// The condition that an object belongs to the pool, where its type has other objects too.
    fn only_members(&self, pool: &Pool) -> Option<Expr> {
        let others = self
            .model
            .objects
            .iter()
            .any(|(id, object)| self.model.is_subtype(object.ty, pool.ty) && !pool.objects.contains(&id));
        let members = pool.objects.iter().map(|object| Expr::Value(Value::Object(*object))).collect();
        others.then(|| Expr::In(Box::new(Expr::Var(Var(0))), Set::Among(members)))
    }

    pub(crate) fn declare_population(&mut self, decl: &CrowdDecl, level: Option<LevelId>) {
        let name = &decl.named.name;
        let Some((param, ty)) = self.crowd_param(decl) else {
            self.missing.insert(name.text.clone());
            return;
        };
        let id = self.model.populations.next_id();
        self.declare(name, level, Meaning::Population(id));
        let title = self.title(&name.text, decl.named.title.as_ref(), false, name.span);
        let objects = self.crowd_objects(decl, ty, level, ObjectOrigin::Population(id));
        self.model.populations.push(Population {
            name: name.text.clone(),
            title,
            param,
            ty,
            objects,
            given: Vec::new(),
            wishes: Vec::new(),
            personalities: Vec::new(),
            level,
            place: name.span,
        });
        self.population_of.insert(name.span, id);
    }

    /// Fills in what a population is given and wants.
    pub(crate) fn population(&mut self, id: PopulationId, decl: &CrowdDecl) {
        let (level, param) = (self.model.populations[id].level, self.model.populations[id].param.clone());
        let mut scope = self.scope_of(level, &decl.params, std::slice::from_ref(&param), &decl.named.name.text);
        let (mut given, mut wishes, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::Given(effects) => given.extend(self.given(&mut scope, effects, level)),
                ClauseKind::Wish(wish) => wishes.extend(self.wish(&mut scope, wish, Owner::Population(id))),
                ClauseKind::Personality(written) => shares.extend(self.shares(written, level)),
                _ => {}
            }
        }
        if let Some(object) = self.model.populations[id].objects.first().copied() {
            let ty = self.model.objects[object].ty;
            self.check_shares(decl.body.clauses.as_slice(), ty, level);
        }
        let population = &mut self.model.populations[id];
        (population.given, population.wishes, population.personalities) = (given, wishes, shares);
    }

    /// `personality a 15 %, b`
    pub(crate) fn shares(&mut self, written: &[tree::Share], level: Option<LevelId>) -> Vec<Share> {
        written
            .iter()
            .filter_map(|share| {
                let accept = |meaning| matches!(meaning, Meaning::Personality(_));
                match self.meaning(&share.name, level, "a personality", accept)?.meaning {
                    Meaning::Personality(personality) => {
                        Some(Share { personality, amount: share.amount.map(|amount| amount.value) })
                    }
                    _ => None,
                }
            })
            .collect()
    }

    /// Reports personalities that are about another type than who has them.
    pub(crate) fn check_shares(&mut self, clauses: &[tree::Clause], ty: TypeId, level: Option<LevelId>) {
        for clause in clauses {
            let ClauseKind::Personality(shares) = &clause.kind else { continue };
            for share in shares {
                let Some(Meaning::Personality(personality)) =
                    self.names.find(&share.name.text, level).map(|declared| declared.meaning)
                else {
                    continue;
                };
                let declared = &self.model.personalities[personality];
                let fits = declared.params.first().is_none_or(|param| {
                    param.choices.types.is_empty()
                        || param.choices.types.iter().any(|wanted| self.model.is_subtype(ty, *wanted))
                });
                if !fits {
                    let wanted =
                        declared.params.first().map(|param| super::ty::describe_choices(&self.model, &param.choices));
                    let (wanted, place) = (wanted.unwrap_or_default(), declared.place);
                    let found = self.model.types[ty].name.to_string();
                    self.report(diagnostics::wrong_type::diagnostic(share.name.span, &wanted, &found, place));
                }
            }
        }
    }
}

/// Sets an attribute of the first parameter at the end.
fn set_effect(fluent: FluentId, value: Expr, place: Span) -> Effect {
    Effect {
        moment: Moment::End,
        binders: Vec::new(),
        condition: None,
        target: FluentRef { fluent, args: vec![Expr::Var(Var(0))] },
        change: Change::Set(value),
        place,
    }
}
