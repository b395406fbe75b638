//! `dramaturg simulate`: what happens, tick by tick.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use dramaturg::model::{AimTime, Expr, Model, Plan, Tick, Value, WishKind};
use dramaturg::open::{Kind, Opened};
use dramaturg::planner::simulate::{Detail, World, WorldEvent, WorldEventKind, WorldOptions};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input, PlanInput};
use crate::moment::Moment;
use crate::shell::{Shell, count};
use crate::style::{BOLD, DIM};
use crate::transcript::{self, Happening, JsonGoal, Teller};

/// Run a story's world, with a plan or without, and tell what happens
///
/// The game is assumed to do everything as planned. Without a plan only what happens by itself does. Exits 1 if a step of the plan
/// could not be performed; whether a plan reaches its goals is for `validate` to say.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg simulate lighthouse lighthouse/lighthouse.plan
  dramaturg simulate city.story --until 12h --seed 7
  dramaturg simulate domain.pddl problem.pddl plan.txt --trace")]
pub struct Simulate {
    /// A story, or a PDDL domain and problem; then a plan
    #[arg(value_name = "STORY|DOMAIN [PROBLEM] [PLAN]", required = true, num_args = 1..=3)]
    files: Vec<PathBuf>,
    /// How far to run: `500`, `500 ticks`, `40s`, `12h` [default: to the end of the plan, the last deadline, or 100 ticks]
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Show every change of a fluent, and who made it
    #[arg(long)]
    trace: bool,
}

#[derive(Serialize)]
struct Simulated<'a> {
    command: &'static str,
    ok: bool,
    title: &'a str,
    seed: u64,
    until: Tick,
    ending: Option<&'a str>,
    events: Vec<Happening>,
    goals: Vec<JsonGoal>,
    violations: usize,
    effort: dramaturg::planner::simulate::Effort,
}

/// Without a plan, deadline or `--until`: long enough to see something, short enough to read.
const UNTIL_DEFAULT: Tick = 100;

/// More work than this is hardly meant.
const WORK_MAX: u64 = 2_000_000_000;

impl Simulate {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let (story, problem, plan) = split(&self.files)?;
        let mut opened = match input::usable(shell, story, problem)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let plan = match plan {
            None => Plan::default(),
            Some(path) => match input::plan(shell, &mut opened, path)? {
                PlanInput::Read(plan) => plan,
                PlanInput::Faulty(exit) => return Ok(exit),
            },
        };
        let until = match &self.until {
            Some(moment) => moment.ticks(&opened.model.clock)?,
            None => default_until(&opened.model, &plan),
        };
        let (world, events) = self.simulate(&opened, &plan, until)?;
        self.report(shell, &opened, &world, &events, until)
    }

    fn simulate(&self, opened: &Opened, plan: &Plan, until: Tick) -> Result<(World, Vec<WorldEvent>), Failure> {
        let model = &opened.model;
        let detail = if self.trace { Detail::Everything } else { Detail::Texts };
        let options = WorldOptions { seed: self.seed, detail, work_max: WORK_MAX, ..WorldOptions::default() };
        let mut world = World::begin(model, options);
        for step in &plan.steps {
            world.schedule(model, step).map_err(|problem| Failure::faults(problem.to_string()))?;
        }
        world.step_to(model, until);
        let events = world.drain();
        Ok((world, events))
    }

    fn report(
        &self,
        shell: &mut Shell,
        opened: &Opened,
        world: &World,
        events: &[WorldEvent],
        until: Tick,
    ) -> Result<Exit, Failure> {
        let Opened { model, sources, .. } = opened;
        let mut teller = Teller::new(model, sources);
        let violations = events.iter().filter(|event| match &event.kind {
            WorldEventKind::Violation(found) => !transcript::is_about_goals(found.kind),
            _ => false,
        });
        let violations = violations.count();
        let ok = violations == 0;
        let goals = world.goals();
        let goals: Vec<JsonGoal> = goals.iter().map(|goal| transcript::goal(model, sources, goal)).collect();
        let ending = world.ending().map(|ending| model.endings[ending].name.as_str());
        if shell.json {
            let events = events.iter().map(|event| teller.happening(event)).collect();
            shell.json(&Simulated {
                command: "simulate",
                ok,
                title: &model.title,
                seed: self.seed,
                until,
                ending,
                events,
                goals,
                violations,
                effort: world.effort(),
            })?;
            return Ok(Exit::fine_if(ok));
        }
        writeln!(shell.out, "{BOLD}{}{BOLD:#}\n", model.title)?;
        let mut shown = 0;
        for event in events {
            // Goals taken up at the beginning are listed at the end, with what became of them.
            if !self.trace && matches!(event.kind, WorldEventKind::GoalTaken { .. }) {
                continue;
            }
            let told = teller.happening(event);
            writeln!(shell.out, "{}", teller.line(&told))?;
            shown += 1;
        }
        if shown == 0 {
            writeln!(shell.out, "{DIM}Nothing happens.{DIM:#}")?;
        }
        let now = teller.time(world.now());
        writeln!(shell.out, "\n{DIM}Left at {now}, after {}.{DIM:#}", count(shown, "event"))?;
        if !goals.is_empty() {
            writeln!(shell.out, "{BOLD}Goals{BOLD:#}")?;
            for goal in &goals {
                writeln!(shell.out, "{}", transcript::goal_line(&model.clock, goal))?;
            }
        }
        Ok(Exit::fine_if(ok))
    }
}

/// Story or domain, problem, plan.
type Files<'a> = (&'a Path, Option<&'a Path>, Option<&'a Path>);

fn split(files: &[PathBuf]) -> Result<Files<'_>, Failure> {
    let [first, rest @ ..] = files else { return Err(Failure::usage("name a story")) };
    let is_pddl = |path: &Path| path.is_file() && Kind::of(path).is_ok_and(|kind| kind == Kind::Pddl);
    let is_domain = is_pddl(first) || first.join("domain.pddl").is_file();
    Ok(match rest {
        [] => (first, None, None),
        [second] if is_domain && second.extension().is_some_and(|extension| extension == "pddl") => {
            (first, Some(second), None)
        }
        [second] => (first, None, Some(second)),
        [second, third, ..] => (first, Some(second), Some(third)),
    })
}

/// The end of the plan, or the last deadline of a goal.
fn default_until(model: &Model, plan: &Plan) -> Tick {
    let ticks = |expr: &Expr| match expr {
        Expr::Value(Value::Number(number)) => Some(number.round_half_up()),
        _ => None,
    };
    let aims = model.wishes.values().filter_map(|wish| match &wish.kind {
        WishKind::Goal { aims, .. } => Some(aims),
        WishKind::Keep { .. } | WishKind::Prefer { .. } => None,
    });
    let deadlines = aims.flatten().filter_map(|aim| match &aim.time {
        AimTime::Eventually => None,
        AimTime::At(time) | AimTime::By(time) | AimTime::During(_, time) => ticks(time),
    });
    match deadlines.max().unwrap_or(0).max(plan.end()) {
        0 => UNTIL_DEFAULT,
        end => end,
    }
}
