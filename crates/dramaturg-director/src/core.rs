//! The core of a session: it reads no clock and touches no socket, so that simulator, embedded mode and server drive
//! the same code.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Model, Step, StepEvent, StepEventKind, Tick};
use dramaturg_planner::chronicle::{Chronicle, ChronicleOptions};
use dramaturg_planner::planner::{DeltaProblem, GoalChange, TickBounds};
use dramaturg_wire::{Channel, ChannelOptions, Fault, FaultCode, Pieces, Task, TaskRecord, ToDirector, ToGame};

use crate::board::Board;
use crate::clock::{ClockEstimate, Moment, SentAfter};
use crate::convert;
use crate::dictionary::Dictionary;
use crate::event::{Event, EventKind};
use crate::feed::{Feed, Thought};
use crate::inquiry::Inquiry;
use crate::language::Language;
use crate::latency::Latency;
use crate::options::{DirectorOptions, Policy, critical_window};
use crate::save::{Request, SaveRate};
use crate::subscribe::Subscribed;

/// Every so often the game is asked for the time, in microseconds.
const PING_EVERY: Moment = 200_000;
/// So many pings may be under way.
const PINGS_MAX: usize = 64;
/// So many bytes of frames may wait for a save or load that was asked for. What goes beyond is dropped; it will be sent
/// again.
pub const DEFERRED_BYTES_MAX: usize = 16 << 10;
/// What a record of a task takes in memory, about.
const RECORD_BYTES: usize = 64;
/// So many of the last deliberations are looked at to know how long one takes.
const THOUGHTS: usize = 64;
/// A deliberation that takes so many microseconds, and far longer than others, was held up ...
const STALL_LEAST: Moment = 250_000;
/// ... unless there were more of them than this among the last. Those that take so long are counted apart.
const STALLS_MAX: usize = 2;
const LONG_STALL_LEAST: Moment = 2_000_000;
/// A game from which nothing was heard for so many microseconds longer than it should take is sent nothing: who knows
/// where it is.
const SILENCE_MOST: Moment = 500_000;
/// The most work that the world does in one call (see [`Effort`](dramaturg_planner::simulate::Effort)): a few
/// milliseconds. A game that comes back after hours is caught up with in slices, so that other sessions are served in
/// between.
const SLICE: u64 = 10_000;
/// While the planner is at work, the world goes ahead of what it was told by so many slices at most: it has to follow.
const SLICES_AHEAD: u32 = 8;
/// The most reports of a game that are kept (see [`Chronicle::report_count`]), those of ticks to come included.
pub(crate) const REPORTS_MAX: usize = 1 << 16;

