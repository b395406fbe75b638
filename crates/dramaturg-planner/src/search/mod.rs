//! Search over packed states, in pieces: each search is a value that works for so many units, stops, and goes on later.
//!
//! # Layout
//!
//! [`target`] is what is searched for; `steps` is what leads there and what it costs. [`relaxation`] is a problem in which nothing is ever undone, compiled once and shared;
//! [`relaxed`] computes with it how far a state is from a target and which operators help. [`landmarks`] are what every way must
//! come by, [`novelty`] what was not seen before. [`arena`] keeps the states that were met, [`open`] those that wait.
//!
//! [`best_first`] goes on where it looks best, by one of several guides: `greedy` by distance and landmarks, `explorer` by novelty.
//! [`labelled`] finds the cheapest way, and then the cheapest of each other kind; [`beam`] keeps only the best of each layer. All end
//! in an [`outcome`], and [`proof`] says when finding nothing proves that there is nothing.

pub mod arena;
pub use arena::{Arena, NodeId};
pub mod beam;
pub use beam::{Beam, BeamOptions, Score};
pub mod best_first;
pub use best_first::{BestFirst, BestFirstOptions, Guide};
mod explorer;
mod greedy;
pub mod labelled;
pub use labelled::{Labelled, LabelledOptions, Labels};
pub mod landmarks;
pub use landmarks::Landmarks;
pub mod novelty;
pub mod open;
pub mod outcome;
pub use outcome::Outcome;
mod parts;
pub mod proof;
pub mod relaxation;
pub use relaxation::Relaxation;
pub mod relaxed;
pub use relaxed::Relaxed;
mod steps;
pub mod target;
pub use target::Target;

#[cfg(test)]
mod tests;
