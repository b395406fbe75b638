//! Stories performed in real time: a director and a game, in one process or in several.
//!
//! # Layout
//!
//! [`stream`] makes a script from a story, [`actor`] is the game that performs it, with a simulated [`player`] if one is wanted, [`setting`] says how both are set up. [`course`] follows the numbers that the story wants on a curve, [`forethought`] is the plan before anything happens. [`lockstep`]
//! drives them by one clock that nobody waits for, and [`stage`] says what each of its ticks brings; [`realtime`] by the real one; [`outcome`] is what came of it. [`planners`] knows
//! which planner a story asks for.

pub mod actor;
pub mod course;
pub mod forethought;
pub mod lockstep;
pub mod outcome;
pub mod planners;
pub mod player;
pub mod realtime;
pub mod setting;
pub mod stage;
pub mod stream;
