//! Names, values and what is seen.

use serde::{Deserialize, Serialize};

use crate::Tick;

/// A name by its place in the dictionary that welcome sends. Tasks speak in these, so that a game decodes them without allocating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// A value of a fluent, as the game writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A number in millionths: `1.5` is 1,500,000.
    Number(i64),
    /// An object or a named value.
    Name(String),
}

/// Something seen: a fluent had a value from one tick until before another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// The fluent, as stories write it: `player.location`, `knows(paris, helen)`.
    pub fluent: String,
    /// Its value.
    pub value: Value,
    /// From this tick.
    pub from: Tick,
    /// Until before this tick; none: from then on.
    pub to: Option<Tick>,
}
