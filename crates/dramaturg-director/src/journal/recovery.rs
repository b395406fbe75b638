//! Going on with a session whose director is gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::planner::PlannerLoader;

use super::chain::{self, Finished, Headless};
use super::disk::{Disk, Files};
use super::header::{Header, SegmentEnd};
use super::player::{Player, Trouble};
use super::record::Record;
use super::segment::{self, SegmentReader};
use super::writer::Journal;
use super::{Damage, JournalError, JournalOptions, Notice, Parting};
use crate::director::Director;
use crate::save::{LoadReport, load};

/// So many faults of older segments are told one by one.
const DOUBTS_MAX: usize = 8;

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
    /// What is wrong with older segments. The session goes on without them, but it cannot be replayed from its
    /// beginning.
    pub doubts: Vec<String>,
    /// Where the session came out differently than before.
    pub parting: Option<Parting>,
    /// Why the journal cannot be written further just now.
    pub stopped: Option<String>,
    /// What an edited story no longer has.
    pub loaded: LoadReport,
}

impl RecoveryReport {
    /// What somebody should know of it.
    pub fn notices(&self) -> Vec<Notice> {
        let recovered = Notice::Recovered { inputs: self.inputs, tick: self.tick };
        let cut = self.cut.as_ref().map(|damage| Notice::Cut(damage.to_string()));
        let parting = self.parting.as_ref().map(Parting::to_string);
        let doubts = self.unusable.iter().chain(&self.doubts).cloned().chain(parting).chain(load::lines(&self.loaded));
        let stopped = self.stopped.clone().map(Notice::Stopped);
        std::iter::once(recovered).chain(cut).chain(doubts.map(Notice::Doubtful)).chain(stopped).collect()
    }
}

impl Journal {
    /// Goes on with the session of a journal: its last good snapshot and everything that was written down since. With
    /// an edited story it goes as far as the story still has what it is about, and the report says what was dropped.
    pub fn recover(
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Self::recover_while(&|| true, Box::new(Files), folder, options, model, loader)
    }

    /// The same, but only as long as `goes_on` says so, which is asked before each record: a server does not wait for
    /// ever for one session.
    pub fn recover_within(
        goes_on: &dyn Fn() -> bool,
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Self::recover_while(goes_on, Box::new(Files), folder, options, model, loader)
    }

    /// The same as [`Journal::recover`], with segments kept by something else than the system's files.
    pub fn recover_on(
        disk: Box<dyn Disk>,
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        Self::recover_while(&|| true, disk, folder, options, model, loader)
    }

    fn recover_while(
        goes_on: &dyn Fn() -> bool,
        mut disk: Box<dyn Disk>,
        folder: &Path,
        options: JournalOptions,
        model: Arc<Model>,
        loader: PlannerLoader,
    ) -> Result<Recovered, JournalError> {
        let mut segments = find(&mut *disk, folder)?;
        let Some(last) = segments.last().map(|found| found.number) else {
            return Err(JournalError::None(folder.to_owned()));
        };
        let lock = disk.claim(folder)?;
        let mut unusable: Vec<(PathBuf, String)> = Vec::new();
        let (found, played) = loop {
            let Some(found) = segments.pop() else {
                let why = unusable.into_iter().map(|(path, why)| format!("`{}`: {why}", path.display()));
                return Err(JournalError::NoSnapshot(why.collect()));
            };
            let played = match &found.header {
                Ok(_) => play(goes_on, &mut *disk, &found, Player::new(Arc::clone(&model), Arc::clone(&loader)))?,
                Err(damage) => Err(damage.problem.clone()),
            };
            match played {
                Ok(played) => break (found, played),
                Err(why) => unusable.push((found.path, why)),
            }
        };
        let Played { mut director, end, cut, parting, loaded, is_same_story } = played;
        let (segment, tick) = (found.number, director.last_tick());
        let mut journal = Self::closed(disk, folder, options, Some(lock));
        (journal.segment, journal.inputs, journal.end) = (last, end.inputs, Some(end));
        // Another story, another course or a hole: what follows begins with a snapshot of its own.
        let is_whole = unusable.is_empty() && is_same_story && parting.is_none();
        let stopped = journal.go_on(&found.path, cut.is_some(), is_whole, &mut director);
        for (path, _) in &unusable {
            // It stays for whoever wants to look into it, but is no longer a segment.
            let _ = journal.disk.rename(path, &path.with_extension(segment::DAMAGED), false);
        }
        segments.push(found);
        let (inputs, doubts) = (end.inputs, doubts(&segments));
        let unusable = unusable.into_iter().map(|(path, why)| format!("`{}`: {why}", path.display())).collect();
        let report = RecoveryReport { segment, inputs, tick, cut, unusable, doubts, parting, stopped, loaded };
        Ok(Recovered { director, journal, report })
    }

