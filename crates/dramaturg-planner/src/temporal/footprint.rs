//! What an operator reads and changes, and when: all that its time depends on.

use std::collections::BTreeMap;

use dramaturg_model::{ConditionTime, Duration, Model, Moment, Table};

use super::mention::Mentions;

use crate::ground::{
    Condition, GroundActuatorId, GroundChange, GroundDuration, GroundEffect, GroundExpr, GroundTime, Operator,
    OperatorId, Place, Problem, VariableId,
};

/// A variable, a number or an actuator, in this order.
pub(super) type Slot = u32;

/// What an operator reads and changes, and when.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// Read at its start, and not changed there.
    pub(super) start_reads: Box<[Slot]>,
    /// Set at its start.
    pub(super) start_sets: Box<[Slot]>,
    /// Added to at its start.
    pub(super) start_adds: Box<[Slot]>,
    /// Read all along, without its start and its end.
    pub(super) keeps: Box<[Slot]>,
    /// Read at its end, and not changed there.
    pub(super) end_reads: Box<[Slot]>,
    /// Set at its end.
    pub(super) end_sets: Box<[Slot]>,
    /// Added to at its end.
    pub(super) end_adds: Box<[Slot]>,
}

/// The footprints of all operators.
#[derive(Clone, Debug)]
pub(super) struct Footprints {
    table: Table<OperatorId, Footprint>,
    /// How many slots there are.
    pub(super) slots: usize,
}

/// What is noted of one moment of an operator.
#[derive(Default)]
struct Touches {
    reads: Vec<Slot>,
    sets: Vec<Slot>,
    adds: Vec<Slot>,
}

/// Slots of variables, with what derived ones are computed from.
struct Reader<'p> {
    problem: &'p Problem,
    bases: Vec<Vec<Slot>>,
}

impl Footprints {
    /// Those of a problem that was grounded from a model.
    pub(super) fn new(model: &Model, problem: &Problem) -> Self {
        let reader = Reader::new(problem);
        let mut mentions = Mentions::new(model, problem);
        let table = problem.operators.ids().map(|id| {
            let (mut start, mut keeps, mut end) = reader.touches(&problem.operators[id]);
            let action = &model.actions[problem.operators[id].action];
            let args = problem.args(id);
            let is_instant = action.duration == Duration::Instant;
            for condition in action.conditions.iter().filter(|condition| condition.weight.is_none()) {
                let found = match condition.time {
                    _ if is_instant => &mut start.reads,
                    ConditionTime::Start => &mut start.reads,
                    ConditionTime::Throughout | ConditionTime::After(_) => &mut keeps,
                    ConditionTime::End => &mut end.reads,
                };
                mentions.read(&condition.condition, args, found);
            }
            for effect in &action.effects {
                let at_start = is_instant || effect.moment == Moment::Start;
                let touches = if at_start { &mut start } else { &mut end };
                mentions.effect(effect, args, &mut touches.reads, &mut touches.sets);
            }
            (start, keeps, end, id)
        });
        let mut touches: Vec<_> = table.collect();
        // An actuator is one more slot, which is set at both ends by whoever uses it: one at a time, for the whole
        // duration. That is sound, and wastes what is left of an actuator that can do several things at once.
        let mut actuators: BTreeMap<GroundActuatorId, Slot> = BTreeMap::new();
        for (start, _, end, id) in &mut touches {
            for used in problem.operators[*id].timed.iter().flat_map(|timed| &timed.uses) {
                let next = (mentions.slots + actuators.len()) as Slot;
                let slot = *actuators.entry(used.actuator).or_insert(next);
                start.sets.push(slot);
                end.sets.push(slot);
            }
        }
        let table = touches.into_iter().map(|(start, keeps, end, _)| footprint(start, keeps, end)).collect();
        Self { table, slots: mentions.slots + actuators.len() }
    }

    /// Those of a problem that was made from another.
    pub(super) fn from_parts(table: Table<OperatorId, Footprint>, slots: usize) -> Self {
        Self { table, slots }
    }

    /// That of an operator.
    #[inline]
    pub(super) fn of(&self, operator: OperatorId) -> &Footprint {
        &self.table[operator]
    }
}

