//! Instances to operators and rules: conditions and changes over the variables of the ground state.

use dramaturg_model::{
    Action, ActionId, ActuatorId, Amount, Args, Change, ConditionTime, Contribution, Duration, Effect, Expr, FluentRef,
    FluentSource, Moment, ObjectId, Rule, Set, Table, Trigger, Use, UseTarget, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::condition::{Condition, Conjunction, Literal};
use super::dnf::Dnf;
use super::entity::Entity;
use super::expr::GroundExpr;
use super::lower::{Lower, is_constant, times};
use super::operator::{
    ArgsRange, Derived, GroundActuator, GroundActuatorId, GroundChange, GroundContribution, GroundDuration,
    GroundEffect, GroundRule, GroundTime, GroundTrigger, GroundUse, Operator, Phase, Snap, Timed, TimedGroundCondition,
    TimedGroundEffect, unit_cost,
};
use super::options::Meter;
use super::places::{FactPlace, Places};
use super::prune::{FactReader, for_each_binding};
use super::reach::resolve;
use super::relation::{RelationId, RelationKind, RowId};
use super::schema::{Source, done_terms, pattern_fits};
use super::snap;
use super::template::{ConditionPart, EffectKind, EffectPart, LiteralPart, Sign, Template};
use super::variable::{Meaning, Place, Sets, ValueSet, VariableId};

/// Builds operators, rules and derived fluents.
pub(crate) struct Assembler<'p, 'a, 'm> {
    pub(crate) places: &'p Places<'a, 'm>,
    pub(crate) meter: &'p mut Meter,
    pub(crate) sets: Sets,
    pub(crate) args: Vec<Value>,
    pub(crate) actuators: Table<GroundActuatorId, GroundActuator>,
    known_actuators: FxHashMap<(Option<ActuatorId>, Args), GroundActuatorId>,
}

impl<'p, 'a, 'm> Assembler<'p, 'a, 'm> {
    pub(crate) fn new(places: &'p Places<'a, 'm>, meter: &'p mut Meter) -> Self {
        Self {
            places,
            meter,
            sets: Sets::default(),
            args: Vec::new(),
            actuators: Table::new(),
            known_actuators: FxHashMap::default(),
        }
    }

    fn reader(&self) -> FactReader<'p, 'm> {
        FactReader { world: self.places.world, facts: self.places.facts }
    }

