//! Sources to model and diagnostics; the formatter; PDDL in and out.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod diagnostics;
pub mod pddl;
pub mod syntax;
#[cfg(test)]
mod testing;