    /// Opens a recovered journal for writing. What it gives is why that is not possible: then the session goes on all
    /// the same, and the journal is begun again when it can be.
    fn go_on(&mut self, path: &Path, is_torn: bool, is_whole: bool, director: &mut Director) -> Option<String> {
        let end = self.end?;
        let opened = match is_whole || is_torn {
            true => self.disk.open(path, end.bytes).map(Some),
            false => Ok(None),
        };
        let begun = match opened {
            Ok(Some(sink)) if is_whole => {
                self.sink = Some(sink);
                self.rotate_at = end.bytes.max(self.options.segment_bytes);
                Ok(())
            }
            Ok(_) => self.begin_segment(director),
            Err(error) => Err(error),
        };
        begun.err().map(|error| {
            self.stop(&error);
            error.to_string()
        })
    }
}

/// A segment, and its header with the length of its file.
struct Found {
    number: u64,
    path: PathBuf,
    header: Result<(Box<Header>, u64), Damage>,
}

/// The segments of a journal. Those that belong to another session or place are damaged.
fn find(disk: &mut dyn Disk, folder: &Path) -> Result<Vec<Found>, JournalError> {
    let (mut all, mut session) = (Vec::new(), None);
    for (number, path) in segment::list_on(disk, folder)? {
        let header = match chain::header(disk, &path) {
            Err(Headless::Unread(error)) => return Err(error),
            Err(Headless::Damaged(damage)) => Err(damage),
            Ok((header, length)) => {
                let is_right = chain::is_named(&path, Some(number), &header)
                    .and_then(|()| chain::is_of(&path, session.as_deref(), &header));
                if let (Ok(()), None, Some(chain)) = (&is_right, &session, &header.chain) {
                    session = Some(chain.session.clone());
                }
                is_right.map(|()| (header, length))
            }
        };
        all.push(Found { number, path, header });
    }
    Ok(all)
}

/// What became of a segment's inputs.
struct Played {
    director: Director,
    end: SegmentEnd,
    cut: Option<Damage>,
    parting: Option<Parting>,
    loaded: LoadReport,
    is_same_story: bool,
}

/// Takes the inputs of a segment in, from its snapshot on; or says why it cannot be used.
fn play(
    goes_on: &dyn Fn() -> bool,
    disk: &mut dyn Disk,
    found: &Found,
    mut player: Player,
) -> Result<Result<Played, String>, JournalError> {
    let mut reader = SegmentReader::open_on(disk, &found.path)?;
    let (mut cut, mut parting) = (None, None);
    for record in &mut reader {
        if !goes_on() {
            return Err(JournalError::TooLong { inputs: player.inputs });
        }
        match record {
            Err(damage) => cut = Some(damage),
            Ok((Record::Header(_) | Record::Snapshot(_), _)) if player.director.is_some() => {
                let what = "a second snapshot stands in one segment".to_owned();
                parting = parting.or(Some(Parting { input: player.inputs, tick: player.tick(), what }));
            }
            Ok((record, sum)) => match player.take(record, sum, &mut |_| {}) {
                Ok(()) => {}
                Err(Trouble::Parting(found)) => parting = parting.or(Some(found)),
                Err(Trouble::Error(error)) => return Ok(Err(error.to_string())),
            },
        }
    }
    let (is_same_story, loaded) = (player.same_story(), std::mem::take(&mut player.loaded));
    let (inputs, checksum) = (player.inputs, player.chain);
    let Some(director) = player.director else {
        return Ok(Err(cut.map_or_else(|| "it has no snapshot".to_owned(), |damage| damage.problem)));
    };
    let end = SegmentEnd { segment: found.number, bytes: reader.at(), checksum, inputs };
    Ok(Ok(Played { director, end, cut, parting, loaded, is_same_story }))
}

/// Where the chain is broken up to the last of these segments. Older ones are not read, only their headers and lengths
/// are compared.
fn doubts(segments: &[Found]) -> Vec<String> {
    let (mut doubts, mut before): (Vec<String>, Option<Finished>) = (Vec::new(), None);
    for Found { path, header, .. } in segments {
        let (header, length) = match header {
            Ok(found) => found,
            Err(damage) => {
                doubts.push(damage.to_string());
                before = None;
                continue;
            }
        };
        if let Some(before) = &mut before {
            // Its end is taken for what the next segment says, as far as the file is long enough for that.
            if let Some(said) = header.chain.as_ref().and_then(|chain| chain.previous) {
                before.end =
                    SegmentEnd { segment: before.end.segment, bytes: said.bytes.min(before.file_bytes), ..said };
            }
            doubts.extend(chain::joins(before, path, header).err().map(|damage| damage.to_string()));
        }
        let end = SegmentEnd { segment: header.segment, bytes: *length, checksum: 0, inputs: 0 };
        before = Some(Finished { path: path.clone(), header: header.clone(), end, file_bytes: *length });
    }
    let more = doubts.len().saturating_sub(DOUBTS_MAX);
    if more > 0 {
        doubts.truncate(DOUBTS_MAX);
        doubts.push(format!("{more} more faults in older segments"));
    }
    doubts
}
