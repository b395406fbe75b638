//! `dramaturg bench`: the figures that claims about speed and memory rest on.

mod characters;
mod classical;
mod crowd;
mod job_shop;
mod realtime;
mod repair;
mod runtime;
mod temporal;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use dramaturg_bench::claim::Sense;
use dramaturg_bench::translator::HOW_TO_INSTALL;
use dramaturg_bench::{Claim, CompileBench, GroundBench, Timing, Translator, ValidateBench};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::{BAD, BOLD, DIM, GOOD};

/// Measure speed and memory on this machine
///
/// Each figure stands beside its target and a stated baseline of the same run. Missing a target is reported and is no error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg bench compile
  dramaturg bench ground benchmarks/classical --repeat 20
  dramaturg bench classical benchmarks --python venv/bin/python
  dramaturg bench temporal benchmarks/temporal --python venv/bin/python
  dramaturg bench job-shop benchmarks/jobshop/ft10.txt
  dramaturg bench characters
  dramaturg bench repair
  dramaturg bench validate --json
  dramaturg bench runtime
  dramaturg bench runtime --only ticks,hand-over --seconds 20
  dramaturg bench runtime --only sessions --beside-load
  dramaturg bench realtime --only ft06,logistics")]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The compiler, on a generated story
    Compile {
        /// How many lines the story has
        #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
        lines: usize,
        /// Which story
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        repeat: Repeat,
    },
    /// Grounding, on a folder of PDDL problems, beside Fast Downward's translator
    Ground {
        /// A folder with `domain.pddl` and problems, or with such folders
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// The translator: `translate.py` or the folder `fast_downward/translate` [default: that of the Python package
        /// up_fast_downward, if there is one]
        #[arg(long, value_name = "PATH")]
        translator: Option<PathBuf>,
        /// The Python that runs it
        #[arg(long, value_name = "PATH", default_value = "python3")]
        python: PathBuf,
        #[command(flatten)]
        repeat: Repeat,
    },
    /// Planning of classical and ADL problems, beside Fast Downward's LAMA
    Classical(classical::Classical),
    /// Planning of problems with durations, beside LPG-td
    Temporal(temporal::Temporal),
    /// Job-shop problems, beside the shortest plans there are
    JobShop(job_shop::JobShops),
    /// Characters that plan: goals one by one and together, and many characters at once
    Characters(characters::Characters),
    /// The story's own planner: repairs in a second on short and long plans, first plans, plans after a surprise
    Repair(repair::Repair),
    /// The simulator and the validator, on a long plan
    Validate {
        /// How many steps the plan has
        #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
        steps: usize,
        #[command(flatten)]
        repeat: Repeat,
    },
    /// Director, wire and executor in real time: ticks, ways of sending, hand-over, many sessions
    Runtime(runtime::Runtime),
    /// Job-shops and logistics at 60 ticks a second, planned while machines are delayed and break down
    Realtime(realtime::Realtime),
    /// The games of `runtime`, in a process of their own
    #[command(hide = true)]
    Games,
}

#[derive(Args)]
struct Repeat {
    /// How often each thing is done
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

#[derive(Serialize)]
struct Measured<'a, T: Serialize> {
    command: &'static str,
    what: &'static str,
    ok: bool,
    #[serde(flatten)]
    figures: &'a T,
}

impl Bench {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        match &self.what {
            What::Compile { lines, seed, repeat } => {
                let bench = CompileBench { lines: *lines, repeat: repeat.repeat as usize, seed: *seed };
                compile(shell, bench)
            }
            What::Ground { folder, translator, python, repeat } => {
                let problems = problems(folder)?;
                let translator = peer(translator.as_deref(), python)?;
                ground(shell, GroundBench { problems, repeat: repeat.repeat as usize, translator })
            }
            What::Validate { steps, repeat } => {
                validate(shell, ValidateBench { steps: *steps, repeat: repeat.repeat as usize })
            }
            What::Classical(bench) => bench.run(shell),
            What::Temporal(bench) => bench.run(shell),
            What::JobShop(bench) => bench.run(shell),
            What::Characters(bench) => bench.run(shell),
            What::Repair(bench) => bench.run(shell),
            What::Runtime(bench) => bench.run(shell),
            What::Realtime(bench) => bench.run(shell),
            What::Games => runtime::games(shell),
        }
    }
}

/// The PDDL problems in a folder.
fn problems(folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let problems = GroundBench::find(folder)
        .map_err(|error| Failure::trouble(format!("cannot read `{}`: {error}", folder.display())))?;
    if problems.is_empty() {
        let failure = Failure::trouble(format!("there are no PDDL problems in `{}`", folder.display()));
        return Err(failure.hint("each folder of problems needs a `domain.pddl`"));
    }
    Ok(problems)
}

fn peer(named: Option<&Path>, python: &Path) -> Result<Option<Translator>, Failure> {
    match named {
        None => Ok(Translator::find(python)),
        Some(path) => match Translator::at(path, python) {
            Some(translator) => Ok(Some(translator)),
            None => {
                let failure = Failure::trouble(format!("`{}` is not the translator", path.display()));
                Err(failure.hint(HOW_TO_INSTALL))
            }
        },
    }
}

/// Progress on standard error, for people only.
fn progress(shell: &Shell) -> impl FnMut(usize, usize) + use<> {
    let target = if shell.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}") {
        bar.set_style(style);
    }
    move |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        if done == all {
            bar.finish_and_clear();
        }
    }
}

