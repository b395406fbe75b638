//! A session with its planner, driven by inputs that can be written down and given again.

use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::planner::{Explanation, GoalChange, Inquiry, Planner, PlannerLoader, Workers};
use dramaturg_wire::message::pieces;
use dramaturg_wire::{FaultCode, ToGame};
use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::core::Core;
use crate::event::{Event, EventKind};
use crate::feed::{Feed, Thought};
use crate::options::DirectorOptions;
use crate::save::{LoadReport, Request, SaveError, SessionSave, load};

/// Everything that can come from outside. The same inputs give the same session, bit for bit: that is what a journal
/// holds.
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
    /// The game said something that was not taken in, and is told why.
    Refused {
        /// By the director's own clock.
        now: Moment,
        /// Why.
        problem: String,
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
            | Self::Cancel { now, .. }
            | Self::Refused { now, .. } => *now,
        }
    }
}

/// A session with its planner.
pub struct Director {
    core: Core,
    planner: Box<dyn Planner>,
    /// What the planner was told, while it is at work.
    feed: Option<Feed>,
    /// Makes the planner of a save that the game hands back.
    loader: PlannerLoader,
    /// Sums up what came of all inputs so far: two runs whose trails differ have parted.
    trail: u32,
}

impl Director {
    /// A session and its planner. The loader makes the planner of a save that the game hands back.
    pub fn new(core: Core, planner: Box<dyn Planner>, loader: PlannerLoader) -> Self {
        Self { core, planner, feed: None, loader, trail: 0 }
    }

    /// The session that was saved. With the same story it goes on exactly as the saved one does; with an edited one as
    /// far as the story still has what it is about, and the report says what could not be taken over.
    pub fn load(
        model: Arc<Model>,
        options: DirectorOptions,
        save: &SessionSave,
        loader: PlannerLoader,
    ) -> Result<(Self, LoadReport), SaveError> {
        let planner = loader(&model, &save.planner).map_err(SaveError::Planner)?;
        let (core, mut report) = Core::load(model, options, save);
        let feed = save.told.as_ref().map(|feed| load::fitting(core.model(), feed, &mut report));
        Ok((Self { core, planner, feed, loader, trail: save.trail }, report))
    }

    /// Asks the planner why, why not, or who believes what.
    pub fn explain(&self, inquiry: &Inquiry) -> Explanation {
        self.planner.explain(inquiry)
    }

    /// The whole session by its names. Events that were not drained are not in it. The planner's search memory is
    /// dropped here too, so that loading changes nothing.
    pub fn save(&mut self) -> SessionSave {
        let planner = self.planner.save();
        self.core.save(planner, self.feed.clone(), self.trail)
    }

    /// Goes on with an edited story, in the middle of the game: a save and a load without a file.
    pub fn reload(&mut self, model: Arc<Model>) -> Result<LoadReport, SaveError> {
        let events = self.core.drain();
        let save = self.save();
        let (mut loaded, report) = Self::load(model, self.core.options.clone(), &save, Arc::clone(&self.loader))?;
        loaded.core.events.splice(0..0, events);
        loaded.core.tell(EventKind::Loaded { tick: loaded.last_tick(), notes: load::lines(&report) });
        *self = loaded;
        Ok(report)
    }

    /// Sums up what came of all inputs so far: two runs of the same inputs whose trails differ have parted.
    pub fn trail(&self) -> u32 {
        self.trail
    }

    /// Answers the saves and loads that the game asked for, each before anything that the game said after it.
    fn serve(&mut self) {
        while let Some(request) = self.core.requests.pop_front() {
            match request {
                Request::Save { request } => self.hand_out(request),
                Request::Load { request, data } => self.take_back(request, &data),
            }
            while self.core.requests.is_empty()
                && let Some(message) = self.core.deferred.pop_front()
            {
                self.core.hear(message);
            }
        }
    }