impl Footprint {
    /// Every slot that is read, at whatever moment.
    pub(super) fn reads(&self) -> impl Iterator<Item = Slot> + '_ {
        self.start_reads.iter().chain(&self.keeps).chain(&self.end_reads).copied()
    }

    /// Every slot that is added to, at whatever moment.
    pub(super) fn adds(&self) -> impl Iterator<Item = Slot> + '_ {
        self.start_adds.iter().chain(&self.end_adds).copied()
    }

    /// Every slot that is set, at whatever moment.
    pub(super) fn sets(&self) -> impl Iterator<Item = Slot> + '_ {
        self.start_sets.iter().chain(&self.end_sets).copied()
    }

    /// Slots that nobody else may change while it lasts, and that it changes: what it works with.
    pub(super) fn holds(&self) -> Vec<Slot> {
        let before = |slot: &Slot| {
            self.start_sets.contains(slot) || self.start_reads.contains(slot) || self.keeps.contains(slot)
        };
        let kept = |slot: &Slot| self.keeps.contains(slot) && !self.end_sets.contains(slot);
        let to_the_end = self.end_sets.iter().copied().filter(before);
        to_the_end.chain(self.start_sets.iter().copied().filter(kept)).collect()
    }

    /// The same when time runs backwards.
    pub(super) fn mirrored(&self) -> Self {
        Self {
            start_reads: self.end_reads.clone(),
            start_sets: self.end_sets.clone(),
            start_adds: self.end_adds.clone(),
            keeps: self.keeps.clone(),
            end_reads: self.start_reads.clone(),
            end_sets: self.start_sets.clone(),
            end_adds: self.start_adds.clone(),
        }
    }

    /// The footprint of its start alone, as an operator of its own.
    pub(super) fn start(&self) -> Self {
        Self { end_reads: Box::default(), end_sets: Box::default(), end_adds: Box::default(), ..self.clone() }
    }

    /// The footprint of its end alone, as an operator of its own without duration.
    pub(super) fn end(&self) -> Self {
        Self {
            start_reads: self.end_reads.clone(),
            start_sets: self.end_sets.clone(),
            start_adds: self.end_adds.clone(),
            ..Self::default()
        }
    }

    /// The same in a problem with more variables, after which numbers are counted.
    pub(super) fn with_more_variables(mut self, variables: usize, more: u32) -> Self {
        let all = [
            &mut self.start_reads,
            &mut self.start_sets,
            &mut self.start_adds,
            &mut self.keeps,
            &mut self.end_reads,
            &mut self.end_sets,
            &mut self.end_adds,
        ];
        for slots in all {
            slots.iter_mut().filter(|slot| **slot as usize >= variables).for_each(|slot| *slot += more);
        }
        self
    }

    /// One that only sets a slot, at once.
    pub(super) fn setting(slot: Slot) -> Self {
        Self { start_sets: Box::new([slot]), ..Self::default() }
    }
}

impl<'p> Reader<'p> {
    fn new(problem: &'p Problem) -> Self {
        let mut reader = Self { problem, bases: vec![Vec::new(); problem.variables.len()] };
        // A derived fluent may read others of its own stratum: what they are computed from is gathered until nothing is new.
        let mut grows = !problem.derived.is_empty();
        while grows {
            grows = false;
            for derived in &problem.derived {
                let mut found = Vec::new();
                reader.condition(&derived.condition, &mut found);
                found.sort_unstable();
                found.dedup();
                if let Some(known) = reader.bases.get_mut(derived.variable.0 as usize)
                    && *known != found
                {
                    *known = found;
                    grows = true;
                }
            }
        }
        reader
    }

    fn variable(&self, variable: VariableId, found: &mut Vec<Slot>) {
        found.push(variable.0);
        if self.problem.variables[variable].derived {
            found.extend(self.bases.get(variable.0 as usize).into_iter().flatten());
        }
    }

    fn number(&self, number: crate::ground::NumberId) -> Slot {
        self.problem.variables.len() as Slot + number.0
    }

    fn condition(&self, condition: &Condition, found: &mut Vec<Slot>) {
        condition.for_each_variable(&mut |variable| self.variable(variable, found));
        condition.for_each_number(&mut |number| found.push(self.number(number)));
    }

