//! The runtime: how soon and how surely tasks reach a game.

pub mod policy;
pub use policy::{PolicyFigures, PolicyRun};
