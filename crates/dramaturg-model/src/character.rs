//! Characters, personalities, populations, futile goals.

use serde::Serialize;
use smol_str::SmolStr;

use crate::expr::Expr;
use crate::initial::Initial;
use crate::level::LevelId;
use crate::object::{ObjectId, Param, TypeId};
use crate::source::Span;
use crate::task::TagId;
use crate::text::TextId;
use crate::wish::WishId;

crate::ids! {
    /// A character; the order of ids is the order of acting.
    CharacterId,
    /// A personality.
    PersonalityId,
    /// A population.
    PopulationId,
    /// Goals for the idle.
    FutileId,
}

/// An object that plans for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Character {
    /// The object it is.
    pub object: ObjectId,
    /// Its own wishes; each says in which level it is wanted.
    pub wishes: Vec<WishId>,
    /// What it cares about.
    pub personalities: Vec<Share>,
    /// Where it is declared.
    pub place: Span,
}

/// A personality with its share: of one character its weight, of a population the part that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Which.
    pub personality: PersonalityId,
    /// How much; none: all of it, or an equal part of what is left.
    pub amount: Option<crate::Fixed>,
}

/// A set of wishes about whoever has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Personality {
    /// Its name.
    pub name: SmolStr,
    /// Who has it, the first variable; others run over all objects.
    pub params: Vec<Param>,
    /// What it wants.
    pub wishes: Vec<WishId>,
    /// Costs of actions with a tag are scaled by this.
    pub costs: Vec<(TagId, Expr)>,
    /// Personalities it includes.
    pub includes: Vec<Share>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// Many objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Population {
    /// Its name; its objects are `name-1`, `name-2`, …
    pub name: SmolStr,
    /// The name for show of each.
    pub title: TextId,
    /// Stands for each in what is given.
    pub param: Param,
    /// The type of each.
    pub ty: TypeId,
    /// Its objects.
    pub objects: Vec<ObjectId>,
    /// What is given for each; the parameter is the first variable.
    pub given: Vec<Initial>,
    /// What each wants.
    pub wishes: Vec<WishId>,
    /// Which part has which personality.
    pub personalities: Vec<Share>,
    /// The level in which it exists; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// Goals for a character with nothing else to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Futile {
    /// Its name.
    pub name: SmolStr,
    /// The first is the idle character; bindings of the others are taken in turn.
    pub params: Vec<Param>,
    /// When it makes sense.
    pub needs: Vec<Expr>,
    /// What is then wanted.
    pub wishes: Vec<WishId>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}
