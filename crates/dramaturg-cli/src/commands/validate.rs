//! `dramaturg validate`: whether a plan holds, and if not, why.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use dramaturg::model::{Fixed, Model, Plan, State, Tick};
use dramaturg::open::Opened;
use dramaturg::planner::validate::{Goals, Level, Report, ValidateOptions, validate};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input, PlanInput};
use crate::shell::{Shell, count, time};
use crate::style::{BAD, BOLD, DIM, GOOD};
use crate::transcript::{self, JsonGoal, JsonViolation, clock_time};

/// Judge a plan: every condition that is not met, with its tick, its place, what was wanted and what was found
///
/// Plans of stories are judged by the phases of a tick, plans of PDDL in PDDL's own sense. The plan is one step a line, as the
/// planning competitions write it, or JSON. Exits 0 if the plan is valid and 1 if not.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg validate lighthouse lighthouse/lighthouse.plan
  dramaturg validate troy.story hector.plan --goals hector
  dramaturg validate domain.pddl problem.pddl plan.txt --json")]
pub struct Validate {
    /// A story, or a PDDL domain and problem; then the plan
    #[arg(value_name = "STORY|DOMAIN [PROBLEM] PLAN", required = true, num_args = 2..=3)]
    files: Vec<PathBuf>,
    /// Whose goals must be reached: `all`, `story`, a character's name, or `none`
    #[arg(long, value_name = "WHOSE", default_value = "all")]
    goals: String,
    /// The plan must also bear every duration the world may choose
    #[arg(long)]
    robust: bool,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
}

#[derive(Serialize)]
struct Validated<'a> {
    command: &'static str,
    ok: bool,
    valid: bool,
    steps: usize,
    end: Tick,
    cost: Fixed,
    metric: Option<Fixed>,
    violations: Vec<JsonViolation<'a>>,
    goals: Vec<JsonGoal>,
    changes: Vec<Changed>,
    milliseconds: f64,
}

#[derive(Serialize)]
struct Changed {
    fluent: String,
    old: String,
    new: String,
}

impl Validate {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let [story, rest @ ..] = self.files.as_slice() else { return Err(Failure::usage("name a story and a plan")) };
        let (problem, path) = match rest {
            [problem, plan] => (Some(problem.as_path()), plan),
            [plan] => (None, plan),
            _ => return Err(Failure::usage("name a plan")),
        };
        let mut opened = match input::usable(shell, story, problem)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let plan = match input::plan(shell, &mut opened, path)? {
            PlanInput::Read(plan) => plan,
            PlanInput::Faulty(exit) => return Ok(exit),
        };
        let options = ValidateOptions {
            level: if self.robust { Level::V3 } else { Level::V2 },
            goals: self.goals(&opened.model)?,
            seed: self.seed,
            ..ValidateOptions::default()
        };
        let begun = Instant::now();
        let initial = State::initial(&opened.model, self.seed);
        let report = validate(&opened.model, &initial, &plan, &options);
        let elapsed = begun.elapsed();
        if shell.json {
            let changes = report.changes(&opened.model, &initial);
            let changes = changes.into_iter().map(|(fluent, old, new)| Changed { fluent, old, new });
            shell.json(&Validated {
                command: "validate",
                ok: report.valid,
                valid: report.valid,
                steps: plan.steps.len(),
                end: report.end,
                cost: report.cost,
                metric: (!report.preferences.is_empty()).then_some(report.metric),
                violations: violations(&opened, &plan, &report),
                goals: goals(&opened, &report),
                changes: changes.collect(),
                milliseconds: elapsed.as_secs_f64() * 1e3,
            })?;
        } else {
            tell(shell, &opened, &plan, &report, &time(elapsed))?;
        }
        Ok(Exit::fine_if(report.valid))
    }

    fn goals(&self, model: &Model) -> Result<Goals, Failure> {
        Ok(match self.goals.as_str() {
            "all" => Goals::All,
            "story" => Goals::Story,
            "none" => Goals::None,
            name => Goals::Character(input::character(model, name)?),
        })
    }
}

fn violations<'a>(opened: &'a Opened, plan: &Plan, report: &'a Report) -> Vec<JsonViolation<'a>> {
    report.violations.iter().map(|found| transcript::violation(&opened.sources, plan, found)).collect()
}

fn goals(opened: &Opened, report: &Report) -> Vec<JsonGoal> {
    report.goals.iter().map(|goal| transcript::goal(&opened.model, &opened.sources, goal)).collect()
}

fn tell(shell: &mut Shell, opened: &Opened, plan: &Plan, report: &Report, elapsed: &str) -> Result<(), Failure> {
    let clock = &opened.model.clock;
    for found in violations(opened, plan, report) {
        let whose = found.action.map(|action| format!(" {BOLD}{action}{BOLD:#}:")).unwrap_or_default();
        writeln!(shell.out, "{BAD}{:>11}{BAD:#} {whose} {}", clock_time(clock, found.tick), found.message)?;
        if !found.wanted.is_empty() {
            let fluent = found.fluent.map(|fluent| format!("{fluent}: ")).unwrap_or_default();
            writeln!(shell.out, "{:>13}{fluent}wanted {}, found {}", "", found.wanted, found.found)?;
        }
        if let Some(place) = found.place {
            writeln!(shell.out, "{:>13}{DIM}{}:{}:{}{DIM:#}", "", place.file, place.line, place.column)?;
        }
    }
    let goals = goals(opened, report);
    if !goals.is_empty() {
        writeln!(shell.out, "{BOLD}Goals{BOLD:#}")?;
        for goal in &goals {
            writeln!(shell.out, "{}", transcript::goal_line(clock, goal))?;
        }
    }
    let verdict = if report.valid {
        format!("{GOOD}valid{GOOD:#}")
    } else {
        format!("{BAD}invalid{BAD:#}: {}", count(report.violations.len(), "unmet condition"))
    };
    let steps = count(plan.steps.len(), "step");
    let metric = match report.preferences.is_empty() {
        true => String::new(),
        false => format!(", metric {}", report.metric),
    };
    let (end, cost) = (clock_time(clock, report.end), report.cost);
    writeln!(shell.out, "{verdict} {DIM}({steps}, ends at {end}, cost {cost}{metric}; judged in {elapsed}){DIM:#}")?;
    Ok(())
}
