//! Effects of instances to changes of variables and numbers.

use dramaturg_model::{
    Amount, Args, Change, Contribution, Effect, EventKind, FluentRef, FluentSource, Moment, Set, Value,
};
use smallvec::SmallVec;

use crate::ground::condition::Condition;
use crate::ground::entity::Entity;
use crate::ground::expr::GroundExpr;
use crate::ground::lower::{Lower, is_constant, times};
use crate::ground::operator::{
    GroundChange, GroundContribution, GroundDuration, GroundEffect, GroundTime, TimedGroundEffect,
};
use crate::ground::places::FactPlace;
use crate::ground::prune::for_each_binding;
use crate::ground::reach::resolve;
use crate::ground::schema::{Source, done_terms, pattern_fits};
use crate::ground::template::{EffectKind, EffectPart, Template};
use crate::ground::variable::{Meaning, Place, VariableId};

use super::Assembler;

impl<'p, 'a, 'm> Assembler<'p, 'a, 'm> {
    /// Adds the changes of an effect.
    pub(super) fn effect(&mut self, effect: &EffectPart<'m>, binding: &[Entity], out: &mut Vec<TimedGroundEffect>) {
        match (&effect.kind, &effect.bound) {
            (EffectKind::Flag(atom, value), Some(_)) => {
                let reader = self.reader();
                let mut budget = self.meter.left();
                let before = budget;
                for_each_binding(&reader, effect, binding, &mut budget, &mut |binding| {
                    let Some(row) = reader.row(atom, binding) else { return };
                    let place = self.places.fact(atom.relation, row);
                    let FactPlace::At(variable, index) = place else { return };
                    let condition = self.part(&effect.when, binding, false);
                    if condition.is_never() {
                        return;
                    }
                    let Some(change) = self.flag_change(variable, index, *value) else { return };
                    let time = self.effect_time(effect, binding);
                    let effect_out = GroundEffect { condition, change };
                    out.push(TimedGroundEffect { time, effect: effect_out, expected: effect.expected });
                });
                self.meter.spend(before - budget);
            }
            (EffectKind::Value(atom), Some(_)) => {
                let reader = self.reader();
                let mut budget = self.meter.left();
                let before = budget;
                for_each_binding(&reader, effect, binding, &mut budget, &mut |binding| {
                    let Some(row) = reader.row(atom, binding) else { return };
                    let FactPlace::At(variable, index) = self.places.fact(atom.relation, row) else { return };
                    let condition = self.part(&effect.when, binding, false);
                    if condition.is_never() {
                        return;
                    }
                    let time = self.effect_time(effect, binding);
                    let effect_out = GroundEffect { condition, change: GroundChange::Set(variable, index) };
                    out.push(TimedGroundEffect { time, effect: effect_out, expected: effect.expected });
                });
                self.meter.spend(before - budget);
            }
            (EffectKind::General(general), _) => {
                let values = self.values(binding);
                self.general(general, &values, effect.expected, out);
            }
            (EffectKind::Flag(..) | EffectKind::Value(_), None) => {
                // Bound to a list that is read from the state.
                let values = self.values(binding);
                self.listed(effect, &values, out);
            }
        }
    }

    pub(super) fn effect_time(&mut self, effect: &EffectPart<'m>, binding: &[Entity]) -> GroundTime {
        match effect.moment {
            Moment::Start => GroundTime::Start,
            Moment::End => GroundTime::End,
            Moment::After(_) => {
                let values = self.values(binding);
                self.moment(effect.moment, &values)
            }
        }
    }

    pub(super) fn flag_change(&self, variable: VariableId, index: u32, value: bool) -> Option<GroundChange> {
        match (&self.places.variables[variable].meaning, value) {
            (_, true) => Some(GroundChange::Set(variable, index)),
            (Meaning::Group { facts, none }, false) => {
                none.then(|| GroundChange::Leave(variable, index, facts.len() as u32))
            }
            (_, false) => Some(GroundChange::Set(variable, 0)),
        }
    }

