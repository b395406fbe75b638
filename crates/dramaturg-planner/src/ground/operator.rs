//! Operators: actions with their arguments, as transitions between ground states.

use dramaturg_model::{ActionId, Fixed, ObjectId, RuleId, Tick, Value, ids};
use smallvec::SmallVec;

use super::condition::Condition;
use super::expr::GroundExpr;
use super::variable::{NumberId, VariableId};

ids! {
    /// A ground action.
    OperatorId,
    /// A ground rule.
    GroundRuleId,
    /// An actuator of some object.
    GroundActuatorId,
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The action.
    pub action: ActionId,
    /// Where its arguments stand in [`super::Problem::args`].
    pub(crate) args: ArgsRange,
    /// Who performs it.
    pub performer: Option<ObjectId>,
    /// What it costs.
    pub cost: GroundExpr,
    /// It as one transition from before its start to after its end, for search without time.
    pub snap: Snap,
    /// Its parts in time; none for an instant action, whose snap says all.
    pub timed: Option<Box<Timed>>,
}

/// A piece of the common store of arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgsRange {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A transition in one or more phases: each reads its condition and all it needs from one state, then changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snap {
    /// The first phase's condition is the precondition. Most have one phase; an action with effects at its start and at its end
    /// has two.
    pub phases: SmallVec<[Phase; 1]>,
}

impl Snap {
    /// What must hold before, as far as it can be said about the state before.
    pub fn precondition(&self) -> Option<&Condition> {
        self.phases.first().map(|phase| &phase.condition)
    }
}

/// A phase of a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// What must hold.
    pub condition: Condition,
    /// Variables that always get these values.
    pub sets: SmallVec<[(VariableId, u32); 4]>,
    /// All other changes, in order; they win over `sets` unless they are [`GroundChange::Leave`].
    pub effects: Vec<GroundEffect>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundEffect {
    /// Only if this holds.
    pub condition: Condition,
    /// What changes.
    pub change: GroundChange,
}

/// How a ground state changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundChange {
    /// A variable gets this value.
    Set(VariableId, u32),
    /// A group's variable gets the second value if it has the first and nothing else sets it: its fact becomes false.
    Leave(VariableId, u32, u32),
    /// A variable gets the value of an expression.
    Assign(VariableId, GroundExpr),
    /// A variable that is a whole number changes by so much.
    Shift(VariableId, GroundExpr),
    /// A number becomes this.
    SetNumber(NumberId, GroundExpr),
    /// A number changes by so much.
    AddNumber(NumberId, GroundExpr),
    /// A variable becomes one of these by chance: whoever simulates draws; search leaves it as it is.
    Random(VariableId, Vec<u32>),
    /// A number becomes one between these by chance, whole or not: whoever simulates draws; search leaves it as it is.
    RandomNumber(NumberId, GroundExpr, GroundExpr),
}

impl GroundChange {
    /// The variable that changes.
    pub fn variable(&self) -> Option<VariableId> {
        match self {
            Self::Set(variable, _)
            | Self::Leave(variable, ..)
            | Self::Assign(variable, _)
            | Self::Shift(variable, _)
            | Self::Random(variable, _) => Some(*variable),
            Self::SetNumber(..) | Self::AddNumber(..) | Self::RandomNumber(..) => None,
        }
    }

    /// The number that changes.
    pub fn number(&self) -> Option<NumberId> {
        match self {
            Self::SetNumber(number, _) | Self::AddNumber(number, _) | Self::RandomNumber(number, ..) => Some(*number),
            _ => None,
        }
    }

    /// The expressions it reads.
    pub fn reads(&self) -> SmallVec<[&GroundExpr; 2]> {
        match self {
            Self::Assign(_, expr) | Self::Shift(_, expr) | Self::SetNumber(_, expr) | Self::AddNumber(_, expr) => {
                SmallVec::from_slice(&[expr])
            }
            Self::RandomNumber(_, least, most) => SmallVec::from_slice(&[least, most]),
            Self::Set(..) | Self::Leave(..) | Self::Random(..) => SmallVec::new(),
        }
    }
}

