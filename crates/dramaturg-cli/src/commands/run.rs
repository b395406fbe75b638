//! `dramaturg run`: a director and a game, side by side in real time; or the game alone, with somebody else's director.

mod join;
mod plot;
mod report;
mod scenes;
mod telling;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::simulate::Expectations;
use dramaturg_director::{Event, Journey, Policy};

use self::join::{Join, Way};
use self::plot::Plot;
use self::report::{CurveReport, Report, show};
use self::scenes::Scenes;
pub(super) use self::telling::tell_happening;
use self::telling::{Replans, tell};
use crate::exit::{Exit, Failure};
use crate::input::{self, Input, PlanInput};
use crate::journaling::{Journaling, Keeping};
use crate::shell::{Shell, count, json_line};
use crate::staging::course::Course;
use crate::staging::forethought::forethought;
use crate::staging::lockstep::{LinkKind, lockstep};
use crate::staging::outcome::{Outcome, Told};
use crate::staging::planners::{PlannerKind, is_planned, planner_of};
use crate::staging::realtime::realtime;
use crate::staging::setting::Setting;
use crate::staging::stream::{StreamOptions, stream};
use crate::style::{BOLD, DIM};

/// Perform a story in real time: a director and a game, side by side
///
/// The game performs what it is told in its own loop at its own rate; the director sends each step ahead of its tick.
/// What is performed is what the story's planner decides, or a plan file, or a stream of whatever can be done, from a
/// seed. Tells what happens, then how well it went. Exits 20 if director and game lose each other; figures are results,
/// not faults.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg run lighthouse --plan lighthouse/lighthouse.plan
  dramaturg run city.story --link tcp --tasks 500 --report report.json
  dramaturg run city.story --policy paper --omega 50 --lockstep --tasks 4000 --json
  dramaturg run princess.story --game simulated-player --seed 7 --link tcp --plot motivation.svg
  dramaturg run doors.story --planner conductor --seed 3
  dramaturg run city.story --fail 10 --events events.jsonl --journal journals
  dramaturg run city.story --connect 127.0.0.1:7777 --save city.save")]
