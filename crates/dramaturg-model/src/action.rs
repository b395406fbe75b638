//! Actions: what may be planned.

use serde::Serialize;
use smol_str::SmolStr;

use crate::effect::{Contribution, Effect, FluentRef, Moment};
use crate::expr::Expr;
use crate::fixed::Fixed;
use crate::fluent::ActuatorId;
use crate::layer::LayerId;
use crate::level::LevelId;
use crate::object::Param;
use crate::pool::PoolId;
use crate::source::Span;
use crate::task::TagId;
use crate::text::{Say, TextId};
use crate::value::SymbolId;

crate::ids! {
    /// An action.
    ActionId,
}

/// What may be planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// `walk`, `map.anchor`
    pub name: SmolStr,
    /// Its parameters: the first variables of everything in it.
    pub params: Vec<Param>,
    /// Which parameter performs it.
    pub performer: Option<u16>,
    /// Which parameters take part.
    pub participants: Vec<u16>,
    /// Its planning layer.
    pub layer: Option<LayerId>,
    /// Its tags.
    pub tags: Vec<TagId>,
    /// How long it takes.
    pub duration: Duration,
    /// What must hold, and when.
    pub conditions: Vec<TimedCondition>,
    /// What it changes at moments.
    pub effects: Vec<Effect>,
    /// What it changes over its duration.
    pub contributions: Vec<Contribution>,
    /// Which actuators it holds.
    pub uses: Vec<Use>,
    /// What somebody else is to bring about, and for how long it is watched.
    pub expectation: Option<Expectation>,
    /// What performing it observes.
    pub reads: Option<Reading>,
    /// The question whose answer decides whether it is performed.
    pub question: Option<Question>,
    /// What is said.
    pub says: Vec<Say>,
    /// Its cost in search; 1 unless written.
    pub cost: Option<Expr>,
    /// What happens when it cannot be sent in time.
    pub late: LatePolicy,
    /// Where it comes from.
    pub origin: ActionOrigin,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
    /// What the author says about it.
    pub doc: Option<SmolStr>,
}

/// Where an action comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ActionOrigin {
    /// Written by the author.
    Authored,
    /// Ties an object of a pool to the world for the first time.
    Anchor(PoolId),
    /// Ties it again while it is not committed.
    Reanchor(PoolId),
}

/// How long an action takes, in ticks, read in when it starts. At least one tick, except in models that came from PDDL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Duration {
    /// No time at all: an action of classical PDDL.
    Instant,
    /// Exactly this.
    Fixed(Expr),
    /// The world decides, between these; a plan must bear every length.
    Contingent(Expr, Expr),
    /// The planner decides, between these (PDDL's duration inequalities).
    Chosen(Option<Expr>, Option<Expr>),
}

/// When a condition must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ConditionTime {
    /// When it starts.
    Start,
    /// In every tick from its start until its end.
    Throughout,
    /// Just before its end effects.
    End,
    /// So many ticks after its start.
    After(Expr),
}

/// A condition and when it must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimedCondition {
    /// When.
    pub time: ConditionTime,
    /// What.
    pub condition: Expr,
    /// If present it is only weighed, not required.
    pub weight: Option<Expr>,
    /// Where it is written.
    pub place: Span,
}

/// An actuator held for a while: one action task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// What is held.
    pub target: UseTarget,
    /// How much of it.
    pub amount: i64,
    /// From when.
    pub from: Moment,
    /// Until when.
    pub to: Moment,
    /// Where it is written.
    pub place: Span,
}

/// What a step holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum UseTarget {
    /// One actuator.
    Actuator(ActuatorId, Vec<Expr>),
    /// A performer or participant as a whole: it does nothing else meanwhile, with none of its actuators.
    Whole(Expr),
}

/// What somebody else is to bring about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// Planned like effects at the end; performed by waiting until they are observed.
    pub effects: Vec<Effect>,
    /// How often to look.
    pub check_every: Option<Expr>,
    /// How often, and by how much, to wait longer before giving up.
    pub extend: Option<(u32, Expr)>,
    /// What holds when the wait is given up.
    pub otherwise: Vec<Effect>,
}

/// What is observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The fluents.
    pub fluents: Vec<FluentRef>,
    /// How often; none: whenever they change, or once for an action.
    pub every: Option<Expr>,
    /// Where it is written.
    pub place: Span,
}

/// A question asked when an action would be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// Who is asked.
    pub asked: Asked,
    /// The words; the game may need none.
    pub text: Option<TextId>,
    /// Only asked if this holds; otherwise the answer is yes.
    pub condition: Option<Expr>,
    /// The answers with their words; `yes`, `no` and `later` have meanings of their own.
    pub answers: Vec<(SymbolId, TextId)>,
    /// The answer if none comes in time.
    pub within: Option<(Expr, SymbolId)>,
    /// Where it is written.
    pub place: Span,
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Asked {
    /// The player.
    Player,
    /// The game itself.
    Game,
}

/// What happens when an action cannot be sent in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum LatePolicy {
    /// The planner finds another time.
    #[default]
    Retime,
    /// It is not performed, and that is reported.
    Drop,
    /// It may start up to so many ticks late.
    UpTo(Expr),
}

impl Action {
    /// The cost if it is a plain number; 1 unless written.
    pub fn plain_cost(&self) -> Option<Fixed> {
        match &self.cost {
            None => Some(Fixed::ONE),
            Some(Expr::Value(crate::value::Value::Number(cost))) => Some(*cost),
            Some(_) => None,
        }
    }
}
