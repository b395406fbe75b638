//! What director and game say to each other. It knows neither model nor planners: tasks, names, values and ticks are
//! all it speaks of.
//!
//! # Layout
//!
//! [`message`] has the messages of both directions, [`frame`] their numbers, [`codec`] their bytes, [`channel`] the
//! numbering, acknowledging and resending that makes any link lose nothing, [`link`] the ways a frame can travel.
//! `docs/wire.md` tells it in literal exchanges.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod channel;
pub use channel::{AHEAD_BYTES_MAX, AHEAD_MAX, Channel, ChannelOptions, ChannelSave, ChannelState, Received};
pub mod codec;
pub use codec::{Codec, CodecError};
pub mod frame;
pub use frame::Frame;
pub mod link;
pub use link::{Link, LinkError};
pub mod message;
pub use message::{
    Answer, Comparison, Description, Execute, Fault, FaultCode, Guard, Guards, Hello, LatePolicy, Line, NameId,
    Observation, Outcome, Params, Pieces, Question, Reads, Resume, Status, Task, TaskContent, TaskRecord, TaskState,
    Test, ToDirector, ToGame, Value, Welcome,
};

/// The version of the protocol that this crate speaks.
///
/// A minor version may add variants at the end of an enum, and they are sent only if the smaller minor number of both
/// sides knows them. Within a major version no struct or variant gains, loses or moves a field: binary frames have no
/// names to skip by.
pub const VERSION: Version = Version { major: 1, minor: 1 };
/// The first minor version that knows [`ToGame::Describe`] and [`ToDirector::Described`].
pub const DESCRIBES_SINCE: u16 = 1;

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Version {
    /// Sides with different major numbers do not understand each other.
    pub major: u16,
    /// What may be said: the smaller of both sides counts.
    pub minor: u16,
}

/// The executor's unit of time.
pub type Tick = i64;
