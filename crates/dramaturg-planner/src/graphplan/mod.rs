//! Graphplan: a graph of what can hold and be done level after level, and plans read from it backwards; plans have layers of steps that do
//! not disturb each other, and it is proved when there is none.
//!
//! # Layout
//!
//! [`options`] say what is wanted and what came of it, [`plan`] is what was found. [`fact`]s are values of variables, with those that are
//! false or none; [`writer`] says what an operator does effect by effect, [`component`] what it does under one condition, and [`network`]
//! holds all of them with what can never go together. [`graph`] grows over it, in rows of [`bits`]. [`extraction`] goes back through
//! its layers, a [`frame`] each; [`threat`] finds effects that come unasked, and [`memo`] keeps what failed. [`stepper`] puts all of it
//! together.

mod bits;
mod component;
mod extraction;
mod fact;
mod frame;
mod graph;
mod memo;
mod network;
pub mod options;
pub use options::{Counters, GraphplanOptions, LayerTime, Outcome, Unsupported};
pub mod plan;
pub use plan::LayeredPlan;
pub mod stepper;
pub use stepper::Graphplan;
mod threat;
mod writer;

#[cfg(test)]
mod tests;
