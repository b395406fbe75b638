//! Forms: what an action or a rule does, taken apart into what the projection works with.

use dramaturg_model::{Fixed, Table, Tick, Value};
use smallvec::SmallVec;

use super::slot::{Slot, SlotId, SlotKind, of_number, of_variable};
use crate::ground::{
    Condition, GroundActuatorId, GroundChange, GroundContribution, GroundDuration, GroundExpr, GroundTime, Place,
    Problem, Timed, TimedGroundCondition, TimedGroundEffect,
};

/// When, within the time of a step or of a rule that fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// When it starts.
    Start,
    /// From start to end.
    Throughout,
    /// When it ends.
    End,
    /// So many ticks after its start.
    After(Tick),
}

impl When {
    fn of(time: &GroundTime) -> Option<Self> {
        Some(match time {
            GroundTime::Start => Self::Start,
            GroundTime::Throughout => Self::Throughout,
            GroundTime::End => Self::End,
            GroundTime::After(offset) => Self::After(offset.as_number()?.round_half_up().max(0)),
        })
    }

    /// How many ticks after the start, for something that takes so long.
    pub(crate) const fn offset(self, duration: Tick) -> Tick {
        match self {
            Self::Start | Self::Throughout => 0,
            Self::End => duration,
            Self::After(offset) => offset,
        }
    }
}

/// How long something takes.
#[derive(Clone, Debug)]
pub(crate) enum Length {
    /// No time: the effects of a rule that come at once.
    None,
    /// Always so long.
    Plain(Tick),
    /// As is read in when it starts.
    Read(Box<GroundExpr>, Box<[SlotId]>),
}

/// Slots that are read, in ascending order.
pub(crate) type Slots = SmallVec<[SlotId; 2]>;

/// A condition.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    pub(crate) when: When,
    pub(crate) condition: Condition,
    /// How much it weighs in millionths; none: it must hold.
    pub(crate) weight: Option<i64>,
    pub(crate) reads: Slots,
}

/// What an effect writes.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// This value.
    Set(i64),
    /// So much more.
    Add(i64),
    /// The second value if it has the first.
    Leave(i64, i64),
    /// The value of an expression.
    SetTo(Box<GroundExpr>),
    /// The value of an expression more.
    AddTo(Box<GroundExpr>),
}

/// An effect.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) when: When,
    pub(crate) slot: SlotId,
    pub(crate) written: Written,
    /// Only if this holds.
    pub(crate) guard: Option<Box<Condition>>,
    /// What must be read to know what is written; empty if it is always the same.
    pub(crate) reads: Slots,
    /// Whether somebody else brings it about.
    pub(crate) expected: bool,
}

/// A gradual change.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) slot: SlotId,
    pub(crate) amount: GroundExpr,
    /// The amount, if it is always the same.
    pub(crate) plain: Option<i64>,
    pub(crate) per_tick: bool,
    pub(crate) guard: Option<Box<Condition>>,
    pub(crate) reads: Slots,
}

/// A hold on an actuator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grip {
    pub(crate) actuator: GroundActuatorId,
    pub(crate) amount: i64,
    pub(crate) from: When,
    pub(crate) to: When,
}

/// What an action or a rule does. In a long plan every step has another form, and each is looked at by itself: the little that most of them
/// have is kept in one piece.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) length: Length,
    pub(crate) needs: SmallVec<[Need; 1]>,
    pub(crate) deeds: SmallVec<[Deed; 1]>,
    pub(crate) grips: SmallVec<[Grip; 1]>,
    pub(crate) spreads: Box<[Spread]>,
    /// What it costs, in millionths.
    pub(crate) cost: i64,
}

/// Turns ground operators and rules into forms.
pub(crate) struct FormWriter<'p> {
    pub(crate) problem: &'p Problem,
    pub(crate) slots: &'p Table<SlotId, Slot>,
}

