//! `dramaturg bench realtime`: problems that are planned while they are performed, and go wrong meanwhile.

use std::io::Write;

use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use dramaturg_bench::RealtimeBench;
use dramaturg_bench::realtime::RealtimeFigures;
use dramaturg_bench::realtime::report::{self, Makespans, PieceFigures};
use dramaturg_bench::realtime::wilson::Share;

use super::{Measured, claims, progress, right, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::style::BOLD;

/// What may be asked for.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg bench realtime
  dramaturg bench realtime --only ft06,la01 --seeds 30
  dramaturg bench realtime --only live --games 8
  dramaturg bench realtime --only logistics --seed 7 --json")]
pub struct Realtime {
    /// Only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// How many bad days each problem has in virtual time, each with a seed of its own
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// Units of work that the planner may spend in 50 ms of virtual time
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    units: u32,
    /// How many games are played side by side in `live`
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    games: u32,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

/// A part of the measurement.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The job-shop of Fisher and Thompson with six jobs.
    Ft06,
    /// The first job-shop of Lawrence.
    La01,
    /// The job-shop of Fisher and Thompson with ten jobs.
    Ft10,
    /// A random job-shop in which jobs come one by one.
    Releases,
    /// Random logistics.
    Logistics,
    /// `ft06` at 60 ticks a second, over TCP.
    Live,
}

impl Part {
    fn part(self) -> report::Part {
        match self {
            Self::Ft06 => report::Part::Ft06,
            Self::La01 => report::Part::La01,
            Self::Ft10 => report::Part::Ft10,
            Self::Releases => report::Part::Releases,
            Self::Logistics => report::Part::Logistics,
            Self::Live => report::Part::Live,
        }
    }
}

impl Realtime {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let parts = match self.only.as_slice() {
            [] => report::Part::ALL.to_vec(),
            only => only.iter().map(|part| part.part()).collect(),
        };
        let Self { seeds: days, units, games, seed, .. } = *self;
        let bench = RealtimeBench { parts, days, units, games, seed };
        let figures = bench
            .run(&mut progress(shell))
            .map_err(|error| Failure::trouble(format!("the measurement broke off: {error}")))?;
        if shell.json {
            shell.json(&Measured { command: "bench", what: "realtime", ok: figures.complete, figures: &figures })?;
        } else {
            self.tell(shell, &figures)?;
        }
        Ok(Exit::fine_if(figures.complete))
    }

    fn tell(&self, shell: &mut Shell, figures: &RealtimeFigures) -> Result<(), Failure> {
        writeln!(
            shell.out,
            "{BOLD}Planned while performed, at 60 ticks a second{BOLD:#}: {} for each, {} units of work in 50 ms; live: {} side by side\n",
            count(figures.days as usize, "bad day"),
            figures.units,
            count(self.games as usize, "game")
        )?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["makespan", "shortest", "calm", "above %", "disturbed", "above %", "only shifted", "ratio"]);
        for piece in &figures.pieces {
            let shortest = piece.optimum.map_or_else(none, |optimum| optimum.to_string());
            let ratio = piece.ratio.map_or_else(none, |ratio| format!("{ratio:.3}"));
            table.add_row([
                called(piece),
                shortest,
                mean(&piece.calm),
                above(piece, &piece.calm),
                mean(&piece.replanned),
                above(piece, &piece.replanned),
                mean(&piece.shifted),
                ratio,
            ]);
        }
        right(&mut table, 1..8);
        writeln!(shell.out, "{}\n", trimmed(&table))?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header([
            "started in their tick",
            "",
            "sent",
            "in it",
            "refused",
            "missed",
            "unsent",
            "%",
            "95 % interval",
        ]);
        for piece in &figures.pieces {
            for (day, tally, share) in
                [("calm", &piece.calm_tally, &piece.calm_reliability), ("disturbed", &piece.tally, &piece.reliability)]
            {
                table.add_row([
                    called(piece),
                    day.to_owned(),
                    tally.sent.to_string(),
                    tally.on_time.to_string(),
                    tally.refused.to_string(),
                    (tally.missed + tally.belated).to_string(),
                    tally.unsent.to_string(),
                    format!("{:.2}", share.share * 100.0),
                    interval(share),
                ]);
            }
        }
        right(&mut table, 2..9);
        writeln!(shell.out, "{}\n", trimmed(&table))?;
        let disturbed: u64 = figures.pieces.iter().map(|piece| piece.disturbed).sum();
        let breaches: u64 = figures.pieces.iter().map(|piece| piece.breaches).sum();
        let unfinished =
            |piece: &PieceFigures| piece.calm.unfinished + piece.replanned.unfinished + piece.shifted.unfinished;
        let unfinished: u64 = figures.pieces.iter().map(unfinished).sum();
        writeln!(
            shell.out,
            "{disturbed} operations took longer or failed where it was planned anew. {breaches} began before the world was ready; \
             {unfinished} performances did not reach their goals.\n"
        )?;
        claims(shell, &figures.claims)
    }
}

fn none() -> String {
    "–".to_owned()
}

fn called(piece: &PieceFigures) -> String {
    if piece.live { format!("{}, live", piece.name) } else { piece.name.clone() }
}

fn mean(makespans: &Makespans) -> String {
    if makespans.runs == 0 { none() } else { format!("{:.1}", makespans.mean) }
}

/// How much longer than the shortest, or than on a calm day where no shortest is known.
fn above(piece: &PieceFigures, makespans: &Makespans) -> String {
    let shortest = piece.optimum.map_or(piece.calm.mean, f64::from);
    if makespans.runs == 0 || shortest == 0.0 {
        return none();
    }
    format!("{:.1}", (makespans.mean / shortest - 1.0) * 100.0)
}

fn interval(share: &Share) -> String {
    format!("{:.2} to {:.2}", share.low * 100.0, share.high * 100.0)
}
