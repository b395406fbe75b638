//! Plans in time while they are performed: a first plan soon, better ones as time passes, and after every report one that holds again.
//!
//! # Layout
//!
//! A [`planner`] behind the contract of all planners. `score` is the problem, grounded, with its operators by name. What runs, what is
//! locked and what is about to be is the `opening` of a stage: fixed, with the times that are known of it. `baton` is the course at hand on
//! that stage and the search for a better one; `laying` begins anew from what is known, and `order` keeps the order of steps when things come otherwise.
//!
//! Steps are whole actions. A problem in which something comes by itself at a given time, or in which one action must lie within
//! another, is not one for this planner: it finds no plan, and says that it is infeasible, without proof.

mod baton;
mod laying;
mod opening;
mod order;
pub mod planner;
pub use planner::{Conductor, Scheduling};
mod score;

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

/// How to plan while the plan is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConductorOptions {
    /// Where chance begins.
    pub seed: u64,
    /// No step starts before this tick.
    pub from: Tick,
    /// While better plans are looked for, what starts in so many ticks is left as it is, so that the search need not begin anew in each.
    pub stride: Tick,
    /// What is published has been played through so many ticks ahead.
    pub look: Tick,
    /// After so many units of work without a better plan it rests, until something happens.
    pub enough: u64,
    /// Whether better plans are looked for once the first step is out of hand; otherwise what waits is only shifted.
    pub replans: bool,
    /// The search for a first plan keeps at most so many states.
    pub states_max: usize,
}

impl Default for ConductorOptions {
    fn default() -> Self {
        Self { seed: 0, from: 0, stride: 20, look: 600, enough: 2_000_000, replans: true, states_max: 1_000_000 }
    }
}
