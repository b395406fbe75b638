//! The files behind the paths a user names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dramaturg::open::{self, Kind, OpenError};

/// Something to be checked as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A story by its root, or a part of one.
    Story(PathBuf),
    /// A PDDL domain with its problem.
    Pddl(PathBuf, Option<PathBuf>),
}

impl Target {
    /// The file it is named after.
    pub fn path(&self) -> &Path {
        match self {
            Self::Story(path) => path,
            Self::Pddl(domain, problem) => problem.as_deref().unwrap_or(domain),
        }
    }
}

/// What is to be checked: of a folder its stories and the parts no story there uses, of PDDL each problem with its domain.
pub fn targets(paths: &[PathBuf]) -> Result<Vec<Target>, OpenError> {
    let mut found = Vec::new();
    let mut domain: Option<PathBuf> = None;
    for path in paths {
        if path.is_dir() {
            folder(path, &mut found)?;
            continue;
        }
        match Kind::of(path)? {
            Kind::Story => found.push(Target::Story(existing(path)?)),
            // A play is checked with its story.
            Kind::Play => found.push(Target::Story(existing(&path.with_extension("story"))?)),
            Kind::Pddl if is_problem(path)? => {
                let beside = path.with_file_name("domain.pddl");
                let known = domain.clone().or_else(|| beside.is_file().then_some(beside));
                let (wanted, cure) = ("a PDDL domain", "name the domain before its problems");
                let domain = known.ok_or(OpenError::WrongKind { path: path.clone(), wanted, cure })?;
                found.retain(|target| *target != Target::Pddl(domain.clone(), None));
                found.push(Target::Pddl(domain, Some(path.clone())));
            }
            Kind::Pddl => {
                found.push(Target::Pddl(path.clone(), None));
                domain = Some(path.clone());
            }
        }
    }
    Ok(found)
}

fn existing(path: &Path) -> Result<PathBuf, OpenError> {
    if path.is_file() { Ok(path.to_owned()) } else { Err(open::missing(path)) }
}

fn folder(path: &Path, found: &mut Vec<Target>) -> Result<(), OpenError> {
    let domain = path.join("domain.pddl");
    if domain.is_file() {
        let mut problems = files(path, &["pddl"], false)?;
        problems.retain(|file| *file != domain && is_problem(file).unwrap_or(false));
        if problems.is_empty() {
            found.push(Target::Pddl(domain, None));
        } else {
            found.extend(problems.into_iter().map(|problem| Target::Pddl(domain.clone(), Some(problem))));
        }
        return Ok(());
    }
    match open::find_root(path) {
        Ok(root) => found.push(Target::Story(root)),
        Err(OpenError::ManyStories { roots, .. }) => found.extend(roots.into_iter().map(Target::Story)),
        Err(error) => {
            // A folder of parts is no story, but its parts can be looked at.
            let (_, parts) = open::story_files(path)?;
            if parts.is_empty() {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// The parts directly in the folders among these paths that none of these files is.
pub fn unused_parts(paths: &[PathBuf], used: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, OpenError> {
    let mut parts = Vec::new();
    for folder in paths.iter().filter(|path| path.is_dir() && !path.join("domain.pddl").is_file()) {
        let (_, found) = open::story_files(folder)?;
        parts.extend(found.into_iter().filter(|part| !used.contains(part)));
    }
    Ok(parts)
}

/// Whether a PDDL file is a problem: it says `(define (problem`.
fn is_problem(path: &Path) -> Result<bool, OpenError> {
    let bytes = open::read(path)?;
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    let code: Vec<&str> = text.lines().map(|line| line.split(';').next().unwrap_or_default()).collect();
    let code = code.join(" ");
    // Only what stands before the first section: an object may be called `problem`.
    let head: String = code.split("(:").next().unwrap_or_default().split_whitespace().collect();
    Ok(head.contains("(problem"))
}

/// The files with one of these extensions in a folder, in order of name; hidden ones are left alone.
pub fn files(folder: &Path, extensions: &[&str], inside: bool) -> Result<Vec<PathBuf>, OpenError> {
    let unreadable = |error| OpenError::Unreadable { path: folder.to_owned(), error };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?);
    }
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if is_hidden {
            continue;
        }
        // Not through links, which may lead in a circle.
        if inside && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files(&path, extensions, inside)?);
        } else if path.is_file()
            && let Some(extension) = path.extension().and_then(|extension| extension.to_str())
            && extensions.contains(&extension)
        {
            found.push(path);
        }
    }
    Ok(found)
}
