//! Why, why not, and who believes what.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// What is asked of a planner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inquiry {
    /// Why is this step in the plan?
    Why(u32),
    /// Why is this action not in the plan?
    WhyNot {
        /// The action.
        action: SmolStr,
        /// Its arguments.
        args: Vec<SmolStr>,
    },
    /// What does this character believe of what can be unknown?
    Beliefs(SmolStr),
}

/// The answer, one sentence a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The sentences, the most important first.
    pub sentences: Vec<String>,
}

impl Explanation {
    /// An answer of one sentence.
    pub fn of(sentence: impl Into<String>) -> Self {
        Self { sentences: vec![sentence.into()] }
    }
}
