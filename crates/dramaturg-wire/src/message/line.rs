//! Text for the player.

use serde::{Deserialize, Serialize};

use crate::Tick;

/// A text to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When it is said.
    pub tick: Tick,
    /// The stable id of the text.
    pub id: String,
    /// Who says it; none: the narrator.
    pub speaker: Option<String>,
    /// What stands in its slots, in order.
    pub slots: Vec<String>,
    /// The whole, in the language of the session.
    pub text: String,
}
