//! A run once more, from its journal, compared with what was written down.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::planner::PlannerLoader;
use serde::Serialize;

use super::chain::{self, Finished, Headless};
use super::disk::{Files, kind};
use super::header::{Header, SegmentEnd};
use super::player::{Player, Trouble};
use super::segment::{self, SegmentReader};
use super::{Damage, JournalError, Parting, ending};
use crate::event::Event;

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// How many inputs were taken in.
    pub inputs: u64,
    /// The last tick that the game reported.
    pub tick: Tick,
    /// How many segments were read.
    pub segments: usize,
    /// How often the content of the session was compared.
    pub compared: u64,
    /// Whether the journal says itself that the session was over where it ends. Without that, something may have been
    /// removed from its end.
    pub ended: bool,
    /// Where the run first came out differently.
    pub parting: Option<Parting>,
    /// Where the journal can no longer be used.
    pub damage: Option<Damage>,
    /// What else is to be known: another story, inputs that were never written.
    pub notes: Vec<String>,
}

impl ReplayReport {
    /// Whether everything was read and came out as it was.
    pub fn is_identical(&self) -> bool {
        self.parting.is_none() && self.damage.is_none()
    }
}

/// A file that is read, with the number of its name.
type Listed = (Option<u64>, PathBuf);

/// The segments in a folder, in order; of a file, the file itself.
fn find(path: &Path) -> Result<Vec<Listed>, JournalError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(vec![(segment::number(path), path.to_owned())]),
        Ok(found) if !found.is_dir() => {
            let error = format!("it is {}, and a journal is a folder of files", kind(found.file_type()));
            Err(JournalError::Disk { path: path.to_owned(), error })
        }
        _ => match segment::list(path)? {
            segments if segments.is_empty() => Err(JournalError::None(path.to_owned())),
            segments => Ok(segments.into_iter().map(|(number, path)| (Some(number), path)).collect()),
        },
    }
}

fn header(path: &Path) -> Result<Header, JournalError> {
    match chain::header(&mut Files, path) {
        Ok((header, _)) => Ok(*header),
        Err(Headless::Unread(error)) => Err(error),
        Err(Headless::Damaged(damage)) => Err(JournalError::NoSnapshot(vec![damage.to_string()])),
    }
}

/// The header of the first segment that has a readable one: which story it is about, and where that lies.
pub fn first_header(path: &Path) -> Result<Header, JournalError> {
    any_header(path, find(path)?.into_iter())
}

/// The header of the last segment that has a readable one.
pub fn last_header(path: &Path) -> Result<Header, JournalError> {
    any_header(path, find(path)?.into_iter().rev())
}

fn any_header(path: &Path, segments: impl Iterator<Item = Listed>) -> Result<Header, JournalError> {
    let mut problem = JournalError::None(path.to_owned());
    for (_, file) in segments {
        problem = match header(&file) {
            Err(error) => error,
            found => return found,
        };
    }
    Err(problem)
}

/// Why a replay goes no further.
enum Stop {
    /// The tick that was asked for is there.
    Reached,
    Damage(Damage),
    Parting(Parting),
    Error(JournalError),
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

impl From<Headless> for Stop {
    fn from(headless: Headless) -> Self {
        match headless {
            Headless::Damaged(damage) => Self::Damage(damage),
            Headless::Unread(error) => Self::Error(error),
        }
    }
}

/// Plays a journal again, up to a tick or its end. It stops where the run parts from what was written down, and where
/// the journal is damaged: what is behind that cannot be compared.
pub fn replay(
    path: &Path,
    model: Arc<Model>,
    loader: PlannerLoader,
    until: Option<Tick>,
    tell: &mut dyn FnMut(Event),
) -> Result<ReplayReport, JournalError> {
    let segments = find(path)?;
    let mut run = Run { player: Player::new(model, loader), report: ReplayReport::default(), until, tell };
    let (mut before, mut stop): (Option<Finished>, _) = (None, None);
    for (at, (number, file)) in segments.iter().enumerate() {
        run.report.segments += 1;
        let next = segments.get(at + 1).map(|(_, file)| file.as_path());
        match run.play(*number, file, next, before.as_ref()) {
            Ok(finished) => before = Some(finished),
            Err(why) => {
                stop = Some((why, segments.len() - at - 1));
                break;
            }
        }
    }
    let Run { player, mut report, .. } = run;
    if let (None, Some(last), false) = (&stop, &before, player.is_over)
        && let Some(damage) = ending::missing(path, &last.path, &last.header)
    {
        stop = Some((Stop::Damage(damage), 0));
    }
    match stop {
        None | Some((Stop::Reached, _)) => {}
        Some((Stop::Error(error), _)) => return Err(error),
        Some((Stop::Parting(parting), _)) => report.parting = Some(parting),
        Some((Stop::Damage(damage), segments_behind)) => {
            let damage = Damage { segments_behind, ..damage };
            report.parting = Some(Parting { input: player.inputs, tick: player.tick(), what: damage.to_string() });
            report.damage = Some(damage);
        }
    }
    (report.inputs, report.tick, report.compared) = (player.inputs, player.tick(), player.hashes);
    report.ended = player.is_over;
    report.notes.extend(player.notes);
    Ok(report)
}

/// A replay that is under way.
struct Run<'t> {
    player: Player,
    report: ReplayReport,
    until: Option<Tick>,
    tell: &'t mut dyn FnMut(Event),
}

impl Run<'_> {
    /// Plays one segment.
    fn play(
        &mut self,
        number: Option<u64>,
        path: &Path,
        next: Option<&Path>,
        before: Option<&Finished>,
    ) -> Result<Finished, Stop> {
        let (header, file_bytes) = chain::header(&mut Files, path)?;
        chain::is_named(path, number, &header)?;
        if let Some(before) = before {
            self.report.notes.extend(chain::joins(before, path, &header)?);
        } else if header.segment > 1 && number.is_some() {
            let first = header.segment;
            self.report.notes.push(format!("it begins with segment {first}; those before it are not there"));
        }
        let mut reader = SegmentReader::open(path).map_err(Stop::Error)?;
        // What the next segment does not count was written when the disk was in trouble.
        if let Some(end) = next.and_then(|next| end_before(next, header.segment)) {
            reader.limit(end.bytes);
        }
        for found in &mut reader {
            let (record, sum) = found?;
            self.player.take(record, sum, self.tell).map_err(|trouble| match trouble {
                Trouble::Parting(parting) => Stop::Parting(parting),
                Trouble::Error(error) => Stop::Error(error),
            })?;
            if self.until.is_some_and(|until| self.player.tick() >= until) {
                return Err(Stop::Reached);
            }
        }
        if !self.player.same_story() {
            self.report.notes.push(format!("`{}` was written with another version of the story", path.display()));
        }
        let Player { chain: checksum, inputs, .. } = self.player;
        let end = SegmentEnd { segment: header.segment, bytes: reader.at(), checksum, inputs };
        Ok(Finished { path: path.to_owned(), header, end, file_bytes })
    }
}

/// How a segment ends, by what the next one says.
fn end_before(next: &Path, segment: u64) -> Option<SegmentEnd> {
    let (header, _) = chain::header(&mut Files, next).ok()?;
    header.chain?.previous.filter(|end| end.segment == segment)
}
