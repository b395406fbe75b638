//! The world, driven tick by tick.
//!
//! [`World`] is plain data: the lifted state, the steps that wait and run, rules with their edges, goals that are followed, texts
//! that were said. It works on the lifted model and searches nothing, so the validator and the director can both drive it. It has
//! no clock and no source of chance but its seed: the same calls give the same world.
//!
//! What a simulation assumes, and which phases a tick has, stands in `docs/ticks.md`.
//!
//! # Layout
//!
//! [`world`] holds the type and its driver, `phase` the six phases. Each noun of a phase has a file: `step` with `start` and `end`, `actuators`,
//! `rates`, `rules`, `waits`, [`goals`], [`task`], `levels`, `said`. `batch` writes many changes as one, `watch` keeps
//! conditions up to date without reading them anew in every tick, `pending` says what is still to come, [`explain`] says which part of a condition fails, [`words`]
//! writes conditions down, [`names`] reads the names of fluents, [`save`] writes a world down by its names and reads it again.

pub mod world;
pub use world::{Effort, Expectations, Follow, Unmet, World, WorldOptions};
pub mod event;
pub use event::{Cause, Detail, Phase, Violation, ViolationKind, WaitStatus, WorldEvent, WorldEventKind};
pub mod task;
pub use task::TaskProblem;
pub mod goals;
pub use goals::{GoalReport, GoalStatus};
pub mod names;
pub use names::NameProblem;
pub mod explain;
pub use explain::{Leaf, unmet};
pub mod said;
pub mod save;
pub use save::{Digest, LoadKind, LoadNote, LoadReport, WorldSave};
pub mod words;

mod actuators;
mod agenda;
mod assume;
mod batch;
mod end;
mod levels;
pub(crate) mod pending;
mod phase;
pub(crate) mod rates;
pub(crate) mod reads;
mod rules;
mod start;
pub(crate) mod step;
mod waits;
mod watch;
