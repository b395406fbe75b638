//! The executor interface: waiting list, tick, status and sensor reports. It is all that a game links: no model, no planner.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
