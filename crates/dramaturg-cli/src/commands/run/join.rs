//! `dramaturg run --connect`: the game alone, in a process of its own, with a director elsewhere.

mod elapsed;
mod guest;
mod save;

use std::env::{self, VarError};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::simulate::Expectations;
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_wire::link::ClientTls;
use serde::Serialize;

use self::elapsed::Clocks;
use self::guest::{Guest, Seen, Trouble};
use self::save::{GameSave, unusable};
use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::staging::actor::Actor;
use crate::staging::lockstep::LinkKind;

/// Where the token is looked for that is not given as an option.
const TOKEN_VARIABLE: &str = "DRAMATURG_TOKEN";

/// The game alone.
#[derive(Args)]
pub struct Join {
    /// Play the game alone, with the director that listens here: `dramaturg serve`
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = [
        "plan", "tasks", "once", "fail", "game", "lockstep", "omega", "upsilon", "mu", "policy", "journal", "sync",
        "events", "report", "plot",
    ])]
    pub connect: Option<String>,
    /// With --connect: what the director wants to be shown [env: DRAMATURG_TOKEN]
    #[arg(long, value_name = "WORD", requires = "connect")]
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
    #[arg(
        long, value_name = "TICKS", requires = "save", default_value_t = 60,
        value_parser = clap::value_parser!(i64).range(1..=100_000_000)
    )]
    save_every: Tick,
    /// With --connect: add all that the game does to a file, one JSON document a line, before the director hears of it
    #[arg(long, value_name = "FILE", requires = "connect")]
    transcript: Option<PathBuf>,
    /// With --connect: the director may be away for so many seconds
    #[arg(long, value_name = "SECONDS", requires = "connect", default_value_t = 30)]
    patience: u32,
    /// With --connect: a link on which nothing comes for so many seconds is given up for another; 0: never
    #[arg(
        long, value_name = "SECONDS", requires = "connect", default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(0..=1_000_000)
    )]
    idle: u32,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl Join {
    /// Plays the game until its ticks are over.
    pub fn run(&self, shell: &mut Shell, way: &Way<'_>, story: &Path, model: Arc<Model>) -> Result<Exit, Failure> {
        let title = model.title.clone();
        let options = ExecutorOptions {
            game: format!("scripted, {}", story.display()),
            token: self.token()?,
            story: Some(title.clone()),
            codec: way.link.codec(),
            rate_milli: way.rate * 1000,
            silence_ticks_max: self.idle.saturating_mul(way.rate),
            first_call: Clocks::read().wall_micros,
            ..ExecutorOptions::default()
        };
        let mut actor = Actor::new(model, &Plan::default(), 0, way.seed, Expectations::Assumed);
        let (executor, first) = match self.read_save()? {
            None => (Executor::new(options), 0),
            Some((path, save)) => {
                actor.load(&save.world);
                let restored = Executor::restore(&save.checkpoint, options);
                let mut executor = restored.map_err(|error| unusable(path, &error.to_string()))?;
                executor.assume_ran_until(save.ran_until());
                (executor, save.next_tick(way.rate))
            }
        };
        let transcript = match &self.transcript {
            None => None,
            Some(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                Some(file.map_err(|error| Failure::writing(path, &error))?)
            }
        };
        let mut guest = Guest::new(self, way, (executor, actor, first), self.trust()?, transcript);
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
                trouble: trouble.as_ref().map(|trouble| trouble.message.as_str()),
                hint: trouble.as_ref().and_then(|trouble| trouble.hint),
            })?;
        } else {
            let (started, finished) = (count(seen.started as usize, "task"), seen.finished);
            writeln!(shell.out, "\n{started} started, {} on time; {finished} finished; tick {ticks}", seen.on_time)?;
        }
        match trouble {
            None => Ok(Exit::Fine),
            Some(Trouble { exit, .. }) if shell.json => Ok(exit),
            Some(Trouble { exit, message, hint }) => {
                Err(Failure::Told { exit, message, hint: hint.map(str::to_owned) })
            }
        }
    }

    /// What the director is shown.
    fn token(&self) -> Result<Option<String>, Failure> {
        let (token, from) = match (&self.token, env::var(TOKEN_VARIABLE)) {
            (Some(token), _) => (token.clone(), "--token"),
            (None, Ok(token)) => (token, TOKEN_VARIABLE),
            (None, Err(VarError::NotPresent)) => return Ok(None),
            (None, Err(VarError::NotUnicode(_))) => {
                return Err(Failure::usage(format!("the token in {TOKEN_VARIABLE} is not text"))
                    .hint("set it to the word that the director was started with, in UTF-8"));
            }
        };
        if token.is_empty() {
            return Err(Failure::usage(format!("the token of {from} is empty"))
                .hint("give the word that the director was started with, or none at all if it wants none"));
        }
        Ok(Some(token))
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

    /// The save to go on from, and where it is.
    fn read_save(&self) -> Result<Option<(&Path, GameSave)>, Failure> {
        let Some(path) = &self.save else { return Ok(None) };
        Ok(GameSave::read(path)?.map(|save| (path.as_path(), save)))
    }
}
