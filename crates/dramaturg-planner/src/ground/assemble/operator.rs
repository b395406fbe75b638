//! Instances of actions to operators.

use dramaturg_model::{
    Action, ActionId, ActuatorId, Args, ConditionTime, Duration, Expr, Moment, ObjectId, Use, UseTarget, Value,
};
use smallvec::SmallVec;

use crate::ground::condition::{Condition, Conjunction, Literal};
use crate::ground::entity::Entity;
use crate::ground::expr::GroundExpr;
use crate::ground::lower::Lower;
use crate::ground::operator::{
    ArgsRange, GroundActuator, GroundActuatorId, GroundChange, GroundDuration, GroundEffect, GroundTime, GroundUse,
    Operator, Phase, Snap, Timed, TimedGroundCondition, unit_cost,
};
use crate::ground::places::FactPlace;
use crate::ground::schema::Source;
use crate::ground::snap;
use crate::ground::template::{EffectKind, Template};
use crate::ground::variable::{Meaning, ValueSet, VariableId};

use super::Assembler;

impl<'p, 'a, 'm> Assembler<'p, 'a, 'm> {
    /// The operator of an instance of a plain template, without detours.
    pub(super) fn plain_operator(
        &mut self,
        template: &Template<'m>,
        id: ActionId,
        binding: &[Entity],
    ) -> Option<Operator> {
        let mut conjunction = Conjunction::default();
        for literal in template.conditions.iter().flat_map(|condition| &condition.part.literals) {
            if !self.literal(literal, binding, &mut conjunction) {
                return None;
            }
        }
        let reader = self.reader();
        let mut phase = Phase::default();
        let mut left: SmallVec<[(VariableId, u32); 4]> = SmallVec::new();
        for effect in &template.effects {
            let (EffectKind::Flag(atom, _) | EffectKind::Value(atom)) = &effect.kind else { continue };
            let Some(row) = reader.row(atom, binding) else { continue };
            let FactPlace::At(variable, index) = self.places.fact(atom.relation, row) else { continue };
            let value = match &effect.kind {
                EffectKind::Flag(_, false) => match self.places.variables[variable].meaning {
                    Meaning::Group { .. } => {
                        left.push((variable, index));
                        continue;
                    }
                    _ => 0,
                },
                _ => index,
            };
            match phase.sets.iter_mut().find(|(known, _)| *known == variable) {
                Some(known) => known.1 = value,
                None => phase.sets.push((variable, value)),
            }
        }
        let added = phase.sets.len();
        for (variable, index) in left {
            if phase.sets.iter().take(added).any(|(known, _)| *known == variable) {
                continue;
            }
            let Meaning::Group { facts, none: true } = &self.places.variables[variable].meaning else { continue };
            let none = facts.len() as u32;
            match conjunction.asked(variable) {
                Some(ValueSet::One(value)) if value == index => phase.sets.push((variable, none)),
                Some(values) if !self.sets.contains(values, index) => {}
                _ => {
                    let mut is = Conjunction::default();
                    is.literals.push(Literal { variable, values: ValueSet::One(index) });
                    let change = GroundChange::Leave(variable, index, none);
                    phase.effects.push(GroundEffect { condition: Condition::of(is), change });
                }
            }
        }
        phase.sets.retain(|(variable, value)| conjunction.asked(*variable) != Some(ValueSet::One(*value)));
        phase.condition = Condition::of(conjunction);
        let start = self.args.len() as u32;
        let entities = self.places.world.entities;
        self.args.extend(binding.iter().map(|entity| entities.value(*entity)));
        let performer = self.places.world.model.actions[id].performer;
        Some(Operator {
            action: id,
            args: ArgsRange { start, len: binding.len() as u32 },
            performer: performer
                .and_then(|place| binding.get(usize::from(place)))
                .and_then(|entity| entities.value(*entity).as_object()),
            cost: unit_cost(),
            snap: Snap { phases: SmallVec::from_buf([phase]) },
            timed: None,
        })
    }

    /// The operator of an instance; none if it can never start.
    pub(crate) fn operator(&mut self, template: &Template<'m>, binding: &[Entity]) -> Option<Operator> {
        let Source::Action(id) = template.source else { return None };
        if template.is_plain {
            return self.plain_operator(template, id, binding);
        }
        let action = &self.places.world.model.actions[id];
        let mut conditions: Vec<TimedGroundCondition> = Vec::new();
        let is_instant = action.duration == Duration::Instant;
        let mut start = Condition::always();
        for timed in &template.conditions {
            let condition = self.part(&timed.part, binding, timed.unchecked);
            if is_instant || *timed.time == ConditionTime::Start {
                start = self.dnf().both(&start, &condition);
                if start.is_never() {
                    return None;
                }
            } else {
                if condition.is_never() && !timed.unchecked {
                    return None;
                }
                let time = self.condition_time(timed.time, binding);
                conditions.push(TimedGroundCondition { time, condition, weight: None });
            }
        }
        let mut effects = Vec::new();
        for effect in &template.effects {
            self.effect(effect, binding, &mut effects);
        }
        self.done(template, binding, &mut effects);
        let values = self.values(binding);
        let is_plain = is_instant && action.contributions.is_empty() && action.uses.is_empty();
        let cost = match &action.cost {
            None => unit_cost(),
            Some(cost) => self.expr(cost, &values),
        };
        let performer = action.performer.and_then(|place| values.get(usize::from(place))).and_then(|v| v.as_object());
        let (snap, timed) = if is_plain {
            let changes = effects.into_iter().map(|timed| timed.effect).collect();
            (snap::instant(start, changes, &mut self.dnf()), None)
        } else {
            if !start.is_always() {
                conditions.insert(0, TimedGroundCondition { time: GroundTime::Start, condition: start, weight: None });
            }
            self.soft_conditions(action, &values, &mut conditions);
            let mut timed = Timed {
                duration: self.duration(&action.duration, &values),
                conditions,
                effects,
                contributions: self.contributions(&action.contributions, &values),
                uses: Vec::new(),
                participants: action
                    .participants
                    .iter()
                    .filter_map(|place| values.get(usize::from(*place)).and_then(|value| value.as_object()))
                    .collect(),
            };
            timed.uses = self.uses(&action.uses, &values);
            (snap::timed(&timed, &mut self.dnf()), Some(Box::new(timed)))
        };
        let args = self.keep_args(&values);
        Some(Operator { action: id, args, performer, cost, snap, timed })
    }

