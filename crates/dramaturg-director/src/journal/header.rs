//! How a segment begins: what it is, of which story, and how the session is directed.

use dramaturg_model::Model;
use dramaturg_planner::simulate::{Detail, Expectations, Follow, Unmet, WorldOptions};
use dramaturg_wire::{Codec, Tick};
use serde::{Deserialize, Serialize};

use crate::latency::Journey;
use crate::options::{DirectorOptions, Mechanisms, Policy};

/// The version of the format that is written. A reader refuses what it does not know.
pub const FORMAT: u16 = 2;
/// The oldest version that is still read: its headers say nothing of the segment before.
pub const FORMAT_OLDEST: u16 = 1;

/// How a segment begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub format: u16,
    /// The number of the story's content: see [`crate::save::story_hash`].
    pub story: u64,
    /// The title of the story.
    pub title: String,
    /// Where the story lies, if somebody said so.
    pub path: Option<String>,
    /// Which segment this is, from 1.
    pub segment: u64,
    /// How many inputs came before it.
    pub inputs: u64,
    /// How the session is directed.
    pub options: SavedOptions,
    /// What ties it to the segment before it; none in segments of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
}

/// What ties a segment to the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The session that it is a part of.
    pub session: String,
    /// How the segment before it ends; none: this is the first.
    pub previous: Option<SegmentEnd>,
    /// Why inputs before it were not written, if there are such inputs.
    pub gap: Option<Gap>,
}

/// How a segment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentEnd {
    /// Which segment.
    pub segment: u64,
    /// How many bytes of it count.
    pub bytes: u64,
    /// The checksum of its last record.
    pub checksum: u32,
    /// How many inputs there were up to its end.
    pub inputs: u64,
}

/// Inputs that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// How many.
    pub inputs: u64,
    /// Why.
    pub reason: String,
}

/// How a session is directed, by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedOptions {
    session: String,
    policy: Policy,
    omega: Tick,
    upsilon: u32,
    mu: Journey,
    period: Tick,
    rate_milli: u32,
    json: bool,
    resend_micros: i64,
    seed: u64,
    detail: Detail,
    expectations: Expectations,
    unmet: Unmet,
    follow: Followed,
    work_max: u64,
    window: Tick,
    message_bytes_max: u32,
    in_flight_max: usize,
    resends: bool,
    locks: bool,
    carries_clock_on: bool,
    #[serde(default = "yes")]
    tells_stalls: bool,
}

/// What was so before it could be said.
fn yes() -> bool {
    true
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Followed {
    Everybody,
    Story,
    Character(String),
    Nobody,
}

impl SavedOptions {
    /// How a session is directed, by names.
    pub fn new(model: &Model, options: &DirectorOptions) -> Self {
        let DirectorOptions { world, mechanisms, .. } = options;
        Self {
            session: options.session.clone(),
            policy: options.policy,
            omega: options.omega,
            upsilon: options.upsilon,
            mu: options.mu,
            period: options.period,
            rate_milli: options.rate_milli,
            json: options.codec == Codec::Json,
            resend_micros: options.resend_micros,
            seed: world.seed,
            detail: world.detail,
            expectations: world.expectations,
            unmet: world.unmet,
            follow: match world.follow {
                Follow::Everybody => Followed::Everybody,
                Follow::Story => Followed::Story,
                Follow::Nobody => Followed::Nobody,
                Follow::Character(object) => {
                    let name = model.objects.try_at(object).map(|object| object.name.to_string());
                    name.map_or(Followed::Nobody, Followed::Character)
                }
            },
            work_max: world.work_max,
            window: options.window,
            message_bytes_max: options.message_bytes_max,
            in_flight_max: options.in_flight_max,
            resends: mechanisms.resend,
            locks: mechanisms.lock,
            carries_clock_on: mechanisms.clock,
            tells_stalls: mechanisms.stalls,
        }
    }

    /// The same for a story; nobody is followed where whoever was followed is gone.
    pub fn find(&self, model: &Model) -> DirectorOptions {
        let follow = match &self.follow {
            Followed::Everybody => Follow::Everybody,
            Followed::Story => Follow::Story,
            Followed::Nobody => Follow::Nobody,
            Followed::Character(name) => model.find_object(name).map_or(Follow::Nobody, Follow::Character),
        };
        DirectorOptions {
            session: self.session.clone(),
            policy: self.policy,
            omega: self.omega,
            upsilon: self.upsilon,
            mu: self.mu,
            period: self.period,
            rate_milli: self.rate_milli,
            codec: if self.json { Codec::Json } else { Codec::Binary },
            resend_micros: self.resend_micros,
            world: WorldOptions {
                seed: self.seed,
                detail: self.detail,
                expectations: self.expectations,
                unmet: self.unmet,
                follow,
                work_max: self.work_max,
            },
            window: self.window,
            message_bytes_max: self.message_bytes_max,
            in_flight_max: self.in_flight_max,
            mechanisms: Mechanisms {
                resend: self.resends,
                lock: self.locks,
                clock: self.carries_clock_on,
                stalls: self.tells_stalls,
            },
        }
    }
}
