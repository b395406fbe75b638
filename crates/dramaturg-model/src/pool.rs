//! Pools: objects that do not exist until they are needed.

use serde::Serialize;
use smol_str::SmolStr;

use crate::action::ActionId;
use crate::fluent::FluentId;
use crate::level::LevelId;
use crate::object::{ObjectId, Param, TypeId};
use crate::rule::RuleId;
use crate::source::Span;
use crate::text::TextId;

crate::ids! {
    /// A pool.
    PoolId,
}

/// Objects that do not exist yet: conceived, anchored by an action, committed by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pool {
    /// Its name; its objects are `name-1`, `name-2`, …
    pub name: SmolStr,
    /// The name for show of each.
    pub title: TextId,
    /// Stands for each in what it says.
    pub param: Param,
    /// The type of each.
    pub ty: TypeId,
    /// Its objects.
    pub objects: Vec<ObjectId>,
    /// The attributes whose values anchoring chooses; they have none before.
    pub anchors: Vec<FluentId>,
    /// Whether an object is anchored.
    pub anchored: FluentId,
    /// Whether an object is committed: its anchored values never change again.
    pub committed: FluentId,
    /// `name.anchor(object, values…)`
    pub anchor: ActionId,
    /// `name.reanchor(object, values…)`
    pub reanchor: ActionId,
    /// `name.commit(object)`, if the author says when.
    pub commit: Option<RuleId>,
    /// The level in which it exists; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}
