//! Levels, milestones, endings.

use serde::Serialize;
use smol_str::SmolStr;

use crate::effect::Effect;
use crate::expr::Expr;
use crate::fluent::FluentId;
use crate::source::Span;
use crate::text::{Say, TextId};

crate::ids! {
    /// A level.
    LevelId,
    /// A milestone.
    MilestoneId,
    /// An ending.
    EndingId,
}

/// A part of the story world: what is declared in it exists only there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Level {
    /// Its name.
    pub name: SmolStr,
    /// Its name for show.
    pub title: TextId,
    /// The level around it, whose declarations it sees too.
    pub parent: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// What ends a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Milestone {
    /// Its name.
    pub name: SmolStr,
    /// The level it ends; none: any.
    pub level: Option<LevelId>,
    /// On the rising edge of this, after all rules are at rest.
    pub when: Expr,
    /// What changes.
    pub effects: Vec<Effect>,
    /// What is said.
    pub says: Vec<Say>,
    /// The level that begins.
    pub next: Option<LevelId>,
    /// The fluents that keep their values.
    pub carrying: Vec<FluentId>,
    /// Where it is declared.
    pub place: Span,
}

/// What ends the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// Its name.
    pub name: SmolStr,
    /// The level in which it may come; none: any.
    pub level: Option<LevelId>,
    /// On the rising edge of this, after all rules are at rest.
    pub when: Expr,
    /// What changes.
    pub effects: Vec<Effect>,
    /// What is said.
    pub says: Vec<Say>,
    /// Where it is declared.
    pub place: Span,
}
