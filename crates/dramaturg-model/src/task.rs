//! Tasks and methods: pieces of story.

use serde::Serialize;
use smol_str::SmolStr;

use crate::action::ActionId;
use crate::effect::Effect;
use crate::expr::Expr;
use crate::level::LevelId;
use crate::object::Param;
use crate::source::Span;
use crate::text::{Say, TextId};

crate::ids! {
    /// A task; the order of ids is the order of offering.
    TaskId,
    /// A tag such as `#romance`.
    TagId,
}

/// A piece of story with methods; the first method that applies runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its name.
    pub name: SmolStr,
    /// Its parameters: the first variables of everything in it.
    pub params: Vec<Param>,
    /// Whether the option's question is asked here.
    pub key: bool,
    /// Its tags.
    pub tags: Vec<TagId>,
    /// What must hold for any method.
    pub needs: Vec<Expr>,
    /// How it is offered; with none it is only called by `do`.
    pub offers: Vec<Offer>,
    /// Its methods, the first applicable one runs.
    pub methods: Vec<Method>,
    /// Its cost; none: 1 + number of `then` and `do` clauses of the method.
    pub cost: Option<Expr>,
    /// Whether it may pass the time when the next planned task must wait.
    pub fills: bool,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
    /// What the author says about it.
    pub doc: Option<SmolStr>,
}

/// The words of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The words.
    pub text: TextId,
    /// Only if this holds.
    pub condition: Option<Expr>,
}

/// One way to do a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Method {
    /// Its name.
    pub name: Option<SmolStr>,
    /// When it applies.
    pub condition: Option<Expr>,
    /// What is done, in order.
    pub steps: Vec<MethodStep>,
    /// Its cost; none: the task's.
    pub cost: Option<Expr>,
    /// Where it is written.
    pub place: Span,
}

/// One clause of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum MethodStep {
    /// Something is said.
    Say(Say),
    /// Things change at once.
    Then(Vec<Effect>),
    /// Another task is done.
    DoTask(TaskId, Vec<Expr>, Span),
    /// An action is performed and takes its time.
    DoAction(ActionId, Vec<Expr>, Span),
}