    pub(super) fn soft_conditions(
        &mut self,
        action: &'m Action,
        values: &Args,
        conditions: &mut Vec<TimedGroundCondition>,
    ) {
        for timed in &action.conditions {
            let Some(weight) = &timed.weight else { continue };
            let weight = Some(self.expr(weight, values));
            let condition = self.condition(&timed.condition, values);
            let time = self.time_of(&timed.time, values);
            conditions.push(TimedGroundCondition { time, condition, weight });
        }
    }

    pub(super) fn condition_time(&mut self, time: &ConditionTime, binding: &[Entity]) -> GroundTime {
        let values = self.values(binding);
        self.time_of(time, &values)
    }

    pub(super) fn time_of(&mut self, time: &ConditionTime, values: &[Value]) -> GroundTime {
        match time {
            ConditionTime::Start => GroundTime::Start,
            ConditionTime::Throughout => GroundTime::Throughout,
            ConditionTime::End => GroundTime::End,
            ConditionTime::After(ticks) => GroundTime::After(self.expr(ticks, values)),
        }
    }

    pub(super) fn moment(&mut self, moment: &Moment, values: &[Value]) -> GroundTime {
        match moment {
            Moment::Start => GroundTime::Start,
            Moment::End => GroundTime::End,
            Moment::After(ticks) => GroundTime::After(self.expr(ticks, values)),
        }
    }

    pub(super) fn duration(&mut self, duration: &Duration, values: &[Value]) -> GroundDuration {
        match duration {
            Duration::Instant => GroundDuration::Instant,
            Duration::Fixed(ticks) => GroundDuration::Fixed(self.expr(ticks, values)),
            Duration::Contingent(least, most) => {
                GroundDuration::Contingent(self.expr(least, values), self.expr(most, values))
            }
            Duration::Chosen(least, most) => GroundDuration::Chosen(
                least.as_ref().map(|ticks| self.expr(ticks, values)),
                most.as_ref().map(|ticks| self.expr(ticks, values)),
            ),
        }
    }

    /// The actuators that an action holds. What is held as a whole does nothing else with any of its parts.
    pub(super) fn uses(&mut self, uses: &[Use], values: &[Value]) -> Vec<GroundUse> {
        let model = self.places.world.model;
        let mut out = Vec::new();
        for used in uses {
            let (from, to) = (self.moment(&used.from, values), self.moment(&used.to, values));
            match &used.target {
                UseTarget::Actuator(actuator, args) => {
                    let args: Args = args.iter().map(|arg| self.fixed(arg, values)).collect();
                    let id = self.actuator(Some(*actuator), args, model.actuators[*actuator].capacity);
                    out.push(GroundUse { actuator: id, amount: used.amount, from, to });
                }
                UseTarget::Whole(object) => {
                    let Value::Object(object) = self.fixed(object, values) else { continue };
                    let owner: Args = SmallVec::from_slice(&[Value::Object(object)]);
                    let itself = self.actuator(None, owner.clone(), 1);
                    out.push(GroundUse { actuator: itself, amount: 1, from: from.clone(), to: to.clone() });
                    for (part, declared) in model.actuators.iter() {
                        if self.is_part_of(declared.attribute_of, object) {
                            let id = self.actuator(Some(part), owner.clone(), declared.capacity);
                            let amount = declared.capacity;
                            out.push(GroundUse { actuator: id, amount, from: from.clone(), to: to.clone() });
                        }
                    }
                }
            }
        }
        out
    }

    pub(super) fn is_part_of(&self, owner: Option<dramaturg_model::TypeId>, object: ObjectId) -> bool {
        let model = self.places.world.model;
        owner.is_some_and(|owner| model.is_subtype(model.objects[object].ty, owner))
    }

    pub(super) fn fixed(&mut self, expr: &Expr, values: &[Value]) -> Value {
        match self.expr(expr, values) {
            GroundExpr::Value(value) => value,
            // Who is held must be known when the plan is made; a changing holder is taken as it is at first.
            _ => Lower::new(self.places, values, self.meter).fixed(expr),
        }
    }

    pub(super) fn actuator(&mut self, actuator: Option<ActuatorId>, args: Args, capacity: i64) -> GroundActuatorId {
        let actuators = &mut self.actuators;
        *self
            .known_actuators
            .entry((actuator, args.clone()))
            .or_insert_with(|| actuators.push(GroundActuator { actuator, args, capacity }))
    }
}
