//! `dramaturg bench runtime`: how soon and how surely tasks reach games.

use std::io::Write;
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use dramaturg_bench::RuntimeBench;
use dramaturg_bench::runtime::elsewhere::play_as_told;
use dramaturg_bench::runtime::flood::FloodFigures;
use dramaturg_bench::runtime::handover::HandoverFigures;
use dramaturg_bench::runtime::machine::Machine;
use dramaturg_bench::runtime::punctual::Punctuality;
use dramaturg_bench::runtime::report::PoliciesFigures;
use dramaturg_bench::runtime::{RuntimeFigures, Section};
use dramaturg_wire::LinkError;

use super::{Measured, claims, crowd, progress, right, timings, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::style::{BOLD, DIM};

/// What may be asked for.
#[derive(Args)]
pub struct Runtime {
    /// Only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// How long tasks start in `ticks` and `sessions`; the other parts take half as long
    #[arg(long, value_name = "NUMBER", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// How many sessions there are in `sessions`
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    sessions: u32,
    /// How many tasks start in a second in `ticks`
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    starts: u32,
    /// How many seconds before their start tasks are sent in `ticks`
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60))]
    ahead: u32,
    /// Measure `sessions` once more beside so many processes that never rest [default: as many as there are cores]
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, value_parser = clap::value_parser!(u32).range(1..=1_024))]
    beside_load: Option<Option<u32>>,
    /// Which streams of tasks
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

/// A part of the measurement.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// One game that starts a thousand tasks a second.
    Ticks,
    /// Decoupled sending beside the paper's way.
    Policies,
    /// From a published plan to the executor.
    HandOver,
    /// A thousand sessions, and what an idle one weighs.
    Sessions,
}

impl Part {
    fn section(self) -> Section {
        match self {
            Self::Ticks => Section::Ticks,
            Self::Policies => Section::Policies,
            Self::HandOver => Section::HandOver,
            Self::Sessions => Section::Sessions,
        }
    }
}

