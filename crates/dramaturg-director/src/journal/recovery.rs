//! Going on with a session whose director is gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dramaturg_model::{Model, Tick};

use super::disk::{Disk, Files};
use super::player::{Player, Trouble};
use super::record::Record;
use super::segment::{self, SegmentReader};
use super::writer::Journal;
use super::{Damage, JournalError, JournalOptions, Notice, Parting};
use crate::director::Director;
use crate::save::{LoadReport, PlannerLoader, load};

/// A session that goes on.
pub struct Recovered {
    /// The session, as it was after the last input that was written down.
    pub director: Director,
    /// Its journal, to be written further.
    pub journal: Journal,
    /// How it went.
    pub report: RecoveryReport,
}

/// How a session was recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryReport {
    /// The segment whose snapshot was used.
    pub segment: u64,
    /// How many inputs the session has had.
    pub inputs: u64,
    /// The last tick that the game had reported.
    pub tick: Tick,
    /// What was cut off, because it was torn or damaged.
    pub cut: Option<Damage>,
    /// Newer segments that could not be used.
    pub unusable: Vec<String>,
    /// Where the session came out differently than before.
    pub parting: Option<Parting>,
    /// What an edited story no longer has.
    pub loaded: LoadReport,
}

impl RecoveryReport {
    /// What somebody should know of it.
    pub fn notices(&self) -> Vec<Notice> {
        let doubts = self.unusable.iter().cloned().chain(self.parting.as_ref().map(Parting::to_string));
        let dropped = load::lines(&self.loaded).into_iter();
        let recovered = Notice::Recovered { inputs: self.inputs, tick: self.tick };
        let cut = self.cut.as_ref().map(|damage| Notice::Cut(damage.to_string()));
        std::iter::once(recovered).chain(cut).chain(doubts.chain(dropped).map(Notice::Doubtful)).collect()
    }
}

impl Journal {
    /// Goes on with the session of a journal: its last good snapshot and everything that was written down since. With an edited
    /// story it goes as far as the story still has what it is about, and the report says what was dropped.
    pub fn recover(
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Self::recover_on(Box::new(Files), folder, options, model, loader)
    }

    /// The same, with segments kept by something else than the system's files.
    pub fn recover_on(
        mut disk: Box<dyn Disk>,
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        let segments = segment::list_on(&mut *disk, folder)?;
        let Some((last, _)) = segments.last() else { return Err(JournalError::None(folder.to_owned())) };
        let last = *last;
        let lock = disk.claim(folder)?;
        let mut unusable: Vec<(PathBuf, String)> = Vec::new();
        for (number, path) in segments.into_iter().rev() {
            let mut player = Player::new(Arc::clone(&model), Arc::clone(&loader));
            let mut reader = SegmentReader::open_on(&mut *disk, &path)?;
            let (mut cut, mut parting) = (None, None);
            for found in &mut reader {
                match found {
                    Err(damage) => cut = Some(damage),
                    // A segment has one of each; another would be of a file that somebody put together.
                    Ok((Record::Header(_) | Record::Snapshot(_), _)) if player.director.is_some() => {}
                    Ok((record, sum)) => match player.take(record, sum, &mut |_| {}) {
                        Ok(()) => {}
                        Err(Trouble::Parting(found)) => parting = parting.or(Some(found)),
                        Err(Trouble::Error(error)) => {
                            unusable.push((path.clone(), error.to_string()));
                            break;
                        }
                    },
                }
            }
            let (same, loaded) = (player.same_story(), std::mem::take(&mut player.loaded));
            let (inputs, chain, tick) = (player.inputs, player.chain, player.tick());
            let Some(mut director) = player.director.take() else {
                if unusable.last().is_none_or(|(known, _)| *known != path) {
                    let why = cut.map_or_else(|| "it has no snapshot".to_owned(), |damage| damage.problem);
                    unusable.push((path, why));
                }
                continue;
            };
            let mut journal = Self::closed(disk, folder, options, Some(lock));
            (journal.segment, journal.inputs) = (last, inputs);
            // Another story, another course or a hole: what follows begins with a snapshot of its own.
            if unusable.is_empty() && same && parting.is_none() {
                let length = reader.at();
                let sink = journal.disk.open(&path, length).map_err(|error| JournalError::disk(&path, &error))?;
                (journal.sink, journal.chain, journal.bytes) = (Some(sink), chain, length);
                journal.rotate_at = length.max(journal.options.segment_bytes);
            } else {
                journal.begin_segment(&mut director).map_err(|error| JournalError::disk(folder, &error))?;
            }
            for (path, _) in &unusable {
                // It stays for whoever wants to look into it, but is no longer a segment.
                let _ = journal.disk.rename(path, &path.with_extension("damaged"), false);
            }
            let unusable = unusable.into_iter().map(|(path, why)| format!("`{}`: {why}", path.display())).collect();
            let report = RecoveryReport { segment: number, inputs, tick, cut, unusable, parting, loaded };
            return Ok(Recovered { director, journal, report });
        }
        Err(JournalError::NoSnapshot(unusable.into_iter().map(|(_, why)| why).collect()))
    }
}
