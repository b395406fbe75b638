//! Actions and rules taken apart once, so that each of their many instances is only filled in.

use dramaturg_model::{
    Action, Binder, Change, Comparison, ConditionTime, Duration, Effect, Expr, FluentSource, Id as _, Moment, Rule,
    Table, Trigger, Value,
};
use smallvec::SmallVec;

use super::entity::DomainId;
use super::relation::{RelationId, RelationKind};
use super::schema::{Atom, Constraint, Schema, SchemaId, Slot, Source, Term};
use super::world::World;

/// What a literal asks of its fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It holds.
    Yes,
    /// It does not hold, whatever else does.
    No,
    /// The fluent has another value, not none.
    Other,
}

/// A fact with terms that must hold or not.
#[derive(Clone, Debug)]
pub(crate) struct LiteralPart {
    pub(crate) atom: Atom,
    pub(crate) sign: Sign,
}

/// A condition taken apart. It holds where all of it does.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConditionPart<'m> {
    pub(crate) literals: Vec<LiteralPart>,
    pub(crate) constraints: Vec<Constraint>,
    /// Expressions that never change, with their signs.
    pub(crate) fixed: Vec<(&'m Expr, bool)>,
    /// All other expressions, with their signs.
    pub(crate) rest: Vec<(&'m Expr, bool)>,
    pub(crate) impossible: bool,
}

/// A required condition with its time.
#[derive(Clone, Debug)]
pub(crate) struct TimedPart<'m> {
    pub(crate) time: &'m ConditionTime,
    pub(crate) part: ConditionPart<'m>,
    /// Whether the join has not looked at it, because the step itself may make it true.
    pub(crate) unchecked: bool,
}

/// An effect taken apart.
#[derive(Clone, Debug)]
pub(crate) struct EffectPart<'m> {
    pub(crate) moment: &'m Moment,
    /// The domains of what it binds; its slots follow the parameters. None if they depend on the state.
    pub(crate) bound: Option<SmallVec<[DomainId; 2]>>,
    pub(crate) binders: &'m [Binder],
    pub(crate) condition: Option<&'m Expr>,
    pub(crate) when: ConditionPart<'m>,
    pub(crate) kind: EffectKind<'m>,
    /// Whether somebody else brings it about.
    pub(crate) expected: bool,
}

/// What an effect does.
#[derive(Clone, Debug)]
pub(crate) enum EffectKind<'m> {
    /// A flag becomes true or false.
    Flag(Atom, bool),
    /// A fluent gets the value in the last term.
    Value(Atom),
    /// Everything else.
    General(&'m Effect),
}

/// An action or rule taken apart.
pub(crate) struct Template<'m> {
    pub(crate) source: Source,
    pub(crate) instances: RelationId,
    pub(crate) params: usize,
    pub(crate) conditions: Vec<TimedPart<'m>>,
    pub(crate) effects: Vec<EffectPart<'m>>,
    /// Whether it is one transition of plain facts: an instant action with nothing conditional, general or extra.
    pub(crate) is_plain: bool,
}

/// Takes apart all actions and rules that have instances.
pub(crate) fn templates<'m>(world: &mut World<'m>, schemas: &Table<SchemaId, Schema<'m>>) -> Vec<Template<'m>> {
    let model = world.model;
    let mut templates = Vec::new();
    for schema in schemas.values() {
        let Some(instances) = schema.instances else { continue };
        let template = match schema.source {
            Source::Action(id) => of_action(world, &model.actions[id], schema, instances),
            Source::Rule(id) => of_rule(world, &model.rules[id], schema, instances),
            Source::Derived | Source::Effect | Source::Story => continue,
        };
        templates.push(template);
    }
    templates
}

