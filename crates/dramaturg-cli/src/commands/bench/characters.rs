//! `dramaturg bench characters`: characters that plan.

use std::io::Write;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use dramaturg_bench::CharactersBench;

use super::{Measured, claims, progress};
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::BOLD;

/// Characters that plan.
#[derive(Args)]
pub struct Characters {
    /// How often each plan is made; one that takes long is made once
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// How many characters share a world, or do not
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    sharing: u32,
    /// How many levels of five characters plan again at once
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    levels: u32,
    /// How often the plan of each prince comes to grief, and is mended
    #[arg(long, value_name = "NUMBER", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    failures: u32,
}

impl Characters {
    /// Measures.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let bench = CharactersBench {
            repeat: self.repeat as usize,
            sharing: self.sharing as usize,
            levels: self.levels as usize,
            failures: self.failures as usize,
        };
        let figures = bench.run(&mut progress(shell));
        if shell.json {
            shell.json(&Measured { command: "bench", what: "characters", ok: figures.valid, figures: &figures })?;
            return Ok(Exit::fine_if(figures.valid));
        }
        writeln!(shell.out, "{BOLD}Goals of the two princes of Troy{BOLD:#}\n")?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["", "", "steps", "nodes", "p50 ms", "p99 ms", "max ms", "runs"]);
        for row in &figures.rows {
            table.add_row([
                row.title.to_owned(),
                row.method.name().to_owned(),
                row.steps.map_or_else(|| "stopped".to_owned(), |steps| steps.to_string()),
                row.nodes.to_string(),
                format!("{:.3}", row.time.p50),
                format!("{:.3}", row.time.p99),
                format!("{:.3}", row.time.max),
                row.time.runs.to_string(),
            ]);
        }
        for column in table.column_iter_mut().skip(2) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(shell.out, "{table}\n")?;
        let literal = if figures.literal_finds_paris { "finds" } else { "does not find" };
        writeln!(shell.out, "The paper's first algorithm, to the letter, {literal} a plan for Paris.")?;
        let sharing = &figures.sharing;
        writeln!(
            shell.out,
            "{} characters: {:.1} ms to read and ground a shared world, {:.1} ms for private ones; {:.1} ms to plan. Sharing saves \
             {:.2} % of all that (the paper: 93.66 %).",
            sharing.characters, sharing.shared_ms, sharing.private_ms, sharing.planning_ms, sharing.saved_percent
        )?;
        let repairs = &figures.repairs;
        writeln!(
            shell.out,
            "{} plans came to grief: mending went on from {} states ({} times from none), planning anew from {}; {:.0} % of the steps \
             that were left stay, {:.0} % when planned anew; {} steps in all, {} anew.",
            repairs.failures,
            repairs.mended_expanded,
            repairs.without_search,
            repairs.anew_expanded,
            repairs.mended_stability * 100.0,
            repairs.anew_stability * 100.0,
            repairs.mended_steps,
            repairs.anew_steps
        )?;
        let frames = &figures.frames;
        writeln!(
            shell.out,
            "{} characters, {} of them with goals: planned again in {} frames of {} ms, {:.2} s; {:.2} ms in the longest.\n",
            frames.characters, frames.with_goals, frames.frames, frames.budget_ms, frames.seconds, frames.longest_ms
        )?;
        claims(shell, &figures.claims)?;
        Ok(Exit::fine_if(figures.valid))
    }
}
