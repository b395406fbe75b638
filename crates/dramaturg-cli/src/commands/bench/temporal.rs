//! `dramaturg bench temporal`: whole command to whole command.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};
use dramaturg_bench::lpg::HOW_TO_INSTALL_LPG;
use dramaturg_bench::{Lpg, TemporalAttempt, TemporalBench, TemporalFigures};

use super::{Measured, claims, problems, progress, right, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::{BOLD, DIM};

/// Planning in time beside LPG-td.
#[derive(Args)]
pub struct Temporal {
    /// A folder with `domain.pddl` and problems, or with such folders
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// LPG-td's program [default: that of the Python package up_lpg, if there is one]
    #[arg(long, value_name = "PATH")]
    lpg: Option<PathBuf>,
    /// The Python that has the package
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// How long each looks for better plans, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

impl Temporal {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let lpg = match &self.lpg {
            None => Lpg::find(&self.python),
            Some(path) => Some(Lpg::at(path).ok_or_else(|| {
                let failure = Failure::trouble(format!("`{}` is not LPG's program", path.display()));
                failure.hint(HOW_TO_INSTALL_LPG)
            })?),
        };
        let trouble = |what: &str, error: std::io::Error| Failure::trouble(format!("{what}: {error}"));
        let bench = TemporalBench {
            problems: problems(&self.folder)?,
            program: std::env::current_exe().map_err(|error| trouble("this program is not found", error))?,
            lpg,
            seconds: self.seconds,
        };
        let scratch = tempfile::tempdir().map_err(|error| trouble("no folder to work in", error))?;
        let figures = bench
            .run(scratch.path(), &mut progress(shell))
            .map_err(|error| trouble("a command cannot be run", error))?;
        if shell.json {
            shell.json(&Measured { command: "bench", what: "temporal", ok: true, figures: &figures })?;
        } else {
            tell(shell, &figures)?;
        }
        Ok(Exit::Fine)
    }
}

fn tell(shell: &mut Shell, figures: &TemporalFigures) -> Result<(), Failure> {
    let best = format!("in {} s", figures.seconds);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["problem", "first s", "takes", &best, "steps", "peer s", "takes", &best, "steps", "ratio"]);
    for problem in &figures.problems {
        let mut row = vec![problem.name.clone()];
        row.extend(cells(Some(&problem.ours)));
        row.extend(cells(problem.peer.as_ref()));
        let ratio = problem.ours.makespan.zip(problem.peer.and_then(|peer| peer.makespan));
        row.push(shown(ratio.map(|(ours, peer)| ours / peer), 3));
        table.add_row(row);
    }
    right(&mut table, 1..10);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    let (all, seconds) = (figures.problems.len(), figures.seconds);
    writeln!(shell.out, "{BOLD}{} of {all}{BOLD:#} solved within {seconds} s each.", figures.solved)?;
    let Some(solved) = figures.peer_solved else {
        writeln!(shell.out, "{DIM}No LPG to compare with: {HOW_TO_INSTALL_LPG}.{DIM:#}")?;
        return Ok(());
    };
    writeln!(shell.out, "LPG-td solved {solved}. Its times are those of its plan files; ratio is our time by its.\n")?;
    claims(shell, &figures.claims)
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

fn cells(attempt: Option<&TemporalAttempt>) -> [String; 4] {
    let Some(attempt) = attempt else { return std::array::from_fn(|_| shown(None, 0)) };
    let steps = attempt.makespan.map(|_| attempt.steps as f64);
    [shown(attempt.first_seconds, 3), shown(attempt.first_makespan, 1), shown(attempt.makespan, 1), shown(steps, 0)]
}