fn of_action<'m>(
    world: &mut World<'m>,
    action: &'m Action,
    schema: &Schema<'m>,
    instances: RelationId,
) -> Template<'m> {
    let params = action.params.len();
    let required = action.conditions.iter().filter(|timed| timed.weight.is_none());
    let mut conditions: Vec<TimedPart<'m>> = required
        .map(|timed| TimedPart {
            time: &timed.time,
            part: take_apart(world, [(&timed.condition, true)], params),
            unchecked: timed.time != ConditionTime::Start
                && super::schema::changes_early(action, &timed.condition, world),
        })
        .collect();
    for condition in conditions.iter_mut().filter(|condition| !condition.unchecked) {
        // The join has seen to what never changes.
        condition.part.literals.retain(|literal| !world.relations[literal.atom.relation].is_static);
    }
    let mut effects: Vec<EffectPart<'m>> =
        action.effects.iter().map(|effect| effect_part(world, effect, params, false)).collect();
    for effect in action.expectation.iter().flat_map(|expectation| &expectation.effects) {
        effects.push(effect_part(world, effect, params, true));
    }
    let plain_condition = |part: &ConditionPart<'_>| {
        part.rest.is_empty() && !part.impossible && part.literals.iter().all(|literal| literal.sign != Sign::Other)
    };
    let plain_effect = |effect: &EffectPart<'_>| {
        effect.condition.is_none()
            && effect.binders.is_empty()
            && !effect.expected
            && !matches!(effect.kind, EffectKind::General(_))
    };
    let is_plain = action.duration == Duration::Instant
        && action.cost.is_none()
        && action.uses.is_empty()
        && action.contributions.is_empty()
        && action.conditions.iter().all(|timed| timed.weight.is_none())
        && conditions.iter().all(|condition| !condition.unchecked && plain_condition(&condition.part))
        && effects.iter().all(plain_effect)
        && world.model.fluents.values().all(|fluent| !matches!(fluent.source, FluentSource::Done(_)));
    Template { source: schema.source, instances, params, conditions, effects, is_plain }
}

fn of_rule<'m>(world: &mut World<'m>, rule: &'m Rule, schema: &Schema<'m>, instances: RelationId) -> Template<'m> {
    let params = rule.params.len();
    let exprs: SmallVec<[(&'m Expr, bool); 2]> = match &rule.trigger {
        Trigger::When(condition, guard) => std::iter::once(condition).chain(guard).map(|expr| (expr, true)).collect(),
        Trigger::While(condition) => SmallVec::from_slice(&[(condition, true)]),
        Trigger::After(_, guard) => guard.iter().map(|expr| (expr, true)).collect(),
        Trigger::Always => SmallVec::new(),
    };
    let part = take_apart(world, exprs, params);
    let conditions = vec![TimedPart { time: &ConditionTime::Start, part, unchecked: false }];
    let mut effects: Vec<EffectPart<'m>> =
        rule.effects.iter().map(|effect| effect_part(world, effect, params, false)).collect();
    for effect in rule.expectation.iter().flat_map(|expectation| &expectation.effects) {
        effects.push(effect_part(world, effect, params, true));
    }
    Template { source: schema.source, instances, params, conditions, effects, is_plain: false }
}

fn effect_part<'m>(world: &mut World<'m>, effect: &'m Effect, params: usize, expected: bool) -> EffectPart<'m> {
    let bound = bound_domains(world, &effect.binders);
    let slots = params + bound.as_ref().map_or(0, SmallVec::len);
    let when = take_apart(world, effect.condition.iter().map(|condition| (condition, true)), slots);
    let kind = simple_kind(world, effect, slots).unwrap_or(EffectKind::General(effect));
    EffectPart {
        moment: &effect.moment,
        bound,
        binders: &effect.binders,
        condition: effect.condition.as_ref(),
        when,
        kind,
        expected,
    }
}

fn bound_domains(world: &mut World<'_>, binders: &[Binder]) -> Option<SmallVec<[DomainId; 2]>> {
    let mut domains = SmallVec::new();
    for binder in binders {
        if binder.among.is_some() {
            return None;
        }
        domains.push(world.domains.of(world.model, &binder.param.choices, false));
    }
    Some(domains)
}

fn simple_kind<'m>(world: &World<'_>, effect: &'m Effect, slots: usize) -> Option<EffectKind<'m>> {
    let relation = world.of_fluent[effect.target.fluent]?;
    let mut terms = terms(world, &effect.target.args, slots)?;
    let Change::Set(value) = &effect.change else { return None };
    match world.relations[relation].kind {
        RelationKind::Flag => match value {
            Expr::Value(Value::Bool(value)) => Some(EffectKind::Flag(Atom { relation, terms }, *value)),
            _ => None,
        },
        RelationKind::Valued => {
            let value = term(world, value, slots)?;
            if value == Term::Entity(world.entities.nothing()) {
                return None;
            }
            terms.push(value);
            Some(EffectKind::Value(Atom { relation, terms }))
        }
        RelationKind::Number | RelationKind::Instance => None,
    }
}

