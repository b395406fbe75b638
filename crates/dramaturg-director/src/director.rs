//! A session with its planner, driven by inputs that can be written down and given again.

use dramaturg_model::Tick;
use dramaturg_planner::planner::{GoalChange, Planner, Workers};
use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::core::Core;
use crate::event::Event;
use crate::feed::{Feed, Thought};

/// Everything that can come from outside. The same inputs give the same session, bit for bit: that is what a journal holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Time passes, and frames have come.
    Pump {
        /// By the director's own clock.
        now: Moment,
        /// The frames, in order of arrival.
        frames: Vec<Vec<u8>>,
    },
    /// The planner goes on.
    Begin {
        /// By the director's own clock.
        now: Moment,
    },
    /// The planner has worked so many units, and publishes.
    End {
        /// By the director's own clock.
        now: Moment,
        /// Units of work: wall time became this when it ran first.
        units: u32,
    },
    /// The link is gone.
    Disconnected {
        /// By the director's own clock.
        now: Moment,
        /// Why.
        reason: String,
    },
    /// Somebody wants other goals.
    Goals {
        /// By the director's own clock.
        now: Moment,
        /// Which.
        change: GoalChange,
    },
    /// Somebody takes a step back.
    Cancel {
        /// By the director's own clock.
        now: Moment,
        /// Which.
        step: u32,
    },
}

impl Input {
    /// When it came, by the director's own clock.
    pub fn now(&self) -> Moment {
        match self {
            Self::Pump { now, .. }
            | Self::Begin { now }
            | Self::End { now, .. }
            | Self::Disconnected { now, .. }
            | Self::Goals { now, .. }
            | Self::Cancel { now, .. } => *now,
        }
    }
}

/// A session with its planner.
pub struct Director {
    core: Core,
    planner: Box<dyn Planner>,
    /// What the planner was told, while it is at work.
    feed: Option<Feed>,
}

impl Director {
    /// A session and its planner.
    pub fn new(core: Core, planner: Box<dyn Planner>) -> Self {
        Self { core, planner, feed: None }
    }

    /// The session.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Whether the planner is at work.
    pub fn is_thinking(&self) -> bool {
        self.feed.is_some()
    }

    /// The last tick that the game reported.
    pub fn last_tick(&self) -> Tick {
        self.core.clock.last_tick()
    }

    /// Takes out what happened since the last call.
    pub fn drain(&mut self) -> Vec<Event> {
        self.core.drain()
    }

    /// Takes an input in and hands out the frames that are due. The planner works here, when its work ends: a shell that lets it work
    /// in a thread of its own uses [`Director::begin`] and [`Director::finish`] instead.
    pub fn step(&mut self, input: &Input, workers: &Workers<'_>, emit: &mut dyn FnMut(&[u8])) {
        match input {
            Input::Pump { now, frames } => {
                self.core.pump(*now, &mut frames.iter().map(Vec::as_slice), emit);
            }
            Input::Begin { now } => {
                if let Some(feed) = self.begin(*now) {
                    self.feed = Some(feed);
                }
            }
            Input::End { now, units } => {
                if let Some(feed) = self.feed.take() {
                    let thought = feed.think(&mut *self.planner, *units, workers);
                    self.finish(*now, &thought);
                }
            }
            Input::Disconnected { now, reason } => {
                self.core.now = self.core.now.max(*now);
                self.core.disconnected(reason);
            }
            Input::Goals { now, change } => {
                self.core.now = self.core.now.max(*now);
                self.core.set_goals(change.clone());
            }
            Input::Cancel { now, step } => {
                self.core.now = self.core.now.max(*now);
                self.core.cancel(*step);
            }
        }
    }

    /// The planner goes on: what it must be told; nothing if it is at work already.
    pub fn begin(&mut self, now: Moment) -> Option<Feed> {
        self.core.begin_think(now)
    }

    /// The planner has published.
    pub fn finish(&mut self, now: Moment, thought: &Thought) {
        self.core.end_think(now, thought);
    }

    /// Takes the planner out, to let it work elsewhere; meanwhile a stand-in is here that plans nothing. [`Director::give_back`] ends
    /// that.
    pub fn lend(&mut self) -> Box<dyn Planner> {
        std::mem::replace(&mut self.planner, Box::new(crate::shell::Away))
    }

    /// Brings the planner back.
    pub fn give_back(&mut self, planner: Box<dyn Planner>) {
        self.planner = planner;
    }

    /// The planner, for a shell that lets it work elsewhere, and for questions of why and why not.
    pub fn planner(&mut self) -> &mut dyn Planner {
        &mut *self.planner
    }
}
