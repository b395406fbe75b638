//! `dramaturg run`: a director and a game, side by side in real time; or the game alone, with somebody else's director.

mod join;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use dramaturg::model::{Plan, Tick};
use dramaturg::planner::simulate::Expectations;
use dramaturg_director::shell::Figures;
use dramaturg_director::{Event, Journey, Policy};
use dramaturg_executor::scripted::{Happening, What};
use serde::Serialize;

use self::join::{Join, Way};
use crate::exit::{Exit, Failure};
use crate::input::{self, Input, PlanInput};
use crate::journaling::{Journaling, Keeping};
use crate::shell::{Shell, count, json_line};
use crate::staging::lockstep::{LinkKind, lockstep};
use crate::staging::outcome::{Jitter, Outcome};
use crate::staging::planners::is_planned;
use crate::staging::realtime::realtime;
use crate::staging::setting::Setting;
use crate::staging::stream::{StreamOptions, stream};
use crate::style::{BOLD, DIM, GOOD, SPOKEN};

/// Perform a story in real time: a director and a game, side by side
///
/// The game performs what it is told in its own loop at its own rate; the director sends each step ahead of its tick. What is
/// performed is what the story's planner decides, or a plan file, or a stream of whatever can be done, from a seed. Tells what happens, then how well it
/// went. Exits 20 if director and game lose each other; figures are results, not faults.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg run lighthouse --plan lighthouse/lighthouse.plan
  dramaturg run city.story --link tcp --tasks 500 --report report.json
  dramaturg run city.story --policy paper --omega 50 --lockstep --tasks 4000 --json
  dramaturg run city.story --fail 10 --events events.jsonl --journal journals
  dramaturg run city.story --connect 127.0.0.1:7777 --save city.save")]
pub struct Run {
    /// A story: a `.story` file or a folder with one
    #[arg(value_name = "STORY")]
    story: PathBuf,
    /// What is performed [default: what the story's planner decides, or a stream from the seed]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// What plays the game
    #[arg(long, value_enum, default_value_t = GameKind::Scripted)]
    game: GameKind,
    /// How director and game are connected
    #[arg(long, value_enum, default_value_t = LinkKind::Threads)]
    link: LinkKind,
    /// Ticks in a second
    #[arg(long, value_name = "HERTZ", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: u32,
    /// ω: how many ticks a planning cycle takes
    #[arg(long, value_name = "TICKS", default_value_t = 60, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    omega: Tick,
    /// υ: every how many ticks the game reports the time
    #[arg(long, value_name = "TICKS", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    upsilon: u32,
    /// μ: how many ticks messages take at most, or `measured` [default: 0 inline, 1 in lockstep, otherwise measured]
    #[arg(long, value_name = "TICKS|measured")]
    mu: Option<Mu>,
    /// When planned steps are sent
    #[arg(long, value_enum, default_value_t = PolicyName::Decoupled)]
    policy: PolicyName,
    /// How many ticks to run [default: until everything is performed]
    #[arg(long, value_name = "TICKS", value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    ticks: Option<Tick>,
    /// Perform a stream of so many tasks, whatever the story wants [default: 200 where no planner knows what to do]
    #[arg(long, value_name = "NUMBER")]
    tasks: Option<usize>,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Let one task in so many fail; it is planned again, and how long that takes is measured
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    fail: usize,
    /// Write the report to a file too, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write everything that happens to a file, one JSON document a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    #[command(flatten)]
    journaling: Journaling,
    #[command(flatten)]
    join: Join,
    /// One virtual clock for both sides and no waiting: the same transcript over every link
    #[arg(long)]
    lockstep: bool,
    /// Tell only how well it went
    #[arg(long)]
    quiet: bool,
}

/// What plays the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GameKind {
    /// A game that does as it is told
    Scripted,
}

/// When planned steps are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PolicyName {
    /// In every tick, just in time
    Decoupled,
    /// At the end of each cycle, all that the next could not send in time
    Closed,
    /// At the end of each cycle, what lies in the critical time window
    Paper,
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Decoupled => Self::Decoupled,
            PolicyName::Closed => Self::Closed,
            PolicyName::Paper => Self::Paper,
        }
    }
}

/// How long messages take, as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mu(Journey);

impl FromStr for Mu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<u16>() {
            _ if text == "measured" => Ok(Self(Journey::Measured)),
            Ok(ticks) => Ok(Self(Journey::Given(ticks.into()))),
            Err(_) => Err("a number of ticks, or `measured`".to_owned()),
        }
    }
}

/// Ticks after the last step has ended.
const REST: Tick = 60;
/// How many tasks a stream has.
const TASKS: usize = 200;
/// How many ticks a planner performs.
const TICKS: Tick = 600;
/// The ticks between two starts of a stream, on average.
const GAP: Tick = 3;

