//! What most commands read: a story or PDDL that can be used.

use std::path::Path;

use dramaturg::model::{Diagnostic, LevelId, Model, ObjectId, Plan, Severity, Sources};
use dramaturg::open::{self, Opened, open};
use dramaturg::planner::lint::{self, LintOptions};
use dramaturg::planner::planfile::read_plan;
use dramaturg::render;
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
    tell_faults(shell, &opened.sources, &opened.diagnostics, &opened.root)?;
    Ok(Input::Faulty(Exit::Faults))
}

fn tell_faults(shell: &mut Shell, sources: &Sources, found: &[Diagnostic], path: &Path) -> Result<(), Failure> {
    let errors: Vec<Diagnostic> = found.iter().filter(|found| found.is_error()).cloned().collect();
    if shell.json {
        let findings = errors.iter().map(|found| render::finding(sources, found)).collect();
        shell.json(&Faulty { ok: false, findings })?;
    } else {
        shell.diagnose(sources, &errors, Severity::Error)?;
        shell.fail(&Failure::faults(format!("`{}` has {}", path.display(), count(errors.len(), "error"))));
    }
    Ok(())
}

/// What only the whole model shows: actions that are never possible, goals that are out of reach.
pub fn lint(model: &Model, deep: bool) -> Vec<Diagnostic> {
    lint::lint(model, &LintOptions { deep, ..LintOptions::default() })
}

/// A plan that was read against a model, or a code to end with because its faults have been told.
pub enum PlanInput {
    /// It could be read.
    Read(Plan),
    /// It has errors, which have been shown.
    Faulty(Exit),
}

/// Reads a plan file; its faults are shown with the places in the model they speak of.
pub fn plan(shell: &mut Shell, opened: &mut Opened, path: &Path) -> Result<PlanInput, Failure> {
    let bytes = open::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let file = opened.sources.add(path.to_string_lossy(), &*text);
    let (plan, faults) = read_plan(&opened.model, file, &text);
    if !faults.iter().any(Diagnostic::is_error) {
        return Ok(PlanInput::Read(plan));
    }
    tell_faults(shell, &opened.sources, &faults, path)?;
    Ok(PlanInput::Faulty(Exit::Faults))
}

/// A character, or any object with goals of its own, by its name.
pub fn character(model: &Model, name: &str) -> Result<ObjectId, Failure> {
    let names = || model.characters.values().map(|character| model.objects[character.object].name.as_str());
    model.find_object(name).ok_or_else(|| {
        let failure = Failure::usage(format!("nobody in this story is called `{name}`"));
        match names().collect::<Vec<_>>() {
            known if known.is_empty() => failure,
            known => failure.hint(format!("its characters are {}", known.join(", "))),
        }
    })
}

/// A level of a story by its name.
pub fn level(model: &Model, name: &str) -> Result<LevelId, Failure> {
    let found = model.levels.iter().find(|(_, level)| level.name == name);
    found.map(|(id, _)| id).ok_or_else(|| {
        let failure = Failure::usage(format!("no level of this story is called `{name}`"));
        match model.levels.values().map(|level| level.name.as_str()).collect::<Vec<_>>() {
            known if known.is_empty() => failure.hint("it has no levels"),
            known => failure.hint(format!("its levels are {}", known.join(", "))),
        }
    })
}