    fn dnf(&mut self) -> Dnf<'_> {
        Dnf {
            variables: &self.places.variables,
            numbers: &self.places.numbers,
            clock: &self.places.world.model.clock,
            sets: &mut self.sets,
        }
    }

    fn values(&self, binding: &[Entity]) -> Args {
        binding.iter().map(|entity| self.places.world.entities.value(*entity)).collect()
    }

    /// The operator of an instance of a plain template, without detours.
    fn plain_operator(&mut self, template: &Template<'m>, id: ActionId, binding: &[Entity]) -> Option<Operator> {
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

    fn keep_args(&mut self, args: &[Value]) -> ArgsRange {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        ArgsRange { start, len: args.len() as u32 }
    }

    /// The ground form of an expression.
    pub(crate) fn expr(&mut self, expr: &Expr, variables: &[Value]) -> GroundExpr {
        Lower::new(self.places, variables, self.meter).expr(expr)
    }

    /// The condition that an expression holds.
    pub(crate) fn condition(&mut self, expr: &Expr, variables: &[Value]) -> Condition {
        let ground = self.expr(expr, variables);
        self.dnf().condition(&ground)
    }

    /// The condition that all of a part holds; `full` also looks at what the join has already checked.
    fn part(&mut self, part: &ConditionPart<'m>, binding: &[Entity], full: bool) -> Condition {
        if part.impossible {
            return Condition::never();
        }
        if full && !self.fixed_holds(part, binding) {
            return Condition::never();
        }
        let mut conjunction = Conjunction::default();
        for literal in &part.literals {
            if !self.literal(literal, binding, &mut conjunction) {
                return Condition::never();
            }
        }
        let mut condition = Condition::of(conjunction);
        if !part.rest.is_empty() {
            let values = self.values(binding);
            for (expr, sign) in &part.rest {
                let ground = self.expr(expr, &values);
                let ground = if *sign { ground } else { super::lower::negate(ground) };
                let mut dnf = self.dnf();
                let other = dnf.condition(&ground);
                condition = dnf.both(&condition, &other);
            }
        }
        condition
    }

    fn fixed_holds(&self, part: &ConditionPart<'m>, binding: &[Entity]) -> bool {
        let constraints = part.constraints.iter().all(|constraint| {
            (resolve(constraint.left, binding) == resolve(constraint.right, binding)) == constraint.equal
        });
        if !constraints || part.fixed.is_empty() {
            return constraints;
        }
        let values = self.values(binding);
        let world = self.places.world;
        let mut evaluator = dramaturg_model::Evaluator::with(world.model, world.state, &values);
        part.fixed.iter().all(|(expr, sign)| evaluator.holds(expr) == *sign)
    }

    /// Adds a literal; false if it can never hold here.
    #[inline]
    fn literal(&mut self, literal: &LiteralPart, binding: &[Entity], conjunction: &mut Conjunction) -> bool {
        let world = self.places.world;
        let relation = &world.relations[literal.atom.relation];
        if literal.sign == Sign::Other {
            return self.other_value(literal, binding, conjunction);
        }
        let wanted = literal.sign == Sign::Yes;
        let row = self.reader().row(&literal.atom, binding);
        let place = match row {
            None => return !wanted,
            Some(_) if relation.is_static => return wanted,
            Some(row) => self.places.fact(literal.atom.relation, row),
        };
        match place {
            FactPlace::Always => wanted,
            FactPlace::Never => !wanted,
            FactPlace::At(variable, value) => {
                let size = self.places.variables[variable].size();
                let values = match (wanted, size) {
                    (true, _) => ValueSet::One(value),
                    (false, 2) => ValueSet::One(1 - value),
                    (false, _) => ValueSet::Not(value),
                };
                conjunction.ask(variable, values, size, &mut self.sets)
            }
        }
    }

    /// The fluent has a value, and not this one.
    fn other_value(&mut self, literal: &LiteralPart, binding: &[Entity], conjunction: &mut Conjunction) -> bool {
        let world = self.places.world;
        let Some(fluent) = world.relations[literal.atom.relation].fluent else { return false };
        let mut cells: SmallVec<[Entity; 8]> = literal.atom.terms.iter().map(|term| resolve(*term, binding)).collect();
        let value = cells.pop().map_or(Value::Nothing, |cell| world.entities.value(cell));
        let args = self.values(&cells);
        match self.places.place(fluent, &args) {
            Place::Constant(found) => found != Value::Nothing && found != value,
            Place::Variable(id) => {
                let variable = &self.places.variables[id];
                let holds =
                    |index| !matches!(variable.value(index), found if found == value || found == Value::Nothing);
                match self.sets.intern(variable.size(), holds) {
                    None => false,
                    Some(None) => true,
                    Some(Some(values)) => conjunction.ask(id, values, variable.size(), &mut self.sets),
                }
            }
            Place::Member(..) | Place::Number(_) => false,
        }
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

    fn soft_conditions(&mut self, action: &'m Action, values: &Args, conditions: &mut Vec<TimedGroundCondition>) {
        for timed in &action.conditions {
            let Some(weight) = &timed.weight else { continue };
            let weight = Some(self.expr(weight, values));
            let condition = self.condition(&timed.condition, values);
            let time = self.time_of(&timed.time, values);
            conditions.push(TimedGroundCondition { time, condition, weight });
        }
    }

    fn condition_time(&mut self, time: &ConditionTime, binding: &[Entity]) -> GroundTime {
        let values = self.values(binding);
        self.time_of(time, &values)
    }

    fn time_of(&mut self, time: &ConditionTime, values: &[Value]) -> GroundTime {
        match time {
            ConditionTime::Start => GroundTime::Start,
            ConditionTime::Throughout => GroundTime::Throughout,
            ConditionTime::End => GroundTime::End,
            ConditionTime::After(ticks) => GroundTime::After(self.expr(ticks, values)),
        }
    }

    fn moment(&mut self, moment: &Moment, values: &[Value]) -> GroundTime {
        match moment {
            Moment::Start => GroundTime::Start,
            Moment::End => GroundTime::End,
            Moment::After(ticks) => GroundTime::After(self.expr(ticks, values)),
        }
    }

    fn duration(&mut self, duration: &Duration, values: &[Value]) -> GroundDuration {
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

    /// Adds the changes of an effect.
    fn effect(&mut self, effect: &EffectPart<'m>, binding: &[Entity], out: &mut Vec<TimedGroundEffect>) {
        match (&effect.kind, &effect.bound) {
            (EffectKind::Flag(atom, value), Some(_)) => {
                let reader = self.reader();
                for_each_binding(&reader, effect, binding, &mut |binding| {
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
            }
            (EffectKind::Value(atom), Some(_)) => {
                let reader = self.reader();
                for_each_binding(&reader, effect, binding, &mut |binding| {
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

    fn effect_time(&mut self, effect: &EffectPart<'m>, binding: &[Entity]) -> GroundTime {
        match effect.moment {
            Moment::Start => GroundTime::Start,
            Moment::End => GroundTime::End,
            Moment::After(_) => {
                let values = self.values(binding);
                self.moment(effect.moment, &values)
            }
        }
    }

    fn flag_change(&self, variable: VariableId, index: u32, value: bool) -> Option<GroundChange> {
        match (&self.places.variables[variable].meaning, value) {
            (_, true) => Some(GroundChange::Set(variable, index)),
            (Meaning::Group { facts, none }, false) => {
                none.then(|| GroundChange::Leave(variable, index, facts.len() as u32))
            }
            (_, false) => Some(GroundChange::Set(variable, 0)),
        }
    }

    fn listed(&mut self, effect: &EffectPart<'m>, values: &[Value], out: &mut Vec<TimedGroundEffect>) {
        let (atom, value) = match &effect.kind {
            EffectKind::Flag(atom, value) => (atom, Some(*value)),
            EffectKind::Value(atom) => (atom, None),
            EffectKind::General(_) => return,
        };
        let mut found: Vec<(GroundExpr, SmallVec<[Value; 8]>)> = Vec::new();
        let mut lower = Lower::new(self.places, values, self.meter);
        lower.for_each(effect.binders, GroundExpr::TRUE, &mut |scope, guard| {
            let condition = effect.condition.map_or(GroundExpr::TRUE, |condition| scope.expr(condition));
            let guard = super::lower::all_of(vec![guard, condition]);
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
            let guard = super::lower::all_of(vec![guard, condition]);
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
    fn change(&mut self, place: Place, change: &Change, values: &[Value]) -> Option<Vec<(Condition, GroundChange)>> {
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
                let no = self.dnf().condition(&super::lower::negate(ground));
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
    fn cut(&self, variable: VariableId, value: Value) -> Value {
        match (&self.places.variables[variable].meaning, value) {
            (Meaning::Whole { fluent, .. }, Value::Number(number)) => {
                Value::Number(self.places.world.model.fluents[*fluent].domain.clamp(number))
            }
            (_, value) => value,
        }
    }

    fn random_values(&mut self, variable: VariableId, set: &Set, values: &[Value]) -> Vec<u32> {
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
    fn done(&mut self, template: &Template<'m>, binding: &[Entity], out: &mut Vec<TimedGroundEffect>) {
        let world = self.places.world;
        let (kind, tags) = match template.source {
            Source::Action(id) => (dramaturg_model::EventKind::Action(id), &world.model.actions[id].tags),
            Source::Rule(id) => (dramaturg_model::EventKind::Rule(id), &world.model.rules[id].tags),
            Source::Derived | Source::Effect | Source::Story => return,
        };
        for (fluent, declared) in world.model.fluents.iter() {
            let FluentSource::Done(pattern) = &declared.source else { continue };
            let matches = pattern.kind == kind
                || matches!(pattern.kind, dramaturg_model::EventKind::Tag(tag) if tags.contains(&tag));
            let args = self.values(binding);
            if !matches || !pattern_fits(pattern, &args) {
                continue;
            }
            let Some(terms) = done_terms(pattern, declared.params.len()) else { continue };
            let cells: SmallVec<[Entity; 8]> = terms.iter().map(|term| resolve(*term, binding)).collect();
            let (change, yes) = match self.places.place(fluent, &self.values(&cells)) {
                Place::Variable(variable) => match self.places.variables[variable].index_of(Value::Bool(true)) {
                    Some(yes) => (GroundChange::Set(variable, yes), true),
                    None => continue,
                },
                Place::Member(variable, index) => (GroundChange::Set(variable, index), true),
                Place::Constant(_) | Place::Number(_) => continue,
            };
            if yes {
                let effect = GroundEffect { condition: Condition::always(), change };
                out.push(TimedGroundEffect { time: GroundTime::End, effect, expected: false });
            }
        }
    }

    fn contributions(&mut self, parts: &[Contribution], values: &[Value]) -> Vec<GroundContribution> {
        let mut out = Vec::new();
        for part in parts {
            let mut found: Vec<(GroundExpr, SmallVec<[Value; 8]>, Args)> = Vec::new();
            let mut lower = Lower::new(self.places, values, self.meter);
            lower.for_each(&part.binders, GroundExpr::TRUE, &mut |scope, guard| {
                let condition = part.condition.as_ref().map_or(GroundExpr::TRUE, |condition| scope.expr(condition));
                let guard = super::lower::all_of(vec![guard, condition]);
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

    /// The actuators that an action holds. What is held as a whole does nothing else with any of its parts.
    fn uses(&mut self, uses: &[Use], values: &[Value]) -> Vec<GroundUse> {
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

    fn is_part_of(&self, owner: Option<dramaturg_model::TypeId>, object: ObjectId) -> bool {
        let model = self.places.world.model;
        owner.is_some_and(|owner| model.is_subtype(model.objects[object].ty, owner))
    }

    fn fixed(&mut self, expr: &Expr, values: &[Value]) -> Value {
        match self.expr(expr, values) {
            GroundExpr::Value(value) => value,
            // Who is held must be known when the plan is made; a changing holder is taken as it is at first.
            _ => Lower::new(self.places, values, self.meter).fixed(expr),
        }
    }

    fn actuator(&mut self, actuator: Option<ActuatorId>, args: Args, capacity: i64) -> GroundActuatorId {
        let actuators = &mut self.actuators;
        *self
            .known_actuators
            .entry((actuator, args.clone()))
            .or_insert_with(|| actuators.push(GroundActuator { actuator, args, capacity }))
    }

    /// The rule of an instance; none if it can never fire.
    pub(crate) fn rule(&mut self, template: &Template<'m>, binding: &[Entity]) -> Option<GroundRule> {
        let Source::Rule(id) = template.source else { return None };
        let rule: &Rule = &self.places.world.model.rules[id];
        let values = self.values(binding);
        let guard = |assembler: &mut Self, guard: &Option<Expr>| match guard {
            Some(guard) => assembler.condition(guard, &values),
            None => Condition::always(),
        };
        let trigger = match &rule.trigger {
            Trigger::When(condition, guarded) => {
                GroundTrigger::When(self.condition(condition, &values), guard(self, guarded))
            }
            Trigger::While(condition) => GroundTrigger::While(self.condition(condition, &values)),
            Trigger::After(_, guarded) => GroundTrigger::After(guard(self, guarded)),
            Trigger::Always => GroundTrigger::Always,
        };
        let never = match &trigger {
            GroundTrigger::When(condition, guard) => condition.is_never() || guard.is_never(),
            GroundTrigger::While(condition) | GroundTrigger::After(condition) => condition.is_never(),
            GroundTrigger::Always => false,
        };
        if never {
            return None;
        }
        let mut effects = Vec::new();
        for effect in &template.effects {
            self.effect(effect, binding, &mut effects);
        }
        self.done(template, binding, &mut effects);
        let contributions = self.contributions(&rule.contributions, &values);
        let duration = rule.duration.as_ref().map(|duration| self.duration(duration, &values));
        let args = self.keep_args(&values);
        Some(GroundRule { rule: id, args, trigger, duration, effects, contributions })
    }

    /// The derived fluents, in order of their strata.
    pub(crate) fn derived(&mut self) -> Vec<Derived> {
        let world = self.places.world;
        let mut derived = Vec::new();
        for (id, relation) in world.relations.iter() {
            let Some(fluent) = relation.fluent.filter(|_| relation.kind == RelationKind::Flag) else { continue };
            let FluentSource::Derived { rules, stratum } = &world.model.fluents[fluent].source else { continue };
            derived.extend(self.derived_rows(id, rules, *stratum));
        }
        derived.sort_by_key(|derived: &Derived| derived.stratum);
        derived
    }

    fn derived_rows(&mut self, id: RelationId, rules: &[Expr], stratum: u16) -> Vec<Derived> {
        let world = self.places.world;
        let relation = &world.relations[id];
        let mut out = Vec::new();
        for row in (0..relation.len() as u32).map(RowId) {
            let FactPlace::At(variable, yes) = self.places.fact(id, row) else { continue };
            let values = self.values(relation.row(row));
            let parts: Vec<GroundExpr> = rules.iter().map(|rule| self.expr(rule, &values)).collect();
            let condition = self.dnf().condition(&super::lower::any_of(parts));
            out.push(Derived { variable, yes, condition, stratum });
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
                let is = GroundExpr::Compare(
                    dramaturg_model::Comparison::Equal,
                    Box::new(arg.clone()),
                    Box::new(GroundExpr::Value(*value)),
                );
                let mut args = args.clone();
                args.push(*value);
                longer.push((super::lower::all_of(vec![guard.clone(), is]), args));
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
