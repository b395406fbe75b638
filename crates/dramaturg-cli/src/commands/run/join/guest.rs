//! The game's loop: ticks, a link that may break, and what is noted of it.

use std::fs::File;
use std::io::Write;
use std::thread;

use dramaturg::model::Tick;
use dramaturg_director::shell::Stopwatch;
use dramaturg_executor::Executor;
use dramaturg_executor::scripted::{Happening, What};
use dramaturg_wire::link::{AnyLink, ClientTls, Link, LinkError};
use dramaturg_wire::{Fault, FaultCode};
use serde::Serialize;

use super::save::GameSave;
use super::{Join, Way};
use crate::commands::run::tell_happening;
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::staging::actor::Actor;
use crate::staging::lockstep::connect;
use crate::style::DIM;

/// A director that does not answer is tried again after so many microseconds, then after twice as many and so on, up to
/// the second number: one that was only restarted is found soon, and one that is overloaded is not overrun.
const RETRY_MICROS: (i64, i64) = (200_000, 1_000_000);
/// After its last tick the game goes on for at most so many, to hear the end of the conversation.
const AFTER: Tick = 120;

/// A line of the transcript.
#[derive(Serialize)]
struct Line<'a> {
    tick: Tick,
    step: Option<u32>,
    part: Option<u16>,
    what: &'a str,
    text: String,
}

/// What the game saw.
#[derive(Debug, Default, Serialize)]
pub struct Seen {
    pub started: u64,
    pub on_time: u64,
    pub late: u64,
    pub finished: u64,
    pub failed: u64,
    pub resumed: u64,
    /// How often a director welcomed it.
    pub connected: u64,
    /// Lines that were shown, and questions that were asked.
    #[serde(skip)]
    pub told: u64,
}

impl Seen {
    /// Whether the director had nothing performed.
    fn is_nothing(&self) -> bool {
        self.started + self.resumed + self.finished + self.told == 0
    }
}

/// Why a game did not do what it was for.
pub struct Trouble {
    pub exit: Exit,
    pub message: String,
    pub hint: Option<&'static str>,
}

pub struct Guest<'a> {
    join: &'a Join,
    way: &'a Way<'a>,
    pub executor: Executor,
    actor: Actor,
    link: Option<AnyLink>,
    trust: Option<ClientTls>,
    /// Why there is no link, or no answer.
    without: Option<String>,
    transcript: Option<File>,
    pub seen: Seen,
    pub tick: Tick,
    watch: Stopwatch,
    /// The tick at the moment 0 of its clock.
    first: Tick,
    /// When a link may be tried again, and how long is waited after that.
    next_try: i64,
    wait: i64,
    /// Bytes that had come over the link when it was last looked at.
    bytes_arrived: Option<u64>,
    /// Whether a hello was said before.
    has_called: bool,
    /// Whether a director has known the game.
    answered: bool,
    /// When the director was last there.
    there: i64,
    /// Another save is written before the game goes beyond this tick.
    saved_until: Tick,
    /// Whether it has said goodbye.
    bade: bool,
}

impl<'a> Guest<'a> {
    /// A game that goes on with this tick.
    pub fn new(
        join: &'a Join,
        way: &'a Way<'a>,
        (executor, actor, first): (Executor, Actor, Tick),
        trust: Option<ClientTls>,
        transcript: Option<File>,
    ) -> Self {
        Self {
            join,
            way,
            executor,
            actor,
            link: None,
            trust,
            without: None,
            transcript,
            seen: Seen::default(),
            tick: first,
            watch: Stopwatch::start(),
            first,
            next_try: 0,
            wait: RETRY_MICROS.0,
            bytes_arrived: None,
            has_called: false,
            answered: false,
            there: 0,
            saved_until: Tick::MIN,
            bade: false,
        }
    }

