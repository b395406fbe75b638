//! `dramaturg bench classical`: whole command to whole command.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use comfy_table::{Table, presets};
use dramaturg_bench::downward::HOW_TO_INSTALL_DOWNWARD;
use dramaturg_bench::{Attempt, ClassicalBench, ClassicalFigures, Downward};

use super::{Measured, claims, problems, progress, right, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::{BOLD, DIM};

/// Planning beside Fast Downward.
#[derive(Args)]
pub struct Classical {
    /// A folder with `domain.pddl` and problems, or with such folders
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Fast Downward: `fast-downward.py` or its folder [default: that of the Python package up_fast_downward, if there is one]
    #[arg(long, value_name = "PATH")]
    downward: Option<PathBuf>,
    /// The Python that runs it
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// How long a command may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// How often each is run
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

impl Classical {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let downward = match &self.downward {
            None => Downward::find(&self.python),
            Some(path) => Some(Downward::at(path, &self.python).ok_or_else(|| {
                let failure = Failure::trouble(format!("`{}` is not Fast Downward", path.display()));
                failure.hint(HOW_TO_INSTALL_DOWNWARD)
            })?),
        };
        let trouble = |what: &str, error: std::io::Error| Failure::trouble(format!("{what}: {error}"));
        let bench = ClassicalBench {
            problems: problems(&self.folder)?,
            program: std::env::current_exe().map_err(|error| trouble("this program is not found", error))?,
            downward,
            limit: Duration::from_secs(self.limit.into()),
            repeat: self.repeat as usize,
        };
        let scratch = tempfile::tempdir().map_err(|error| trouble("no folder to work in", error))?;
        let figures = bench
            .run(scratch.path(), &mut progress(shell))
            .map_err(|error| trouble("a command cannot be run", error))?;
        if shell.json {
            shell.json(&Measured { command: "bench", what: "classical", ok: true, figures: &figures })?;
        } else {
            tell(shell, &figures)?;
        }
        Ok(Exit::Fine)
    }
}

fn tell(shell: &mut Shell, figures: &ClassicalFigures) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["problem", "s", "steps", "states", "MiB", "peer s", "steps", "states", "MiB", "ratio"]);
    for problem in &figures.problems {
        let mut row = vec![problem.name.clone()];
        row.extend(cells(Some(&problem.ours)));
        row.extend(cells(problem.peer.as_ref()));
        row.push(problem.ratio.map_or_else(none, |ratio| format!("{ratio:.1}×")));
        table.add_row(row);
    }
    right(&mut table, 1..10);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    let (all, limit) = (figures.problems.len(), figures.limit);
    writeln!(shell.out, "{BOLD}{} of {all}{BOLD:#} solved within {limit} s each.", figures.solved)?;
    let (Some(solved), Some(seconds), Some(steps)) = (figures.peer_solved, figures.peer_seconds, figures.peer_steps)
    else {
        writeln!(shell.out, "{DIM}No Fast Downward to compare with: {HOW_TO_INSTALL_DOWNWARD}.{DIM:#}")?;
        return Ok(());
    };
    writeln!(shell.out, "Fast Downward, LAMA's first iteration, solved {solved}.")?;
    writeln!(
        shell.out,
        "What both solved took {:.1} s and {} steps; Fast Downward {seconds:.1} s and {steps} steps.\n",
        figures.seconds, figures.steps
    )?;
    claims(shell, &figures.claims)
}

fn none() -> String {
    "–".to_owned()
}

fn cells(attempt: Option<&Attempt>) -> [String; 4] {
    let Some(attempt) = attempt else { return [none(), none(), none(), none()] };
    let steps = if attempt.solved { attempt.steps.to_string() } else { none() };
    let seconds = if attempt.solved { format!("{:.3}", attempt.seconds) } else { none() };
    let states = attempt.states.map_or_else(none, |states| states.to_string());
    let memory = attempt.kilobytes.map_or_else(none, |kilobytes| (kilobytes / 1024).to_string());
    [seconds, steps, states, memory]
}
