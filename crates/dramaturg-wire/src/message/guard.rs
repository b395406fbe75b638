//! What the executor looks at once more before it starts a task.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::value::NameId;

/// One condition; all guards of a task must hold in the tick in which it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The fluent with its arguments, as the dictionary has it: `player.location`.
    pub fluent: NameId,
    /// What it must be.
    pub test: Test,
}

/// What a fluent must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Yes or no.
    Bool(bool),
    /// A number so compared, in millionths.
    Number(Comparison, i64),
    /// One of these names.
    Among(SmallVec<[NameId; 4]>),
    /// None of these names.
    NotAmong(SmallVec<[NameId; 4]>),
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Comparison {
    /// Whether two numbers compare so.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::AtLeast => left >= right,
            Self::More => left > right,
        }
    }
}
