//! What commands that write journals have in common.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use dramaturg_director::journal::{JournalError, Sync};
use dramaturg_director::shell::Journals;
use dramaturg_director::{Director, Journal, JournalOptions};

use crate::exit::Failure;

/// Inputs of about a minute and a half: to go on from so many takes less than a second.
const SEGMENT_BYTES: u64 = 256 << 10;

/// Why the journal of a run ends.
pub const RUN_OVER: &str = "the run is over";

/// Where and how inputs are written down.
#[derive(Args)]
pub struct Journaling {
    /// Write every input of a session into a journal in this folder, one folder a session
    #[arg(long, value_name = "FOLDER")]
    pub journal: Option<PathBuf>,
    /// When journals must be on the disk itself: every so many seconds, before `each` input is acted on, or `never`.
    /// Only power loss asks for it: what was written survives the death of the program in any case
    #[arg(long, value_name = "SECONDS|each|never", default_value = "1", requires = "journal")]
    pub sync: SyncWhen,
}

/// When journals must be on the disk itself, as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncWhen(Sync);

impl FromStr for SyncWhen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<u32>() {
            _ if text == "each" => Ok(Self(Sync::Each)),
            _ if text == "never" => Ok(Self(Sync::Never)),
            Ok(seconds) if seconds > 0 => Ok(Self(Sync::Every(i64::from(seconds) * 1_000_000))),
            _ => Err("a number of seconds from 1 on, `each` or `never`".to_owned()),
        }
    }
}

impl Journaling {
    /// The journals of one command. So many segments of each are kept (0: all), and so many journals of sessions that
    /// are over.
    pub fn open(&self, segments: usize, ended_max: usize) -> Result<Option<Journals>, Failure> {
        let Some(folder) = &self.journal else { return Ok(None) };
        let SyncWhen(sync) = self.sync;
        let options =
            JournalOptions { segment_bytes: SEGMENT_BYTES, keep: segments, sync, ..JournalOptions::default() };
        let cure = "name a folder that can be written with `--journal`, or allow this user to write there";
        let journals = Journals::open(folder, options, ended_max)
            .map_err(|error| Failure::trouble(format!("no journal can be kept: {error}")).hint(cure))?;
        if let Some(error) = forbidden(folder) {
            let message = format!("no journal can be kept: nothing may be written in `{}`: {error}", folder.display());
            return Err(Failure::trouble(message).hint(cure));
        }
        Ok(Some(journals))
    }
}

/// Why nothing may be written in a folder. A disk that is full is no reason: journals go on once there is room.
fn forbidden(folder: &Path) -> Option<io::Error> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let written = File::create(&probe);
    // Only what was made here goes.
    let _ = written.is_ok().then(|| fs::remove_file(&probe));
    let is_forbidden =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem);
    written.err().filter(is_forbidden)
}

/// Begins journals of runs of a story, and remembers where.
#[derive(Clone, Debug)]
pub struct Keeping {
    journals: Journals,
    story: String,
    begun: Arc<Mutex<Option<PathBuf>>>,
}

impl Keeping {
    /// Journals of runs of the story that lies here.
    pub fn new(journals: Journals, story: &Path) -> Self {
        Self { journals, story: place(story), begun: Arc::default() }
    }

    /// Begins the journal of a run.
    pub fn begin(&self, director: &mut Director) -> Result<Journal, JournalError> {
        let journal = self.journals.begin_next("run", Some(&self.story), director)?;
        let folder = journal.folder().to_owned();
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).replace(folder);
        Ok(journal)
    }

    /// Where the last one lies.
    pub fn begun(&self) -> Option<PathBuf> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Where a story lies, for whoever opens it later from another folder.
pub fn place(story: &Path) -> String {
    story.canonicalize().unwrap_or_else(|_| story.to_owned()).display().to_string()
}
