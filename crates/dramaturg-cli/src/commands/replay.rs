//! `dramaturg replay`: a run once more, from its journal.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use dramaturg::model::Tick;
use dramaturg_director::Event;
use dramaturg_director::journal::replay::{ReplayReport, first_header, replay};
use dramaturg_director::journal::{Damage, JournalError, Parting};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::{Shell, count};
use crate::style::{BAD, DIM, GOOD};

/// Play a session again from its journal, bit for bit, and say where it parts from what was written
///
/// A journal is a folder of segments, or one of them. Exits 0 if everything comes out as it was, and 1 if a byte, a
/// budget or the story was altered, or if a segment is missing, empty, renamed, or of another session.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg replay journals/7f3a
  dramaturg replay journals/7f3a --story lighthouse --until 3600
  dramaturg replay journals/7f3a --events events.jsonl")]
pub struct Replay {
    /// The folder of a journal, or one of its segments
    #[arg(value_name = "JOURNAL")]
    journal: PathBuf,
    /// The story, if it does not lie where it lay
    #[arg(long, value_name = "STORY")]
    story: Option<PathBuf>,
    /// Stop when the game has reported this tick
    #[arg(long, value_name = "TICK")]
    until: Option<Tick>,
    /// Write what happens here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

/// What is told of a journal that stops without an end, for nobody can tell these cases apart.
const NO_END: &str =
    "the journal has no end: its session is not over, its director was killed, or what followed was removed";

#[derive(Serialize)]
struct Replayed<'a> {
    command: &'static str,
    ok: bool,
    identical: bool,
    inputs: u64,
    ticks: Tick,
    segments: usize,
    compared: u64,
    ended: bool,
    parting: Option<&'a Parting>,
    damage: Option<&'a Damage>,
    notes: &'a [String],
}

impl Replay {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let story = match &self.story {
            Some(story) => story.clone(),
            None => self.story_of_journal()?,
        };
        let opened = match input::usable(shell, &story, None)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let mut events = match &self.events {
            Some(path) => {
                Some((path, BufWriter::new(File::create(path).map_err(|error| Failure::writing(path, &error))?)))
            }
            None => None,
        };
        let mut trouble = None;
        let mut tell = |event: Event| {
            let Some((path, to)) = events.as_mut().filter(|_| trouble.is_none()) else { return };
            let line = serde_json::to_string(&event).unwrap_or_default();
            if let Err(error) = writeln!(to, "{line}") {
                trouble = Some(Failure::writing(path, &error));
            }
        };
        let report = replay(&self.journal, Arc::new(opened.model), shell.planners.loader(), self.until, &mut tell);
        let report = report.map_err(failure)?;
        if let Some(failure) = trouble {
            return Err(failure);
        }
        if let Some((path, mut to)) = events {
            to.flush().map_err(|error| Failure::writing(path, &error))?;
        }
        tell_report(shell, &report, self.until.is_some() || self.journal.is_file())?;
        Ok(Exit::fine_if(report.is_identical()))
    }

    fn story_of_journal(&self) -> Result<PathBuf, Failure> {
        let header = first_header(&self.journal).map_err(failure)?;
        header.path.map(PathBuf::from).ok_or_else(|| {
            let message = format!("the journal does not say where its story “{}” lies", header.title);
            Failure::usage(message).hint("name it with `--story`")
        })
    }
}

fn failure(error: JournalError) -> Failure {
    let message = error.to_string();
    match error {
        JournalError::NoSnapshot(_) | JournalError::Save(_) => Failure::faults(message),
        _ => Failure::trouble(message),
    }
}

fn tell_report(shell: &mut Shell, report: &ReplayReport, is_part: bool) -> Result<(), Failure> {
    if shell.json {
        return shell.json(&Replayed {
            command: "replay",
            ok: report.is_identical(),
            identical: report.is_identical(),
            inputs: report.inputs,
            ticks: report.tick,
            segments: report.segments,
            compared: report.compared,
            ended: report.ended,
            parting: report.parting.as_ref(),
            damage: report.damage.as_ref(),
            notes: &report.notes,
        });
    }
    for note in &report.notes {
        writeln!(shell.err, "note: {note}")?;
    }
    let what = format!("{}, {} ticks", count(report.inputs as usize, "input"), report.tick);
    match &report.parting {
        None => {
            if !report.ended && !is_part {
                writeln!(shell.err, "note: {NO_END}")?;
            }
            let segments = count(report.segments, "segment");
            let compared = format!("{segments}, content compared {} times", report.compared);
            writeln!(shell.out, "{what}, {GOOD}identical{GOOD:#} {DIM}({compared}){DIM:#}")?;
        }
        Some(parting) => writeln!(shell.out, "{what}, {BAD}{parting}{BAD:#}")?,
    }
    Ok(())
}
