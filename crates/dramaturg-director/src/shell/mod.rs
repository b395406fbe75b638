//! Drives sessions in real time: the only place on the planner's side with clocks, threads and sockets.
//!
//! # Layout
//!
//! [`session`] is one session with its planner: it knows when the planner is to begin and to end, and lets every input
//! pass through one door. [`pace`] turns wall time into units of work, `pool` is threads that take jobs from a queue,
//! [`thinkers`] those that planners work in, [`stopwatch`] the clock, `cpu_time` what a thread used of a core. [`stage`] is a session over one link, for games
//! that embed the director; [`server`] has many sessions behind one port, with [`metrics`] to look at and [`journals`]
//! to go on from after it was killed. [`tally`] adds up what happened.

mod away;
pub(crate) use away::Away;
mod cpu_time;
pub mod journals;
pub use journals::Journals;
pub mod metrics;
pub use metrics::Metrics;
pub mod pace;
pub use pace::Pace;
mod pool;
#[cfg(test)]
mod pool_tests;
pub mod server;
pub use server::{Observer, Served, Server, ServerOptions};
pub mod session;
pub use session::{Mind, Session, SessionOptions};
pub mod stage;
pub use stage::Stage;
pub mod stopwatch;
pub use stopwatch::Stopwatch;
mod sync;
pub mod tally;
pub use tally::{Figures, Tally};
pub mod thinkers;
pub use thinkers::Thinkers;