    /// Plays until its ticks are over; says what went wrong, if something did.
    pub fn play(&mut self, shell: &mut Shell) -> Result<Option<Trouble>, Failure> {
        let end = self.way.ticks.unwrap_or(Tick::MAX - AFTER);
        loop {
            let moment = (self.tick - self.first + 1).saturating_mul(1_000_000) / i64::from(self.way.rate);
            thread::sleep(self.watch.until(moment));
            // What the machine skipped is skipped.
            let now = self.watch.now();
            self.tick = self.first + now.saturating_mul(i64::from(self.way.rate)) / 1_000_000;
            if self.tick >= end {
                if self.bade && (self.executor.unacknowledged() == 0 || self.tick >= end + AFTER) {
                    return Ok(self.verdict(end));
                }
                if !self.bade {
                    self.bade = true;
                    self.executor.goodbye("the run is over");
                }
            }
            self.write_save()?;
            self.connect(shell, now)?;
            if let Some(message) = self.frame(shell)? {
                let message = format!("the game ended early: {message}");
                return Ok(Some(Trouble { exit: Exit::Trouble, message, hint: None }));
            }
            if self.link.is_some() && self.executor.is_connected() {
                (self.there, self.wait) = (now, RETRY_MICROS.0);
            }
            if now - self.there > i64::from(self.join.patience) * 1_000_000 {
                let address = self.way.address;
                let message = format!("the game ended early: there is no director at {address}{}", self.why());
                let hint = "start it there with `dramaturg serve`, check the address, or wait longer with --patience";
                return Ok(Some(Trouble { exit: Exit::Trouble, message, hint: Some(hint) }));
            }
        }
    }

    /// A game that reached nobody, or was given nothing to do in the ticks that it had, has not done what it was for.
    fn verdict(&self, end: Tick) -> Option<Trouble> {
        let ticks = end - self.first;
        if !self.answered {
            let message = format!(
                "the game performed nothing, for no director at {} answered it within its {ticks} ticks{}",
                self.way.address,
                self.why()
            );
            let hint =
                "start it there with `dramaturg serve`, check the address, or let the game run longer with --ticks";
            return Some(Trouble { exit: Exit::Trouble, message, hint: Some(hint) });
        }
        if self.seen.is_nothing() && ticks > 0 {
            let message = format!("the game performed nothing: the director had nothing done in its {ticks} ticks");
            let hint = "let the game run longer with --ticks, or look into the log of the director for steps that were \
                        too late or blocked";
            return Some(Trouble { exit: Exit::Faults, message, hint: Some(hint) });
        }
        None
    }

    fn why(&self) -> String {
        self.without.as_ref().map(|why| format!(": {why}")).unwrap_or_default()
    }

    fn connect(&mut self, shell: &mut Shell, now: i64) -> Result<(), Failure> {
        if self.link.is_some() || now < self.next_try {
            return Ok(());
        }
        self.next_try = now.saturating_add(self.wait);
        self.wait = (self.wait * 2).min(RETRY_MICROS.1);
        match connect(self.way.link, self.way.address, self.trust.clone()) {
            Ok(link) => {
                self.link = Some(link);
                if std::mem::replace(&mut self.has_called, true) {
                    self.executor.reconnect();
                    // The save must know of this call, so that a game which goes on from it does not call as if it had
                    // not been.
                    self.saved_until = Tick::MIN;
                    self.say(shell, "connects again")?;
                }
            }
            Err(error) => self.without = Some(error.to_string()),
        }
        Ok(())
    }

