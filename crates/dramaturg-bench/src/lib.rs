//! Measurements of dramaturg: what its claims about speed and memory rest on.
//!
//! Every measurement is taken in this run, on this machine, beside a stated baseline; repetitions of what is compared are
//! interleaved, so that a slow moment hits both.
//!
//! # Layout
//!
//! [`timing`] holds samples and their percentiles, [`claim`] a figure with its target, [`memory`] the peak of allocation.
//! [`generate`] writes a long story, [`compile`] measures the compiler on it, [`ground`] grounding of PDDL folders beside the
//! [`translator`] of Fast Downward, [`classical`] planning beside all of it ([`downward`]) by [`whole_command`],
//! [`temporal`] planning in time beside [`lpg`], [`job_shop`] problems in PDDL,
//! [`characters`] that plan, one by one and many at once, [`repair`] of long plans (by `script`),
//! [`validate`] the simulator and the validator on a long plan,
//! [`runtime`] how soon and how surely tasks reach a game, [`realtime`] job-shops and logistics that are planned while they run.

pub mod timing;
pub use timing::{Samples, Timing};
pub mod claim;
pub use claim::Claim;
pub mod memory;
pub use memory::Memory;
pub mod generate;
pub use generate::generate_story;
pub mod compile;
pub use compile::{CompileBench, CompileFigures};
pub mod translator;
pub use translator::Translator;
pub mod ground;
pub use ground::{GroundBench, GroundFigures, ProblemFigures};
pub mod downward;
pub mod whole_command;
pub use downward::Downward;
pub mod classical;
pub use classical::{Attempt, ClassicalBench, ClassicalFigures};
pub mod lpg;
pub use lpg::Lpg;
pub mod temporal;
pub use temporal::{TemporalAttempt, TemporalBench, TemporalFigures, TemporalProblem};
pub mod job_shop;
pub use job_shop::JobShop;
pub mod realtime;
pub use realtime::{RealtimeBench, RealtimeFigures};
pub mod characters;
pub use characters::{CharactersBench, CharactersFigures};
pub mod repair;
pub use repair::{RepairBench, RepairFigures};
pub mod runtime;
mod script;
pub use runtime::{RuntimeBench, RuntimeFigures};
pub mod validate;
pub use validate::{ValidateBench, ValidateFigures};
