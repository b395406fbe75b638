//! Rules: what happens by itself.

use serde::Serialize;
use smol_str::SmolStr;

use crate::action::{Duration, Expectation, Reading};
use crate::effect::{Contribution, Effect};
use crate::event::EventPattern;
use crate::expr::Expr;
use crate::level::LevelId;
use crate::object::Param;
use crate::pool::PoolId;
use crate::source::Span;
use crate::task::TagId;
use crate::text::Say;
use crate::wish::WishId;

crate::ids! {
    /// A rule; the order of ids is the order of priority.
    RuleId,
}

/// What happens by itself, planned by nobody. There is one instance for each binding of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its name.
    pub name: SmolStr,
    /// Its parameters: the first variables of everything in it.
    pub params: Vec<Param>,
    /// Its tags.
    pub tags: Vec<TagId>,
    /// When it fires.
    pub trigger: Trigger,
    /// How long until its effects come; none: at once, in P2.
    pub duration: Option<Duration>,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// What it changes while it holds.
    pub contributions: Vec<Contribution>,
    /// What it expects, and for how long it is watched.
    pub expectation: Option<Expectation>,
    /// What it subscribes to.
    pub reads: Option<Reading>,
    /// What is said.
    pub says: Vec<Say>,
    /// Goals it gives to characters.
    pub injections: Vec<Injection>,
    /// The pool whose commitment it is.
    pub commits: Option<PoolId>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
    /// What the author says about it.
    pub doc: Option<SmolStr>,
}

/// When a rule fires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Trigger {
    /// On the rising edge of the first, if the second holds then.
    When(Expr, Option<Expr>),
    /// In every tick in which it holds.
    While(Expr),
    /// Each time this has ended, if the condition holds then.
    After(EventPattern, Option<Expr>),
    /// In every tick.
    Always,
}

/// Goals given to a character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Injection {
    /// Who gets them: a character, or a parameter of the rule.
    pub character: Expr,
    /// The wishes; the rule's parameters are their first variables.
    pub wishes: Vec<WishId>,
    /// Only if this holds.
    pub condition: Option<Expr>,
    /// Where it is written.
    pub place: Span,
}