/// One session: the world, the published plan, the locks and the conversation with one game.
pub struct Core {
    pub(crate) model: Arc<Model>,
    pub(crate) options: DirectorOptions,
    pub(crate) chronicle: Chronicle,
    pub(crate) board: Board,
    pub(crate) clock: ClockEstimate,
    pub(crate) latency: Latency,
    pub(crate) channel: Channel<ToGame, ToDirector>,
    pub(crate) dictionary: Dictionary,
    /// The language of lines, if it is not the story's own.
    pub(crate) language: Option<Language>,
    pub(crate) feed: Feed,
    pub(crate) connected: bool,
    pub(crate) game: String,
    /// The last tick that a status spoke of: what happened before it has been reported.
    pub(crate) reported: Tick,
    /// The last epoch before this one in which something was heard, and how much.
    pub(crate) heard_in: (u32, u64),
    /// The last hello that was answered, with the frame of its welcome.
    pub(crate) welcomed: Option<(u64, Vec<u8>)>,
    /// Frames that stand outside of epochs.
    pub(crate) greetings: Vec<Vec<u8>>,
    /// The first tick that the planner was told it may change, when it last began.
    pub(crate) promised: Tick,
    /// When the planner began, and which tick was the last reported one then.
    pub(crate) thinking: Option<(Moment, Tick)>,
    /// How long the last deliberations took, in microseconds.
    pub(crate) thoughts: VecDeque<Moment>,
    pub(crate) pings: BTreeMap<u64, Moment>,
    pub(crate) next_ping: (u64, Moment),
    pub(crate) now: Moment,
    pub(crate) events: Vec<Event>,
    pub(crate) event_number: u64,
    pub(crate) seen: u64,
    pub(crate) over: Option<String>,
    /// The last tick that was heard, and when: also one that lies before others, of a game that went back.
    pub(crate) heard: (Tick, Moment),
    /// What the executor knew when it last said hello.
    pub(crate) table: Vec<TaskRecord>,
    /// The planner must number its next steps from here on: the game knows smaller numbers from a time of which nothing
    /// is known here.
    pub(crate) skip_to: Option<u32>,
    /// What the game is asked of a time of which nothing is known here.
    pub(crate) inquiry: Inquiry,
    /// What the executor reads again and again.
    pub(crate) subscribed: Subscribed,
    /// Saves and loads that were asked for, and what the game said after the first of them.
    pub(crate) requests: VecDeque<Request>,
    pub(crate) deferred: VecDeque<ToDirector>,
    /// The bytes of the frames that these came in.
    pub(crate) deferred_bytes: usize,
    /// How often the game may ask for saves.
    pub(crate) saves: SaveRate,
    /// Of a save that comes back in several messages.
    pub(crate) pieces: Pieces,
    /// What the game said that no conversation can go on after.
    pub(crate) breach: Option<FaultCode>,
    /// Whether the world has not come to the last reported tick yet.
    pub(crate) is_behind: bool,
    /// How many slices the world went since the planner was told.
    pub(crate) slices: u32,
}

impl Core {
    /// A session of a story that has not begun.
    pub fn new(model: Arc<Model>, options: DirectorOptions) -> Self {
        let channel = channel_options(&options);
        let world = ChronicleOptions { world: options.world.clone(), window: options.window };
        Self {
            chronicle: Chronicle::begin(&model, world),
            board: Board::default(),
            clock: ClockEstimate::new(options.rate_milli, options.mechanisms.clock)
                .believing_gushes(!options.mechanisms.stalls),
            latency: Latency::new(options.mu),
            channel: Channel::new(channel),
            dictionary: Dictionary::of(&model),
            language: None,
            feed: Feed::default(),
            connected: false,
            game: String::new(),
            reported: Tick::MIN,
            heard_in: (0, 0),
            welcomed: None,
            greetings: Vec::new(),
            promised: 0,
            thinking: None,
            thoughts: VecDeque::new(),
            pings: BTreeMap::new(),
            next_ping: (1, 0),
            now: 0,
            events: Vec::new(),
            event_number: 0,
            seen: 0,
            over: None,
            heard: (0, 0),
            table: Vec::new(),
            skip_to: None,
            inquiry: Inquiry::default(),
            subscribed: Subscribed::default(),
            requests: VecDeque::new(),
            deferred: VecDeque::new(),
            deferred_bytes: 0,
            saves: SaveRate::default(),
            pieces: Pieces::default(),
            breach: None,
            is_behind: false,
            slices: 0,
            model,
            options,
        }
    }

    /// The model of the story.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How it is directed.
    pub fn options(&self) -> &DirectorOptions {
        &self.options
    }

    /// The world as it is known.
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    /// The published plan.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether a game is connected.
    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Whether the planner is at work.
    pub fn is_thinking(&self) -> bool {
        self.thinking.is_some()
    }

    /// What the game said that no conversation can go on after: its link should be closed.
    pub fn breach(&self) -> Option<FaultCode> {
        self.breach
    }

    /// How often something had to be sent again.
    pub fn resent(&self) -> u64 {
        self.channel.resent()
    }