fn compile(shell: &mut Shell, bench: CompileBench) -> Result<Exit, Failure> {
    let figures = bench.run(&crate::MEMORY, &mut progress(shell));
    let ok = figures.errors == 0;
    if shell.json {
        shell.json(&Measured { command: "bench", what: "compile", ok, figures: &figures })?;
        return Ok(Exit::fine_if(ok));
    }
    let kilobytes = figures.bytes / 1024;
    writeln!(shell.out, "{BOLD}A generated story of {} lines{BOLD:#}, {kilobytes} KiB\n", figures.lines)?;
    timings(
        shell,
        &[
            ("compile: parse, resolve, check, lower", &figures.compile),
            (&format!("check again after an edit of one line, in {} files", figures.files), &figures.recheck),
            ("check again after an edit of one line, all in one file", &figures.recheck_one_file),
            ("parse alone", &figures.parse),
            ("baseline: split into words", &figures.words),
        ],
    )?;
    let (peak, held) = (figures.peak_bytes / 1024, figures.result_bytes / 1024);
    writeln!(shell.out, "Compiling takes {:.0} times as long as splitting into words.", figures.ratio)?;
    writeln!(shell.out, "At most {peak} KiB were allocated at once; the result holds {held} KiB.\n")?;
    claims(shell, &figures.claims)?;
    Ok(Exit::fine_if(ok))
}

fn validate(shell: &mut Shell, bench: ValidateBench) -> Result<Exit, Failure> {
    let figures = bench.run(&mut progress(shell));
    if shell.json {
        shell.json(&Measured { command: "bench", what: "validate", ok: figures.valid, figures: &figures })?;
        return Ok(Exit::fine_if(figures.valid));
    }
    writeln!(shell.out, "{BOLD}A plan of {} steps{BOLD:#}\n", figures.steps)?;
    timings(
        shell,
        &[
            ("simulate a story", &figures.simulate),
            ("validate a story's plan", &figures.validate),
            ("validate a plan of classical PDDL", &figures.validate_pddl),
            ("read the plan file", &figures.read),
            ("200 ticks of 250 citizens, two rules each", &figures.rules),
            ("copy their world", &figures.copy),
            ("baseline: look up every name", &figures.names),
        ],
    )?;
    writeln!(shell.out, "Validating takes {:.0} times as long as looking up names.\n", figures.ratio)?;
    claims(shell, &figures.claims)?;
    Ok(Exit::fine_if(figures.valid))
}

fn ground(shell: &mut Shell, bench: GroundBench) -> Result<Exit, Failure> {
    let scratch = tempfile::tempdir().map_err(|error| Failure::trouble(format!("no folder to work in: {error}")))?;
    let figures = bench
        .run(scratch.path(), &mut progress(shell))
        .map_err(|error| Failure::trouble(format!("cannot read a problem: {error}")))?;
    if shell.json {
        shell.json(&Measured { command: "bench", what: "ground", ok: true, figures: &figures })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "problem",
        "p50 ms",
        "p99 ms",
        "max ms",
        "actions",
        "variables",
        "translator ms",
        "its actions",
        "ratio",
    ]);
    let shown = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    for problem in &figures.problems {
        table.add_row([
            problem.name.clone(),
            format!("{:.2}", problem.ground.p50),
            format!("{:.2}", problem.ground.p99),
            format!("{:.2}", problem.ground.max),
            problem.operators.to_string(),
            problem.variables.to_string(),
            shown(problem.translator.map(|peer| format!("{peer:.0}"))),
            shown(problem.translator_operators.map(|peer| peer.to_string())),
            shown(problem.ratio.map(|ratio| format!("{ratio:.0}×"))),
        ]);
    }
    right(&mut table, 1..9);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    for limit in figures.problems.iter().filter_map(|problem| problem.limit.as_ref()) {
        writeln!(shell.out, "{limit}")?;
    }
    match figures.median_ratio {
        Some(_) => claims(shell, &figures.claims)?,
        None => writeln!(shell.out, "{DIM}No translator to compare with: {HOW_TO_INSTALL}.{DIM:#}")?,
    }
    Ok(Exit::Fine)
}

fn timings(shell: &mut Shell, rows: &[(&str, &Timing)]) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "p50 ms", "p99 ms", "max ms", "runs"]);
    for (name, timing) in rows {
        let figure = |value: f64| format!("{value:.3}");
        let figures = [figure(timing.p50), figure(timing.p99), figure(timing.max), timing.runs.to_string()];
        table.add_row(std::iter::once((*name).to_owned()).chain(figures));
    }
    right(&mut table, 1..5);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    Ok(())
}

fn claims(shell: &mut Shell, claims: &[Claim]) -> Result<(), Failure> {
    for Claim { name, value, unit, sense, target, met } in claims {
        let mark = if *met { format!("{GOOD}  met{GOOD:#}") } else { format!("{BAD}missed{BAD:#}") };
        let mark = if *met { format!(" {mark}") } else { mark };
        let sense = match sense {
            Sense::AtMost => "at most",
            Sense::AtLeast => "at least",
        };
        // Where a hundredth of one in a hundred counts, it must show.
        let digits = if *unit == "%" { 3 } else { 1 };
        writeln!(
            shell.out,
            "{mark}  {name}: {BOLD}{value:.digits$}{BOLD:#} {unit} {DIM}({sense} {target} {unit}){DIM:#}"
        )?;
    }
    Ok(())
}

fn right(table: &mut Table, columns: std::ops::Range<usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Without blanks at the ends of lines.
pub fn trimmed(table: &Table) -> String {
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
