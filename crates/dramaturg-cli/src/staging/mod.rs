//! Stories performed in real time: a director and a game, in one process or in several.
//!
//! # Layout
//!
//! [`stream`] makes a script from a story, [`actor`] is the game that performs it, [`setting`] says how both are set up. [`lockstep`]
//! drives them by one clock that nobody waits for, and [`stage`] says what each of its ticks brings; [`realtime`] by the real one; [`outcome`] is what came of it. [`planners`] knows
//! which planner a story asks for.

pub mod actor;
pub mod lockstep;
pub mod outcome;
pub mod planners;
pub mod realtime;
pub mod setting;
pub mod stage;
pub mod stream;
