//! Plans in time for problems with durations: a first one soon, then better ones for as long as there is work to spend.
//!
//! # Layout
//!
//! [`planner`] is the stepper. A first plan comes from [`crate::search`], over whole actions one after another; where something is so
//! only while an action lasts, `split` makes a problem in which that action starts and ends as two operators, and search looks at
//! both. What search finds is a `course`: operators in an order, to which a clockwork gives times, each as early as what it touches
//! (`footprint`, `mention`, `timeline`) allows; starts and ends that stand among each other get theirs from a network (`weave`). All of
//! these stand on a `stage`, and [`cost`] says what counts. What is `given` at ticks and changed by nothing else is a `calendar` that
//! steps wait for; else it is among the starts and ends. Where search goes astray, an `attempt` looks for a first course with its
//! times, and goals are reached in the order in which they must be (`precedence`).
//!
//! `improve` makes a course better: `trim` leaves steps out, `reorder` exchanges steps that touch the same thing
//! (`conflict`), `beam` plans a `window` of it anew, led by a `guide` that knows about time.
//!
//! [`conductor`] does the same while the plan is performed, behind the contract of planners.

mod attempt;
mod beam;
mod calendar;
pub mod conductor;
pub use conductor::{Conductor, ConductorOptions};
mod conflict;
pub mod cost;
pub use cost::Cost;
mod course;
mod footprint;
mod given;
mod guide;
mod improve;
mod mention;
pub mod planner;
pub use planner::{Temporal, TemporalOptions};
mod precedence;
mod reorder;
mod split;
mod stage;
mod timeline;
mod trim;
mod weave;
mod window;

#[cfg(test)]
mod tests;
