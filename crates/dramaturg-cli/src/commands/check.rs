//! `dramaturg check`: what is wrong with stories, and what could be better.

mod one;
mod watch;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use dramaturg::model::Severity;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count, time};
use crate::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD};
use crate::targets::{self, Target};
use one::{Checked, Outcome};

/// Check stories and their plays
///
/// Each story is read with everything it uses and with the `.play` beside it. Of a folder with several stories all are checked. A
/// file without `story` header is a part of other stories: only its syntax can be checked. PDDL is checked too: name a domain
/// before its problems, or a folder with `domain.pddl`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg check apple.story
  dramaturg check stories/ --hints
  dramaturg check --watch mystory           check again whenever a file changes
  dramaturg check domain.pddl problem.pddl")]
pub struct Check {
    /// Stories, folders or PDDL files
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Check again whenever a file changes, until stopped by Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Exit 1 on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Show hints, which are otherwise only counted
    #[arg(long)]
    hints: bool,
    /// Also search for dead ends: slow
    #[arg(long)]
    deep: bool,
}

#[derive(Serialize)]
struct Run<'a> {
    command: &'static str,
    ok: bool,
    stories: Vec<one::Json<'a>>,
}

impl Check {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        if self.watch {
            return watch::watch(self, shell);
        }
        let checked = self.check_all()?;
        self.report(shell, &checked, false)
    }

    /// Checks everything that was named.
    fn check_all(&self) -> Result<Vec<Checked>, Failure> {
        let targets = targets::targets(&self.paths)?;
        let mut checked = Vec::new();
        let mut used = BTreeSet::new();
        for target in &targets {
            let one = one::check(target, self.deep)?;
            used.extend(one.sources.iter().map(|(_, file)| PathBuf::from(&file.path)));
            checked.push(one);
        }
        for part in targets::unused_parts(&self.paths, &used)? {
            checked.push(one::check(&Target::Story(part), false)?);
        }
        Ok(checked)
    }

    fn is_fine(&self, checked: &Checked) -> bool {
        match checked.outcome() {
            Outcome::Fine => true,
            Outcome::Warnings => !self.deny_warnings,
            Outcome::Errors => false,
        }
    }

    /// Shows what was found, and the code to end with.
    fn report(&self, shell: &mut Shell, checked: &[Checked], one_line: bool) -> Result<Exit, Failure> {
        let ok = checked.iter().all(|one| self.is_fine(one));
        if shell.json {
            let run = Run { command: "check", ok, stories: checked.iter().map(Checked::json).collect() };
            if one_line {
                shell.json_line(&run)?
            } else {
                shell.json(&run)?
            }
            return Ok(Exit::fine_if(ok));
        }
        let least = if self.hints { Severity::Hint } else { Severity::Warning };
        for one in checked {
            shell.show(&one.sources, &one.diagnostics, least)?;
        }
        for one in checked {
            writeln!(shell.out, "{}", self.summary(one))?;
        }
        if checked.len() > 1 {
            let faulty = checked.iter().filter(|one| !self.is_fine(one)).count();
            let total = checked.iter().map(|one| one.elapsed).sum();
            let verdict = match faulty {
                0 => format!("{GOOD}all fine{GOOD:#}"),
                _ => format!("{BAD}{faulty} of them with faults{BAD:#}"),
            };
            let files = count(checked.len(), "story").replace("storys", "stories");
            writeln!(shell.out, "{files} checked in {}: {verdict}", time(total))?;
        }
        shell.out.flush()?;
        Ok(Exit::fine_if(ok))
    }

    fn summary(&self, one: &Checked) -> String {
        let mut parts = Vec::new();
        let of = |severity| one.diagnostics.iter().filter(|found| found.severity() == severity).count();
        let (errors, warnings, hints) = (of(Severity::Error), of(Severity::Warning), of(Severity::Hint));
        if errors > 0 {
            parts.push(format!("{BAD}{}{BAD:#}", count(errors, "error")));
        }
        if warnings > 0 {
            parts.push(format!("{DOUBTFUL}{}{DOUBTFUL:#}", count(warnings, "warning")));
        }
        if parts.is_empty() {
            parts.push(if one.is_part { "no syntax faults".to_owned() } else { "no faults".to_owned() });
        }
        if hints > 0 {
            let see = if self.hints { "" } else { " (see `--hints`)" };
            parts.push(format!("{}{DIM}{see}{DIM:#}", count(hints, "hint")));
        }
        if one.plays > 0 {
            parts.push(count(one.plays, "play"));
        }
        let word = match (self.is_fine(one), one.is_part) {
            (false, _) => format!("{BAD}faulty{BAD:#}"),
            (true, true) => format!("{DIM}  part{DIM:#}"),
            (true, false) => format!("{GOOD}  fine{GOOD:#}"),
        };
        let note = if one.is_part { ", a part of other stories: only its syntax was checked" } else { "" };
        let (path, parts, elapsed) = (&one.path, parts.join(", "), time(one.elapsed));
        format!("{word} {BOLD}{path}{BOLD:#}: {parts}{note} {DIM}({elapsed}){DIM:#}")
    }
}
