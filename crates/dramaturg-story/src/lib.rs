//! Sources to model and diagnostics; the formatter; PDDL in and out. Pure: files come in through the [`Files`] trait.
//!
//! # Layout
//!
//! [`syntax`] turns text into a tree, [`compile`] the tree into a model; [`diagnostics`] has one file for everything that may be said about a
//! story. [`format`](mod@format) brings text into the one layout, [`print`] writes a model as a story, [`pddl`] reads and writes PDDL. Begin with
//! [`compile()`].
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod compile;
pub use compile::files::{Files, MemoryFiles};
pub use compile::play::{Play, Plays, compile_plays};
pub use compile::session::Session;
pub use compile::{Compilation, compile, compile_text};
pub mod diagnostics;
pub mod format;
pub mod pddl;
pub mod print;
pub mod syntax;
#[cfg(test)]
mod testing;