pub struct Run {
    /// A story: a `.story` file or a folder with one
    #[arg(value_name = "STORY")]
    story: PathBuf,
    /// What is performed [default: what the story's planner decides, or a stream from the seed]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Who plans, by name [default: the planner that the story asks for]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["plan", "tasks", "once", "connect"])]
    planner: Option<String>,
    /// What plays the game
    #[arg(long, value_enum, default_value_t = GameKind::Scripted)]
    game: GameKind,
    /// How director and game are connected [default: threads, with --connect tcp]
    #[arg(long, value_enum)]
    link: Option<LinkKind>,
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
    #[arg(
        long, value_name = "NUMBER", conflicts_with = "plan",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    tasks: Option<u32>,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Let one task in so many fail; it is planned again, and how long that takes is measured
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    fail: usize,
    /// Write the report to a file too, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Plan once, before the story begins, and never again: to see what planning while it runs is worth
    #[arg(long, conflicts_with_all = ["plan", "tasks"])]
    once: bool,
    /// Draw the numbers that the story wants to follow a curve, as SVG: wanted, first planned, as it came, and the
    /// tagged actions
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
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
    /// The same with a player who wanders, changes its mind, takes its time and refuses
    SimulatedPlayer,
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
const TASKS: u32 = 200;
/// How many ticks a planner performs.
const TICKS: Tick = 600;
/// The ticks between two starts of a stream, on average.
const GAP: Tick = 3;

/// What was heard while it was performed.
struct Performed {
    scenes: Scenes,
    replans: Arc<Replans>,
}

/// What is told beside the figures.
struct Aftermath {
    link: LinkKind,
    curves: Vec<CurveReport>,
    replans: BTreeMap<String, u32>,
    journal: Option<PathBuf>,
}

impl Run {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let link = self.link_kind()?;
        if self.lockstep && self.mu == Some(Mu(Journey::Measured)) {
            return Err(Failure::usage("--mu measured cannot be used with --lockstep: nothing takes time there")
                .hint("give a number of ticks, such as --mu 1, or leave --lockstep out"));
        }
        if let Some(name) = &self.planner {
            shell.planners.find(name).map_err(Failure::usage)?;
        }
        let mut opened = match input::usable(shell, &self.story, None)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        if let Some(address) = &self.join.connect {
            let model = Arc::new(opened.model);
            let way = Way { address, link, rate: self.rate, ticks: self.ticks, seed: self.seed, quiet: self.quiet };
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
        let mu = self.mu(link);
        let lead = self.lead_in(mu);
        let is_played = self.game == GameKind::SimulatedPlayer;
        let courses = Course::all(&model);
        if self.plot.is_some() && (courses.is_empty() || !is_played) {
            let failure = Failure::usage(format!("there is nothing to draw of `{}`", model.title));
            return Err(failure.hint(
                "--plot draws numbers that a story wants to follow a curve, while --game simulated-player plays it",
            ));
        }
        if self.once && planner_of(&model) != Some(PlannerKind::Repair) {
            let failure = Failure::usage(format!("`{}` has no goals of its own to plan for once", model.title));
            return Err(failure
                .hint("--once is for stories whose own goals are planned for, such as one with a curve to follow"));
        }
        let looks_ahead =
            self.once || is_played && !courses.is_empty() && planner_of(&model) == Some(PlannerKind::Repair);
        let first = looks_ahead.then(|| forethought(&model, self.seed, lead));
        let foreseen = first.as_ref().map(|first| Course::foreseen(&model, first, self.seed)).unwrap_or_default();
        let plan = match plan.or(first.filter(|_| self.once)) {
            Some(plan) => moved(plan, lead, shell)?,
            None if self.tasks.is_none() && self.is_planned(&model) => Plan::default(),
            None => {
                let tasks = self.tasks.unwrap_or(TASKS) as usize;
                let room = self.ticks.map(|ticks| ticks.saturating_sub(lead + 2 * REST).max(1));
                let gap = room.map_or(GAP, |room| room / tasks.max(1) as Tick);
                let options = StreamOptions { tasks, from: lead, gap, seed: self.seed };
                stream(&model, &options)
            }
        };
        if plan.steps.is_empty() && !self.is_planned(&model) {
            let failure = Failure::faults(format!("nothing can be done in `{}` as it begins", model.title));
            return Err(failure.hint("give a plan with --plan, or a story with an action whose `needs` hold"));
        }
        if self.fail > 0 && plan.steps.is_empty() {
            let text =
                format!("--fail lets tasks of a plan or a stream fail, and `{}` is planned as it runs", model.title);
            return Err(Failure::usage(text).hint("perform a stream with --tasks, or a plan with --plan or --once"));
        }
        let after = if self.fail > 0 { 2 * self.omega + REST } else { REST };
        let follows = courses.iter().map(Course::end).max().filter(|_| is_played && self.tasks.is_none());
        let setting = Setting {
            policy: self.policy.into(),
            omega: self.omega,
            upsilon: self.upsilon,
            mu,
            rate_milli: self.rate * 1000,
            ticks: self.ticks.or(follows.map(|end| end + 1)).unwrap_or(if plan.steps.is_empty() {
                TICKS
            } else {
                plan.end() + after
            }),
            fails: self.fail,
            retries: u32::from(self.fail > 0) * 2,
            seed: self.seed,
            // A player who does by itself what is expected would be no player.
            expectations: if is_played { Expectations::Watched } else { Expectations::Assumed },
            is_played,
            planners: shell.planners.clone(),
            planner: self.planner.clone(),
            plan: Arc::new(plan),
            model,
        };
        let keeping = self.journaling.open(0, 0)?.map(|journals| Keeping::new(journals, &self.story));
        let (outcome, performed) = self.perform(shell, &setting, link, keeping.as_ref())?;
        if let Some(path) = &self.plot {
            let rate = setting.model.clock.ticks_per_second.map_or(f64::from(self.rate), |rate| rate.0 as f64 / 1e6);
            let (title, courses, scenes) = (setting.model.title.as_str(), &outcome.courses, &performed.scenes);
            Plot { title, courses, foreseen: &foreseen, scenes, rate }.write(path)?;
        }
        let curves = outcome.courses.iter().filter_map(|course| {
            let foreseen = foreseen.iter().find(|foreseen| foreseen.name == course.name).and_then(Course::distance);
            Some(CurveReport { name: course.name.clone(), came: course.distance()?, foreseen })
        });
        let curves = curves.collect();
        let journal = keeping.and_then(|keeping| keeping.begun());
        self.tell(shell, &setting, &outcome, Aftermath { link, curves, replans: performed.replans.counts(), journal })
    }

