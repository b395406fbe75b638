//! Fluents: named values that may depend on objects.

use serde::Serialize;
use smol_str::SmolStr;

use crate::event::EventPattern;
use crate::expr::Expr;
use crate::fixed::Fixed;
use crate::level::LevelId;
use crate::object::{Choices, Param, TypeId};
use crate::source::Span;
use crate::value::Value;

crate::ids! {
    /// A fluent.
    FluentId,
    /// Something that does so many things at a time.
    ActuatorId,
}

/// A named value that may depend on objects: `player.location`, `knows(paris, helen)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fluent {
    /// `location`, `knows`; unique together with `attribute_of`.
    pub name: SmolStr,
    /// The type whose attribute it is; its object is then the only parameter.
    pub attribute_of: Option<TypeId>,
    /// What it depends on.
    pub params: Vec<Param>,
    /// What values it takes.
    pub domain: Domain,
    /// Its value unless given otherwise; none: every object must be given one.
    pub default: Option<Value>,
    /// Where its value comes from.
    pub source: FluentSource,
    /// Whether nothing but initial values sets it. Found by [`crate::Model::seal`].
    pub is_static: bool,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
    /// What the author says about it.
    pub doc: Option<SmolStr>,
}

/// Where the value of a fluent comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum FluentSource {
    /// It is stored and changes by effects.
    Stored,
    /// It stands for this expression over its parameters; never refers to itself.
    Means(Expr),
    /// True where one of these conditions over its parameters holds, as a least fixed point (PDDL's derived predicates). The
    /// stratum says when it is computed: what it negates lies in lower strata.
    Derived {
        /// The bodies; each may bind more variables by quantifiers.
        rules: Vec<Expr>,
        /// Lower strata are computed first.
        stratum: u16,
    },
    /// Stored and set by the end of what matches this pattern: made for `done X`. Its parameters stand in the pattern.
    Done(EventPattern),
}

/// The values a fluent takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Domain {
    /// Yes or no.
    Bool,
    /// Objects or names.
    Choice(Choices),
    /// Decimal numbers, cut off at the bounds.
    Number(Range),
    /// Whole numbers, cut off at the bounds.
    Int(Range),
    /// Whole ticks.
    Duration,
}

impl Domain {
    /// Whether its values are numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Int(_) | Self::Duration)
    }

    /// The value a number takes when it is put into this domain: cut off at the bounds, rounded to ticks.
    pub fn clamp(&self, value: Fixed) -> Fixed {
        match self {
            Self::Number(range) => range.clamp(value),
            Self::Int(range) => range.clamp(value.floor()),
            Self::Duration => Fixed::from_int(value.round_half_up()),
            Self::Bool | Self::Choice(_) => value,
        }
    }
}

/// Bounds of a number, both inclusive, either absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Range {
    /// The smallest value.
    pub least: Option<Fixed>,
    /// The largest value.
    pub most: Option<Fixed>,
}

impl Range {
    /// The nearest number inside.
    pub fn clamp(&self, value: Fixed) -> Fixed {
        let value = self.least.map_or(value, |least| value.max(least));
        self.most.map_or(value, |most| value.min(most))
    }

    /// Whether the number is inside.
    pub fn contains(&self, value: Fixed) -> bool {
        self.clamp(value) == value
    }
}

/// Something that does so many things at a time: a part of an object, or (without parameters) of the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Actuator {
    /// `hands`
    pub name: SmolStr,
    /// The type whose part it is; its object is then the only parameter.
    pub attribute_of: Option<TypeId>,
    /// What it depends on.
    pub params: Vec<Param>,
    /// How many things it does at a time.
    pub capacity: i64,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}
