//! A run once more, from its journal, compared with what was written down.

use std::path::Path;
use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use serde::Serialize;

use super::header::Header;
use super::player::{Player, Trouble};
use super::record::Record;
use super::segment::{self, SegmentReader};
use super::{Damage, JournalError, Parting};
use crate::event::Event;
use crate::save::PlannerLoader;

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
    /// Where the run first came out differently.
    pub parting: Option<Parting>,
    /// Where the journal can no longer be read.
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

/// The header of the first segment: which story it is about, and where that lies.
pub fn first_header(path: &Path) -> Result<Header, JournalError> {
    let segments = segment::list(path)?;
    let Some((_, first)) = segments.first() else { return Err(JournalError::None(path.to_owned())) };
    match SegmentReader::open(first)?.next() {
        Some(Ok((Record::Header(header), _))) => Ok(*header),
        Some(Err(damage)) => Err(JournalError::NoSnapshot(vec![damage.to_string()])),
        _ => Err(JournalError::None(path.to_owned())),
    }
}

/// The header of the last segment that has a readable one.
pub fn last_header(path: &Path) -> Result<Header, JournalError> {
    let mut problem = JournalError::None(path.to_owned());
    for (_, file) in segment::list(path)?.into_iter().rev() {
        problem = match SegmentReader::open(&file)?.next() {
            Some(Ok((Record::Header(header), _))) => return Ok(*header),
            Some(Err(damage)) => JournalError::NoSnapshot(vec![damage.to_string()]),
            _ => problem,
        };
    }
    Err(problem)
}

/// Plays a journal again, up to a tick or its end. It stops where the run parts from what was written down.
pub fn replay(
    path: &Path,
    model: Arc<Model>,
    loader: PlannerLoader,
    until: Option<Tick>,
    tell: &mut dyn FnMut(Event),
) -> Result<ReplayReport, JournalError> {
    let segments = segment::list(path)?;
    if segments.is_empty() {
        return Err(JournalError::None(path.to_owned()));
    }
    let mut player = Player::new(model, loader);
    let mut report = ReplayReport::default();
    'run: for (_, file) in &segments {
        report.segments += 1;
        let mut known = false;
        for found in SegmentReader::open(file)? {
            let (record, sum) = match found {
                Ok(found) => found,
                Err(damage) => {
                    let what = damage.to_string();
                    report.parting = Some(Parting { input: player.inputs, tick: player.tick(), what });
                    report.damage = Some(damage);
                    break 'run;
                }
            };
            match player.take(record, sum, tell) {
                Ok(()) => {}
                Err(Trouble::Parting(parting)) => {
                    report.parting = Some(parting);
                    break 'run;
                }
                Err(Trouble::Error(error)) => return Err(error),
            }
            if !known && player.header.is_some() {
                known = true;
                if !player.same_story() {
                    report.notes.push(format!("`{}` was written with another version of the story", file.display()));
                }
            }
            if until.is_some_and(|until| player.tick() >= until) {
                break 'run;
            }
        }
    }
    (report.inputs, report.tick, report.compared) = (player.inputs, player.tick(), player.hashes);
    report.notes.append(&mut player.notes);
    Ok(report)
}