    pub(super) fn listed(&mut self, effect: &EffectPart<'m>, values: &[Value], out: &mut Vec<TimedGroundEffect>) {
        let (atom, value) = match &effect.kind {
            EffectKind::Flag(atom, value) => (atom, Some(*value)),
            EffectKind::Value(atom) => (atom, None),
            EffectKind::General(_) => return,
        };
        let mut found: Vec<(GroundExpr, SmallVec<[Value; 8]>)> = Vec::new();
        let mut lower = Lower::new(self.places, values, self.meter);
        lower.for_each(effect.binders, GroundExpr::TRUE, &mut |scope, guard| {
            let condition = effect.condition.map_or(GroundExpr::TRUE, |condition| scope.expr(condition));
            let guard = crate::ground::lower::all_of(vec![guard, condition]);
            if !is_constant(&guard, false) {
                found.push((guard, scope.variables.clone()));
            }
            true
        });
        let entities = self.places.world.entities;
        for (guard, variables) in found {
            let binding: Option<SmallVec<[Entity; 8]>> = variables.iter().map(|value| entities.of(*value)).collect();
            let Some(binding) = binding else { continue };
            let Some(row) = self.reader().row(atom, &binding) else { continue };
            let FactPlace::At(variable, index) = self.places.fact(atom.relation, row) else { continue };
            let change = match value {
                Some(value) => self.flag_change(variable, index, value),
                None => Some(GroundChange::Set(variable, index)),
            };
            let condition = self.dnf().condition(&guard);
            let time = self.moment(effect.moment, &variables);
            if let Some(change) = change.filter(|_| !condition.is_never()) {
                let effect_out = GroundEffect { condition, change };
                out.push(TimedGroundEffect { time, effect: effect_out, expected: effect.expected });
            }
        }
    }

    /// An effect whose target or value is read from the state: one change for each target it can have.
    pub(crate) fn general(
        &mut self,
        effect: &Effect,
        values: &[Value],
        expected: bool,
        out: &mut Vec<TimedGroundEffect>,
    ) {
        let mut found: Vec<(GroundExpr, SmallVec<[Value; 8]>, Args)> = Vec::new();
        let mut lower = Lower::new(self.places, values, self.meter);
        lower.for_each(&effect.binders, GroundExpr::TRUE, &mut |scope, guard| {
            let condition = effect.condition.as_ref().map_or(GroundExpr::TRUE, |condition| scope.expr(condition));
            let guard = crate::ground::lower::all_of(vec![guard, condition]);
            if !is_constant(&guard, false) {
                for (guard, args) in targets(scope, &effect.target, guard) {
                    found.push((guard, scope.variables.clone(), args));
                }
            }
            true
        });
        for (guard, variables, args) in found {
            let condition = self.dnf().condition(&guard);
            if condition.is_never() {
                continue;
            }
            let place = self.places.place(effect.target.fluent, &args);
            let Some(change) = self.change(place, &effect.change, &variables) else { continue };
            let time = self.moment(&effect.moment, &variables);
            for (extra, change) in change {
                let condition = self.dnf().both(&condition, &extra);
                if !condition.is_never() {
                    let effect_out = GroundEffect { condition, change };
                    out.push(TimedGroundEffect { time: time.clone(), effect: effect_out, expected });
                }
            }
        }
    }