impl FormWriter<'_> {
    /// The form of a timed action; none if a moment of it is not known beforehand.
    pub(crate) fn action(&self, timed: &Timed, cost: i64) -> Option<Form> {
        let mut grips = SmallVec::with_capacity(timed.uses.len());
        for used in &timed.uses {
            let (from, to) = (When::of(&used.from)?, When::of(&used.to)?);
            grips.push(Grip { actuator: used.actuator, amount: used.amount, from, to });
        }
        Some(Form {
            length: self.length(&timed.duration),
            needs: timed.conditions.iter().map(|need| self.need(need)).collect::<Option<_>>()?,
            deeds: self.deeds(&timed.effects)?,
            spreads: timed.contributions.iter().filter_map(|part| self.spread(part)).collect(),
            grips,
            cost,
        })
    }

    /// The form of what a rule does when it fires; none if a moment of it is not known beforehand.
    pub(crate) fn rule(&self, rule: &crate::ground::GroundRule) -> Option<Form> {
        Some(Form {
            length: rule.duration.as_ref().map_or(Length::None, |duration| self.length(duration)),
            needs: SmallVec::new(),
            deeds: self.deeds(&rule.effects)?,
            spreads: rule.contributions.iter().filter_map(|part| self.spread(part)).collect(),
            grips: SmallVec::new(),
            cost: 0,
        })
    }

    fn length(&self, duration: &GroundDuration) -> Length {
        let expr = match duration {
            GroundDuration::Instant => return Length::Plain(1),
            // Where the world decides, the shortest is planned with; where the planner does, too.
            GroundDuration::Fixed(expr) | GroundDuration::Contingent(expr, _) => expr,
            GroundDuration::Chosen(Some(expr), _) => expr,
            GroundDuration::Chosen(None, _) => return Length::Plain(1),
        };
        match expr.as_number() {
            Some(ticks) => Length::Plain(ticks.round_half_up().max(1)),
            None => Length::Read(Box::new(expr.clone()), self.reads_of(expr).into()),
        }
    }

    fn need(&self, need: &TimedGroundCondition) -> Option<Need> {
        let weight = need.weight.as_ref().map(|weight| weight.as_number().map_or(1_000_000, |weight| weight.0));
        Some(Need {
            when: When::of(&need.time)?,
            condition: need.condition.clone(),
            weight,
            reads: Slots::from_slice(&self.slots_of(&need.condition)),
        })
    }

    fn deeds(&self, effects: &[TimedGroundEffect]) -> Option<SmallVec<[Deed; 1]>> {
        let mut deeds = SmallVec::with_capacity(effects.len());
        for timed in effects {
            let when = When::of(&timed.time)?;
            let Some((slot, written)) = self.written(&timed.effect.change) else { continue };
            let guard = (!timed.effect.condition.is_always()).then(|| Box::new(timed.effect.condition.clone()));
            let mut reads = guard.as_ref().map_or_else(Vec::new, |guard| self.slots_of(guard));
            match &written {
                Written::SetTo(expr) | Written::AddTo(expr) => reads.extend(self.reads_of(expr)),
                Written::Leave(..) => reads.push(slot),
                Written::Set(_) | Written::Add(_) => {}
            }
            reads.sort_unstable();
            reads.dedup();
            let reads = Slots::from_slice(&reads);
            deeds.push(Deed { when, slot, written, guard, reads, expected: timed.expected });
        }
        Some(deeds)
    }

    fn written(&self, change: &GroundChange) -> Option<(SlotId, Written)> {
        let number = |number| of_number(self.problem.variables.len(), number);
        Some(match change {
            GroundChange::Set(variable, value) => (of_variable(*variable), Written::Set(i64::from(*value))),
            GroundChange::Leave(variable, from, to) => {
                (of_variable(*variable), Written::Leave(i64::from(*from), i64::from(*to)))
            }
            GroundChange::Assign(variable, expr) => (of_variable(*variable), Written::SetTo(Box::new(expr.clone()))),
            GroundChange::Shift(variable, expr) => (of_variable(*variable), self.added(expr)),
            GroundChange::SetNumber(id, expr) => match expr.as_number() {
                Some(value) => (number(*id), Written::Set(value.0)),
                None => (number(*id), Written::SetTo(Box::new(expr.clone()))),
            },
            GroundChange::AddNumber(id, expr) => (number(*id), self.added(expr)),
            // What chance brings nobody can plan with.
            GroundChange::Random(..) | GroundChange::RandomNumber(..) => return None,
        })
    }

    fn added(&self, expr: &GroundExpr) -> Written {
        expr.as_number().map_or_else(|| Written::AddTo(Box::new(expr.clone())), |amount| Written::Add(amount.0))
    }

    fn spread(&self, part: &GroundContribution) -> Option<Spread> {
        let slot = match part.target {
            Place::Variable(variable) => of_variable(variable),
            Place::Number(number) => of_number(self.problem.variables.len(), number),
            Place::Constant(_) | Place::Member(..) => return None,
        };
        if !self.slots[slot].is_numeric() || part.condition.is_never() {
            return None;
        }
        let guard = (!part.condition.is_always()).then(|| Box::new(part.condition.clone()));
        let mut reads = guard.as_ref().map_or_else(Vec::new, |guard| self.slots_of(guard));
        reads.extend(self.reads_of(&part.amount));
        reads.sort_unstable();
        reads.dedup();
        let reads = Slots::from_slice(&reads);
        let plain = part.amount.as_number().map(|amount| amount.0);
        Some(Spread { slot, amount: part.amount.clone(), plain, per_tick: part.per_tick, guard, reads })
    }

    /// The slots that an expression reads.
    pub(crate) fn reads_of(&self, expr: &GroundExpr) -> Vec<SlotId> {
        let mut reads = Vec::new();
        expr.walk(&mut |part| match part {
            GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) => reads.push(of_variable(*variable)),
            GroundExpr::Number(number) => reads.push(of_number(self.problem.variables.len(), *number)),
            _ => {}
        });
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// The slots that a condition reads.
    pub(crate) fn slots_of(&self, condition: &Condition) -> Vec<SlotId> {
        let mut reads = Vec::new();
        condition.for_each_variable(&mut |variable| reads.push(of_variable(variable)));
        condition.for_each_number(&mut |number| reads.push(of_number(self.problem.variables.len(), number)));
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

/// The value of an expression as a slot holds it; none if it has no such value.
pub(crate) fn held(problem: &Problem, slot: SlotId, slots: &Table<SlotId, Slot>, value: Value) -> Option<i64> {
    match (&slots[slot].kind, value) {
        (SlotKind::Number { .. }, Value::Number(number)) => Some(number.0),
        (SlotKind::Whole { .. }, Value::Number(Fixed(raw))) => Some(slots[slot].cut(raw)),
        (SlotKind::Number { .. }, _) => None,
        (SlotKind::Whole { .. } | SlotKind::Choice { .. }, value) => {
            let variable = problem.variables.try_at(crate::ground::VariableId(slot.0))?;
            variable.index_of(value).map(i64::from)
        }
    }
}
