//! Problems with durations that are planned while they are performed, and go wrong meanwhile.
//!
//! # Layout
//!
//! A [`piece`] is what is performed: a job-shop, or a [`logistics`] problem. [`floor`] is the game: operations take their time, and
//! [`fate`] decides which take longer or fail. [`stage`] runs a piece in virtual time through director and executor, [`live`] in real time
//! over TCP; [`tally`] counts what came of each operation. [`wilson`] says how sure a share is, [`report`] puts the figures together.

pub mod fate;
pub mod floor;
pub mod live;
pub mod logistics;
pub mod piece;
pub use piece::Piece;
pub mod report;
pub use report::{RealtimeBench, RealtimeFigures};
pub mod stage;
pub mod tally;
pub mod wilson;
