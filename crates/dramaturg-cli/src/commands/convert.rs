//! `dramaturg convert`: stories and PDDL into each other, and both into JSON.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dramaturg::model::Span;
use dramaturg::open::Opened;
use dramaturg::render::{JsonPlace, json_place};
use dramaturg::story::pddl::{ExportOptions, PddlLevel, to_pddl};
use dramaturg::story::print::to_story;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::Shell;
use crate::style::{BOLD, DIM, DOUBTFUL, GOOD};

/// Convert between stories, PDDL and JSON
///
/// What the other language cannot say is left out and listed on standard error. PDDL is written as domain.pddl and problem.pddl into
/// the folder given by `--output`, or one after the other to standard output.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg convert troy.story --to pddl --character hector -o troy-pddl
  dramaturg convert domain.pddl problem.pddl --to story -o blocks.story
  dramaturg convert apple.story --to json")]
pub struct Convert {
    /// A story or a PDDL domain
    #[arg(value_name = "STORY|DOMAIN")]
    path: PathBuf,
    /// The problem of a PDDL domain
    #[arg(value_name = "PROBLEM")]
    problem: Option<PathBuf>,
    /// Into what
    #[arg(long, value_enum, value_name = "WHAT")]
    to: To,
    /// The file to write; for PDDL the folder [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// How much PDDL may say
    #[arg(long, value_enum, value_name = "HOW", default_value_t = How::Classical)]
    level: How,
    /// Only what this character can do and wants
    #[arg(long, value_name = "NAME")]
    character: Option<String>,
    /// The level of the story [default: the first]
    #[arg(long, value_name = "NAME")]
    story_level: Option<String>,
}

/// Into what.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// A story
    Story,
    /// A PDDL domain and problem
    Pddl,
    /// The model as JSON
    Json,
}

/// How much PDDL may say.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// Facts only, for planners such as Fast Downward
    Classical,
    /// Durations and numbers too: PDDL 2.1
    Temporal,
}

#[derive(Serialize)]
struct Converted<'a> {
    command: &'static str,
    ok: bool,
    to: &'static str,
    files: Vec<File>,
    left_out: Vec<Left<'a>>,
}

#[derive(Serialize)]
struct File {
    name: String,
    /// Where it was written; none: nowhere, for it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct Left<'a> {
    what: String,
    why: String,
    place: Option<JsonPlace<'a>>,
}

/// What a conversion yields: names and texts of files, and what could not be said, why, and where it stands.
struct Conversion {
    to: &'static str,
    files: Vec<(String, String)>,
    left_out: Vec<(String, String, Span)>,
}

impl Convert {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let opened = match input::usable(shell, &self.path, self.problem.as_deref())? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let converted = self.convert(&opened)?;
        let mut files = Vec::new();
        for (name, text) in converted.files {
            let path = self.output.as_deref().map(|output| self.place(output, &name));
            if let Some(path) = &path {
                write(path, &text)?;
            } else if !shell.json {
                write!(shell.out, "{text}")?;
            }
            let text = path.is_none().then_some(text);
            files.push(File { name, path: path.map(|path| path.to_string_lossy().into_owned()), text });
        }
        let left_out = converted.left_out.into_iter();
        let left_out: Vec<Left<'_>> =
            left_out.map(|(what, why, place)| Left { what, why, place: json_place(&opened.sources, place) }).collect();
        if shell.json {
            shell.json(&Converted { command: "convert", ok: true, to: converted.to, files, left_out })?;
            return Ok(Exit::Fine);
        }
        if !left_out.is_empty() {
            writeln!(shell.err, "{DOUBTFUL}left out or changed{DOUBTFUL:#}, for {} cannot say it:", converted.to)?;
        }
        for left in &left_out {
            let place = left.place.as_ref().map(|place| format!(" {DIM}{}:{}{DIM:#}", place.file, place.line));
            writeln!(shell.err, "  {BOLD}{}{BOLD:#}: {}{}", left.what, left.why, place.unwrap_or_default())?;
        }
        for path in files.iter().filter_map(|file| file.path.as_ref()) {
            writeln!(shell.err, "{GOOD}wrote{GOOD:#} {path}")?;
        }
        Ok(Exit::Fine)
    }

    fn convert(&self, opened: &Opened) -> Result<Conversion, Failure> {
        let model = &opened.model;
        let stem = self.path.file_stem().map_or_else(|| "story".into(), |stem| stem.to_string_lossy());
        Ok(match self.to {
            To::Json => {
                let text = serde_json::to_string_pretty(model)
                    .map_err(|error| Failure::trouble(format!("cannot write JSON: {error}")))?;
                Conversion { to: "json", files: vec![(format!("{stem}.json"), text + "\n")], left_out: Vec::new() }
            }
            To::Story if model.pddl().is_none() => {
                let failure = Failure::usage(format!("`{}` is a story already", self.path.display()));
                return Err(failure.hint("`dramaturg fmt` brings it into the one layout"));
            }
            To::Story => {
                let printed = to_story(model);
                let left_out = printed.left_out.into_iter().map(|left| (left.what, left.why, left.place));
                let files = vec![(format!("{stem}.story"), printed.story)];
                Conversion { to: "story", files, left_out: left_out.collect() }
            }
            To::Pddl => {
                let options = ExportOptions {
                    level: match self.level {
                        How::Classical => PddlLevel::Classical,
                        How::Temporal => PddlLevel::Temporal,
                    },
                    character: self.character.as_deref().map(|name| input::character(model, name)).transpose()?,
                    story_level: self.story_level.as_deref().map(|name| input::level(model, name)).transpose()?,
                };
                let export = to_pddl(model, &options);
                let left_out = export.left_out.into_iter().map(|left| (left.what, left.why, left.place));
                let problem = match self.output {
                    Some(_) => export.problem,
                    None => format!("\n;; --- problem.pddl ---\n{}", export.problem),
                };
                let files = vec![("domain.pddl".to_owned(), export.domain), ("problem.pddl".to_owned(), problem)];
                Conversion { to: "pddl", files, left_out: left_out.collect() }
            }
        })
    }

    /// The output itself, or the file in it if the output is a folder.
    fn place(&self, output: &Path, name: &str) -> PathBuf {
        if self.to == To::Pddl || output.is_dir() { output.join(name) } else { output.to_owned() }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::writing(path, &error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(wrong)?;
    }
    fs::write(path, text).map_err(wrong)
}
