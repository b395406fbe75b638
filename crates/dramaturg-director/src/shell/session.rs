//! One session with its planner, driven by whoever has a clock and a link.

use dramaturg_model::{StepEventKind, Tick};
use dramaturg_planner::planner::{Progress, Workers};

use super::pace::Pace;
use super::tally::{Figures, Tally};
use super::thinkers::{Done, Job, ThinkersDoor};
use crate::clock::Moment;
use crate::director::{Director, Input};
use crate::event::{Event, EventKind};
use crate::feed::{Feed, Thought};
use crate::journal::{Journal, Notice, RecoveryReport};
use crate::options::Policy;

/// A tick is never taken for shorter or longer than this, in microseconds.
const TICK_LEAST: Moment = 1_000;
const TICK_MOST: Moment = 1_000_000;

/// A planner that has nothing to do rests so many times as long.
const REST: Tick = 4;

/// Where the planner works.
pub enum Mind {
    /// Within [`Session::pump`], between two frames: the embedded mode.
    Inline,
    /// In a thread of its own: [`Session::pump`] never waits for it.
    Threads(ThinkersDoor),
}

/// How a session is driven.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The planner goes on every so many ticks, or at once when something presses. One that said there was nothing to
    /// do rests four times as long. The policies `closed` and `paper` have cycles of their own.
    pub think_every: Tick,
    /// The planner is given as many units of work as will take about so many microseconds.
    pub think_micros: Moment,
    /// But never more than so many.
    pub units_max: u32,
    /// Exactly so many units, whatever time they take: for runs that are to be the same everywhere.
    pub units: Option<u32>,
    /// Where the planner works inline: so many ticks lie between its beginning and its end, as if it had worked so
    /// long.
    pub think_ticks: Tick,
    /// Steps from this id on repair what went wrong: how long they took to come is measured.
    pub repairs_from: Option<u32>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            think_every: 6,
            think_micros: 4_000,
            units_max: 1 << 20,
            units: None,
            think_ticks: 0,
            repairs_from: None,
        }
    }
}

enum Thinking {
    Rest,
    /// The director holds what the planner will be told; it works when its time is over.
    Inline {
        ends: Moment,
    },
    /// It works in a thread.
    Away {
        ends: Moment,
    },
    /// It has worked; its plan is taken over when its time is over.
    Ready {
        ends: Moment,
        units: u32,
        thought: Box<Thought>,
    },
}

/// One session with its planner.
pub struct Session {
    id: u64,
    director: Director,
    options: SessionOptions,
    mind: Mind,
    journal: Option<Journal>,
    /// So far the session's own clock is ahead of that of whoever drives it: one that comes from a journal goes on
    /// where it stopped.
    ahead: Moment,
    pace: Pace,
    thinking: Thinking,
    /// When the planner goes on by itself.
    next_think: Moment,
    /// Whether something came that the planner should hear of at once.
    presses: bool,
    /// Whether the planner last said that there was nothing to do.
    rests: bool,
    /// What the planner is told, on its way to a thread.
    feed: Option<Feed>,
    last_pump: Moment,
    tally: Tally,
    events: Vec<Event>,
}

impl Session {
    /// A session under a number that whoever drives it gives. A director that comes from a journal may be in the middle
    /// of a thought.
    pub fn new(id: u64, director: Director, mind: Mind, options: SessionOptions) -> Self {
        let thinking = if director.is_thinking() { Thinking::Inline { ends: Moment::MIN } } else { Thinking::Rest };
        Self {
            id,
            pace: Pace::new(options.think_micros, options.units_max),
            tally: Tally::new(options.repairs_from),
            mind,
            journal: None,
            ahead: 0,
            thinking,
            next_think: Moment::MIN,
            presses: false,
            rests: false,
            feed: None,
            last_pump: Moment::MIN,
            events: Vec::new(),
            director,
            options,
        }
    }

    /// Has every input written down before anything comes of it: no frame leaves whose input is not in the journal.
    /// What becomes of the journal is told among the events.
    pub fn set_journal(&mut self, mut journal: Journal) {
        let notice = journal.first_notice();
        self.journal = Some(journal);
        self.tell_notice(Some(notice));
    }

    /// Goes on with a session whose director died: its clock goes on from where it stopped, and it waits for its game.
    pub fn recovered(&mut self, now: Moment, journal: Journal, report: &RecoveryReport) {
        self.ahead = self.director.core().now.saturating_sub(now).max(0);
        self.journal = Some(journal);
        report.notices().into_iter().for_each(|notice| self.tell_notice(Some(notice)));
        self.disconnected(now, "the director was started again");
    }

    /// Returns when the journal is on the disk itself.
    pub fn sync_journal(&mut self) {
        let notice = self.journal.as_mut().and_then(Journal::sync);
        self.tell_notice(notice);
    }

    /// Writes into the journal that the session is over.
    pub fn end_journal(&mut self, reason: &str) {
        let notice = self.journal.as_mut().and_then(|journal| journal.end(&mut self.director, reason));
        self.tell_notice(notice);
    }