impl Runtime {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let sections = match self.only.as_slice() {
            [] => Section::ALL.to_vec(),
            only => only.iter().map(|part| part.section()).collect(),
        };
        if self.beside_load.is_some() && !sections.contains(&Section::Sessions) {
            let failure = Failure::usage("--beside-load measures the part `sessions`, which --only leaves out");
            return Err(failure.hint("add `sessions` to --only"));
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let processes = |number: Option<u32>| number.map_or_else(cores, |number| number as usize);
        let bench = RuntimeBench {
            beside_load: self.beside_load.map(processes),
            sections,
            seconds: self.seconds,
            ahead_seconds: self.ahead,
            starts: self.starts,
            sessions: self.sessions as usize,
            seed: self.seed,
        };
        let spawn = || {
            let mut games = Command::new(std::env::current_exe()?);
            games.args(["bench", "games"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        };
        let figures = bench.run(&crate::MEMORY, &spawn, &mut progress(shell)).map_err(|error| trouble(&error))?;
        if shell.json {
            shell.json(&Measured { command: "bench", what: "runtime", ok: figures.complete, figures: &figures })?;
        } else {
            self.show(shell, &figures)?;
        }
        Ok(Exit::fine_if(figures.complete))
    }

    fn show(&self, shell: &mut Shell, figures: &RuntimeFigures) -> Result<(), Failure> {
        machine(shell, &figures.machine)?;
        if let Some(ticks) = &figures.ticks {
            self.ticks(shell, ticks)?;
        }
        if let Some(policies) = &figures.policies {
            ways(shell, policies)?;
        }
        if let Some(hand_over) = &figures.hand_over {
            handed_over(shell, hand_over)?;
        }
        if let Some((sessions, idle)) = figures.sessions.as_ref().zip(figures.idle.as_ref()) {
            crowd::show(shell, sessions, idle)?;
            if let Some(load) = &figures.beside_load {
                crowd::show_beside(shell, sessions, load)?;
            }
        }
        claims(shell, &figures.claims)
    }

    fn ticks(&self, shell: &mut Shell, figures: &FloodFigures) -> Result<(), Failure> {
        let FloodFigures { tasks, waiting_mean, .. } = figures;
        writeln!(
            shell.out,
            "{BOLD}One game over TCP, {} starts a second{BOLD:#}, sent {} s ahead, the game in another process: {tasks} tasks, {waiting_mean:.0} waiting\n",
            self.starts, self.ahead
        )?;
        timings(
            shell,
            &[
                ("executor: decode, tick, encode", &figures.tick),
                ("the same, undisturbed by the machine", &figures.calm),
                ("the whole frame, with the socket", &figures.frame),
                ("baseline: the game's thread wakes late by", &figures.wake),
            ],
        )?;
        punctuality(shell, &figures.punctuality, figures.not_started)?;
        let ratio = figures.frame.p50 / figures.tick.p50;
        writeln!(
            shell.out,
            "The whole frame takes {ratio:.1} times as long as the executor's part, which asked for memory {} times in {} ticks.\n",
            figures.allocations, figures.ticks
        )?;
        Ok(())
    }
}

fn machine(shell: &mut Shell, machine: &Machine) -> Result<(), Failure> {
    let load = |load: Option<f64>| load.map_or("unknown".to_owned(), |load| format!("{load:.2}"));
    let Machine { cores, load_before, load_after } = machine;
    writeln!(
        shell.out,
        "{DIM}{}; load before {}, after {}.{DIM:#}\n",
        count(*cores, "core"),
        load(*load_before),
        load(*load_after)
    )?;
    Ok(())
}

/// Shows when tasks started.
pub fn punctuality(shell: &mut Shell, noted: &Punctuality, not_started: u64) -> Result<(), Failure> {
    let Punctuality { on_time, in_skipped_ticks, late, skipped_ticks } = noted;
    writeln!(
        shell.out,
        "In their tick {on_time}; late {late}; never {not_started}; in one of {skipped_ticks} ticks that the machine slept through \
         {in_skipped_ticks}."
    )?;
    Ok(())
}

fn ways(shell: &mut Shell, figures: &PoliciesFigures) -> Result<(), Failure> {
    writeln!(shell.out, "{BOLD}Ways of sending{BOLD:#}, ω 60, υ 12, μ 1\n")?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "tasks", "on time", "late", "lost", "lock lead", "reaction", "longest"]);
    for row in &figures.rows {
        table.add_row([
            row.name.clone(),
            row.figures.tasks.to_string(),
            row.figures.on_time.to_string(),
            row.figures.late.to_string(),
            row.figures.lost.to_string(),
            format!("{:.1}", row.figures.lock_lead_ticks_mean),
            format!("{:.1}", row.figures.reaction_ticks_mean),
            row.figures.reaction_ticks_max.to_string(),
        ]);
    }
    right(&mut table, 1..8);
    writeln!(shell.out, "{}\n\nLock lead and reaction are in ticks.\n", trimmed(&table))?;
    Ok(())
}

fn handed_over(shell: &mut Shell, figures: &HandoverFigures) -> Result<(), Failure> {
    writeln!(shell.out, "{BOLD}From a published plan to the executor's queue{BOLD:#}, over TCP\n")?;
    timings(shell, &[("hand-over", &figures.hand_over), ("baseline: bare round trip", &figures.round_trip)])?;
    let HandoverFigures { ratio_p50, ratio_p99, lost, .. } = figures;
    writeln!(
        shell.out,
        "A hand-over takes {ratio_p50:.1} times as long as a round trip at p50, {ratio_p99:.1} times at p99; {lost} were lost.\n"
    )?;
    Ok(())
}

/// The other process: games as they are ordered.
pub fn games(shell: &mut Shell) -> Result<Exit, Failure> {
    play_as_told(&crate::MEMORY, &mut shell.out).map_err(|error| trouble(&error))?;
    Ok(Exit::Fine)
}

fn trouble(error: &LinkError) -> Failure {
    Failure::trouble(format!("the measurement broke off: {error}"))
}
