//! Sources to model and diagnostics; the formatter; PDDL in and out.
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
