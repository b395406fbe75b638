//! How far a search has come.

use crate::ground::OperatorId;

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It can go on.
    Searching,
    /// Here is a way.
    Found(Vec<OperatorId>),
    /// There is none, or no other: everything that can be reached has been looked at.
    Exhausted,
    /// Nothing is left to go on from, but states were left out on the way: that proves nothing.
    Narrowed,
    /// It has kept as many states as it may.
    Full,
}