    /// The change of a place; a flag in a group that gets a computed value becomes two changes.
    pub(super) fn change(
        &mut self,
        place: Place,
        change: &Change,
        values: &[Value],
    ) -> Option<Vec<(Condition, GroundChange)>> {
        let one = |change| Some(vec![(Condition::always(), change)]);
        match (place, change) {
            (Place::Constant(_), _) => None,
            (Place::Number(number), Change::Set(expr)) => one(GroundChange::SetNumber(number, self.expr(expr, values))),
            (Place::Number(number), Change::Add(expr)) => one(GroundChange::AddNumber(number, self.expr(expr, values))),
            (Place::Number(number), Change::Random(Set::Range(least, most))) => {
                let (least, most) = (self.expr(least, values), self.expr(most, values));
                one(GroundChange::RandomNumber(number, least, most))
            }
            (Place::Variable(variable), Change::Set(expr)) => {
                let ground = self.expr(expr, values);
                one(match ground {
                    GroundExpr::Value(Value::Nothing) => return None,
                    GroundExpr::Value(value) => {
                        let declared = &self.places.variables[variable];
                        let value = self.cut(variable, value);
                        GroundChange::Set(variable, declared.index_of(value)?)
                    }
                    other => GroundChange::Assign(variable, other),
                })
            }
            (Place::Variable(variable), Change::Add(expr)) => {
                one(GroundChange::Shift(variable, self.expr(expr, values)))
            }
            (Place::Variable(variable), Change::Random(set)) => {
                let indices = self.random_values(variable, set, values);
                one(GroundChange::Random(variable, indices))
            }
            (Place::Member(variable, index), Change::Set(expr)) => {
                let ground = self.expr(expr, values);
                let yes = self.dnf().condition(&ground);
                let no = self.dnf().condition(&crate::ground::lower::negate(ground));
                let mut changes = Vec::new();
                if let Some(change) = self.flag_change(variable, index, false) {
                    changes.push((no, change));
                }
                changes.push((yes, GroundChange::Set(variable, index)));
                Some(changes)
            }
            (Place::Number(_) | Place::Member(..), _) => None,
        }
    }

    /// A value as the domain of its fluent holds it.
    pub(super) fn cut(&self, variable: VariableId, value: Value) -> Value {
        match (&self.places.variables[variable].meaning, value) {
            (Meaning::Whole { fluent, .. }, Value::Number(number)) => {
                Value::Number(self.places.world.model.fluents[*fluent].domain.clamp(number))
            }
            (_, value) => value,
        }
    }

    pub(super) fn random_values(&mut self, variable: VariableId, set: &Set, values: &[Value]) -> Vec<u32> {
        let model = self.places.world.model;
        let declared = &self.places.variables[variable];
        match set {
            Set::Among(members) => {
                let mut indices = Vec::new();
                for member in members {
                    let ground = Lower::new(self.places, values, self.meter).expr(member);
                    let lower = Lower::new(self.places, values, self.meter);
                    indices.extend(lower.possible(&ground).into_iter().filter_map(|value| declared.index_of(value)));
                }
                indices
            }
            Set::Choices(choices) => {
                let choices = model.values_of(choices, self.places.world.level);
                choices.into_iter().filter_map(|value| declared.index_of(value)).collect()
            }
            Set::Range(..) => (0..declared.size()).collect(),
        }
    }

    /// What is `done` when an instance ends.
    pub(super) fn done(&mut self, template: &Template<'m>, binding: &[Entity], out: &mut Vec<TimedGroundEffect>) {
        let world = self.places.world;
        let (kind, tags) = match template.source {
            Source::Action(id) => (EventKind::Action(id), &world.model.actions[id].tags),
            Source::Rule(id) => (EventKind::Rule(id), &world.model.rules[id].tags),
            Source::Derived | Source::Effect | Source::Story => return,
        };
        if self.done.is_empty() {
            return;
        }
        let args = self.values(binding);
        for fluent in self.done.clone() {
            let declared = &world.model.fluents[fluent];
            let FluentSource::Done(pattern) = &declared.source else { continue };
            let matches = pattern.kind == kind || matches!(pattern.kind, EventKind::Tag(tag) if tags.contains(&tag));
            if !matches || !pattern_fits(pattern, &args) {
                continue;
            }
            let Some(terms) = done_terms(pattern, declared.params.len()) else { continue };
            let cells: SmallVec<[Entity; 8]> = terms.iter().map(|term| resolve(*term, binding)).collect();
            let change = match self.places.place(fluent, &self.values(&cells)) {
                Place::Variable(variable) => match self.places.variables[variable].index_of(Value::Bool(true)) {
                    Some(yes) => GroundChange::Set(variable, yes),
                    None => continue,
                },
                Place::Member(variable, index) => GroundChange::Set(variable, index),
                Place::Constant(_) | Place::Number(_) => continue,
            };
            let effect = GroundEffect { condition: Condition::always(), change };
            out.push(TimedGroundEffect { time: GroundTime::End, effect, expected: false });
        }
    }

