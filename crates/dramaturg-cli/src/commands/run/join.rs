//! `dramaturg run --connect`: the game alone, in a process of its own, with a director elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::simulate::{Expectations, WorldSave};
use dramaturg_director::shell::Stopwatch;
use dramaturg_executor::scripted::{Happening, What};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_wire::FaultCode;
use dramaturg_wire::link::{AnyLink, ClientTls, Link, LinkError};
use serde::{Deserialize, Serialize};

use super::tell_happening;
use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::staging::actor::Actor;
use crate::staging::lockstep::{LinkKind, connect};
use crate::style::DIM;

/// While the director is away, a link is tried so often.
const TRY: Duration = Duration::from_millis(200);
/// After its last tick the game goes on for at most so many, to hear the end of the conversation.
const AFTER: Tick = 120;

/// The game alone.
#[derive(Args)]
pub struct Join {
    /// Play the game alone, with the director that listens here: `dramaturg serve`
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["plan", "lockstep", "journal", "events", "report", "fail"])]
    pub connect: Option<String>,
    /// With --connect: what the director wants to be shown
    #[arg(long, value_name = "WORD", env = "DRAMATURG_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// With --connect: encrypt the link, and trust the certificates in this PEM file
    #[arg(long, value_name = "FILE", requires = "connect")]
    tls_trust: Option<PathBuf>,
    /// With --tls-trust: the name that the director's certificate bears, if it is not the host of the address
    #[arg(long, value_name = "NAME", requires = "tls_trust")]
    tls_name: Option<String>,
    /// With --connect: keep the game's own save here, and go on from it if it is there
    #[arg(long, value_name = "FILE", requires = "connect")]
    save: Option<PathBuf>,
    /// With --save: every so many ticks
    #[arg(long, value_name = "TICKS", default_value_t = 60, value_parser = clap::value_parser!(i64).range(1..))]
    save_every: Tick,
    /// With --connect: add all that the game does to a file, one JSON document a line, before the director hears of it
    #[arg(long, value_name = "FILE", requires = "connect")]
    transcript: Option<PathBuf>,
    /// With --connect: the director may be away for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    patience: u32,
}

/// How the game is played and where.
pub struct Way<'a> {
    pub address: &'a str,
    pub link: LinkKind,
    pub rate: u32,
    pub ticks: Option<Tick>,
    pub seed: u64,
    pub quiet: bool,
}

/// The game's own save.
#[derive(Serialize, Deserialize)]
struct Save {
    format: u32,
    tick: Tick,
    /// When it was made, in microseconds since 1970: the world of this game does not stand still while nobody plays.
    made: u64,
    world: WorldSave,
    checkpoint: Vec<u8>,
}

const FORMAT: u32 = 1;

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
struct Seen {
    started: u64,
    on_time: u64,
    late: u64,
    finished: u64,
    failed: u64,
    resumed: u64,
    connected: u64,
}

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    ok: bool,
    connect: &'a str,
    title: &'a str,
    ticks: Tick,
    #[serde(flatten)]
    seen: &'a Seen,
    resent_by_game: u64,
    trouble: Option<&'a str>,
}

struct Guest<'a> {
    join: &'a Join,
    way: &'a Way<'a>,
    executor: Executor,
    actor: Actor,
    link: Option<AnyLink>,
    trust: Option<ClientTls>,
    /// Why there is no link.
    without: Option<LinkError>,
    transcript: Option<File>,
    seen: Seen,
    tick: Tick,
    watch: Stopwatch,
    /// The tick at the moment 0 of its clock.
    first: Tick,
    next_try: i64,
    /// When the director was last there.
    there: i64,
    saved: Tick,
    /// Whether it has said goodbye.
    bade: bool,
}

impl Join {
    /// Plays the game until its ticks are over.
    pub fn run(&self, shell: &mut Shell, way: &Way<'_>, story: &Path, model: Arc<Model>) -> Result<Exit, Failure> {
        let title = model.title.clone();
        let codec = if way.link == LinkKind::Websocket { LinkKind::Websocket.codec() } else { LinkKind::Tcp.codec() };
        let options = ExecutorOptions {
            game: format!("scripted, {}", story.display()),
            token: self.token.clone(),
            story: Some(title.clone()),
            codec,
            rate_milli: way.rate * 1000,
            first_call: unix_micros(),
            ..ExecutorOptions::default()
        };
        let mut actor = Actor::new(model, &Plan::default(), 0, way.seed, Expectations::Assumed);
        let (executor, first) = match self.read_save()? {
            None => (Executor::new(options), 0),
            Some(save) => {
                actor.load(&save.world);
                let restored = Executor::restore(&save.checkpoint, options);
                let executor = restored.map_err(|error| self.no_save(error.to_string()))?;
                let away = unix_micros().saturating_sub(save.made).min(u64::from(u32::MAX) * 1_000_000);
                let ticks = away * u64::from(way.rate) / 1_000_000;
                (executor, save.tick.saturating_add(ticks as Tick))
            }
        };
        let transcript = match &self.transcript {
            None => None,
            Some(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                Some(file.map_err(|error| Failure::writing(path, &error))?)
            }
        };
        let mut guest = Guest {
            join: self,
            way,
            executor,
            actor,
            link: None,
            trust: self.trust()?,
            without: None,
            transcript,
            seen: Seen::default(),
            tick: first,
            watch: Stopwatch::start(),
            first,
            next_try: 0,
            there: 0,
            saved: first,
            bade: false,
        };
        let trouble = guest.play(shell)?;
        let (seen, ticks) = (&guest.seen, guest.tick);
        if shell.json {
            shell.json(&Report {
                command: "run",
                ok: trouble.is_none(),
                connect: way.address,
                title: &title,
                ticks,
                seen,
                resent_by_game: guest.executor.resent(),
                trouble: trouble.as_deref(),
            })?;
        } else {
            let (started, finished) = (count(seen.started as usize, "task"), seen.finished);
            writeln!(shell.out, "\n{started} started, {} on time; {finished} finished; tick {ticks}", seen.on_time)?;
        }
        match trouble {
            Some(trouble) if !shell.json => Err(Failure::trouble(format!("the game ended early: {trouble}"))),
            Some(_) => Ok(Exit::Trouble),
            None => Ok(Exit::Fine),
        }
    }