    /// One frame. Nothing is said to the director that is not in the transcript. Says why the game cannot go on, if it
    /// cannot.
    fn frame(&mut self, shell: &mut Shell) -> Result<Option<String>, Failure> {
        let mut broken = None;
        let mut bytes = Vec::new();
        while let Some(link) = &mut self.link {
            match link.receive(&mut bytes) {
                Ok(true) => {
                    if let Err(error) = self.executor.receive(&bytes) {
                        return Ok(Some(error.to_string()));
                    }
                }
                Ok(false) => break,
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        let bytes_arrived = self.link.as_ref().and_then(Link::bytes_arrived);
        if std::mem::replace(&mut self.bytes_arrived, bytes_arrived) != bytes_arrived {
            self.executor.note_arrival();
        }
        self.executor.tick(self.tick, &mut self.actor);
        let (mut trouble, mut turned_away) = (None, None);
        for happening in self.actor.take_transcript() {
            if let What::Fault(Fault { code, message }) = &happening.what {
                match code {
                    FaultCode::Name | FaultCode::Save => {}
                    // The director had heard the goodbye before the link was lost.
                    FaultCode::Unknown if self.bade => {
                        self.executor.leave_session();
                        self.answered = true;
                        continue;
                    }
                    // No place, or not heard for too long: another link may do better.
                    FaultCode::Limit => turned_away = Some(message.clone()),
                    _ => trouble = Some(message.clone()),
                }
            }
            self.note(shell, &happening)?;
        }
        if let Some(link) = &mut self.link {
            self.executor.poll(&mut |frame| {
                if broken.is_none()
                    && let Err(error) = link.send(frame)
                {
                    broken = Some(error);
                }
            });
        }
        if broken.is_none() && self.link.is_some() && self.executor.is_link_silent() {
            broken = Some(LinkError::Silent { milliseconds: u64::from(self.join.idle) * 1_000 });
        }
        if let Some(why) = turned_away.or(broken.map(|error| error.to_string())) {
            self.link = None;
            self.lost(shell, &why)?;
            self.without = Some(why);
        }
        Ok(trouble)
    }

    fn lost(&mut self, shell: &mut Shell, why: &str) -> Result<(), Failure> {
        let is_over = self.way.ticks.is_some_and(|end| self.tick >= end);
        if is_over { Ok(()) } else { self.say(shell, &format!("loses the director: {why}")) }
    }

    fn note(&mut self, shell: &mut Shell, happening: &Happening) -> Result<(), Failure> {
        let seen = &mut self.seen;
        let what = match &happening.what {
            What::Started { late, .. } => {
                seen.started += 1;
                *if *late == 0 { &mut seen.on_time } else { &mut seen.late } += 1;
                "started"
            }
            What::Finished { .. } => {
                seen.finished += 1;
                "finished"
            }
            What::Failed { .. } => {
                seen.failed += 1;
                "failed"
            }
            What::Resumed { .. } => {
                seen.resumed += 1;
                "resumed"
            }
            What::Welcomed { .. } => {
                self.answered = true;
                seen.connected += 1;
                "welcomed"
            }
            What::Shown { .. } | What::Asked { .. } => {
                seen.told += 1;
                "other"
            }
            _ => "other",
        };
        if let (Some(file), Some(path)) = (&mut self.transcript, &self.join.transcript) {
            let (step, part) = (happening.task.map(|task| task.step), happening.task.map(|task| task.part));
            let line = Line { tick: happening.tick, step, part, what, text: happening.what.to_string() };
            let mut text = serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
            // In one piece: whoever kills the game kills it between two lines.
            file.write_all(text.as_bytes()).map_err(|error| Failure::writing(path, &error))?;
        }
        if !shell.json && !self.way.quiet {
            tell_happening(shell, happening)?;
            shell.out.flush()?;
        }
        Ok(())
    }

    fn say(&self, shell: &mut Shell, text: &str) -> Result<(), Failure> {
        if !shell.json && !self.way.quiet {
            writeln!(shell.out, "{:>8}  {DIM}{text}{DIM:#}", self.tick)?;
            shell.out.flush()?;
        }
        Ok(())
    }

    /// Writes another save, if the tick that comes next lies beyond what the last one allows for.
    fn write_save(&mut self) -> Result<(), Failure> {
        let Some(path) = &self.join.save else { return Ok(()) };
        if self.tick <= self.saved_until || self.executor.session().is_none() {
            return Ok(());
        }
        self.saved_until = self.tick.saturating_add(self.join.save_every);
        GameSave::new(self.tick, self.saved_until, self.actor.save(), self.executor.checkpoint()).write(path)
    }
}