    /// A moment of whoever drives it by the session's own clock, as inputs have it.
    pub fn moment(&self, now: Moment) -> Moment {
        now.saturating_add(self.ahead)
    }

    fn tell_notice(&mut self, notice: Option<Notice>) {
        let Some(notice) = notice else { return };
        let now = self.director.core().bounds();
        // What came before it is told before it.
        self.collect();
        self.events.push(Event { number: 0, now, kind: EventKind::Journal { notice } });
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its name, as the game knows it.
    pub fn name(&self) -> &str {
        &self.director.core().options().session
    }

    /// What is driven.
    pub fn director(&self) -> &Director {
        &self.director
    }

    /// What is driven, for saves and questions. Inputs must go through this session instead.
    pub fn director_mut(&mut self) -> &mut Director {
        &mut self.director
    }

    /// Whether its planner is in a thread just now.
    pub fn is_away(&self) -> bool {
        matches!(self.thinking, Thinking::Away { .. })
    }

    /// Takes out what happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// What came of it so far.
    pub fn figures(&self) -> Figures {
        self.tally.figures(self.director.core())
    }

    /// Whether its game has started a task since this process drives it.
    pub fn has_started(&self) -> bool {
        self.tally.has_started()
    }

    /// When it wants to be pumped next, even if nothing comes in. Ticks in which nothing is to be done are left out.
    pub fn due(&self) -> Moment {
        self.own_due().saturating_sub(self.ahead)
    }

    fn own_due(&self) -> Moment {
        let core = self.director.core();
        let thinks = match &self.thinking {
            Thinking::Inline { ends } | Thinking::Ready { ends, .. } => Some(*ends),
            Thinking::Rest if !core.is_connected() => None,
            Thinking::Rest if self.presses || core.is_behind() => Some(self.last_pump),
            Thinking::Rest => Some(self.next_think),
            Thinking::Away { .. } => None,
        };
        let seldom = self.last_pump.saturating_add(TICK_MOST);
        if core.is_behind() && core.due().is_some_and(|due| due <= self.last_pump) {
            return self.last_pump;
        }
        match core.due().into_iter().chain(thinks).min() {
            None => seldom,
            Some(due) if due > self.last_pump => due.min(seldom),
            // It was looked at just now and could not be done: again in a tick.
            Some(_) => self.last_pump.saturating_add(self.tick_micros()),
        }
    }

    fn tick_micros(&self) -> Moment {
        self.director.core().clock.micros(1).clamp(TICK_LEAST, TICK_MOST)
    }

    /// Whether the planner works in cycles of ω ticks, and at their end sends what it has.
    fn has_cycles(&self) -> bool {
        self.director.core().options().policy != Policy::Decoupled
    }

    /// Every input of the session passes here, and is written down before anything comes of it.
    fn feed(&mut self, input: &Input, emit: &mut dyn FnMut(&[u8])) {
        let notice = self.journal.as_mut().and_then(|journal| journal.append(input, &self.director));
        self.tell_notice(notice);
        match (input, &self.mind) {
            (Input::Begin { now }, Mind::Threads(_)) => self.feed = self.director.begin(*now),
            (Input::End { now, .. }, _) if matches!(self.thinking, Thinking::Ready { .. }) => {
                if let Thinking::Ready { thought, .. } = std::mem::replace(&mut self.thinking, Thinking::Rest) {
                    self.director.finish(*now, &thought);
                }
            }
            _ => self.director.step(input, &Workers::single(), emit),
        }
        let notice = self.journal.as_mut().and_then(|journal| journal.settle(&mut self.director));
        self.tell_notice(notice);
    }

    /// Takes in what came, lets the planner begin or end if it is time, and hands out the frames that are due.
    pub fn pump(&mut self, now: Moment, frames: Vec<Vec<u8>>, emit: &mut dyn FnMut(&[u8])) {
        let now = self.moment(now);
        self.last_pump = now;
        let heard = !frames.is_empty();
        self.end_if_due(now, emit);
        let frames = self.admitted(now, frames, emit);
        self.feed(&Input::Pump { now, frames }, emit);
        if heard {
            self.presses |= presses(&self.director.core().feed);
        }
        self.begin_if_due(now, emit);
        self.collect();
    }

    /// The frames up to the first that asks for more than a game may ask for. That one is not written down, so that no
    /// director which goes on from the journal meets it; what came behind it is void, for the link is closed.
    fn admitted(&mut self, now: Moment, mut frames: Vec<Vec<u8>>, emit: &mut dyn FnMut(&[u8])) -> Vec<Vec<u8>> {
        let core = self.director.core();
        let found = frames.iter().enumerate().find_map(|(at, frame)| Some((at, core.admits_frame(now, frame).err()?)));
        if let Some((at, problem)) = found {
            frames.truncate(at);
            if !frames.is_empty() {
                self.feed(&Input::Pump { now, frames: std::mem::take(&mut frames) }, emit);
            }
            self.feed(&Input::Refused { now, problem }, emit);
        }
        frames
    }

    /// The link is gone.
    pub fn disconnected(&mut self, now: Moment, reason: &str) {
        let now = self.moment(now);
        self.feed(&Input::Disconnected { now, reason: reason.to_owned() }, &mut |_| {});
        self.collect();
    }

    /// Any other input: goals, a step taken back. Its time is that of [`Session::moment`].
    pub fn tell(&mut self, input: &Input, emit: &mut dyn FnMut(&[u8])) {
        self.feed(input, emit);
        self.presses = true;
        self.collect();
    }

    /// The planner comes back from its thread. Pump soon: what it published is to be sent. An error says that it
    /// panicked; then the session cannot go on.
    pub fn thought(&mut self, done: Done) -> Result<(), String> {
        let (planner, thought) = done.outcome?;
        self.director.give_back(planner);
        self.pace.worked(thought.budget.used, done.micros);
        if let Thinking::Away { ends } = self.thinking {
            self.thinking = Thinking::Ready { ends, units: done.units, thought: Box::new(thought) };
        }
        Ok(())
    }

    fn end_if_due(&mut self, now: Moment, emit: &mut dyn FnMut(&[u8])) {
        match self.thinking {
            Thinking::Ready { ends, units, .. } if ends <= now => {
                self.feed(&Input::End { now, units }, emit);
                self.collect();
                self.rest(now, ends);
            }
            Thinking::Inline { ends } if ends <= now => self.work_inline(now, ends, emit),
            _ => {}
        }
    }

    fn work_inline(&mut self, now: Moment, ends: Moment, emit: &mut dyn FnMut(&[u8])) {
        let units = self.options.units.unwrap_or_else(|| self.pace.units());
        self.collect();
        let known = self.events.len();
        let began = std::time::Instant::now();
        self.feed(&Input::End { now, units }, emit);
        let took = super::stopwatch::micros(began.elapsed());
        self.collect();
        let mut news = self.events.iter().skip(known);
        let used = news.find_map(|event| match event.kind {
            EventKind::Deliberated { used, .. } => Some(used),
            _ => None,
        });
        self.pace.worked(used.unwrap_or(0), took);
        self.rest(now, ends);
    }

    fn rest(&mut self, now: Moment, ended: Moment) {
        self.thinking = Thinking::Rest;
        self.next_think = if self.has_cycles() {
            // Cycles follow each other without a gap, unless one was missed altogether.
            if now.saturating_sub(ended) < self.cycle_micros() { ended } else { now }
        } else {
            let ticks = self.options.think_every.max(1).saturating_mul(if self.rests { REST } else { 1 });
            now.saturating_add(ticks.saturating_mul(self.tick_micros()))
        };
    }

    fn cycle_micros(&self) -> Moment {
        let core = self.director.core();
        core.clock.micros(core.options().omega).max(TICK_LEAST)
    }

    fn begin_if_due(&mut self, now: Moment, emit: &mut dyn FnMut(&[u8])) {
        let core = self.director.core();
        let may = matches!(self.thinking, Thinking::Rest) && core.is_connected() && core.over().is_none();
        let has_cycles = self.has_cycles();
        if !may || (now < self.next_think && (has_cycles || !(self.presses || core.is_behind()))) {
            return;
        }
        self.presses = false;
        let ends = if has_cycles {
            self.next_think.max(now.saturating_sub(self.cycle_micros())).saturating_add(self.cycle_micros())
        } else {
            now.saturating_add(self.options.think_ticks.saturating_mul(self.tick_micros()))
        };
        self.feed(&Input::Begin { now }, emit);
        match &self.mind {
            Mind::Threads(door) => {
                let Some(feed) = self.feed.take() else { return };
                self.thinking = Thinking::Away { ends };
                let units = self.options.units.unwrap_or_else(|| self.pace.units());
                door.submit(Job { session: self.id, planner: self.director.lend(), feed, units });
            }
            Mind::Inline if ends <= now => {
                self.work_inline(now, ends, emit);
                // What was published is sent at once.
                self.feed(&Input::Pump { now, frames: Vec::new() }, emit);
            }
            Mind::Inline => self.thinking = Thinking::Inline { ends },
        }
    }

    fn collect(&mut self) {
        for event in self.director.drain() {
            self.tally.hear(&event);
            if let EventKind::Deliberated { progress, .. } = &event.kind {
                self.rests = matches!(progress, Progress::Idle | Progress::Complete { .. });
            }
            self.events.push(event);
        }
    }
}

/// Whether a planner should hear at once of what has come.
fn presses(feed: &Feed) -> bool {
    let is_news = |kind: &StepEventKind| {
        !matches!(
            kind,
            StepEventKind::Locked
                | StepEventKind::Accepted
                | StepEventKind::Progress(_)
                | StepEventKind::Started(_)
                | StepEventKind::Finished(_)
        )
    };
    !feed.observations.is_empty()
        || !feed.goals.is_empty()
        || !feed.exogenous.is_empty()
        || !feed.rejected.is_empty()
        || feed.events.iter().any(|event| is_news(&event.kind))
}
