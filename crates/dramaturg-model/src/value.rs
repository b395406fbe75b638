//! Values of fluents and arguments.

use serde::Serialize;
use smallvec::SmallVec;

use crate::fixed::Fixed;
use crate::object::ObjectId;

crate::ids! {
    /// A name that is a value: `onTable`, `nowhere`. The same spelling is the same value everywhere.
    SymbolId,
}

/// What a fluent, parameter or expression can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// There is no value: an attribute of no object, or of one that is not anchored yet. Every comparison with it is false.
    Nothing,
    /// Yes or no.
    Bool(bool),
    /// A number; durations are in ticks.
    Number(Fixed),
    /// One of the names a domain lists.
    Symbol(SymbolId),
    /// An object of the world.
    Object(ObjectId),
}

impl Value {
    /// Whether this is the value `true`.
    pub fn is_true(self) -> bool {
        self == Self::Bool(true)
    }

    /// The number, if it is one.
    pub fn as_number(self) -> Option<Fixed> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(self) -> Option<ObjectId> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Fixed> for Value {
    fn from(value: Fixed) -> Self {
        Self::Number(value)
    }
}

impl From<ObjectId> for Value {
    fn from(value: ObjectId) -> Self {
        Self::Object(value)
    }
}

/// Arguments of a fluent, an action or a task.
pub type Args = SmallVec<[Value; 3]>;