    fn hand_out(&mut self, request: u32) {
        let save = self.save();
        let (tick, data) = (save.tick, save.to_bytes());
        let (codec, most) = (self.core.options.codec, pieces::save_bytes_max(self.core.options.codec));
        if data.len() > most {
            let message = format!("the save has {} bytes, and one may have {most} at most to be sent", data.len());
            return self.core.fault(FaultCode::Save, message);
        }
        let (ahead, last) = pieces::cut(&data, codec, self.core.options.message_bytes_max);
        for piece in ahead {
            self.core.channel.send(self.core.now, &ToGame::SavedPiece { request, data: piece.to_vec() });
        }
        self.core.channel.send(self.core.now, &ToGame::Saved { request, tick, data: last.to_vec() });
        self.core.tell(EventKind::Saved { tick });
    }

    fn take_back(&mut self, request: u32, data: &[u8]) {
        let loaded = SessionSave::from_bytes(data).and_then(|save| {
            let planner = (self.loader)(self.core.model(), &save.planner).map_err(SaveError::Planner)?;
            Ok((save, planner))
        });
        let (save, planner) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => return self.core.fault(FaultCode::Save, error.to_string()),
        };
        let mut report = self.core.go_back(&save);
        self.planner = planner;
        self.feed = save.told.as_ref().map(|feed| load::fitting(self.core.model(), feed, &mut report));
        let notes = load::lines(&report);
        self.core.tell(EventKind::Loaded { tick: save.tick, notes: notes.clone() });
        self.core.channel.send(self.core.now, &ToGame::Loaded { request, notes });
    }

    /// The session.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Allows messages of so many bytes; before the session begins.
    pub fn set_message_bytes_max(&mut self, bytes: u32) {
        self.core.options.message_bytes_max = bytes;
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

    /// Takes an input in and hands out the frames that are due. The planner works here, when its work ends: a shell
    /// that lets it work in a thread of its own uses [`Director::begin`] and [`Director::finish`] instead.
    pub fn step(&mut self, input: &Input, workers: &Workers<'_>, emit: &mut dyn FnMut(&[u8])) {
        match input {
            Input::Pump { now, frames } => {
                let mut trail = crc32fast::Hasher::new_with_initial(self.trail);
                let mut emit = |frame: &[u8]| {
                    trail.update(frame);
                    emit(frame);
                };
                self.core.pump(*now, &mut frames.iter().map(Vec::as_slice), &mut emit);
                // While the planner is at work, perhaps elsewhere, it cannot be saved.
                if !self.core.requests.is_empty() && self.core.thinking.is_none() {
                    self.serve();
                    self.core.pump(*now, &mut std::iter::empty(), &mut emit);
                }
                self.trail = trail.finalize();
                self.skip_numbers();
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
            Input::Refused { now, problem } => {
                self.core.now = self.core.now.max(*now);
                self.core.fault(FaultCode::Limit, problem.clone());
            }
        }
    }

    /// The planner goes on: what it must be told; nothing if it is at work already.
    pub fn begin(&mut self, now: Moment) -> Option<Feed> {
        self.core.begin_think(now)
    }

    /// The planner has published.
    pub fn finish(&mut self, now: Moment, thought: &Thought) {
        let mut trail = crc32fast::Hasher::new_with_initial(self.trail);
        trail.update(&thought.budget.units.to_le_bytes());
        trail.update(&thought.budget.used.to_le_bytes());
        trail.update(&thought.delta.version.to_le_bytes());
        self.trail = trail.finalize();
        self.core.end_think(now, thought);
        self.skip_numbers();
    }

    /// Has the planner leave out the numbers of steps that only the game knows. While it is at work, perhaps elsewhere,
    /// that waits; what it publishes under such a number until then is not taken over.
    fn skip_numbers(&mut self) {
        if self.core.thinking.is_some() {
            return;
        }
        let Some(next) = self.core.skip_to.take() else { return };
        self.planner.skip_numbers(next);
    }

    /// Takes the planner out, to let it work elsewhere; meanwhile a stand-in is here that plans nothing.
    /// [`Director::give_back`] ends that.
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
