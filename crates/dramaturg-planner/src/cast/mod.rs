//! Characters that each plan for themselves, and the world that brings them together.
//!
//! # Layout
//!
//! [`domain`] is what all characters of a level share, and what each of them can do. A [`thought`] leads from goals to a way, giving up
//! what cannot be had by [`subsets`], and with the most important first by `one_by_one`; [`mending`] keeps what it can of an old plan. A `mind` is what
//! one character has in it, [`beliefs`] what it has perceived in the [`places`] where it was. A `rehearsal` acts the story out ahead of time: turns, `thinking`, `acting`,
//! joint actions (what a step has `touched`), waiting, wishes of the `idle`, requests of the game. [`Cast`]
//! (which can `explain` itself) is the planner that publishes what was rehearsed and rehearses again when things come otherwise.

mod acting;
pub mod beliefs;
pub use beliefs::{Beliefs, Senses};
pub mod domain;
mod explain;
mod idle;
pub mod mending;
pub use mending::distance;
mod mind;
mod one_by_one;
pub mod places;
pub use places::Places;
mod planner;
pub use planner::{Cast, CharacterRollout};
mod rehearsal;
mod save;
pub mod subsets;
pub use subsets::Dropping;
pub mod thought;
pub use thought::{GivenUp, Manner, Resolve, Thought, ThoughtOptions, Want};
mod thinking;
mod touched;
mod vain;

#[cfg(test)]
mod tests;

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

/// How a cast plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CastOptions {
    /// How characters make up their minds.
    pub thought: ThoughtOptions,
    /// What comes is rehearsed so many ticks ahead.
    pub horizon: Tick,
    /// Who has waited so many ticks for somebody or something does something else.
    pub patience: Tick,
    /// After a `later` a character waits so many ticks before it asks again.
    pub later: Tick,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for CastOptions {
    fn default() -> Self {
        // In a game a good plan in time is worth more than the best one later.
        let thought = ThoughtOptions { states_max: 5_000, hurry_max: 200, ..ThoughtOptions::default() };
        Self { thought, horizon: 120, patience: 30, later: 10, seed: 0 }
    }
}
