//! `dramaturg plan`: from where a story begins to what somebody wants.

mod goals;
mod layers;
mod repair;
mod story;

use goals::{GoalArgs, Loss, tell_losses};
use repair::Improvement;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use dramaturg::model::{self, Model, ObjectId, Owner, State};
use dramaturg::open::Opened;
use dramaturg::planner::ground::{Goals, GroundAimTime, GroundOptions, GroundWishKind, Problem, ground};
use dramaturg::planner::packed::PackedState;
use dramaturg::planner::planfile::{Format, write_plan};
use dramaturg::planner::planner::Budget;
use dramaturg::planner::schedule::in_sequence;
use dramaturg::planner::search::proof::sees_everything;
use dramaturg::planner::search::{BestFirst, BestFirstOptions, Guide, Outcome, Relaxation, Target};
use dramaturg::planner::validate::{self, ValidateOptions, validate};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::{Shell, count, time};
use crate::style::{DIM, GOOD};

/// Units of work between two looks at the clock.
const PIECE: u32 = 256;

/// Plan for the goals of a story, of one of its characters, or of a PDDL problem
///
/// A first plan is looked for greedily; then shorter ones, until the time is over. With `--planner repair` steps overlap where they
/// can, and plans that take less time are looked for; each is told with its cost and moment. Every plan is judged by the validator before it is
/// shown. Exits 10 if it is proved that there is no plan, and 11 if none was found.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg plan troy.story --character hector
  dramaturg plan troy.story --character paris --available 8 --dropping greedy
  dramaturg plan troy.story --character paris --planner graphplan
  dramaturg plan princess.story --planner repair --time 2s -o princess.plan
  dramaturg plan domain.pddl problem.pddl --first -o plan.txt
  dramaturg plan domain.pddl problem.pddl --planner repair --time 10s -o plan.txt
  dramaturg plan domain.pddl problem.pddl --time 10 --json")]
pub struct Plan {
    /// A story or a PDDL domain
    #[arg(value_name = "STORY|DOMAIN")]
    path: PathBuf,
    /// The problem of a PDDL domain
    #[arg(value_name = "PROBLEM")]
    problem: Option<PathBuf>,
    /// Plan for this character, with what it can do itself [default: for the story, with everybody]
    #[arg(long, value_name = "NAME")]
    character: Option<String>,
    #[command(flatten)]
    goals: GoalArgs,
    /// Who plans
    #[arg(long, value_enum, default_value_t = PlannerArg::Auto)]
    planner: PlannerArg,
    /// Be content with the first plan
    #[arg(long)]
    first: bool,
    /// End after so many seconds, with the best plan by then [default: 1 for better plans, no end to the search for a first]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,
    /// Give up after so many states
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000_000)]
    states_max: usize,
    /// Write the plan to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How the plan is written
    #[arg(long, value_enum, default_value_t = Written::Ipc)]
    format: Written,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
}

/// Who plans.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlannerArg {
    /// Search forward
    Auto,
    /// Search from the beginning on, state by state
    Forward,
    /// Graphplan: layers of steps that do not disturb each other; proves when there is no plan
    Graphplan,
    /// Plans in time, for PDDL problems with durations and for what a story itself wants: a first one soon, then better ones
    Repair,
}

/// How a plan is written.
#[derive(Clone, Copy, ValueEnum)]
enum Written {
    /// One step a line, as the planning competitions write it
    Ipc,
    /// JSON
    Json,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds, such as 2.5".to_owned()),
    }
}

#[derive(Serialize)]
struct Planned<'a> {
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    plan: Option<&'a model::Plan>,
    steps: usize,
    operators: usize,
    evaluated: u64,
    expanded: u64,
    milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<usize>,
    given_up: &'a [Loss],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    improvements: &'a [Improvement],
}

/// What a search came to.
struct Found {
    plan: Option<model::Plan>,
    /// Whether it is certain that there is none.
    proved: bool,
    operators: usize,
    evaluated: u64,
    expanded: u64,
    /// Goals that the plan does not reach.
    given_up: Vec<Loss>,
    /// How many layers the plan has, if it has any.
    layers: Option<usize>,
    /// Plans that were better than all before them.
    improvements: Vec<Improvement>,
}

