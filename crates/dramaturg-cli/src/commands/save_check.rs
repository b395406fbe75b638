//! `dramaturg save-check`: what a story makes of a save.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use dramaturg::model::Tick;
use dramaturg::open;
use dramaturg_director::save::{LoadKind, LoadNote, story_hash};
use dramaturg_director::{Director, DirectorOptions, SessionSave};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::{Shell, count};
use crate::style::{BOLD, DIM, GOOD};

/// Say what would be dropped or defaulted if a save were loaded with a story that was edited since
///
/// Exits 0 if the save can be loaded at all; with `--strict` only if nothing is dropped, defaulted or mapped.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg save-check evening.save lighthouse
  dramaturg save-check evening.save lighthouse --strict --json")]
pub struct SaveCheck {
    /// The save, as the game keeps it
    #[arg(value_name = "SAVE")]
    save: PathBuf,
    /// The story it would be loaded with
    #[arg(value_name = "STORY")]
    story: PathBuf,
    /// Anything that cannot be taken over as it is counts as a fault
    #[arg(long)]
    strict: bool,
}

#[derive(Serialize)]
struct Checked<'a> {
    command: &'static str,
    ok: bool,
    title: &'a str,
    session: &'a str,
    tick: Tick,
    same_story: bool,
    notes: &'a [LoadNote],
}

impl SaveCheck {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let opened = match input::usable(shell, &self.story, None)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let bytes = open::read(&self.save)?;
        let fault = |error| Failure::faults(format!("`{}`: {error}", self.save.display()));
        let save = SessionSave::from_bytes(&bytes).map_err(fault)?;
        let model = Arc::new(opened.model);
        let same_story = story_hash(&model) == save.story;
        let loaded = Director::load(model, DirectorOptions::default(), &save, shell.planners.loader());
        let (_, report) = loaded.map_err(fault)?;
        let ok = report.is_clean() || !self.strict;
        if shell.json {
            let SessionSave { title, session, tick, .. } = &save;
            let notes = &report.notes;
            shell.json(&Checked { command: "save-check", ok, title, session, tick: *tick, same_story, notes })?;
            return Ok(Exit::fine_if(ok));
        }
        for note in &report.notes {
            writeln!(shell.out, "{BOLD}{:<9}{BOLD:#} {}: {}", word(note.kind), note.what, note.why)?;
        }
        let verdict = match report.notes.len() {
            0 => format!("{GOOD}everything can be taken over{GOOD:#}"),
            notes => format!("{} not as saved", count(notes, "thing")),
        };
        let story = if same_story { "the same story" } else { "the story was edited since" };
        writeln!(shell.out, "{verdict} {DIM}(tick {} of “{}”; {story}){DIM:#}", save.tick, save.title)?;
        Ok(Exit::fine_if(ok))
    }
}

fn word(kind: LoadKind) -> &'static str {
    match kind {
        LoadKind::Dropped => "dropped",
        LoadKind::Defaulted => "defaulted",
        LoadKind::Mapped => "mapped",
    }
}
