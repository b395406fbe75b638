//! How well a run went.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use dramaturg::model::Tick;
use dramaturg_director::shell::Figures;
use dramaturg_director::{Journey, Policy};
use serde::Serialize;

use crate::exit::Failure;
use crate::shell::Shell;
use crate::staging::course::Distance;
use crate::staging::outcome::Jitter;
use crate::style::{BOLD, GOOD};

/// How a number came out that the story wants to follow a curve.
#[derive(Serialize)]
pub struct CurveReport {
    /// The number.
    pub name: String,
    /// How far it was off.
    pub came: Distance,
    /// How far it would have been off by the plan made before the story began, if nobody had interfered.
    pub foreseen: Option<Distance>,
}

/// How well it went.
#[derive(Serialize)]
pub struct Report<'a> {
    pub command: &'static str,
    pub ok: bool,
    pub title: &'a str,
    pub link: String,
    pub policy: Policy,
    pub rate: u32,
    pub omega: Tick,
    pub upsilon: u32,
    pub mu: Journey,
    pub seed: u64,
    pub lockstep: bool,
    /// Steps of the script.
    pub steps: usize,
    pub ticks: Tick,
    pub ticks_ran: u64,
    pub ticks_skipped: u64,
    pub tick_jitter_micros: Option<Jitter>,
    pub resent_by_game: u64,
    #[serde(flatten)]
    pub figures: &'a Figures,
    /// How the numbers came out that the story wants to follow a curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurveReport>,
    /// How often the plan was changed, by reason.
    pub replans: BTreeMap<String, u32>,
    /// Where its inputs were written down.
    pub journal: Option<PathBuf>,
    pub trouble: Option<&'a str>,
}

/// Tells it in words.
pub fn show(shell: &mut Shell, report: &Report<'_>) -> Result<(), Failure> {
    let figures = report.figures;
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    let (tasks, on_time) = (figures.tasks, figures.on_time);
    let share = if tasks > 0 { 100.0 * on_time as f64 / tasks as f64 } else { 100.0 };
    writeln!(shell.out, "\n{GOOD}{on_time}{GOOD:#} of {tasks} tasks on time ({share:.2} %)")?;
    let mut row = |name: &str, value: String| writeln!(shell.out, "  {name:<22} {value}");
    row("late", figures.late.to_string())?;
    row("missed", figures.missed.to_string())?;
    row("lost", figures.lost.to_string())?;
    row("blocked", figures.blocked.to_string())?;
    row("refused, failed", format!("{}, {}", figures.refused, figures.failed))?;
    if figures.waiting > 0 {
        row("waiting", figures.waiting.to_string())?;
    }
    row("lock lead", format!("{} ticks", number(figures.lock_lead_ticks_mean)))?;
    row("reaction", format!("{} ticks", number(figures.reaction_ticks_mean)))?;
    let lateness: Vec<_> = figures.lateness_ticks.iter().map(|(late, tasks)| format!("{late}: {tasks}")).collect();
    row("lateness in ticks", lateness.join(", "))?;
    row("clock known to", format!("{} ticks", number(figures.clock_width_ticks_mean)))?;
    if let Some(Jitter { p50, p99, max }) = report.tick_jitter_micros {
        row("tick jitter", format!("p50 {p50} µs, p99 {p99} µs, max {max} µs"))?;
    }
    row("ticks", format!("{}, and {} skipped by the machine", report.ticks_ran, report.ticks_skipped))?;
    row("frames sent again", format!("{} by the director, {} by the game", figures.resent, report.resent_by_game))?;
    row("plans", format!("{} published, {} rejected", figures.published, figures.rejected))?;
    // One reason is the one that there always is.
    for (reason, times) in report.replans.iter().filter(|_| report.replans.len() > 1) {
        row("", format!("{times:>4} because {reason}"))?;
    }
    if let Some(journal) = &report.journal {
        row("journal", journal.display().to_string())?;
    }
    for curve in &report.curves {
        let CurveReport { name, came, foreseen } = curve;
        let off = |distance: &Distance| format!("{:.1} on average, {:.1} at most", distance.mean, distance.max);
        let foreseen = foreseen
            .as_ref()
            .map_or(String::new(), |foreseen| format!("; the first plan, if nobody had played: {}", off(foreseen)));
        writeln!(shell.out, "\n{BOLD}{name}{BOLD:#} was off its curve by {}{foreseen}", off(came))?;
    }
    Ok(())
}
