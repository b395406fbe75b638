//! One story, or one problem, checked with all that belongs to it.

use std::time::{Duration, Instant};

use dramaturg::model::{Diagnostic, Severity, Sources, sort_diagnostics};
use dramaturg::open::{self, OpenError, Opened};
use dramaturg::render::{self, Finding};
use dramaturg::story::{Files, compile_plays};
use dramaturg::{DiskFiles, open as open_target};
use serde::Serialize;

use crate::targets::Target;

/// What was found.
pub struct Checked {
    /// As the user named it.
    pub path: String,
    /// Its title.
    pub title: String,
    /// All files that were read, plays included.
    pub sources: Sources,
    /// Everything there is to say.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether only its syntax could be checked.
    pub is_part: bool,
    /// How many plays there are.
    pub plays: usize,
    /// How long it took.
    pub elapsed: Duration,
}

/// The worst that was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// At most hints.
    Fine,
    /// Warnings.
    Warnings,
    /// Errors.
    Errors,
}

/// What was found, for machines.
#[derive(Serialize)]
pub struct Json<'a> {
    path: &'a str,
    title: &'a str,
    is_part: bool,
    errors: usize,
    warnings: usize,
    hints: usize,
    plays: usize,
    files: Vec<&'a str>,
    milliseconds: f64,
    findings: Vec<Finding<'a>>,
}

impl Checked {
    /// The worst that was found.
    pub fn outcome(&self) -> Outcome {
        match self.diagnostics.iter().map(Diagnostic::severity).min() {
            Some(Severity::Error) => Outcome::Errors,
            Some(Severity::Warning) => Outcome::Warnings,
            Some(Severity::Hint) | None => Outcome::Fine,
        }
    }

    /// For machines.
    pub fn json(&self) -> Json<'_> {
        let of = |severity| self.diagnostics.iter().filter(|found| found.severity() == severity).count();
        Json {
            path: &self.path,
            title: &self.title,
            is_part: self.is_part,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            hints: of(Severity::Hint),
            plays: self.plays,
            files: self.sources.iter().map(|(_, file)| file.path.as_str()).collect(),
            milliseconds: self.elapsed.as_secs_f64() * 1e3,
            findings: self.diagnostics.iter().map(|found| render::finding(&self.sources, found)).collect(),
        }
    }
}

/// Checks a story with its plays, or a PDDL domain with its problem.
pub fn check(target: &Target, deep: bool) -> Result<Checked, OpenError> {
    let begun = Instant::now();
    let opened = match target {
        Target::Story(root) => open::open_story(root)?,
        Target::Pddl(domain, problem) => open_target(domain, problem.as_deref())?,
    };
    let is_usable = opened.is_usable() && !opened.is_part;
    let Opened { sources, model, diagnostics, is_part, .. } = opened;
    let title = model.title.clone();
    let path = target.path().to_string_lossy().into_owned();
    let mut checked = Checked { path, title, sources, diagnostics, is_part, plays: 0, elapsed: Duration::ZERO };
    if is_usable {
        checked.diagnostics.extend(crate::input::lint(&model, deep));
    }
    if let Target::Story(root) = target
        && !checked.is_part
    {
        check_plays(root, &mut checked)?;
    }
    sort_diagnostics(&mut checked.diagnostics);
    checked.elapsed = begun.elapsed();
    Ok(checked)
}

/// The plays beside a story are checked with it.
fn check_plays(root: &std::path::Path, checked: &mut Checked) -> Result<(), OpenError> {
    let files = DiskFiles::new();
    let beside = root.with_extension("play").to_string_lossy().into_owned();
    let root = root.to_string_lossy();
    if let Some(text) = files.read(&beside) {
        let found = compile_plays(&root, &files, &[(&beside, &text)]);
        checked.plays = found.plays.len();
        checked.diagnostics.extend(found.diagnostics);
        checked.diagnostics.extend(files.encoding_faults(&found.sources));
        checked.sources = found.sources;
    }
    match files.troubles().pop() {
        Some(trouble) => Err(OpenError::Unreadable { path: trouble.path.into(), error: trouble.error }),
        None => Ok(()),
    }
}
