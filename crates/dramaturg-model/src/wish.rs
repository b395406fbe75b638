//! Wishes: goals, what must be kept, what is preferred.

use serde::Serialize;

use crate::character::{FutileId, PersonalityId, PopulationId};
use crate::event::EventPattern;
use crate::expr::Expr;
use crate::level::LevelId;
use crate::object::{ObjectId, Param};
use crate::rule::RuleId;
use crate::source::Span;

crate::ids! {
    /// A wish.
    WishId,
}

/// Something wanted by somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wish {
    /// By whom.
    pub owner: Owner,
    /// The owner's parameters: the first variables of everything in it.
    pub params: Vec<Param>,
    /// What.
    pub kind: WishKind,
    /// Taken up each time this becomes true, dropped when it ceases.
    pub condition: Option<Expr>,
    /// The level in which it is wanted; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is written.
    pub place: Span,
}

/// Whose wish it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Owner {
    /// The story's.
    Story,
    /// A character's.
    Character(ObjectId),
    /// Of everyone with this personality.
    Personality(PersonalityId),
    /// Of everyone in this population.
    Population(PopulationId),
    /// Of whom the rule gives it to.
    Injected(RuleId),
    /// Of an idle character.
    Futile(FutileId),
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum WishKind {
    /// To be reached, one after another; given up by lowest salience.
    Goal {
        /// One is taken up when the one before is reached.
        aims: Vec<Aim>,
        /// How much it matters; 50 unless written.
        salience: Expr,
    },
    /// Never to be broken, never given up.
    Keep {
        /// What.
        condition: Expr,
        /// Only in this time, counted from when it is taken up.
        window: Option<(Expr, Expr)>,
    },
    /// Only weighed.
    Prefer {
        /// What.
        liking: Liking,
        /// How much; 1 unless written.
        weight: Expr,
    },
}

/// What a goal wants, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Aim {
    /// What must hold in P3.
    pub condition: Expr,
    /// When, counted from when the goal is taken up.
    pub time: AimTime,
    /// What must happen, if the whole condition is `done X`.
    pub performs: Option<EventPattern>,
}

/// When an aim must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum AimTime {
    /// Once.
    Eventually,
    /// At exactly this time.
    At(Expr),
    /// Once, at this time at the latest.
    By(Expr),
    /// Throughout.
    During(Expr, Expr),
}

/// What is liked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Liking {
    /// That this holds.
    Holds(Expr),
    /// More of this, counted up to a bound.
    More(Expr, Option<Expr>),
    /// Less of this, counted down to a bound.
    Less(Expr, Option<Expr>),
    /// That a number follows a curve.
    Follows(Curve),
}

/// A curve to follow, linear between its points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Curve {
    /// The number.
    pub value: Expr,
    /// Values and their times, in order of time.
    pub points: Vec<(Expr, Expr)>,
    /// How far it may be off without harm.
    pub within: Expr,
}