    /// Whom the game trusts, if the link is encrypted.
    fn trust(&self) -> Result<Option<ClientTls>, Failure> {
        let Some(path) = &self.tls_trust else { return Ok(None) };
        let certificates = dramaturg::open::read(path)?;
        let trust = ClientTls::trusting(&certificates).map_err(|error| {
            Failure::faults(format!("nobody can be trusted by `{}`: {error}", path.display()))
                .hint("give a PEM file with BEGIN CERTIFICATE in it: that of the director, or of who vouches for it")
        })?;
        Ok(Some(match &self.tls_name {
            Some(name) => trust.named(name),
            None => trust,
        }))
    }

    fn read_save(&self) -> Result<Option<Save>, Failure> {
        let Some(path) = self.save.as_ref().filter(|path| path.exists()) else { return Ok(None) };
        let bytes = dramaturg::open::read(path)?;
        let save: Save = serde_json::from_slice(&bytes).map_err(|error| self.no_save(error.to_string()))?;
        if save.format != FORMAT {
            return Err(self.no_save(format!("it has format {}, and this program knows format {FORMAT}", save.format)));
        }
        Ok(Some(save))
    }

    fn no_save(&self, why: String) -> Failure {
        let path = self.save.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        Failure::faults(format!("the game cannot go on from `{path}`: {why}"))
            .hint("remove it, or name another with `--save`, and the game begins anew")
    }
}

impl Guest<'_> {
    /// Plays; says why it ended early, if it did.
    fn play(&mut self, shell: &mut Shell) -> Result<Option<String>, Failure> {
        let end = self.way.ticks.unwrap_or(Tick::MAX - AFTER);
        loop {
            let moment = (self.tick - self.first + 1).saturating_mul(1_000_000) / i64::from(self.way.rate);
            thread::sleep(self.watch.until(moment));
            // What the machine skipped is skipped.
            let now = self.watch.now();
            self.tick = self.first + now.saturating_mul(i64::from(self.way.rate)) / 1_000_000;
            if self.tick >= end {
                if self.bade && (self.executor.unacknowledged() == 0 || self.tick >= end + AFTER) {
                    return Ok(None);
                }
                if !self.bade {
                    self.bade = true;
                    self.executor.goodbye("the run is over");
                }
            }
            self.connect(shell, now)?;
            if let Some(trouble) = self.frame(shell)? {
                return Ok(Some(trouble));
            }
            if self.executor.is_connected() {
                self.there = now;
            }
            if now - self.there > i64::from(self.join.patience) * 1_000_000 {
                let why = self.without.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
                return Ok(Some(format!("there is no director at {}{why}", self.way.address)));
            }
            if self.tick >= self.saved + self.join.save_every && self.executor.session().is_some() {
                self.saved = self.tick;
                self.write_save()?;
            }
        }
    }

    fn connect(&mut self, shell: &mut Shell, now: i64) -> Result<(), Failure> {
        if self.link.is_some() || now < self.next_try {
            return Ok(());
        }
        self.next_try = now + i64::try_from(TRY.as_micros()).unwrap_or(i64::MAX);
        match connect(self.way.link, self.way.address, self.trust.clone()) {
            Ok(link) => {
                self.link = Some(link);
                if self.seen.connected > 0 {
                    self.executor.reconnect();
                    self.say(shell, "connects again")?;
                }
                self.seen.connected += 1;
            }
            Err(error) => self.without = Some(error),
        }
        Ok(())
    }

    /// One frame. Nothing is said to the director that is not in the transcript.
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
        self.executor.tick(self.tick, &mut self.actor);
        let mut fault = None;
        for happening in self.actor.take_transcript() {
            if let What::Fault(told) = &happening.what
                && !matches!(told.code, FaultCode::Name | FaultCode::Save)
            {
                if self.bade && told.code == FaultCode::Unknown {
                    // The director had heard the goodbye before the link was lost.
                    self.executor.leave_session();
                    continue;
                }
                fault = Some(told.message.clone());
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
        if let Some(error) = broken {
            self.link = None;
            self.lost(shell, &error)?;
            self.without = Some(error);
        }
        Ok(fault)
    }

    fn lost(&mut self, shell: &mut Shell, error: &LinkError) -> Result<(), Failure> {
        let is_over = self.way.ticks.is_some_and(|end| self.tick >= end);
        if is_over { Ok(()) } else { self.say(shell, &format!("loses the director: {error}")) }
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
            What::Welcomed { .. } => "welcomed",
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

    fn write_save(&self) -> Result<(), Failure> {
        let Some(path) = &self.join.save else { return Ok(()) };
        let save = Save {
            format: FORMAT,
            tick: self.tick,
            made: unix_micros(),
            world: self.actor.save(),
            checkpoint: self.executor.checkpoint(),
        };
        let bytes = serde_json::to_vec(&save).map_err(|error| Failure::trouble(error.to_string()))?;
        // It gets its name when it is whole, so that there is always one to go on from.
        let unnamed = path.with_extension("unfinished");
        fs::write(&unnamed, bytes)
            .and_then(|()| fs::rename(&unnamed, path))
            .map_err(|error| Failure::writing(path, &error))
    }
}

fn unix_micros() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
