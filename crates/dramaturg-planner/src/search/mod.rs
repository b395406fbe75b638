//! Search over packed states, in pieces: each search is a value that works for so many units, stops, and goes on later.
//!
//! # Layout
//!
//! [`target`] is what is searched for. [`relaxation`] is a problem in which nothing is ever undone, compiled once and shared;
//! [`relaxed`] computes with it how far a state is from a target and which operators help. [`landmarks`] are what every way must
//! come by. [`arena`] keeps the states that were met, [`open`] those that wait. [`best_first`] puts all of it together, and
//! [`proof`] says when finding nothing proves that there is nothing.

pub mod arena;
pub use arena::{Arena, NodeId};
pub mod best_first;
pub use best_first::{BestFirst, BestFirstOptions, Guide, Outcome};
pub mod landmarks;
pub use landmarks::Landmarks;
pub mod open;
pub mod proof;
pub mod relaxation;
pub use relaxation::Relaxation;
pub mod relaxed;
pub use relaxed::Relaxed;
pub mod target;
pub use target::Target;

#[cfg(test)]
mod tests;
