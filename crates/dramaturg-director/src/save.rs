//! A session written down, and read again, perhaps by a story that was edited meanwhile.
//!
//! [`Director::save`](crate::Director::save) gives a [`SessionSave`], [`Director::load`](crate::Director::load) makes a
//! session of it again. With the same story the loaded session goes on exactly as the saved one does: the same frames,
//! the same events, bit for bit. With an edited one it takes over what still exists, by name, and a [`LoadReport`] says
//! of everything else what has become of it and why. `docs/saves.md` tells what a save holds.
//!
//! # Layout
//!
//! [`bytes`] is a save as a file, `load` makes a session of it, [`planners`] finds the planner that wrote its part,
//! `rate` says how often a game may ask for one.

pub mod bytes;
pub use bytes::SaveError;
pub(crate) mod load;
mod rate;
pub(crate) use rate::SaveRate;
pub use rate::{SAVE_PAUSE_MICROS, SAVE_REFUSALS_MAX, SAVE_UNACKNOWLEDGED_BYTES_MAX};

use std::collections::BTreeMap;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::chronicle::{Chronicle, ChronicleSave};
use dramaturg_planner::planner::PlannerSave;
use dramaturg_planner::simulate::Digest;
pub use dramaturg_planner::simulate::{LoadKind, LoadNote, LoadReport};
use dramaturg_wire::{ChannelState, FaultCode, Pieces, TaskRecord, ToDirector};
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::clock::{ClockEstimate, Moment};
use crate::core::Core;
use crate::feed::Feed;
use crate::inquiry::Inquiry;
use crate::latency::Latency;
use crate::subscribe::Subscribed;

/// Something the game asked for that concerns the session as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// A save.
    Save {
        /// Comes back in the answer.
        request: u32,
    },
    /// To go on from a save.
    Load {
        /// Comes back in the answer.
        request: u32,
        /// The save.
        data: Vec<u8>,
    },
}

/// A session by its names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SessionSave {
    /// The title of the story it was saved from.
    pub title: String,
    /// The number of that story's content: see [`story_hash`].
    pub story: u64,
    /// The name of the session.
    pub session: String,
    /// The last tick that the game had reported.
    pub tick: Tick,
    pub(crate) world: ChronicleSave,
    pub(crate) board: Board,
    pub(crate) planner: PlannerSave,
    /// What the planner will be told when it goes on.
    pub(crate) feed: Feed,
    /// What the planner was told, if it is at work.
    pub(crate) told: Option<Feed>,
    pub(crate) thinking: Option<(Moment, Tick)>,
    pub(crate) thoughts: Vec<Moment>,
    pub(crate) reported: Tick,
    pub(crate) promised: Tick,
    pub(crate) clock: ClockEstimate,
    pub(crate) latency: Latency,
    pub(crate) now: Moment,
    pub(crate) talk: Talk,
    pub(crate) events: u64,
    pub(crate) observations: u64,
    pub(crate) over: Option<String>,
    pub(crate) trail: u32,
    /// Whether the world had not come to the last reported tick.
    #[serde(default)]
    pub(crate) is_behind: bool,
}

/// The conversation with the game, as it was when a session was saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Talk {
    pub(crate) connected: bool,
    pub(crate) game: String,
    #[serde(default)]
    pub(crate) language: Option<String>,
    pub(crate) channel: ChannelState<ToDirector>,
    /// The dictionary, in its order, and how much of it the game was told.
    pub(crate) names: Vec<String>,
    pub(crate) names_told: usize,
    pub(crate) heard_in: (u32, u64),
    pub(crate) breach: Option<FaultCode>,
    pub(crate) welcomed: Option<(u64, Vec<u8>)>,
    pub(crate) greetings: Vec<Vec<u8>>,
    pub(crate) pings: BTreeMap<u64, Moment>,
    pub(crate) next_ping: (u64, Moment),
    pub(crate) heard: (Tick, Moment),
    pub(crate) table: Vec<TaskRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) skip_to: Option<u32>,
    #[serde(default)]
    pub(crate) inquiry: Inquiry,
    #[serde(default)]
    pub(crate) subscribed: Subscribed,
    #[serde(default)]
    pub(crate) pieces: Pieces,
    #[serde(default)]
    pub(crate) saves: SaveRate,
}

/// A number that is the same for two stories exactly if their models are (but for chance: it has 64 bits).
pub fn story_hash(model: &Model) -> u64 {
    Digest::of(model)
}

impl Core {
    /// Everything of the session but its planner. Events that were not drained are not in it.
    pub(crate) fn save(&mut self, planner: PlannerSave, told: Option<Feed>, trail: u32) -> SessionSave {
        let world = self.chronicle.save(&self.model);
        // The world runs again from where its window begins, here as after loading, so that both count their work
        // alike.
        (self.chronicle, _) = Chronicle::load(&self.model, &world);
        self.slices = 0;
        let (names, names_told) = self.dictionary.parts();
        SessionSave {
            title: self.model.title.clone(),
            story: story_hash(&self.model),
            session: self.options.session.clone(),
            tick: self.clock.last_tick(),
            world,
            board: self.board.clone(),
            planner,
            feed: self.feed.clone(),
            told,
            thinking: self.thinking,
            thoughts: self.thoughts.iter().copied().collect(),
            reported: self.reported,
            promised: self.promised,
            clock: self.clock.clone(),
            latency: self.latency.clone(),
            now: self.now,
            talk: Talk {
                connected: self.connected,
                game: self.game.clone(),
                language: self.language.as_ref().map(|language| language.tag().to_owned()),
                channel: self.channel.state(),
                names: names.to_vec(),
                names_told,
                heard_in: self.heard_in,
                breach: self.breach,
                welcomed: self.welcomed.clone(),
                greetings: self.greetings.clone(),
                pings: self.pings.clone(),
                next_ping: self.next_ping,
                heard: self.heard,
                table: self.table.clone(),
                skip_to: self.skip_to,
                inquiry: self.inquiry.clone(),
                subscribed: self.subscribed.clone(),
                pieces: self.pieces.clone(),
                saves: self.saves,
            },
            events: self.event_number,
            observations: self.seen,
            over: self.over.clone(),
            trail,
            is_behind: self.is_behind,
        }
    }

    /// A number that is the same for two sessions exactly if what they know, plan, have said and heard is the same (but
    /// for chance: it has 64 bits). It costs about as much as a save.
    pub fn content_hash(&self) -> u64 {
        Digest::of(&(
            self.chronicle.present().content_hash(&self.model),
            &self.board,
            (self.channel.epoch(), self.channel.sent(), self.channel.received()),
            (self.clock.last_tick(), self.promised, self.event_number, self.seen),
            (&self.feed, &self.over),
        ))
    }
}
