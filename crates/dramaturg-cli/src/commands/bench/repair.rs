//! `dramaturg bench repair`: the story's own planner.

use std::io::Write;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use dramaturg_bench::RepairBench;

use super::{Measured, claims, progress, timings, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::BOLD;

/// The story's own planner.
#[derive(Args)]
pub struct Repair {
    /// How long the plans are on which repairs are counted
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "100,1000,10000")]
    steps: Vec<u32>,
    /// For how many seconds repairs are counted on each plan
    #[arg(long, value_name = "NUMBER", default_value_t = 2.0)]
    seconds: f64,
    /// How often first plans are made
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

impl Repair {
    /// Measures.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let bench = RepairBench {
            steps: self.steps.iter().map(|steps| *steps as usize).collect(),
            seconds: self.seconds,
            repeat: self.repeat as usize,
        };
        let figures = bench.run(&mut progress(shell));
        if shell.json {
            shell.json(&Measured { command: "bench", what: "repair", ok: true, figures: &figures })?;
            return Ok(Exit::Fine);
        }
        writeln!(shell.out, "{BOLD}Repairs in a second{BOLD:#}\n")?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["", "steps", "per second", "mean error"]);
        for row in &figures.rows {
            table.add_row([
                row.title.to_owned(),
                row.steps.to_string(),
                format!("{:.0}", row.per_second),
                row.error.map_or_else(|| "–".to_owned(), |error| format!("{error:.2}")),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(shell.out, "{}\n", trimmed(&table))?;
        timings(
            shell,
            &[
                ("the first plan of princess that lacks nothing", &figures.first_plan),
                ("a plan that lacks nothing, after a surprise", &figures.again),
            ],
        )?;
        writeln!(shell.out, "The first plan took {} repairs at most.\n", figures.first_repairs)?;
        claims(shell, &figures.claims)?;
        Ok(Exit::Fine)
    }
}
