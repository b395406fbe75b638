//! One seed from beginning to end.

use std::path::Path;
use std::sync::Arc;

use dramaturg_director::journal::disk::Memory;
use dramaturg_director::journal::record::Record;
use dramaturg_director::journal::{Journal, JournalOptions, Recovered};
use dramaturg_director::{Core, Director, DirectorOptions, Event, EventKind, Input, Journey, Mechanisms, Policy};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::{Chance, Expr, Fixed, Model, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::simulate::{Detail, WorldOptions, names};

use dramaturg_wire::Outcome;

use super::air::Air;
use super::faults::{Blow, Broken, Faults};
use super::game::{Performer, Truth, wind};
use super::planned::Planned;
use super::stalls::Stall;
use super::{Totals, judge};

/// Microseconds between two looks at everything: a quarter of a tick at 60 ticks a second.
pub(super) const LOOK: i64 = 4_167;
/// After the script and all blows, so long is given for everything to come to rest: 1,500 ticks of the slowest game, in
/// which a fifth of all frames is lost and what failed is tried again.
const REST: i64 = 50_000_000;

/// What the journal is called.
const JOURNAL: &str = "journal";

/// Everything of one seed.
pub(super) struct Life {
    pub(super) seed: u64,
    planned: Planned,
    pub(super) broken: Option<Broken>,
    pub(super) faults: Faults,
    chance: Chance,
    pub(super) now: i64,
    // The director's side.
    director: Option<Director>,
    journal: Option<Journal>,
    /// What outlives a crash of the director.
    disk: Memory,
    pub(super) events: Vec<Event>,
    thinking_until: Option<i64>,
    next_think: i64,
    // The way between.
    pub(super) to_game: Air,
    pub(super) to_director: Air,
    link_up: bool,
    // The game's side.
    pub(super) executor: Option<Executor>,
    checkpoint: Vec<u8>,
    pub(super) truth: Truth,
    life: u32,
    pub(super) tick: Tick,
    pub(super) next_tick: i64,
    rate_milli: u32,
    paused_until: Option<i64>,
    /// What comes back when.
    returns: Vec<(i64, Blow)>,
    /// Whether the director may not have heard yet that the game paused or changed its pace.
    untold: bool,
    /// What stands still, and until when.
    pub(super) stalling: Vec<(i64, Stall)>,
    /// When the clock can be trusted again.
    disturbed_until: i64,
    pub(super) totals: Totals,
}

/// Plays one seed. The error says what is wrong.
pub fn run(seed: u64, planned: Planned, broken: Option<Broken>) -> Result<Totals, String> {
    let mut life = Life::new(seed, planned, broken);
    life.play()?;
    judge::judge(&life)?;
    Ok(life.totals)
}

/// Plays one seed and writes down everything that happened.
pub fn trace(seed: u64, planned: Planned, broken: Option<Broken>, write: &mut dyn FnMut(String)) {
    let mut life = Life::new(seed, planned, broken);
    let Faults { weather, blows, stalls, .. } = &life.faults;
    write(format!("weather {weather:?}, blows {blows:?}, stalls {stalls:?}"));
    let rest = life.play();
    for event in &life.events {
        if !matches!(event.kind, EventKind::Deliberated { .. }) {
            write(format!("{}..{} {:?}", event.now.least, event.now.most, event.kind));
        }
    }
    for start in &life.truth.starts {
        write(format!("{start:?}, finished {:?}", life.truth.finished.get(&start.task)));
    }
    write(format!("{rest:?}, {:?}", judge::judge(&life)));
}

impl Life {
    fn new(seed: u64, planned: Planned, broken: Option<Broken>) -> Self {
        Self {
            seed,
            planned,
            broken,
            faults: Faults::of(seed, planned.faults_for(seed)),
            chance: Chance::new(seed),
            now: 0,
            director: None,
            journal: None,
            disk: Memory::default(),
            events: Vec::new(),
            thinking_until: None,
            next_think: 0,
            to_game: Air::new(),
            to_director: Air::new(),
            link_up: true,
            executor: None,
            checkpoint: Vec::new(),
            truth: Truth { places: planned.places(), ..Truth::default() },
            life: 0,
            tick: 0,
            next_tick: 0,
            rate_milli: 60_000,
            paused_until: None,
            returns: Vec::new(),
            untold: false,
            stalling: Vec::new(),
            disturbed_until: 4_000_000,
            totals: Totals::default(),
        }
    }

    fn model(&self) -> Arc<Model> {
        self.planned.model(self.is_watched())
    }

    /// Whether the game is looked at by a subscription.
    pub(super) fn is_watched(&self) -> bool {
        self.seed.is_multiple_of(3)
    }

    /// What the director believes that a subscription reads.
    fn believed_wind(&self) -> Option<i64> {
        let core = self.director.as_ref()?.core();
        let (fluent, _) = names::fluent(core.model(), "wind").ok()?;
        let value = core.chronicle().present().value(core.model(), &Expr::Fluent(fluent, Vec::new()));
        value.as_number().map(Fixed::round_half_up)
    }

    fn new_director(&self) -> Director {
        let model = self.model();
        let mechanisms = Mechanisms {
            resend: self.broken != Some(Broken::Resend),
            lock: self.broken != Some(Broken::Lock),
            clock: self.broken != Some(Broken::Clock),
            stalls: self.broken != Some(Broken::Stalls),
        };
        let options = DirectorOptions {
            policy: Policy::Decoupled,
            omega: 6,
            mu: if self.seed.is_multiple_of(4) { Journey::Given(self.longest_journey()) } else { Journey::Measured },
            world: WorldOptions { detail: Detail::Happenings, ..WorldOptions::default() },
            mechanisms,
            ..DirectorOptions::default()
        };
        let planner = self.planned.planner(&model, self.seed);
        Director::new(Core::new(model, options), planner, dramaturg_planners::loader())
    }

    fn longest_journey(&self) -> Tick {
        let weather = &self.faults.weather;
        (weather.least + weather.jitter + LOOK) * 60 / 1_000_000 + 2
    }

    fn executor_options(&self) -> ExecutorOptions {
        ExecutorOptions {
            game: "drill".to_owned(),
            first_call: u64::from(self.life) * 1_000_000 + 1,
            dedupes: self.broken != Some(Broken::Dedupe),
            ..ExecutorOptions::default()
        }
    }

    fn play(&mut self) -> Result<(), String> {
        let mut director = self.new_director();
        let begun =
            Journal::create_on(Box::new(self.disk.clone()), Path::new(JOURNAL), self.journaling(), &mut director);
        self.journal = Some(begun.map_err(|error| error.to_string())?);
        self.director = Some(director);
        self.executor = Some(Executor::new(self.executor_options()));
        let faults_end = self.planned.faults_for(self.seed);
        let mut quiet_since = None;
        let stalled: i64 = self.faults.stalls.iter().map(|(_, long, _)| *long).sum();
        let last = faults_end + stalled + REST;
        while self.now < last {
            self.now += LOOK;
            self.strike();
            self.stall();
            self.recover()?;
            if !self.game_stands() {
                self.game_side();
            }
            if !self.director_stands() {
                self.director_side()?;
            }
            let at_rest = self.stalling.is_empty() && self.tick >= 620 && self.now > faults_end && self.is_at_rest();
            quiet_since = if at_rest { quiet_since.or(Some(self.now)) } else { None };
            if quiet_since.is_some_and(|since| self.now - since > 1_000_000) {
                break;
            }
        }
        self.totals.ticks = self.tick as u64;
        for event in &self.events {
            match &event.kind {
                EventKind::Dispatched { .. } => self.totals.tasks += 1,
                EventKind::Late { .. } => self.totals.recorded += 1,
                EventKind::Status { outcome, .. } => {
                    self.totals.recorded += u64::from(outcome.is_final() && *outcome != Outcome::Finished);
                }
                _ => {}
            }
        }
        self.totals.resent = self.executor.as_ref().map_or(0, Executor::resent);
        self.totals.started = self.truth.starts.len() as u64;
        self.totals.finished = self.truth.finished.len() as u64;
        self.totals.faults += self.to_game.faults + self.to_director.faults;
        match quiet_since {
            Some(_) => Ok(()),
            None => Err(format!("nothing came to rest by tick {}: {}", self.tick, self.unrest())),
        }
    }

    fn is_at_rest(&self) -> bool {
        let (Some(director), Some(executor)) = (&self.director, &self.executor) else { return false };
        director.core().board().entries().next().is_none()
            && executor.waiting_count() == 0
            && executor.running_count() == 0
            && executor.is_connected()
            // What a subscription reads is always under way; the last news must have come.
            && if self.is_watched() {
                self.believed_wind() == Some(wind(self.tick))
            } else {
                executor.unacknowledged() == 0
            }
    }

    fn unrest(&self) -> String {
        let board = self.director.as_ref().map_or_else(String::new, |director| {
            let left: Vec<_> =
                director.core().board().entries().map(|(id, entry)| (id, &entry.step.status, &entry.parts)).collect();
            format!("the board has {left:?}")
        });
        let executor = self.executor.as_ref().map_or_else(String::new, |executor| {
            format!(
                "connected {}, {} wait, {} run, {} unacknowledged",
                executor.is_connected(),
                executor.waiting_count(),
                executor.running_count(),
                executor.unacknowledged()
            )
        });
        let wind = if self.is_watched() {
            format!("; the wind is {}, believed to be {:?}", wind(self.tick), self.believed_wind())
        } else {
            String::new()
        };
        format!("{board}; the executor: {executor}{wind}")
    }

    /// The blows of this moment fall.
    fn strike(&mut self) {
        while self.faults.blows.first().is_some_and(|(at, _)| *at <= self.now) {
            let (_, blow) = self.faults.blows.remove(0);
            self.totals.faults += 1;
            match blow {
                Blow::DirectorCrash(long) => {
                    if self.director.take().is_some() {
                        self.totals.director_crashes += 1;
                        self.journal = None;
                        self.tear_journal();
                        self.cut_link();
                        self.returns.push((self.now + long, blow));
                    }
                }
                Blow::GameCrash(long) => {
                    if self.executor.take().is_some() {
                        self.totals.game_crashes += 1;
                        self.cut_link();
                        self.returns.push((self.now + long, blow));
                    }
                }
                Blow::Cut(long) => {
                    self.cut_link();
                    self.returns.push((self.now + long, blow));
                }
                Blow::Pause(long) => {
                    if let Some(executor) = &mut self.executor
                        && self.paused_until.is_none()
                    {
                        executor.pause();
                        self.paused_until = Some(self.now + long);
                    }
                }
                Blow::Rate(rate) => {
                    self.rate_milli = rate;
                    if let Some(executor) = &mut self.executor
                        && self.paused_until.is_none()
                    {
                        executor.pause();
                        executor.resume(rate);
                    }
                }
                Blow::Drop(ticks) => {
                    self.tick += ticks;
                    self.next_tick += ticks * self.interval();
                }
            }
            self.disturb(self.now + 4_000_000);
            self.untold = true;
        }
    }

    pub(super) fn interval(&self) -> i64 {
        1_000_000_000 / i64::from(self.rate_milli)
    }

    fn cut_link(&mut self) {
        self.link_up = false;
        self.to_game.cut();
        self.to_director.cut();
        let now = self.now;
        self.input(Input::Disconnected { now, reason: "the link broke".to_owned() });
    }

    fn recover(&mut self) -> Result<(), String> {
        let due: Vec<_> = self.returns.extract_if(.., |(at, _)| *at <= self.now).collect();
        for (_, blow) in due {
            match blow {
                Blow::DirectorCrash(_) => self.restart_director()?,
                Blow::GameCrash(_) => self.restart_game(),
                _ => {}
            }
        }
        // A new link is made when both sides are there.
        if !self.link_up && self.returns.is_empty() {
            self.link_up = true;
            self.disturb(self.now + 4_000_000);
            if let Some(executor) = &mut self.executor {
                executor.reconnect();
            }
        }
        if self.paused_until.is_some_and(|until| until <= self.now) {
            self.paused_until = None;
            let rate = self.rate_milli;
            self.next_tick = self.now;
            self.untold = true;
            if let Some(executor) = &mut self.executor {
                executor.resume(rate);
            }
        }
        Ok(())
    }

    fn journaling(&self) -> JournalOptions {
        // With some seeds segments follow each other quickly; the content is compared by what comes after.
        let segment_bytes = if self.seed.is_multiple_of(5) { 20_000 } else { 1 << 40 };
        JournalOptions { segment_bytes, hash_every: u32::MAX, ..JournalOptions::default() }
    }

    /// The director died while it wrote: half a record is left of an input of which nothing came.
    fn tear_journal(&mut self) {
        let input = Input::Pump { now: self.now, frames: vec![vec![7; 20]] };
        let record = Record::Input { chain: 0, trail: 0, input }.to_bytes();
        let torn = self.chance.below(record.len());
        let lost = if self.broken == Some(Broken::Journal) { 1 + self.chance.below(1_500) } else { 0 };
        self.disk.alter_last(|bytes| {
            bytes.truncate(bytes.len() - lost.min(bytes.len() / 2));
            bytes.extend(record.into_iter().take(torn));
        });
    }

    /// The director comes back from its journal.
    fn restart_director(&mut self) -> Result<(), String> {
        let disk = Box::new(self.disk.clone());
        let (model, options) = (self.model(), self.journaling());
        let recovered = Journal::recover_on(disk, Path::new(JOURNAL), options, model, dramaturg_planners::loader());
        let Recovered { director, journal, report } = recovered.map_err(|error| error.to_string())?;
        if let Some(parting) = report.parting {
            return Err(format!("the journal {parting}"));
        }
        self.journal = Some(journal);
        self.thinking_until = director.is_thinking().then_some(self.now);
        self.director = Some(director);
        let now = self.now;
        self.input(Input::Disconnected { now, reason: "restarted".to_owned() });
        Ok(())
    }

    fn restart_game(&mut self) {
        self.life += 1;
        let options = self.executor_options();
        let mut executor = if self.checkpoint.is_empty() {
            Executor::new(options)
        } else {
            Executor::restore(&self.checkpoint, options).expect("a checkpoint can be restored")
        };
        executor.resume(self.rate_milli);
        self.paused_until = None;
        // Time went on while the game was away.
        let away = (self.now - self.next_tick).max(0) / self.interval();
        self.tick += away + 1;
        self.next_tick = self.now;
        self.executor = Some(executor);
    }

    fn game_side(&mut self) {
        let tick_stands = self.tick_stands();
        let Some(executor) = &mut self.executor else { return };
        let was_connected = executor.is_connected();
        for frame in self.to_game.arrived(self.now) {
            executor.receive(&frame).expect("the director speaks the protocol");
        }
        self.untold &= executor.unacknowledged() > 0;
        let is_disturbed = !executor.is_connected() || self.untold;
        if !was_connected && executor.is_connected() {
            self.totals.resumed += u64::from(self.now > 1_000_000);
        }
        while self.next_tick <= self.now {
            self.next_tick += 1_000_000_000 / i64::from(self.rate_milli);
            let stands = self.paused_until.is_some() || tick_stands;
            self.tick += i64::from(!stands);
            let mut game = Performer {
                truth: &mut self.truth,
                life: self.life,
                tick: self.tick,
                seed: self.seed,
                fails: self.faults.fails,
                stretches: self.faults.stretches,
            };
            executor.tick(self.tick, &mut game);
            if self.tick % 97 == 0 && !stands && executor.session().is_some() {
                self.checkpoint = executor.checkpoint();
            }
        }
        let (now, weather) = (self.now, self.faults.weather);
        executor.poll(&mut |frame| {
            if self.link_up {
                self.to_director.send(now, frame, &weather, &mut self.chance);
            }
        });
        if is_disturbed {
            self.disturb(now + 4_000_000);
        }
    }

    /// Whether something has just happened to a side or the link.
    pub(super) fn is_disturbed(&self) -> bool {
        self.now < self.disturbed_until || self.paused_until.is_some() || !self.link_up
    }

    pub(super) fn disturb(&mut self, until: i64) {
        self.disturbed_until = self.disturbed_until.max(until);
    }

    fn director_side(&mut self) -> Result<(), String> {
        if self.director.is_none() {
            self.to_director.cut();
            return Ok(());
        }
        let (now, frames, told) = (self.now, self.to_director.arrived(self.now), self.events.len());
        // Some are driven at every look, as in a game's own loop; others as the server drives them: when something has
        // come or is due.
        let is_due = self.director.as_ref().and_then(|it| it.core().due()).is_some_and(|due| due <= now);
        let is_pumped = self.seed.is_multiple_of(4) || !frames.is_empty() || is_due;
        if is_pumped {
            self.input(Input::Pump { now, frames });
        }
        if self.thinking_until.is_some_and(|until| until <= now) {
            self.thinking_until = None;
            self.input(Input::End { now, units: 400 });
            // What was published is sent at once.
            self.input(Input::Pump { now, frames: Vec::new() });
        } else if self.thinking_until.is_none() && self.next_think <= now {
            // Some planners are asked every tick, some every tenth of a second.
            self.next_think = now + (1 + (self.seed / 3 % 7) as i64) * 16_667;
            self.input(Input::Begin { now });
            let overruns = self.faults.overruns > 0 && self.chance.below(self.faults.overruns) == 0;
            let ticks = if overruns { 90 } else { 1 + self.chance.below(4) as i64 };
            self.thinking_until = Some(now + ticks * 16_667);
        }
        self.check_lead(told)?;
        if is_pumped { self.check_clock() } else { Ok(()) }
    }

    /// An input is written down before anything comes of it.
    fn input(&mut self, input: Input) {
        let (Some(director), Some(journal)) = (&mut self.director, &mut self.journal) else { return };
        let told = journal.append(&input, director);
        assert_eq!(told, None, "memory takes everything");
        let (now, weather) = (self.now, self.faults.weather);
        director.step(&input, &Workers::single(), &mut |frame| {
            if self.link_up {
                self.to_game.send(now, frame, &weather, &mut self.chance);
            }
        });
        self.events.extend(director.drain());
        journal.settle(director);
    }

    /// While nothing disturbs it, the clock knows which tick the game is in.
    fn check_clock(&self) -> Result<(), String> {
        let Some(director) = &self.director else { return Ok(()) };
        let core = director.core();
        if self.is_disturbed() || !core.is_connected() {
            return Ok(());
        }
        let bounds = core.bounds();
        let slack = 1;
        if self.tick < bounds.least - slack || self.tick > bounds.most + slack {
            return Err(format!(
                "the game is in tick {}, but the director says {} to {}",
                self.tick, bounds.least, bounds.most
            ));
        }
        Ok(())
    }

    /// What really happened to steps, by the events that the director told.
    pub(super) fn statuses(&self) -> impl Iterator<Item = &EventKind> {
        self.events.iter().map(|event| &event.kind)
    }
}