/// Takes conditions apart.
pub(crate) fn take_apart<'m>(
    world: &World<'m>,
    exprs: impl IntoIterator<Item = (&'m Expr, bool)>,
    slots: usize,
) -> ConditionPart<'m> {
    let mut part = ConditionPart::default();
    let mut left: Vec<(&'m Expr, bool)> = exprs.into_iter().collect();
    left.reverse();
    while let Some((expr, sign)) = left.pop() {
        match (expr, sign) {
            (Expr::And(parts), true) | (Expr::Or(parts), false) => {
                left.extend(parts.iter().rev().map(|part| (part, sign)));
            }
            (Expr::Not(inner), _) => left.push((inner, !sign)),
            (Expr::Value(value), _) => part.impossible |= value.is_true() != sign,
            _ => simple(world, expr, sign, slots, &mut part),
        }
    }
    part
}

fn simple<'m>(world: &World<'m>, expr: &'m Expr, sign: bool, slots: usize, part: &mut ConditionPart<'m>) {
    match expr {
        Expr::Fluent(fluent, args) => {
            if let Some(relation) = world.of_fluent[*fluent]
                && world.relations[relation].kind == RelationKind::Flag
                && let Some(terms) = terms(world, args, slots)
            {
                let sign = if sign { Sign::Yes } else { Sign::No };
                part.literals.push(LiteralPart { atom: Atom { relation, terms }, sign });
                return;
            }
        }
        Expr::Compare(comparison @ (Comparison::Equal | Comparison::NotEqual), left, right) => {
            let equal = *comparison == Comparison::Equal;
            let nothing = world.entities.nothing();
            match (term(world, left, slots), term(world, right, slots)) {
                (Some(left), Some(right)) if left != Term::Entity(nothing) && right != Term::Entity(nothing) => {
                    part.constraints.push(Constraint { left, right, equal: equal == sign });
                    return;
                }
                (None, Some(value)) if value != Term::Entity(nothing) => {
                    if let Some(literal) = has_value(world, left, value, (equal, sign), slots) {
                        part.literals.push(literal);
                        return;
                    }
                }
                (Some(value), None) if value != Term::Entity(nothing) => {
                    if let Some(literal) = has_value(world, right, value, (equal, sign), slots) {
                        part.literals.push(literal);
                        return;
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
    if world.is_quick(expr) {
        part.fixed.push((expr, sign));
    } else {
        part.rest.push((expr, sign));
    }
}

fn has_value(
    world: &World<'_>,
    read: &Expr,
    value: Term,
    (equal, sign): (bool, bool),
    slots: usize,
) -> Option<LiteralPart> {
    let Expr::Fluent(fluent, args) = read else { return None };
    let relation = world.of_fluent[*fluent]?;
    if world.relations[relation].kind != RelationKind::Valued {
        return None;
    }
    let mut terms = terms(world, args, slots)?;
    terms.push(value);
    let sign = match (equal, sign) {
        (true, true) => Sign::Yes,
        (true, false) => Sign::No,
        (false, true) => Sign::Other,
        // Not different: equal or nothing. Rare, and left to the general way.
        (false, false) => return None,
    };
    Some(LiteralPart { atom: Atom { relation, terms }, sign })
}

fn term(world: &World<'_>, expr: &Expr, slots: usize) -> Option<Term> {
    match expr {
        Expr::Var(var) if usize::from(var.0) < slots => Some(Term::Slot(Slot::from_index(usize::from(var.0)))),
        Expr::Value(value) => world.entities.of(*value).map(Term::Entity),
        _ => None,
    }
}

fn terms(world: &World<'_>, exprs: &[Expr], slots: usize) -> Option<SmallVec<[Term; 4]>> {
    exprs.iter().map(|expr| term(world, expr, slots)).collect()
}
