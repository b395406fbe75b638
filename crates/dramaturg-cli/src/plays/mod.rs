//! Plays, the tests that authors write: found, performed by a director and a game in lockstep, and judged.
//!
//! # Layout
//!
//! [`cast`] says who performs a play, or which planner is missing for that. [`scene`] is what was seen and how it is looked for.
//! [`performance`] drives director and game through the steps of a play, [`steps`] carries each of them out; [`difference`] is where a
//! play and what happened part. [`script`] is a `.play` file with its story, read.

pub mod cast;
pub mod difference;
pub mod performance;
pub mod scene;
pub mod script;
mod steps;