    fn expr(&self, expr: &GroundExpr, found: &mut Vec<Slot>) {
        expr.walk(&mut |part| match part {
            GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) => self.variable(*variable, found),
            GroundExpr::Number(number) => found.push(self.number(*number)),
            _ => {}
        });
    }

    fn effect(&self, effect: &GroundEffect, touches: &mut Touches) {
        self.condition(&effect.condition, &mut touches.reads);
        effect.change.reads().into_iter().for_each(|expr| self.expr(expr, &mut touches.reads));
        match (&effect.change, effect.change.variable(), effect.change.number()) {
            (GroundChange::AddNumber(number, _), ..) => touches.adds.push(self.number(*number)),
            (_, Some(variable), _) => touches.sets.push(variable.0),
            (_, None, Some(number)) => touches.sets.push(self.number(number)),
            (_, None, None) => {}
        }
    }

    /// What an operator touches at its start, all along, and at its end.
    fn touches(&self, operator: &Operator) -> (Touches, Vec<Slot>, Touches) {
        let (mut start, mut end, mut keeps) = (Touches::default(), Touches::default(), Vec::new());
        let Some(timed) = &operator.timed else {
            for phase in &operator.snap.phases {
                self.condition(&phase.condition, &mut start.reads);
                start.sets.extend(phase.sets.iter().map(|(variable, _)| variable.0));
                phase.effects.iter().for_each(|effect| self.effect(effect, &mut start));
            }
            return (start, keeps, end);
        };
        match &timed.duration {
            GroundDuration::Instant => {}
            GroundDuration::Fixed(exact) => self.expr(exact, &mut start.reads),
            GroundDuration::Contingent(least, most) => {
                [least, most].into_iter().for_each(|expr| self.expr(expr, &mut start.reads));
            }
            GroundDuration::Chosen(least, most) => {
                [least, most].into_iter().flatten().for_each(|expr| self.expr(expr, &mut start.reads));
            }
        }
        for part in timed.conditions.iter().filter(|part| part.weight.is_none()) {
            let found = match part.time {
                GroundTime::Start => &mut start.reads,
                GroundTime::Throughout | GroundTime::After(_) => &mut keeps,
                GroundTime::End => &mut end.reads,
            };
            self.condition(&part.condition, found);
        }
        for part in &timed.effects {
            let touches = if part.time == GroundTime::Start { &mut start } else { &mut end };
            self.effect(&part.effect, touches);
        }
        for part in &timed.contributions {
            // Nobody may look at what changes all along: it is held from start to end.
            self.condition(&part.condition, &mut keeps);
            self.expr(&part.amount, &mut keeps);
            let slot = match part.target {
                Place::Number(number) => self.number(number),
                Place::Variable(variable) | Place::Member(variable, _) => variable.0,
                Place::Constant(_) => continue,
            };
            start.sets.push(slot);
            end.sets.push(slot);
        }
        (start, keeps, end)
    }
}

fn footprint(mut start: Touches, mut keeps: Vec<Slot>, mut end: Touches) -> Footprint {
    for touches in [&mut start, &mut end] {
        for slots in [&mut touches.reads, &mut touches.sets, &mut touches.adds] {
            slots.sort_unstable();
            slots.dedup();
        }
        // What is changed is ordered among all who read it anyway; an addition is not, among other additions.
        let (sets, adds) = (&touches.sets, &mut touches.adds);
        let read_and_added: Vec<Slot> = adds.iter().copied().filter(|slot| touches.reads.contains(slot)).collect();
        adds.retain(|slot| !sets.contains(slot) && !read_and_added.contains(slot));
        touches.sets.extend(read_and_added);
        touches.sets.sort_unstable();
        touches.sets.dedup();
        touches.reads.retain(|slot| !touches.sets.contains(slot));
    }
    keeps.sort_unstable();
    keeps.dedup();
    Footprint {
        start_reads: start.reads.into(),
        start_sets: start.sets.into(),
        start_adds: start.adds.into(),
        keeps: keeps.into(),
        end_reads: end.reads.into(),
        end_sets: end.sets.into(),
        end_adds: end.adds.into(),
    }
}
