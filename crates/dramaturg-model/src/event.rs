//! Patterns of things that happen.

use serde::Serialize;

use crate::action::ActionId;
use crate::expr::Var;
use crate::level::{EndingId, MilestoneId};
use crate::rule::RuleId;
use crate::task::{TagId, TaskId};
use crate::value::Value;

/// What happens: an action or task ends, a rule fires, a milestone or ending comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum EventKind {
    /// Any action or task with this tag.
    Tag(TagId),
    /// An action.
    Action(ActionId),
    /// A task.
    Task(TaskId),
    /// One method of a task, by its number.
    Method(TaskId, u16),
    /// A rule.
    Rule(RuleId),
    /// A milestone.
    Milestone(MilestoneId),
    /// An ending.
    Ending(EndingId),
}

/// What an argument of a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum PatternArg {
    /// Anything.
    Any,
    /// This value.
    Is(Value),
    /// The variable: in a rule it is bound by the match, elsewhere it must be equal.
    Var(Var),
}

/// A pattern of events.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct EventPattern {
    /// What.
    pub kind: EventKind,
    /// With which arguments; none: any.
    pub args: Option<Vec<PatternArg>>,
}
