//! The runtime: how soon and how surely tasks reach a game.
//!
//! # Layout
//!
//! [`policy`] compares the ways of sending in virtual time, [`live`] in real time over TCP. [`flood`] has a thousand tasks a second
//! start in one game, [`handover`] follows single plans to the executor, [`crowd`] has a thousand sessions whose games are those of
//! [`games`] and whose tasks have their [`fates`]; both have their games [`elsewhere`], in another process. [`load`] is what keeps the
//! machine busy beside them, [`waits`] what that does to a process. For all of them: [`score`] is what is performed, [`serving`] the
//! server, [`pulse`] a game's clock, [`punctual`] a game that notes when its tasks start, [`machine`] what else was going on,
//! [`progress`] how far it is.
//! [`report`] puts the figures together.

pub mod crowd;
pub mod elsewhere;
pub mod fates;
pub mod flood;
pub mod games;
pub mod handover;
pub mod live;
pub mod load;
pub mod machine;
pub mod policy;
pub use policy::{PolicyFigures, PolicyRun};
pub mod progress;
pub mod pulse;
pub mod punctual;
pub mod report;
pub use report::{RuntimeBench, RuntimeFigures, Section};
pub mod score;
pub mod serving;
pub mod waits;
