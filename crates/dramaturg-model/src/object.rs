//! Types and objects.

use serde::Serialize;
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::character::PopulationId;
use crate::level::LevelId;
use crate::pool::PoolId;
use crate::source::Span;
use crate::text::TextId;
use crate::value::SymbolId;

crate::ids! {
    /// A kind of object.
    TypeId,
    /// An object of the world.
    ObjectId,
}

/// A kind of object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Type {
    /// Its name.
    pub name: SmolStr,
    /// The kind it is a kind of.
    pub parent: Option<TypeId>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// What a parameter may be, or a fluent without numbers: objects of these types, or one of these names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Choices {
    /// Objects of any of these types (or their kinds).
    pub types: SmallVec<[TypeId; 2]>,
    /// Names that are values.
    pub symbols: SmallVec<[SymbolId; 2]>,
}

impl Choices {
    /// Objects of one type.
    pub fn of_type(ty: TypeId) -> Self {
        Self { types: SmallVec::from_slice(&[ty]), symbols: SmallVec::new() }
    }
}

/// A parameter or a bound variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Param {
    /// Its name.
    pub name: SmolStr,
    /// What it may be.
    pub choices: Choices,
}

/// An object of the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// Its name.
    pub name: SmolStr,
    /// Its kind.
    pub ty: TypeId,
    /// Its name for show.
    pub title: TextId,
    /// Where it comes from.
    pub origin: ObjectOrigin,
    /// The level in which it exists; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ObjectOrigin {
    /// Declared by name.
    Declared,
    /// Held by a pool until it is anchored.
    Pool(PoolId),
    /// One of many.
    Population(PopulationId),
}
