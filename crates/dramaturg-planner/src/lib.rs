//! Grounding, the tick simulator, the validator and the planners.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod planfile;
pub mod simulate;
pub mod validate;

pub mod ground;
pub mod packed;
pub mod lint;