    /// Why the session is over, if it is.
    pub fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    /// What the session keeps because of what its game says, or does not say, in bytes: messages that the game has not
    /// acknowledged, frames that wait, pieces of a save, and the table of tasks that it showed. The world and the plan
    /// are not in it.
    pub fn kept_bytes(&self) -> usize {
        self.channel.unacknowledged_bytes()
            + self.channel.early_bytes()
            + self.deferred_bytes
            + self.pieces.len()
            + self.table.len() * RECORD_BYTES
    }

    /// Between which ticks the game is.
    pub fn bounds(&self) -> TickBounds {
        self.clock.bounds(self.now, self.delay_most())
    }

    /// The longest that a message takes, in ticks.
    pub fn mu(&self) -> Tick {
        self.clock.ticks(self.delay_most())
    }

    /// Takes out what happened since the last call.
    pub fn drain(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes in the frames that came since the last call, looks at the plan, and hands out the frames that are due. It
    /// is called whenever something comes in, and at least once a tick.
    pub fn pump(&mut self, now: Moment, frames: &mut dyn Iterator<Item = &[u8]>, emit: &mut dyn FnMut(&[u8])) {
        // Before anything is heard: when this turn was due follows from the last one.
        // What was due then and could not be done is due again in a tick.
        let again = self.now.saturating_add(self.clock.micros(1));
        let due = self.due().filter(|due| *due > Moment::MIN);
        let due = due.map(|due| if due <= self.now { again } else { due });
        self.now = self.now.max(now);
        let late = due.map_or(0, |due| self.now.saturating_sub(due)).max(0);
        self.latency.turn(self.now, late);
        self.clock.turn(late);
        let relocks = self.clock.relocks();
        for bytes in frames {
            if self.requests.is_empty() {
                self.deferred_bytes = 0;
            } else if self.deferred_bytes.saturating_add(bytes.len()) > DEFERRED_BYTES_MAX {
                // As if the link had lost it: it is not acknowledged, so it will come again.
                continue;
            } else {
                self.deferred_bytes += bytes.len();
            }
            match self.channel.receive(bytes) {
                Ok(dramaturg_wire::Received::Message(message)) => {
                    self.hear(message);
                    while let Some(message) = self.channel.next_ready() {
                        self.hear(message);
                    }
                }
                Ok(_) => {}
                // One clear error is enough.
                Err(_) if self.breach.is_some() => {}
                Err(error) => self.fault(FaultCode::Protocol, error.to_string()),
            }
        }
        if self.clock.relocks() != relocks {
            self.tell(EventKind::ClockRelocked { rate_milli: self.clock.rate_milli() });
            self.take_back();
            // What was promised to the planner under another estimate would leave a gap in the plan.
            self.promised = self.promised.min(self.insert_from());
        }
        self.give_up_inquiry();
        self.catch_up();
        self.tell_world();
        self.follow_level();
        if self.options.policy == Policy::Decoupled {
            self.dispatch_due();
        }
        self.ping();
        self.greetings.drain(..).for_each(|frame| emit(&frame));
        self.channel.poll(self.now, &ToGame::Acknowledge, emit);
    }

    /// Lets the world go on to the last tick that was reported, or a slice of the way.
    fn catch_up(&mut self) {
        if self.waits_for_planner() {
            return;
        }
        let tick = self.reported.max(self.clock.last_tick());
        self.is_behind = !self.chronicle.advance_within(&self.model, tick, SLICE);
        self.slices = if self.is_behind { self.slices.saturating_add(1) } else { self.slices };
    }

    /// Whether the world waits for the planner to follow.
    fn waits_for_planner(&self) -> bool {
        self.is_behind && self.thinking.is_some() && self.slices >= SLICES_AHEAD
    }

    /// Whether the world is still on its way to the last tick that was reported: nothing is sent until it is there.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Whether this side is ready to send: its world is at the game's tick, and it knows what the game has performed.
    pub(crate) fn may_send(&self) -> bool {
        !self.is_behind && !self.inquiry.is_open()
    }

    /// Whether the game is where the clock says, as far as anybody can tell. If its time was not heard of for longer
    /// than it should take, the link, the game or this side stands still; then nothing is sent or planned until a
    /// report shows where it is.
    pub(crate) fn knows_time(&self) -> bool {
        let usual = self.clock.micros(Tick::from(self.options.upsilon)).saturating_add(self.delay_most());
        let is_silent = self.now.saturating_sub(self.heard.1) > usual.saturating_add(SILENCE_MOST);
        self.clock.is_paused() || !(is_silent || self.clock.is_doubtful())
    }

    /// The longest that a message takes, in microseconds.
    pub(crate) fn delay_most(&self) -> Moment {
        self.latency.most(self.clock.micros(1))
    }

    /// When [`Core::pump`] has something to do, even if nothing comes in until then; none: not before something does.
    pub fn due(&self) -> Option<Moment> {
        if self.is_behind && !self.waits_for_planner() && self.over.is_none() {
            return Some(self.now);
        }
        if !self.connected || self.over.is_some() {
            return None;
        }
        let pings = self.latency.is_measured();
        // A step must be sent within a period of the dispatcher from when it may be. In the midst of a tick is early
        // enough, and nobody is bound sooner than need be.
        let slack = self.clock.micros(self.options.period.clamp(0, 1)) / 2;
        let may_send = self.options.policy == Policy::Decoupled && self.may_send() && self.knows_time();
        let sends = self.board.next_start().filter(|_| may_send).and_then(|start| {
            let may = self.clock.reaches(start.saturating_sub(self.lead()), self.delay_most());
            may.map(|may| may.saturating_add(slack))
        });
        [self.channel.next_due(), pings.then_some(self.next_ping.1), sends, self.inquiry.until()]
            .into_iter()
            .flatten()
            .min()
    }

    fn ping(&mut self) {
        let (id, due) = self.next_ping;
        if self.connected && self.latency.is_measured() && self.now >= due {
            self.pings.insert(id, self.now);
            while self.pings.len() > PINGS_MAX {
                self.pings.pop_first();
            }
            self.channel.send_loose(&ToGame::Ping { id });
            self.next_ping = (id + 1, self.now + PING_EVERY);
        }
    }

    pub(crate) fn heard_time(&mut self, tick: Tick, answers: Option<u64>) {
        self.heard = (tick, self.now);
        let delay_most = self.delay_most();
        let pinged = answers.and_then(|id| self.pings.remove(&id));
        let sent_after = match pinged {
            Some(sent) => SentAfter::Ping(sent),
            None if self.latency.is_measured() => SentAfter::Unknown,
            None => SentAfter::Assumed(self.now.saturating_sub(delay_most)),
        };
        self.clock.hear(tick, self.now, sent_after, delay_most);
        if let Some(sent) = pinged {
            self.latency.hear(sent, self.now);
        }
    }

    /// The first tick that a planner which begins now may change.
    pub fn insert_from(&self) -> Tick {
        let (omega, upsilon, mu) = (self.options.omega, Tick::from(self.options.upsilon), self.mu());
        match self.options.policy {
            Policy::Paper | Policy::Closed => critical_window(self.clock.last_tick(), omega, upsilon, mu).0,
            Policy::Decoupled => {
                let delay = longest(&self.thoughts).map_or(omega, |longest| self.clock.ticks(longest));
                self.bounds().most.saturating_add(self.lead()).saturating_add(delay).saturating_add(1)
            }
        }
    }

    /// So many ticks before its start a step must be sent. Where turns come late, this is the last one before the next.
    pub(crate) fn lead(&self) -> Tick {
        let late = self.clock.ticks(self.latency.turns_late(self.now)).max(0);
        self.mu().saturating_add(1).saturating_add(self.options.period).saturating_add(late)
    }

    /// The planner goes on: what it must be told. Nothing, if it is at work already or the game stands still.
    pub fn begin_think(&mut self, now: Moment) -> Option<Feed> {
        self.now = self.now.max(now);
        // Before the first hello there is time to plan. Of a game that is gone nobody knows whether its time goes on: what
        // is planned for then may lie as far ahead as it was away.
        let may = !self.clock.is_known() || self.is_behind || self.knows_time();
        let waits = self.inquiry.is_open() || !self.requests.is_empty();
        if self.thinking.is_some() || self.over.is_some() || waits || !may {
            return None;
        }
        self.promised = self.insert_from().max(self.promised);
        self.thinking = Some((self.now, self.clock.last_tick()));
        let mut feed = std::mem::take(&mut self.feed);
        feed.now = self.bounds();
        // Reports are in up to the last one, and only up to there the planner's own world may run.
        feed.now.least = feed.now.least.min(self.reported.max(self.clock.last_tick()));
        feed.insert_from = self.promised;
        feed.catches_up = self.is_behind;
        if self.is_behind {
            feed.now.least = feed.now.least.min(self.chronicle.present().now());
        }
        self.slices = 0;
        Some(feed)
    }

    /// The planner has published.
    pub fn end_think(&mut self, now: Moment, thought: &Thought) {
        self.now = self.now.max(now);
        let Some((began, tau)) = self.thinking.take() else { return };
        if thought.caught_up {
            return;
        }
        self.thoughts.push_back(self.now.saturating_sub(began));
        if self.thoughts.len() > THOUGHTS {
            self.thoughts.pop_front();
        }
        let delta = &thought.delta;
        let budget = thought.budget;
        self.tell(EventKind::Deliberated {
            units: budget.units,
            used: budget.used,
            progress: thought.progress.clone(),
        });
        let applied = match delta.put.iter().find(|step| self.is_taken(step.id)) {
            Some(step) => Err(DeltaProblem::UnknownStep(step.id)),
            None => self.board.apply(delta, self.promised, self.options.mechanisms.lock),
        };
        match applied {
            Ok(()) if delta.is_empty() => {}
            Ok(()) => {
                let put: Vec<u32> = delta.put.iter().map(|step| step.id).collect();
                self.tell(EventKind::Published {
                    version: delta.version,
                    put: put.clone(),
                    removed: delta.removed.clone(),
                    complete: delta.complete,
                    valid_until: delta.valid_until,
                    reason: delta.reason.clone(),
                });
                self.recall_published(&put);
            }
            Err(problem) => {
                self.feed.rejected.push(delta.version);
                self.tell(EventKind::Rejected { version: delta.version, problem });
            }
        }
        for reply in &thought.replies {
            self.tell(EventKind::GoalReply {
                goal: reply.goal.to_string(),
                accepted: reply.accepted,
                reason: reply.reason.clone(),
            });
        }
        match self.options.policy {
            Policy::Decoupled => self.dispatch_due(),
            Policy::Paper | Policy::Closed => self.dispatch_window(tau),
        }
    }

    /// What the planner is told when it goes on.
    pub(crate) fn feed_event(&mut self, event: StepEvent) {
        self.feed.events.push(event);
    }

    /// A step that was taken over from the game has started: its planner never heard of it.
    pub(crate) fn feed_adopted(&mut self, adopted: bool, step: &Step, tick: Tick) {
        if adopted {
            self.feed.exogenous.push(Step { start: tick, ..step.clone() });
        }
    }

    pub(crate) fn feed_kind(&mut self, step: u32, version: u32, kind: StepEventKind) {
        self.feed.events.push(StepEvent { step, version, kind });
    }

    /// Other goals from now on.
    pub fn set_goals(&mut self, change: GoalChange) {
        self.tell(EventKind::Goals {
            owner: change.owner.as_ref().map(ToString::to_string),
            goals: change.goals.iter().map(ToString::to_string).collect(),
        });
        self.feed.goals.push(change);
    }

    /// Takes a step back, if the executor has not started it.
    pub fn cancel(&mut self, step: u32) {
        let Some(entry) = self.board.get_mut(step) else { return };
        let version = entry.version;
        let mut sent = Vec::new();
        for (part, number) in entry.parts.iter_mut().zip(0..) {
            let waits = part.outcome.as_ref().is_none_or(|outcome| *outcome == dramaturg_wire::Outcome::Accepted);
            if waits && !part.cancelled {
                part.cancelled = true;
                sent.push(Task { step, part: number });
            }
        }
        for task in sent {
            self.channel.send(self.now, &ToGame::Cancel { task, version });
            self.tell(EventKind::CancelSent { task });
        }
    }

    /// The link to the game is gone; the session waits for it to come back.
    pub fn disconnected(&mut self, reason: &str) {
        self.breach = None;
        if self.connected {
            self.connected = false;
            self.pings.clear();
            self.tell(EventKind::Disconnected { reason: reason.to_owned() });
        }
    }

    pub(crate) fn fault(&mut self, code: FaultCode, message: String) {
        if !matches!(code, FaultCode::Name | FaultCode::Save) {
            self.breach = Some(code);
        }
        self.tell(EventKind::Fault { message: message.clone() });
        let frame = self.greeting(&ToGame::Fault(Fault { code, message }));
        self.greetings.push(frame);
    }

    /// Answers a hello.
    pub(crate) fn welcome(&mut self, call: u64, welcome: &ToGame) {
        let frame = self.greeting(welcome);
        self.greetings.push(frame.clone());
        self.welcomed = Some((call, frame));
    }

    /// Whether a hello was answered before: the last one is answered again, in case its welcome was lost; one that was
    /// overtaken by another on its way is not. Over a new link nothing is overtaken: a game whose numbers went back,
    /// with its clock or to an old save, is welcome.
    pub(crate) fn is_repeated(&mut self, call: u64) -> bool {
        match &self.welcomed {
            Some((last, frame)) if *last == call && self.connected => {
                self.greetings.push(frame.clone());
                true
            }
            Some((last, _)) => self.connected && call < *last,
            None => false,
        }
    }

    /// A frame that stands outside of epochs.
    fn greeting(&self, message: &ToGame) -> Vec<u8> {
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        self.options.codec.encode(message, &mut body);
        self.options.codec.wrap(0, 0, 0, &body, &mut frame);
        frame
    }

    pub(crate) fn tell(&mut self, kind: EventKind) {
        self.event_number += 1;
        let now = self.bounds();
        self.events.push(Event { number: self.event_number, now, kind });
    }

    fn tell_world(&mut self) {
        for event in self.chronicle.drain() {
            if let Some(line) = convert::line(&self.model, self.language.as_ref(), &event) {
                self.tell(EventKind::Line {
                    tick: line.tick,
                    id: line.id.clone(),
                    speaker: line.speaker.clone(),
                    text: line.text.clone(),
                });
                self.channel.send(self.now, &ToGame::Line(line));
            } else if let Some(what) = convert::happening(&self.model, &event) {
                self.tell(EventKind::World { tick: event.tick, what });
            }
        }
    }
}

/// The longest of some deliberations, without those that were held up: a process that stood still says nothing about
/// how long the next one takes.
fn longest(thoughts: &VecDeque<Moment>) -> Option<Moment> {
    let mut sorted: Vec<Moment> = thoughts.iter().copied().collect();
    sorted.sort_unstable();
    // One or two that are long may both have been held up: more of them will show.
    let median = sorted.get(sorted.len() / 2).filter(|_| sorted.len() > STALLS_MAX);
    let usual = median.map_or(STALL_LEAST, |median| median.saturating_mul(4).max(STALL_LEAST));
    // Few that took for ever do not make those count that were long.
    for most in [usual.max(LONG_STALL_LEAST), usual] {
        let held_up = sorted.iter().rev().take_while(|micros| **micros > most).count();
        if held_up <= STALLS_MAX {
            sorted.truncate(sorted.len() - held_up);
        }
    }
    sorted.last().copied()
}

/// How the conversation is held.
pub(crate) fn channel_options(options: &DirectorOptions) -> ChannelOptions {
    let mut channel = ChannelOptions::new(options.codec, options.resend_micros);
    channel.resends = options.mechanisms.resend;
    channel
}

#[cfg(test)]
mod tests;