impl Plan {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let opened = match input::usable(shell, &self.path, self.problem.as_deref())? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let begun = Instant::now();
        let found = self.search(shell, &opened, begun)?;
        let elapsed = begun.elapsed();
        if let Some(plan) = &found.plan {
            self.judge(&opened.model, plan, found.given_up.is_empty())?;
        }
        let exit = match (&found.plan, found.proved) {
            (Some(_), _) => Exit::Fine,
            (None, true) => Exit::NoPlan,
            (None, false) => Exit::NoneFound,
        };
        if let (Some(plan), Some(path)) = (&found.plan, &self.output) {
            let text = write_plan(&opened.model, plan, self.written());
            std::fs::write(path, text).map_err(|error| Failure::writing(path, &error))?;
        }
        if shell.json {
            shell.json(&Planned {
                command: "plan",
                ok: found.plan.is_some(),
                outcome: exit.name(),
                plan: found.plan.as_ref(),
                steps: found.plan.as_ref().map_or(0, |plan| plan.steps.len()),
                operators: found.operators,
                evaluated: found.evaluated,
                expanded: found.expanded,
                milliseconds: elapsed.as_secs_f64() * 1e3,
                layers: found.layers,
                given_up: &found.given_up,
                improvements: &found.improvements,
            })?;
            return Ok(exit);
        }
        tell_losses(shell, &found.given_up)?;
        let states = format!("{} states looked at, {}", found.evaluated, time(elapsed));
        match &found.plan {
            Some(plan) => {
                if self.output.is_none() {
                    write!(shell.out, "{}", write_plan(&opened.model, plan, self.written()))?;
                }
                let mut steps = count(plan.steps.len(), "step");
                if let Some(layers) = found.layers {
                    steps = format!("{steps} in {}", count(layers, "layer"));
                }
                writeln!(shell.err, "{GOOD}a plan{GOOD:#} of {steps} {DIM}({states}){DIM:#}")?;
            }
            None if found.proved => writeln!(
                shell.err,
                "there is no plan: everything that can be reached has been looked at {DIM}({states}){DIM:#}"
            )?,
            None => {
                let cure = if self.is_over(begun) {
                    "the time is over; give it more with --time"
                } else if found.evaluated < self.states_max as u64 {
                    "steps one after another do not lead there, but waiting or steps at the same time might"
                } else {
                    "raise --states-max"
                };
                writeln!(shell.err, "no plan was found: {cure} {DIM}({states}){DIM:#}")?;
            }
        }
        Ok(exit)
    }

    /// When no better plan is looked for any longer.
    fn time_for_better(&self) -> Duration {
        Duration::from_secs_f64(self.time.unwrap_or(1.0))
    }

    /// Whether the time is over, even if there is no plan yet.
    fn is_over(&self, begun: Instant) -> bool {
        self.time.is_some_and(|time| begun.elapsed() >= Duration::from_secs_f64(time))
    }

    fn written(&self) -> Format {
        match self.format {
            Written::Ipc => Format::Ipc,
            Written::Json => Format::Json,
        }
    }

    fn search(&self, shell: &mut Shell, opened: &Opened, begun: Instant) -> Result<Found, Failure> {
        let model = &opened.model;
        let character = self.character.as_deref().map(|name| input::character(model, name)).transpose()?;
        if let Some(character) = character.filter(|_| self.goals.is_asked()) {
            return self.goals.search(model, character, self.seed, self.states_max);
        }
        if self.planner == PlannerArg::Repair && model.pddl().is_none() {
            if let Some(name) = &self.character {
                let failure =
                    Failure::usage(format!("`{name}` does not plan by repairing: only a story as a whole does"));
                return Err(failure.hint("leave --planner away, or --character"));
            }
            return story::search(self, shell, model, begun);
        }
        let cast = character.map(|object| [object]);
        let goals = Some(character.map_or(Goals::Story, Goals::Character));
        let cast = cast.as_ref().map(<[ObjectId; 1]>::as_slice);
        let grounding = ground(model, &GroundOptions { seed: self.seed, goals, cast, ..GroundOptions::default() });
        if let Some(limit) = grounding.stop {
            return Err(Failure::trouble(limit.to_string()).hint("plan for one character, or for a smaller level"));
        }
        let problem = Arc::new(grounding.problem);
        let start = problem.initial();
        let (target, certain) = self.target(model, &problem, &start, character)?;
        match self.planner {
            PlannerArg::Graphplan => return layers::search(model, &problem, &start, target, certain),
            PlannerArg::Repair => return repair::search(self, shell, model, problem, &start, target, begun),
            PlannerArg::Auto | PlannerArg::Forward => {}
        }
        let relaxation = Arc::new(Relaxation::new(&problem, true));
        let options = BestFirstOptions { states_max: self.states_max, ..BestFirstOptions::default() };
        let search = |guide| {
            let options = BestFirstOptions { guide, ..options };
            BestFirst::new(Arc::clone(&problem), &relaxation, &start, target.clone(), options)
        };
        let mut greedy = search(Guide::Both);
        let mut outcome = greedy.run(&mut Budget::of(PIECE)).clone();
        while outcome == Outcome::Searching && !self.is_over(begun) {
            outcome = greedy.run(&mut Budget::of(PIECE)).clone();
        }
        let mut found = Found {
            plan: None,
            proved: outcome == Outcome::Exhausted && certain && sees_everything(model, &problem),
            operators: problem.operators.len(),
            evaluated: greedy.evaluated(),
            expanded: greedy.expanded(),
            given_up: Vec::new(),
            layers: None,
            improvements: Vec::new(),
        };
        let Outcome::Found(mut way) = outcome else { return Ok(found) };
        drop(greedy);
        let until = self.time_for_better();
        if !self.first && begun.elapsed() < until {
            let mut shortest = search(Guide::Shortest);
            while *shortest.run(&mut Budget::of(PIECE)) == Outcome::Searching && begun.elapsed() < until {}
            if let Outcome::Found(shorter) = shortest.run(&mut Budget::of(0))
                && shorter.len() < way.len()
            {
                way.clone_from(shorter);
            }
            found.evaluated += shortest.evaluated();
            found.expanded += shortest.expanded();
        }
        found.plan = Some(in_sequence(model, &problem, &start, &way, 0));
        Ok(found)
    }

    /// What is wanted in the end, and whether that is all: a goal that leads over others, or is bound to a time, asks for more than
    /// its end.
    fn target(
        &self,
        model: &Model,
        problem: &Problem,
        start: &PackedState,
        character: Option<ObjectId>,
    ) -> Result<(Target, bool), Failure> {
        let owner = character.map_or(Owner::Story, Owner::Character);
        let wanted = problem.wishes.iter().filter(|wish| model.wishes[wish.wish].owner == owner);
        let (mut conditions, mut certain) = (Vec::new(), true);
        for wish in wanted.filter(|wish| problem.holds(start, &wish.condition)) {
            if let GroundWishKind::Goal { aims, .. } = &wish.kind {
                certain &= matches!(aims.as_slice(), [only] if only.time == GroundAimTime::Eventually);
                conditions.extend(aims.last().map(|aim| aim.condition.clone()));
            }
        }
        if !conditions.is_empty() || model.pddl().is_some() {
            return Ok((Target::new(conditions), certain));
        }
        let names = model.characters.values().map(|found| model.objects[found.object].name.as_str());
        let names: Vec<&str> = names.collect();
        Err(match (&self.character, names.is_empty()) {
            (Some(name), _) => Failure::usage(format!("`{name}` has no goals of its own here")),
            (None, true) => Failure::usage("this story has no goals"),
            (None, false) => Failure::usage("this story has no goals of its own")
                .hint(format!("plan for one of its characters with --character: {}", names.join(", "))),
        })
    }

    /// A plan that the judge refuses is never shown.
    fn judge(&self, model: &Model, plan: &model::Plan, reaches_all: bool) -> Result<(), Failure> {
        let goals = match &self.character {
            _ if !reaches_all => validate::Goals::None,
            Some(name) => validate::Goals::Character(input::character(model, name)?),
            None => validate::Goals::Story,
        };
        let options = ValidateOptions { goals, seed: self.seed, ..ValidateOptions::default() };
        let report = validate(model, &State::initial(model, self.seed), plan, &options);
        match report.violations.first() {
            None if report.valid => Ok(()),
            found => {
                let why = found.map_or_else(|| "a goal is missed".to_owned(), |found| found.message.clone());
                let message = format!("a way was found that does not hold in time: {why}");
                Err(Failure::Told { exit: Exit::NoneFound, message, hint: Some(write_plan(model, plan, Format::Ipc)) })
            }
        }
    }
}
