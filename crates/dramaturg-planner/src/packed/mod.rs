//! Packed states: what search keeps millions of.
//!
//! # Layout
//!
//! [`state`] holds the bits, the numbers and the hash; [`apply`] the transitions; [`derive`] recomputes derived fluents; [`rules`]
//! runs what happens by itself.

pub mod state;
pub use state::PackedState;
mod apply;
pub(crate) use apply::index_of;
mod derive;
mod rules;
