//! `dramaturg ground`: how large a story is once all names are filled in.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use dramaturg::open::Opened;
use dramaturg::planner::ground::{Goals, GroundOptions, Grounding, Limits, ground};
use serde::Serialize;

use crate::commands::bench::trimmed;
use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::{Shell, time};
use crate::style::{BOLD, DIM, DOUBTFUL};

/// Fill in all names, and say how large the story becomes
///
/// Counts the actions with their arguments that can ever happen, the variables and numbers they change, and how long it took to find
/// them. A limit that is hit is reported, and what was found until then is counted.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg ground troy.story
  dramaturg ground city.story --character citizen-1 --relevance
  dramaturg ground domain.pddl problem.pddl --json")]
pub struct Ground {
    /// A story or a PDDL domain
    #[arg(value_name = "STORY|DOMAIN")]
    path: PathBuf,
    /// The problem of a PDDL domain
    #[arg(value_name = "PROBLEM")]
    problem: Option<PathBuf>,
    /// The level of the story [default: the first]
    #[arg(long, value_name = "NAME")]
    level: Option<String>,
    /// Keep only what can help this character's goals
    #[arg(long, value_name = "NAME")]
    character: Option<String>,
    /// Keep only what can help the goals: the character's, or else the story's
    #[arg(long)]
    relevance: bool,
    /// Stop after so many ground actions and rules
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().max_operators)]
    max_operators: u32,
    /// Stop after so many ground facts
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().max_variables)]
    max_variables: u32,
    /// Stop after so many steps of work
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().max_work)]
    max_work: u64,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
}

#[derive(Serialize)]
struct Grounded<'a> {
    command: &'static str,
    ok: bool,
    title: &'a str,
    level: Option<&'a str>,
    types: usize,
    objects: usize,
    fluents: usize,
    variables: usize,
    values: usize,
    numbers: usize,
    operators: usize,
    operators_by_action: BTreeMap<&'a str, usize>,
    rules: usize,
    derived: usize,
    actuators: usize,
    wishes: usize,
    reached_operators: usize,
    pruned_operators: usize,
    irrelevant_operators: usize,
    invariants: usize,
    groups: usize,
    work: u64,
    limit: Option<String>,
    milliseconds: f64,
}

impl Ground {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let opened = match input::usable(shell, &self.path, self.problem.as_deref())? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let model = &opened.model;
        let limits =
            Limits { max_operators: self.max_operators, max_variables: self.max_variables, max_work: self.max_work };
        let goals = match (&self.character, self.relevance) {
            (Some(name), _) => Some(Goals::Character(input::character(model, name)?)),
            (None, true) => Some(Goals::Story),
            (None, false) => None,
        };
        let level = self.level.as_deref().map(|name| input::level(model, name)).transpose()?;
        let options = GroundOptions { level, seed: self.seed, goals, limits, ..GroundOptions::default() };
        let begun = Instant::now();
        let grounding = ground(model, &options);
        let elapsed = begun.elapsed();
        let grounded = summary(&opened, &grounding, elapsed.as_secs_f64() * 1e3);
        if shell.json {
            shell.json(&grounded)?;
        } else {
            tell(shell, &grounded, &time(elapsed))?;
        }
        // A limit of ours is no fault of the story: what was found until then has been told.
        Ok(Exit::Fine)
    }
}

fn summary<'a>(opened: &'a Opened, grounding: &Grounding, milliseconds: f64) -> Grounded<'a> {
    let (model, problem, stats) = (&opened.model, &grounding.problem, &grounding.stats);
    let (operators, variables, values, numbers) = problem.size();
    let mut by_action: BTreeMap<&str, usize> = model.actions.values().map(|action| (action.name.as_str(), 0)).collect();
    for operator in problem.operators.values() {
        *by_action.entry(&model.actions[operator.action].name).or_default() += 1;
    }
    Grounded {
        command: "ground",
        ok: true,
        title: &model.title,
        level: problem.level.map(|level| model.levels[level].name.as_str()),
        types: model.types.len(),
        objects: model.objects.len(),
        fluents: model.fluents.len(),
        variables,
        values,
        numbers,
        operators,
        operators_by_action: by_action,
        rules: problem.rules.len(),
        derived: problem.derived.len(),
        actuators: problem.actuators.len(),
        wishes: problem.wishes.len(),
        reached_operators: stats.reached_operators,
        pruned_operators: stats.pruned_operators,
        irrelevant_operators: stats.irrelevant_operators,
        invariants: stats.invariants,
        groups: stats.groups,
        work: stats.work,
        limit: grounding.stop.map(|hit| hit.to_string()),
        milliseconds,
    }
}

fn tell(shell: &mut Shell, grounded: &Grounded<'_>, elapsed: &str) -> Result<(), Failure> {
    let level = grounded.level.map(|level| format!(", level {level}")).unwrap_or_default();
    writeln!(shell.out, "{BOLD}{}{BOLD:#}{level}\n", grounded.title)?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, number, note) in [
        ("types", grounded.types, String::new()),
        ("objects", grounded.objects, String::new()),
        ("fluents", grounded.fluents, String::new()),
        ("variables", grounded.variables, format!("with {} values", grounded.values)),
        ("numbers", grounded.numbers, String::new()),
        ("actions", grounded.operators, format!("of {} reached", grounded.reached_operators)),
        ("rules", grounded.rules, String::new()),
        ("derived", grounded.derived, String::new()),
        ("wishes", grounded.wishes, String::new()),
    ] {
        table.add_row([name.to_owned(), number.to_string(), note]);
    }
    right(&mut table);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut by_action: Vec<_> = grounded.operators_by_action.iter().collect();
    by_action.sort_by_key(|(name, number)| (std::cmp::Reverse(**number), **name));
    for (name, number) in by_action {
        table.add_row([(*name).to_owned(), number.to_string(), String::new()]);
    }
    right(&mut table);
    writeln!(shell.out, "{BOLD}Actions with arguments{BOLD:#}\n{}\n", trimmed(&table))?;
    if let Some(limit) = &grounded.limit {
        writeln!(shell.out, "{DOUBTFUL}{limit}{DOUBTFUL:#}")?;
    }
    writeln!(shell.out, "{DIM}grounded in {elapsed}{DIM:#}")?;
    Ok(())
}

fn right(table: &mut Table) {
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}