    /// Whether a planner decides what is done.
    fn is_planned(&self, model: &Model) -> bool {
        self.planner.is_some() || is_planned(model)
    }

    /// How director and game are connected.
    fn link_kind(&self) -> Result<LinkKind, Failure> {
        match (self.link, &self.join.connect) {
            (Some(kind @ (LinkKind::Inline | LinkKind::Threads)), Some(_)) => {
                let text = format!("--link {} cannot be used with --connect: it stays within one process", name(kind));
                Err(Failure::usage(text).hint("a director elsewhere is reached with --link tcp or --link websocket"))
            }
            (Some(kind), _) => Ok(kind),
            (None, Some(_)) => Ok(LinkKind::Tcp),
            (None, None) => Ok(LinkKind::Threads),
        }
    }

    fn mu(&self, link: LinkKind) -> Journey {
        match self.mu {
            Some(Mu(mu)) => mu,
            None if self.lockstep => Journey::Given(1),
            None if link == LinkKind::Inline => Journey::Given(0),
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

    fn perform(
        &self,
        shell: &mut Shell,
        setting: &Setting,
        link: LinkKind,
        keeping: Option<&Keeping>,
    ) -> Result<(Outcome, Performed), Failure> {
        let mut performed = Performed { scenes: Scenes::of(&setting.model), replans: Arc::default() };
        let replans = Arc::clone(&performed.replans);
        let trouble = Arc::new(Mutex::new(None));
        let mut file = match &self.events {
            None => None,
            Some(path) => Some(BufWriter::new(File::create(path).map_err(|error| Failure::writing(path, &error))?)),
        };
        let kept = Arc::clone(&trouble);
        let mut sink = Box::new(move |event: &Event| {
            replans.hear(event);
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
        let mut told = |told: Told| {
            if let Told::Game(happening) = &told {
                performed.scenes.hear(happening);
            }
            if tells && written.is_ok() {
                written = tell(shell, &performed.replans, &told);
            }
        };
        let outcome = if self.lockstep {
            let Journey::Given(mu) = setting.mu else { return Err(Failure::usage("lockstep needs a given μ")) };
            let outcome = lockstep(setting, link, mu, keeping, &mut told, &mut sink);
            drop(sink);
            outcome
        } else {
            realtime(setting, link, keeping, &mut told, sink)
        };
        written?;
        if let (Some(path), Some(error)) = (&self.events, &*trouble.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Err(Failure::writing(path, error));
        }
        Ok((outcome.map_err(|error| Failure::trouble(error.to_string()))?, performed))
    }

    fn tell(
        &self,
        shell: &mut Shell,
        setting: &Setting,
        outcome: &Outcome,
        Aftermath { link, curves, replans, journal }: Aftermath,
    ) -> Result<Exit, Failure> {
        let ok = outcome.trouble.is_none();
        let report = Report {
            command: "run",
            ok,
            title: &setting.model.title,
            link: name(link),
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
            curves,
            replans,
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

/// How a kind of link is typed.
fn name(kind: LinkKind) -> String {
    kind.to_possible_value().map(|name| name.get_name().to_owned()).unwrap_or_default()
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