/// An action's parts in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// How long it takes.
    pub duration: GroundDuration,
    /// What must hold, and when.
    pub conditions: Vec<TimedGroundCondition>,
    /// What changes, and when.
    pub effects: Vec<TimedGroundEffect>,
    /// What changes over its duration.
    pub contributions: Vec<GroundContribution>,
    /// Which actuators it holds.
    pub uses: Vec<GroundUse>,
    /// Who takes part.
    pub participants: SmallVec<[ObjectId; 2]>,
}

/// How long a ground action takes, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundDuration {
    /// No time at all.
    Instant,
    /// Exactly this.
    Fixed(GroundExpr),
    /// The world decides, between these.
    Contingent(GroundExpr, GroundExpr),
    /// The planner decides, between these.
    Chosen(Option<GroundExpr>, Option<GroundExpr>),
}

impl GroundDuration {
    /// The duration if it does not depend on the state.
    pub fn plain_ticks(&self) -> Option<Tick> {
        match self {
            Self::Instant => Some(0),
            Self::Fixed(ticks) => ticks.as_number().map(Fixed::round_half_up),
            Self::Contingent(..) | Self::Chosen(..) => None,
        }
    }
}

/// A point or stretch of a step's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundTime {
    /// When it starts.
    Start,
    /// From start to end.
    Throughout,
    /// When it ends.
    End,
    /// So many ticks after its start.
    After(GroundExpr),
}

/// A condition and when it must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedGroundCondition {
    /// When.
    pub time: GroundTime,
    /// What.
    pub condition: Condition,
    /// If present it is only weighed, not required.
    pub weight: Option<GroundExpr>,
}

/// A change and when it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedGroundEffect {
    /// When.
    pub time: GroundTime,
    /// What.
    pub effect: GroundEffect,
    /// Whether somebody else brings it about, so that it is waited for.
    pub expected: bool,
}

/// A change spread over a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundContribution {
    /// In each tick only if this holds.
    pub condition: Condition,
    /// The number that changes, or the variable if it is whole and has few values.
    pub target: super::variable::Place,
    /// By how much.
    pub amount: GroundExpr,
    /// Whether the amount is for each tick; else it is the total.
    pub per_tick: bool,
}

/// An actuator held for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundUse {
    /// Which.
    pub actuator: GroundActuatorId,
    /// How much of it.
    pub amount: i64,
    /// From when.
    pub from: GroundTime,
    /// Until when.
    pub to: GroundTime,
}

/// An actuator of some object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundActuator {
    /// The declared actuator; none: the object itself, which does one thing at a time when it is taken as a whole.
    pub actuator: Option<dramaturg_model::ActuatorId>,
    /// Its arguments.
    pub args: dramaturg_model::Args,
    /// How many things it does at a time.
    pub capacity: i64,
}

/// A rule with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundRule {
    /// The rule; smaller ids come first.
    pub rule: RuleId,
    /// Where its arguments stand in [`super::Problem::args`].
    pub(crate) args: ArgsRange,
    /// When it fires.
    pub trigger: GroundTrigger,
    /// How long until its effects come; none: at once.
    pub duration: Option<GroundDuration>,
    /// What changes, and when.
    pub effects: Vec<TimedGroundEffect>,
    /// What changes while it holds.
    pub contributions: Vec<GroundContribution>,
}

/// When a ground rule fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundTrigger {
    /// On the rising edge of the first, if the second holds then.
    When(Condition, Condition),
    /// In every tick in which it holds.
    While(Condition),
    /// Each time something that matches the rule's pattern has ended, if the condition holds then.
    After(Condition),
    /// In every tick.
    Always,
}

/// A fluent computed from others: true where the condition holds, as a least fixed point within its stratum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The variable.
    pub variable: VariableId,
    /// The value that stands for true; the other is 0.
    pub yes: u32,
    /// When it is true.
    pub condition: Condition,
    /// Lower strata are computed first.
    pub stratum: u16,
}

/// A plain cost of one.
pub(crate) const fn unit_cost() -> GroundExpr {
    GroundExpr::Value(Value::Number(Fixed::ONE))
}
