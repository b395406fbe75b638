//! Grounding, the world in ticks, the judge, and what can be said about a story once it is known what can be reached. Pure: no clock,
//! thread, file or random source; work is counted in units, chance is a seed.
//!
//! # Layout
//!
//! [`ground`] turns the lifted model into a ground problem and [`packed`] its states into bits: what planners search in, with
//! [`search`] or, in layers, [`graphplan`]; [`schedule`] gives what they find its times. [`temporal`] plans in time itself.
//! [`simulate`] is the world itself, six phases a tick, on the lifted model; [`validate`] judges plans with it, and in PDDL's own
//! sense without it; [`planfile`] reads and writes plans. [`lint`] reports what reachability shows. Nothing that judges shares code
//! with what searches.
//!
//! [`planner`] is the contract that planners sit behind: [`scripted`] performs a script, [`cast`] plans for characters, [`repair`] for the story itself, [`temporal::conductor`] for problems with durations. [`chronicle`] is
//! the world as they know it, [`why`] what a plan says for itself.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod graphplan;
pub mod ground;
pub mod packed;
pub mod schedule;
pub mod search;
pub mod temporal;

pub mod planfile;
pub mod simulate;
pub mod validate;

pub mod lint;

pub mod cast;
pub mod chronicle;
pub mod host;
pub mod planner;
pub mod repair;
pub mod scripted;
pub mod why;
