//! A story that is being played, whatever it is shown on: its perspective, its answers, its transcript, and when it is over.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use dramaturg::model::Tick;

use super::answers::Answers;
use super::happened::{By, Happened};
use super::perspective::Perspective;
use super::theatre::Theatre;
use crate::exit::Failure;
use crate::shell::json_line;

/// Why it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// The story has ended like this.
    Ended(String),
    /// Nothing more will come by itself.
    Rest,
    /// As many ticks were played as were asked for.
    Limit,
    /// Whoever plays has had enough.
    Quit,
}

impl Over {
    /// For machines.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ended(_) => "ending",
            Self::Rest => "rest",
            Self::Limit => "limit",
            Self::Quit => "quit",
        }
    }

    /// For people.
    pub fn words(&self, ticks: Tick) -> String {
        match self {
            Self::Ended(name) => format!("The story has ended: {name}."),
            Self::Rest => "Nothing more will happen by itself.".to_owned(),
            Self::Limit => format!("{ticks} ticks have passed; `--ticks` plays on."),
            Self::Quit => "You have left the story.".to_owned(),
        }
    }
}

/// A file that everything is written to, one JSON document a line.
pub struct Record {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Record {
    /// A new file.
    pub fn create(path: PathBuf) -> Result<Self, Failure> {
        let file = File::create(&path).map_err(|error| Failure::writing(&path, &error))?;
        Ok(Self { path, file: BufWriter::new(file) })
    }

    fn write(&mut self, happened: &[Happened]) -> Result<(), Failure> {
        let mut written = happened.iter().try_for_each(|happened| json_line(&mut self.file, happened));
        if written.is_ok() && !happened.is_empty() {
            written = self.file.flush();
        }
        written.map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// A story that is being played.
pub struct Playing<'s> {
    /// Director, game, and what happens.
    pub theatre: Theatre<'s>,
    /// From where it is told.
    pub perspective: Perspective,
    /// Everything that happened, whoever saw it.
    pub happened: Vec<Happened>,
    /// Answers that need nobody.
    pub answers: Answers,
    /// Where it is written down.
    pub record: Option<Record>,
    /// It is over after so many ticks.
    pub ticks: Tick,
}

impl Playing<'_> {
    /// Runs one tick and answers what needs nobody; the place of the first thing that happened in it.
    pub fn step(&mut self) -> Result<usize, Failure> {
        let new = self.theatre.tick()?;
        if let Some(record) = &mut self.record {
            record.write(&new)?;
        }
        let from = self.happened.len();
        self.happened.extend(new);
        self.answer_alone()?;
        Ok(from)
    }

    /// Answers what needs nobody.
    pub fn answer_alone(&mut self) -> Result<(), Failure> {
        while let Some(asked) = self.theatre.question().cloned() {
            let Some((answer, by)) = self.answers.to(&asked)? else { break };
            self.theatre.answer(&asked, &answer, by)?;
        }
        Ok(())
    }

    /// Answers the question that has been open longest; whether that is an answer to it.
    pub fn answer(&mut self, typed: &str) -> Result<bool, Failure> {
        let Some(asked) = self.theatre.question().cloned() else { return Ok(false) };
        let Some(answer) = super::answers::find(&asked, typed) else { return Ok(false) };
        self.theatre.answer(&asked, &answer, By::Player)?;
        Ok(true)
    }

    /// Why it is over, if it is.
    pub fn over(&self) -> Option<Over> {
        if self.theatre.is_over() {
            return Some(self.theatre.ending().map_or(Over::Rest, |name| Over::Ended(name.to_owned())));
        }
        (self.theatre.next() >= self.ticks).then_some(Over::Limit)
    }
}
