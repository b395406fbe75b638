//! What is true before the story begins.

use serde::Serialize;

use crate::effect::{Change, FluentRef};
use crate::expr::{Binder, Expr};
use crate::level::LevelId;
use crate::source::Span;

/// A value given before tick 0 or, with a time, made true by the world at that tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Initial {
    /// For each of these.
    pub binders: Vec<Binder>,
    /// Only if this holds, in the state given so far.
    pub condition: Option<Expr>,
    /// What is set.
    pub target: FluentRef,
    /// To what.
    pub change: Change,
    /// The tick at which it is observed, counted from the beginning; none: before tick 0.
    pub at: Option<Expr>,
    /// The level for which it is given; none: every level.
    pub level: Option<LevelId>,
    /// Where it is written.
    pub place: Span,
}
