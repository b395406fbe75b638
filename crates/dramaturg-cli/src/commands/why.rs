//! `dramaturg why` and `dramaturg why-not`: what a plan says for itself.

mod planned;

use std::io::Write;

use clap::Args;
use dramaturg::model::State;
use dramaturg::planner::why::{Absence, impossible};
use planned::{Opening, Planned};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::{BOLD, DIM};

/// Say why a step is in a plan: what it leads to
///
/// Plans as `dramaturg plan` does, and follows what the step brings about over the steps that need it to the goals.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg why troy.story --character hector 2
  dramaturg why troy.story --character hector 'talk(hector, menelaos, throne-room)'")]
pub struct Why {
    #[command(flatten)]
    planned: Planned,
    /// The step: its number, or as the story writes it
    #[arg(value_name = "STEP")]
    step: String,
}

/// Say why an action is not in a plan
///
/// It cannot be done: what it lacks, and which step undid that. Or it can, but then a goal is out of reach, or the plan gets longer.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg why-not troy.story --character paris 'kill(paris, menelaos, spear, throne-room)'")]
pub struct WhyNot {
    #[command(flatten)]
    planned: Planned,
    /// The action with its arguments, as the story writes it
    #[arg(value_name = "ACTION")]
    action: String,
}

#[derive(Serialize)]
struct Told<'a> {
    command: &'static str,
    ok: bool,
    about: &'a str,
    sentences: &'a [String],
    plan: Vec<String>,
}

impl Why {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let (opened, course) = match self.planned.open(shell)? {
            Opening::Planned(opened, course) => (opened, course),
            Opening::Faulty(exit) => return Ok(exit),
        };
        let model = &opened.model;
        let names: Vec<String> = (0..course.way.len()).map(|step| course.name(model, step)).collect();
        let wanted = spaceless(&self.step);
        let number = self.step.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let found = number.filter(|number| *number < names.len());
        let found = found.or_else(|| names.iter().position(|name| spaceless(name) == wanted));
        let Some(step) = found else {
            let failure = Failure::usage(format!("`{}` is not in the plan", self.step));
            let steps: Vec<String> = names.iter().zip(1..).map(|(name, number)| format!("{number} {name}")).collect();
            return Err(failure.hint(format!("its steps are {}", steps.join(", "))));
        };
        let sentences = course.why(model, step);
        tell(shell, "why", &course.name(model, step), &sentences, names)
    }
}

impl WhyNot {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let (opened, course) = match self.planned.open(shell)? {
            Opening::Planned(opened, course) => (opened, course),
            Opening::Faulty(exit) => return Ok(exit),
        };
        let model = &opened.model;
        let names: Vec<String> = (0..course.way.len()).map(|step| course.name(model, step)).collect();
        let wanted = spaceless(&self.action);
        let problem = &course.problem;
        let known = problem.operators.ids().find(|id| spaceless(&problem.operator_name(model, *id)) == wanted);
        let sentences = match known {
            Some(operator) => {
                let name = problem.operator_name(model, operator);
                Absence::find(model, &course, operator, self.planned.states_max()).sentences(model, &course, &name)
            }
            None => {
                let state = State::initial(model, self.planned.seed);
                let lacks = impossible(model, &state, &self.action).map_err(Failure::usage)?;
                let who = self.planned.character.as_deref();
                let first = match who {
                    Some(who) if lacks.is_empty() => format!("`{}` is not for {who} to do", self.action),
                    _ => format!("`{}` can never be done here", self.action),
                };
                [first].into_iter().chain(lacks).collect()
            }
        };
        tell(shell, "why-not", &self.action, &sentences, names)
    }
}

fn tell(
    shell: &mut Shell,
    command: &'static str,
    about: &str,
    sentences: &[String],
    plan: Vec<String>,
) -> Result<Exit, Failure> {
    if shell.json {
        shell.json(&Told { command, ok: true, about, sentences, plan })?;
        return Ok(Exit::Fine);
    }
    writeln!(shell.out, "{BOLD}{about}{BOLD:#} {DIM}(in a plan of {} steps){DIM:#}", plan.len())?;
    for sentence in sentences {
        writeln!(shell.out, "  {sentence}")?;
    }
    Ok(Exit::Fine)
}

fn spaceless(text: &str) -> String {
    text.chars().filter(|found| !found.is_whitespace()).collect()
}
