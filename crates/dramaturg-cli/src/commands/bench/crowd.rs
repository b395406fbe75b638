//! What `dramaturg bench runtime` shows of many sessions, alone and beside a load.

use std::io::Write;

use comfy_table::{Table, presets};
use dramaturg_bench::runtime::crowd::{CrowdFigures, IdleFigures};
use dramaturg_bench::runtime::fates::Shares;
use dramaturg_bench::runtime::report::LoadFigures;

use super::runtime::punctuality;
use super::{right, trimmed};
use crate::exit::Failure;
use crate::shell::{Shell, count};
use crate::style::BOLD;

/// Shows sessions, and what an idle one weighs.
pub fn show(shell: &mut Shell, figures: &CrowdFigures, idle: &IdleFigures) -> Result<(), Failure> {
    writeln!(
        shell.out,
        "{BOLD}{} at 60 Hz{BOLD:#}, 5 starts a second each, sent a second ahead, games in another process: {} tasks\n",
        count(figures.sessions, "session"),
        figures.tasks
    )?;
    summary(shell, figures)?;
    let resident = idle.resident_bytes.map_or("?".to_owned(), |bytes| (bytes / 1024).to_string());
    writeln!(
        shell.out,
        "An idle session holds {} KiB; the process grew by {resident} KiB for each.\n",
        idle.allocated_bytes / 1024
    )?;
    Ok(())
}

fn summary(shell: &mut Shell, figures: &CrowdFigures) -> Result<(), Failure> {
    punctuality(shell, &figures.punctuality, figures.not_started)?;
    writeln!(
        shell.out,
        "The director used {} cores, the games {}; {} frames were sent again, {} clocks began anew.",
        cores(figures.director_cores),
        cores(figures.games_cores),
        figures.resent,
        figures.clock_relocks
    )?;
    Ok(())
}

/// Shows the same sessions beside processes that never rest.
pub fn show_beside(shell: &mut Shell, alone: &CrowdFigures, load: &LoadFigures) -> Result<(), Failure> {
    let beside = &load.sessions;
    writeln!(
        shell.out,
        "{BOLD}The same beside {}{BOLD:#}, each in a process of the same priority, which used {} cores together\n",
        count(load.processes, "busy loop"),
        cores(load.processes_cores)
    )?;
    summary(shell, beside)?;
    writeln!(shell.out)?;
    let rows = [("alone", alone), ("beside", beside)];
    tasks(shell, rows)?;
    sessions(shell, rows)?;
    cause(shell, rows)
}

/// What became of tasks, by how long before their start the game had them.
fn tasks(shell: &mut Shell, rows: [(&str, &CrowdFigures); 2]) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "there", "tasks", "in their tick", "late", "p50", "p99", "max", "never"]);
    for (name, figures) in rows {
        let fates = &figures.fates;
        for (sent, row) in [("a second ahead", fates.ahead), ("later", fates.short), ("never", fates.absent)] {
            let numbers = [row.tasks, row.on_time, row.late].map(|number| number.to_string());
            let late = [row.late_ticks_p50, row.late_ticks_p99, row.late_ticks_max].map(|ticks| ticks.to_string());
            let words = [name.to_owned(), sent.to_owned()];
            table.add_row(words.into_iter().chain(numbers).chain(late).chain([row.never.to_string()]));
        }
    }
    right(&mut table, 2..9);
    writeln!(
        shell.out,
        "{}\n\nThere: when the game had them. p50, p99 and max: how many ticks late the late ones were.\n",
        trimmed(&table)
    )?;
    for (name, CrowdFigures { fates, .. }) in rows {
        writeln!(
            shell.out,
            "Moved to a later tick by the planner, {name}: {}, by {} ticks at most; {} of them to after the end, which is never.",
            fates.moved, fates.moved_ticks_max, fates.after_end
        )?;
    }
    writeln!(shell.out)?;
    Ok(())
}

/// How tasks are spread over sessions.
fn sessions(shell: &mut Shell, rows: [(&str, &CrowdFigures); 2]) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["of a session's tasks, in %", "", "median", "p1", "worst"]);
    for (name, figures) in rows {
        let fates = &figures.fates;
        for (part, shares) in [("started", fates.started_percent), ("in their tick", fates.on_time_percent)] {
            let Shares { median, p1, worst } = shares;
            let shares = [median, p1, worst].map(|share| format!("{share:.2}"));
            table.add_row([name.to_owned(), part.to_owned()].into_iter().chain(shares));
        }
    }
    right(&mut table, 2..5);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    Ok(())
}

/// What the machine did to both processes.
fn cause(shell: &mut Shell, rows: [(&str, &CrowdFigures); 2]) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "", "cores", "waits for a core %", "wakes late by p50 ms", "p99 ms", "max ms"]);
    for (name, figures) in rows {
        for (process, used, waits) in [
            ("director", figures.director_cores, figures.director_waits),
            ("games", figures.games_cores, figures.games_waits),
        ] {
            let waiting = waits.waiting_percent.map_or("?".to_owned(), |percent| format!("{percent:.1}"));
            let wake = [waits.wake.p50, waits.wake.p99, waits.wake.max].map(|late| format!("{late:.1}"));
            let words = [name.to_owned(), process.to_owned(), cores(used), waiting];
            table.add_row(words.into_iter().chain(wake));
        }
    }
    right(&mut table, 2..7);
    let [(_, alone), (_, beside)] = rows;
    let late = |figures: &CrowdFigures| figures.punctuality.in_skipped_ticks;
    writeln!(
        shell.out,
        "{}\n\nThe machine is the cause of {} late starts ({} alone): the games' process got no core in {} of its ticks ({} alone).\n",
        trimmed(&table),
        late(beside),
        late(alone),
        beside.punctuality.skipped_ticks,
        alone.punctuality.skipped_ticks
    )?;
    Ok(())
}

fn cores(cores: Option<f64>) -> String {
    cores.map_or("?".to_owned(), |cores| format!("{cores:.2}"))
}