/// How well it went.
#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    ok: bool,
    title: &'a str,
    link: String,
    policy: Policy,
    rate: u32,
    omega: Tick,
    upsilon: u32,
    mu: Journey,
    seed: u64,
    lockstep: bool,
    /// Steps of the script.
    steps: usize,
    ticks: Tick,
    ticks_ran: u64,
    ticks_skipped: u64,
    tick_jitter_micros: Option<Jitter>,
    resent_by_game: u64,
    #[serde(flatten)]
    figures: &'a Figures,
    /// Where its inputs were written down.
    journal: Option<PathBuf>,
    trouble: Option<&'a str>,
}

impl Run {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let GameKind::Scripted = self.game;
        let mut opened = match input::usable(shell, &self.story, None)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        if let Some(address) = &self.join.connect {
            let model = Arc::new(opened.model);
            let way = Way {
                address,
                link: self.link,
                rate: self.rate,
                ticks: self.ticks,
                seed: self.seed,
                quiet: self.quiet,
            };
            return self.join.run(shell, &way, &self.story, model);
        }
        let plan = match &self.plan {
            None => None,
            Some(path) => match input::plan(shell, &mut opened, path)? {
                PlanInput::Read(plan) => Some(plan),
                PlanInput::Faulty(exit) => return Ok(exit),
            },
        };
        let model = Arc::new(opened.model);
        let mu = self.mu();
        let lead = self.lead_in(mu);
        let plan = match plan {
            Some(plan) => moved(plan, lead, shell)?,
            None if self.tasks.is_none() && is_planned(&model) => Plan::default(),
            None => {
                let tasks = self.tasks.unwrap_or(TASKS);
                let room = self.ticks.map(|ticks| ticks.saturating_sub(lead + 2 * REST).max(1));
                let gap = room.map_or(GAP, |room| room / tasks.max(1) as Tick);
                let options = StreamOptions { tasks, from: lead, gap, seed: self.seed };
                stream(&model, &options)
            }
        };
        if plan.steps.is_empty() && !is_planned(&model) {
            let failure = Failure::faults(format!("nothing can be done in `{}` as it begins", model.title));
            return Err(failure.hint("give a plan with --plan, or a story with an action whose `needs` hold"));
        }
        let after = if self.fail > 0 { 2 * self.omega + REST } else { REST };
        let setting = Setting {
            policy: self.policy.into(),
            omega: self.omega,
            upsilon: self.upsilon,
            mu,
            rate_milli: self.rate * 1000,
            ticks: self.ticks.unwrap_or(if plan.steps.is_empty() { TICKS } else { plan.end() + after }),
            fails: self.fail,
            retries: u32::from(self.fail > 0) * 2,
            seed: self.seed,
            expectations: Expectations::Assumed,
            plan: Arc::new(plan),
            model,
        };
        let keeping = self.journaling.open(0, 0)?.map(|journals| Keeping::new(journals, &self.story));
        let outcome = self.perform(shell, &setting, keeping.as_ref())?;
        self.tell(shell, &setting, &outcome, keeping.and_then(|keeping| keeping.begun()))
    }

    fn mu(&self) -> Journey {
        match self.mu {
            Some(Mu(Journey::Measured)) if self.lockstep => Journey::Given(1),
            Some(Mu(mu)) => mu,
            None if self.lockstep => Journey::Given(1),
            None if self.link == LinkKind::Inline => Journey::Given(0),
            None => Journey::Measured,
        }
    }

    /// The first tick for which any policy can send something, with some room.
    fn lead_in(&self, mu: Journey) -> Tick {
        let mu = match mu {
            Journey::Given(ticks) => ticks,
            Journey::Measured => 6,
        };
        2 * self.omega + Tick::from(self.upsilon) + 2 * mu + 30
    }

    fn perform(&self, shell: &mut Shell, setting: &Setting, keeping: Option<&Keeping>) -> Result<Outcome, Failure> {
        let trouble = Arc::new(Mutex::new(None));
        let mut file = match &self.events {
            None => None,
            Some(path) => Some(BufWriter::new(File::create(path).map_err(|error| Failure::writing(path, &error))?)),
        };
        let kept = Arc::clone(&trouble);
        let mut sink = Box::new(move |event: &Event| {
            if let Some(file) = &mut file
                && let Err(error) = json_line(file, event)
            {
                kept.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        let tells = !shell.json && !self.quiet;
        if tells {
            writeln!(shell.out, "{BOLD}{}{BOLD:#}\n", setting.model.title)?;
        }
        let mut written = Ok(());
        let mut told = |happening: Happening| {
            if tells && written.is_ok() {
                written = tell_happening(shell, &happening);
            }
        };
        let outcome = if self.lockstep {
            let Journey::Given(mu) = setting.mu else { return Err(Failure::usage("lockstep needs a given μ")) };
            let outcome = lockstep(setting, self.link, mu, keeping, &mut told, &mut sink);
            drop(sink);
            outcome
        } else {
            realtime(setting, self.link, keeping, &mut told, sink)
        };
        written?;
        if let (Some(path), Some(error)) = (&self.events, &*trouble.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Err(Failure::writing(path, error));
        }
        outcome.map_err(|error| Failure::trouble(error.to_string()))
    }

    fn tell(
        &self,
        shell: &mut Shell,
        setting: &Setting,
        outcome: &Outcome,
        journal: Option<PathBuf>,
    ) -> Result<Exit, Failure> {
        let ok = outcome.trouble.is_none();
        let report = Report {
            command: "run",
            ok,
            title: &setting.model.title,
            link: self.link.to_possible_value().map(|name| name.get_name().to_owned()).unwrap_or_default(),
            policy: setting.policy,
            rate: self.rate,
            omega: setting.omega,
            upsilon: setting.upsilon,
            mu: setting.mu,
            seed: setting.seed,
            lockstep: self.lockstep,
            steps: setting.plan.steps.len(),
            ticks: setting.ticks,
            ticks_ran: outcome.ticking.ran,
            ticks_skipped: outcome.ticking.skipped,
            tick_jitter_micros: outcome.ticking.jitter(),
            resent_by_game: outcome.resent_by_game,
            figures: &outcome.figures,
            journal,
            trouble: outcome.trouble.as_deref(),
        };
        if let Some(path) = &self.report {
            let text = serde_json::to_string_pretty(&report)
                .map_err(|error| Failure::trouble(format!("cannot write JSON: {error}")))?;
            fs::write(path, text + "\n").map_err(|error| Failure::writing(path, &error))?;
        }
        if shell.json {
            shell.json(&report)?;
        } else {
            show(shell, &report)?;
        }
        match &outcome.trouble {
            Some(trouble) if !shell.json => Err(Failure::trouble(format!("the run ended early: {trouble}"))),
            Some(_) => Ok(Exit::Trouble),
            None => Ok(Exit::Fine),
        }
    }
}

/// A plan whose first step can still be sent in time.
fn moved(mut plan: Plan, lead: Tick, shell: &mut Shell) -> Result<Plan, Failure> {
    let first = plan.steps.iter().map(|step| step.start).min().unwrap_or(lead);
    let by = lead.saturating_sub(first);
    if by > 0 {
        plan.steps.iter_mut().for_each(|step| step.start = step.start.saturating_add(by));
        if !shell.json {
            writeln!(
                shell.err,
                "{DIM}the plan begins {} later, so that its first step can be sent in time{DIM:#}",
                count(by as usize, "tick")
            )?;
        }
    }
    Ok(plan)
}

pub(super) fn tell_happening(shell: &mut Shell, Happening { tick, what, .. }: &Happening) -> Result<(), Failure> {
    match what {
        What::Shown { speaker: Some(speaker), text } => {
            writeln!(shell.out, "{tick:>8}  {speaker}: {SPOKEN}{text}{SPOKEN:#}")?;
        }
        What::Shown { speaker: None, text } => writeln!(shell.out, "{tick:>8}  {SPOKEN}{text}{SPOKEN:#}")?,
        // The name of a session is nobody's business.
        What::Welcomed { .. } => {}
        What::Finished { .. } => writeln!(shell.out, "{tick:>8}  {DIM}{what}{DIM:#}")?,
        _ => writeln!(shell.out, "{tick:>8}  {what}")?,
    }
    Ok(())
}

fn show(shell: &mut Shell, report: &Report<'_>) -> Result<(), Failure> {
    let figures = report.figures;
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    let (tasks, on_time) = (figures.tasks, figures.on_time);
    let share = if tasks > 0 { 100.0 * on_time as f64 / tasks as f64 } else { 100.0 };
    writeln!(shell.out, "\n{GOOD}{on_time}{GOOD:#} of {tasks} tasks on time ({share:.2} %)")?;
    let mut row = |name: &str, value: String| writeln!(shell.out, "  {name:<22} {value}");
    row("late", figures.late.to_string())?;
    row("missed", figures.missed.to_string())?;
    row("lost", figures.lost.to_string())?;
    row("blocked", figures.blocked.to_string())?;
    row("refused, failed", format!("{}, {}", figures.refused, figures.failed))?;
    if figures.waiting > 0 {
        row("waiting", figures.waiting.to_string())?;
    }
    row("lock lead", format!("{} ticks", number(figures.lock_lead_ticks_mean)))?;
    row("reaction", format!("{} ticks", number(figures.reaction_ticks_mean)))?;
    let lateness: Vec<_> = figures.lateness_ticks.iter().map(|(late, tasks)| format!("{late}: {tasks}")).collect();
    row("lateness in ticks", lateness.join(", "))?;
    row("clock known to", format!("{} ticks", number(figures.clock_width_ticks_mean)))?;
    if let Some(Jitter { p50, p99, max }) = report.tick_jitter_micros {
        row("tick jitter", format!("p50 {p50} µs, p99 {p99} µs, max {max} µs"))?;
    }
    row("ticks", format!("{}, and {} skipped by the machine", report.ticks_ran, report.ticks_skipped))?;
    row("frames sent again", format!("{} by the director, {} by the game", figures.resent, report.resent_by_game))?;
    row("plans", format!("{} published, {} rejected", figures.published, figures.rejected))?;
    if let Some(journal) = &report.journal {
        row("journal", journal.display().to_string())?;
    }
    Ok(())
}
