//! Effects: what changes, when, for whom and on what condition.

use serde::Serialize;

use crate::expr::{Binder, Expr, Set};
use crate::fluent::FluentId;
use crate::source::Span;

/// A point of a step's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Moment {
    /// When it starts.
    Start,
    /// When it ends.
    End,
    /// So many ticks after its start.
    After(Expr),
}

/// A fluent with the arguments that say which value of it is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FluentRef {
    /// The fluent.
    pub fluent: FluentId,
    /// Its arguments.
    pub args: Vec<Expr>,
}

/// A change of one fluent at one moment. All effects of a step in one phase read the same state before the first is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// When.
    pub moment: Moment,
    /// For each of these; they become the next variables.
    pub binders: Vec<Binder>,
    /// Only if this holds.
    pub condition: Option<Expr>,
    /// What changes.
    pub target: FluentRef,
    /// How.
    pub change: Change,
    /// Where it is written.
    pub place: Span,
}

/// How a fluent changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Change {
    /// It becomes this.
    Set(Expr),
    /// So much is added.
    Add(Expr),
    /// It becomes one of these by chance, from the run's seed.
    Random(Set),
}

/// A change spread over a duration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contribution {
    /// For each of these; they become the next variables.
    pub binders: Vec<Binder>,
    /// In each tick only if this holds.
    pub condition: Option<Expr>,
    /// What changes.
    pub target: FluentRef,
    /// By how much.
    pub amount: Amount,
    /// Where it is written.
    pub place: Span,
}

/// How much a contribution adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Amount {
    /// This in every tick.
    PerTick(Expr),
    /// This in all, spread evenly: after k of n ticks exactly ⌊total·k/n⌋ millionths are in.
    Total(Expr),
}
