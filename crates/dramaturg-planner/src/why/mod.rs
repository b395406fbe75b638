//! Why something is in a plan, and why something else is not.
//!
//! # Layout
//!
//! A [`course`] is a plan with the states it passes: it knows who brings about what, and follows a step to the goals it serves. An
//! [`absence`] is why an action is not in it: it cannot be done, it would cost a goal, or it is not needed. What can never be done is
//! [`impossible`].

pub mod absence;
pub use absence::{Absence, Lack};
pub mod course;
pub use course::{Course, Goal};
pub mod impossible;
pub use impossible::impossible;

#[cfg(test)]
mod tests;
