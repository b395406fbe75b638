//! The planner interface: it owns the world, the published plan and the locks, sends each task ahead of its tick, and
//! tells planners what became of it.
//!
//! # Layout
//!
//! [`core`] is a session without input or output. In it: [`clock`] and [`latency`] say when the game is, [`board`]
//! holds the published plan, `dispatch` sends from it, `order` writes what is sent, `admission` says what the game may
//! say, `hear` takes it in, `recall` takes in what only the game knows and asks for it by `inquiry`, `subscribe` asks for what rules read, [`feed`]
//! is what planners are told and answer, [`event`] everything that happens as one stream. `convert` is the one place
//! where the words of the wire become those of the model; [`dictionary`] numbers the names. [`save`] is a session
//! written down, [`journal`] every input of one. [`shell`] drives all of it in real time: only there are clocks,
//! threads and sockets.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod admission;
pub mod board;
pub use board::Board;
pub mod clock;
pub use clock::{ClockEstimate, Moment};
mod convert;
pub mod core;
pub use core::Core;
pub mod dictionary;
pub mod director;
pub use director::{Director, Input};
mod dispatch;
pub mod event;
pub use event::{Event, EventKind};
pub mod feed;
pub use feed::{Feed, Thought};
mod hear;
mod inquiry;
pub mod journal;
pub use journal::{Journal, JournalOptions};
pub mod language;
pub use language::Language;
pub mod latency;
pub use latency::{Journey, Latency};
pub mod options;
pub use options::{DirectorOptions, Mechanisms, Policy, critical_window};
mod order;
mod recall;
pub mod save;
pub use save::{LoadReport, SaveError, SessionSave};
pub mod shell;
mod subscribe;