    pub(super) fn contributions(&mut self, parts: &[Contribution], values: &[Value]) -> Vec<GroundContribution> {
        let mut out = Vec::new();
        for part in parts {
            let mut found: Vec<(GroundExpr, SmallVec<[Value; 8]>, Args)> = Vec::new();
            let mut lower = Lower::new(self.places, values, self.meter);
            lower.for_each(&part.binders, GroundExpr::TRUE, &mut |scope, guard| {
                let condition = part.condition.as_ref().map_or(GroundExpr::TRUE, |condition| scope.expr(condition));
                let guard = crate::ground::lower::all_of(vec![guard, condition]);
                if !is_constant(&guard, false) {
                    for (guard, args) in targets(scope, &part.target, guard) {
                        found.push((guard, scope.variables.clone(), args));
                    }
                }
                true
            });
            for (guard, variables, args) in found {
                let target = self.places.place(part.target.fluent, &args);
                if matches!(target, Place::Constant(_) | Place::Member(..)) {
                    continue;
                }
                let condition = self.dnf().condition(&guard);
                let (amount, per_tick) = match &part.amount {
                    Amount::PerTick(amount) => (amount, true),
                    Amount::Total(amount) => (amount, false),
                };
                let amount = self.expr(amount, &variables);
                out.push(GroundContribution { condition, target, amount, per_tick });
            }
        }
        out
    }
}

/// The targets an effect can have, each with what must hold for it to be the one.
fn targets(scope: &mut Lower<'_, '_, '_>, target: &FluentRef, guard: GroundExpr) -> Vec<(GroundExpr, Args)> {
    let mut found = vec![(guard, Args::new())];
    for arg in &target.args {
        let arg = scope.expr(arg);
        if let GroundExpr::Value(value) = arg {
            found.iter_mut().for_each(|(_, args)| args.push(value));
            continue;
        }
        let values = scope.possible(&arg);
        let mut longer = Vec::with_capacity(found.len() * values.len());
        for (guard, args) in &found {
            for value in &values {
                if !scope.meter.spend(1) {
                    return Vec::new();
                }
                let is = GroundExpr::Compare(
                    dramaturg_model::Comparison::Equal,
                    Box::new(arg.clone()),
                    Box::new(GroundExpr::Value(*value)),
                );
                let mut args = args.clone();
                args.push(*value);
                longer.push((crate::ground::lower::all_of(vec![guard.clone(), is]), args));
            }
        }
        found = longer;
    }
    found
}

/// The amount of a contribution over a whole duration.
pub(crate) fn whole_amount(part: &GroundContribution, duration: &GroundDuration) -> GroundExpr {
    if !part.per_tick {
        return part.amount.clone();
    }
    let ticks = match duration {
        GroundDuration::Fixed(ticks) => ticks.clone(),
        GroundDuration::Contingent(least, _) => least.clone(),
        GroundDuration::Chosen(Some(ticks), _) | GroundDuration::Chosen(None, Some(ticks)) => ticks.clone(),
        GroundDuration::Instant | GroundDuration::Chosen(None, None) => return part.amount.clone(),
    };
    times(part.amount.clone(), ticks)
}
