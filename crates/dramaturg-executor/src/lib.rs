//! The executor interface: waiting list, tick, status and sensor reports. It is all that a game links: no model, no planner.
//!
//! A game owns an [`Executor`], implements [`Game`] and makes one call a frame: [`Executor::frame`], or [`Executor::receive`],
//! [`Executor::tick`] and [`Executor::poll`] where it moves the bytes itself. The executor reads no clock and opens no socket:
//! time comes in as ticks, so a test drives it as a game does.
//!
//! ```
//! use dramaturg_executor::{Executor, ExecutorOptions, Game, TaskView};
//!
//! struct Castle;
//!
//! impl Game for Castle {
//!     fn start(&mut self, task: &TaskView<'_>) {
//!         let with: Vec<_> = task.params().collect();
//!         println!("{} {with:?} for {} ticks", task.action(), task.duration());
//!     }
//! }
//!
//! let mut executor = Executor::new(ExecutorOptions { game: "castle".to_owned(), ..ExecutorOptions::default() });
//! let (mut castle, mut to_director) = (Castle, Vec::new());
//! for tick in 0..3 {
//!     // for frame in what_arrived { executor.receive(&frame)?; }
//!     executor.tick(tick, &mut castle);
//!     executor.poll(&mut |frame| to_director.push(frame.to_vec()));
//! }
//! assert_eq!(to_director.len(), 1, "hello, until the director answers");
//! ```
//!
//! # Layout
//!
//! What comes in: [`executor`] takes frames apart and hands them on; `greeting` says hello and says it again; `silence`
//! counts how long nothing came; `dictionary` turns numbers into names. What is kept: `tasks` is the table of all
//! tasks, `held` one of them, `near` how it finds them, `waiting` the order in which they start, `ended` what is
//! remembered of those that are over, `performed` what those were that started. What happens: `perform` starts and
//! follows tasks, `guard` looks once more before a start. What goes out:
//! `voice` writes statuses without allocating, `requests` is what the game says on its own account. [`checkpoint`]
//! keeps all of it inside the game's own save. [`game`] is what a game implements, [`scripted`] a game for tests.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod checkpoint;
pub use checkpoint::CheckpointError;
mod dictionary;
mod ended;
pub mod executor;
pub use executor::Executor;
pub mod game;
pub use game::{Game, Report, ValueRef};
mod frame;
mod greeting;
mod guard;
mod held;
mod near;
mod notice;
pub mod options;
pub use options::ExecutorOptions;
mod perform;
mod performed;
mod requests;
pub use requests::AnswerError;
pub mod scripted;
pub use scripted::ScriptedGame;
mod silence;
mod tasks;
pub mod view;
pub use view::TaskView;
mod voice;
mod waiting;
