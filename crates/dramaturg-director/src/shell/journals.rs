//! The journals of many sessions, each in a folder of its own within one.
//!
//! A session that lives has its folder there, by its name; one that is over has it in `ended`, for whoever wants to
//! look into it, until newer ones take its place. Which sessions are to go on after the director died is said by
//! nothing but this.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use dramaturg_model::Model;
use dramaturg_planner::planner::PlannerLoader;

use crate::director::Director;
use crate::journal::disk::make_private;
use crate::journal::header::Header;
use crate::journal::replay::last_header;
use crate::journal::{Journal, JournalError, JournalOptions, Recovered, ending, segment};

/// Where the journals of sessions are that are over.
const ENDED: &str = "ended";
/// No name of a journal is longer.
const NAME_MAX: usize = 64;

/// The journals of many sessions.
#[derive(Clone, Debug)]
pub struct Journals {
    folder: PathBuf,
    options: JournalOptions,
    ended_max: usize,
}

/// A journal of a session that is not over.
#[derive(Clone, Debug)]
pub struct Unended {
    /// What it is called: as its session is.
    pub name: String,
    /// What it says of its story; or why it says nothing.
    pub header: Result<Box<Header>, JournalError>,
}

impl Journals {
    /// Journals in this folder, which is made if it is not there; nobody else on the machine may look into it, for the
    /// name of a session is all that it takes to go on with it. So many journals of sessions that are over are kept.
    pub fn open(folder: &Path, options: JournalOptions, ended_max: usize) -> Result<Self, JournalError> {
        make_private(folder).map_err(|error| JournalError::disk(folder, &error))?;
        Ok(Self { folder: folder.to_owned(), options, ended_max })
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins the journal of a session under this name, as soon as the disk takes it. `story` is where its story lies.
    pub fn begin(&self, name: &str, story: Option<&str>, director: &mut Director) -> Result<Journal, JournalError> {
        Journal::create_soon(&self.place(name)?, self.options_for(story), director)
    }

    /// The same under the first name of this kind that is free: `run-1`, `run-2` and so on.
    pub fn begin_next(
        &self,
        kind: &str,
        story: Option<&str>,
        director: &mut Director,
    ) -> Result<Journal, JournalError> {
        let mut number = 1_u32;
        loop {
            match self.begin(&format!("{kind}-{number}"), story, director) {
                Err(JournalError::Exists(_) | JournalError::InUse(_)) if number < u32::MAX => number += 1,
                other => return other,
            }
        }
    }

    /// The journals of sessions that are not over, those first that were written last.
    pub fn unended(&self) -> Result<Vec<Unended>, JournalError> {
        let folders = folders(&self.folder).map_err(|error| JournalError::disk(&self.folder, &error))?;
        let journals = folders.into_iter().filter(|(_, path)| !is_empty(path));
        let journals = journals.filter_map(|(_, path)| {
            let name = path.file_name()?.to_str().filter(|name| is_name(name))?.to_owned();
            Some(Unended { name, header: last_header(&path).map(Box::new) })
        });
        Ok(journals.collect())
    }

    /// Goes on with the session of a journal.
    pub fn recover(
        &self,
        name: &str,
        story: Option<&str>,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Journal::recover(&self.place(name)?, self.options_for(story), model, loader)
    }

    /// The same, as long as `goes_on` says so.
    pub fn recover_within(
        &self,
        goes_on: &dyn Fn() -> bool,
        name: &str,
        story: Option<&str>,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Journal::recover_within(goes_on, &self.place(name)?, self.options_for(story), model, loader)
    }

    /// A session is over. Its journal, which nobody writes any more, is put aside, and older ones make room for it.
    pub fn end(&self, name: &str, reason: &str) -> Result<(), JournalError> {
        let from = self.place(name)?;
        if !from.exists() {
            return Ok(());
        }
        let ended = self.folder.join(ENDED);
        let to = ended.join(name);
        let moved = make_private(&ended).and_then(|()| fs::rename(&from, &to));
        moved.map_err(|error| JournalError::disk(&from, &error))?;
        // This also makes it the youngest of them; and a disk that is full must not keep old ones from going.
        let _ = ending::write_reason(&to, reason);
        let kept = folders(&ended).map_err(|error| JournalError::disk(&ended, &error))?;
        for (_, path) in kept.into_iter().skip(self.ended_max) {
            fs::remove_dir_all(&path).map_err(|error| JournalError::disk(&path, &error))?;
        }
        Ok(())
    }

    fn place(&self, name: &str) -> Result<PathBuf, JournalError> {
        if is_name(name) { Ok(self.folder.join(name)) } else { Err(JournalError::Name(name.to_owned())) }
    }

    fn options_for(&self, story: Option<&str>) -> JournalOptions {
        JournalOptions { story: story.map(str::to_owned), ..self.options.clone() }
    }
}

/// Whether a journal may be called so: nothing that leads out of the folder, or means something to a file system.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && name.len() <= NAME_MAX && name != ENDED && name.bytes().all(is_plain)
}

/// The folders in a folder, the youngest first. What is no folder, or leads elsewhere, is none of them.
fn folders(folder: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push((changed(&entry.path()), entry.path()));
        }
    }
    found.sort_by(|one, other| other.cmp(one));
    Ok(found)
}

/// When something in a folder was last written.
fn changed(folder: &Path) -> SystemTime {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let times =
        inside.chain([folder.to_owned()]).filter_map(|path| fs::metadata(path).and_then(|found| found.modified()).ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn is_empty(journal: &Path) -> bool {
    segment::list(journal).is_ok_and(|segments| segments.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_names_of_journals() {
        for name in ["7f3a", "run-12", "A"] {
            assert!(is_name(name), "{name}");
        }
        for name in
            ["", ".", "..", "../elsewhere", "a/b", "a\\b", "ended", "C:", "a b", "\u{e9}", "a\0", &"x".repeat(65)]
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
