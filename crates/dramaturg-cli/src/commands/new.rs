//! `dramaturg new`: a small story that works.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::{BOLD, DIM, GOOD, TYPED};

/// Write a small story that works, as a beginning
///
/// Makes the folder NAME with NAME.story, its tests NAME.play and, where it makes sense, a plan. What is there already is never
/// overwritten.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg new lighthouse
  dramaturg new orchard --template cast")]
pub struct New {
    /// The name of the story, or a path that ends with it
    #[arg(value_name = "NAME")]
    path: PathBuf,
    /// What kind of story to begin with
    #[arg(long, value_enum, default_value_t = Template::Adventure)]
    template: Template,
}

/// What a story begins with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Template {
    /// One place, one deadline, rules that happen by themselves
    Adventure,
    /// Characters who plan for themselves
    Cast,
    /// Pieces of story, and a player who chooses between them
    Tasks,
}

impl Template {
    const fn story(self) -> &'static str {
        match self {
            Self::Adventure => include_str!("../../templates/adventure.story"),
            Self::Cast => include_str!("../../templates/cast.story"),
            Self::Tasks => include_str!("../../templates/tasks.story"),
        }
    }

    const fn play(self) -> &'static str {
        match self {
            Self::Adventure => include_str!("../../templates/adventure.play"),
            Self::Cast => include_str!("../../templates/cast.play"),
            Self::Tasks => include_str!("../../templates/tasks.play"),
        }
    }

    /// A plan to look at before there is a planner.
    const fn plan(self) -> Option<&'static str> {
        match self {
            Self::Adventure => Some(include_str!("../../templates/adventure.plan")),
            Self::Cast => Some(include_str!("../../templates/cast.plan")),
            Self::Tasks => None,
        }
    }
}

#[derive(Serialize)]
struct Made {
    command: &'static str,
    ok: bool,
    folder: String,
    files: Vec<String>,
}

impl New {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let name = self.name()?;
        let folder = &self.path;
        if folder.exists() {
            let failure =
                Failure::trouble(format!("`{}` exists already, and nothing is overwritten", folder.display()));
            return Err(failure.hint("choose another name, or move it away"));
        }
        fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
        let title = title(&name);
        let mut files = vec![(format!("{name}.story"), self.template.story().replace("@TITLE@", &title))];
        files.push((format!("{name}.play"), self.template.play().to_owned()));
        files.extend(self.template.plan().map(|plan| (format!("{name}.plan"), plan.to_owned())));
        for (file, text) in &files {
            write_new(&folder.join(file), text)?;
        }
        let shown = folder.display();
        if shell.json {
            let files = files.iter().map(|(file, _)| folder.join(file).to_string_lossy().into_owned()).collect();
            shell.json(&Made { command: "new", ok: true, folder: shown.to_string(), files })?;
            return Ok(Exit::Fine);
        }
        writeln!(shell.out, "{GOOD}made{GOOD:#} {BOLD}{shown}{BOLD:#}")?;
        for (file, _) in &files {
            writeln!(shell.out, "  {}", folder.join(file).display())?;
        }
        writeln!(shell.out, "\nTry next:")?;
        writeln!(shell.out, "  {TYPED}dramaturg check --watch {shown}{TYPED:#}")?;
        if self.template.plan().is_some() {
            let plan = folder.join(format!("{name}.plan"));
            let plan = plan.display();
            writeln!(shell.out, "  {TYPED}dramaturg simulate {shown} {plan}{TYPED:#}   {DIM}what happens{DIM:#}")?;
            writeln!(shell.out, "  {TYPED}dramaturg validate {shown} {plan}{TYPED:#}   {DIM}whether it holds{DIM:#}")?;
        } else {
            writeln!(shell.out, "  {TYPED}dramaturg simulate {shown}{TYPED:#}   {DIM}what happens by itself{DIM:#}")?;
        }
        Ok(Exit::Fine)
    }

    /// The last part of the path, if a story can be called so.
    fn name(&self) -> Result<String, Failure> {
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut characters = name.chars();
        let good = characters.next().is_some_and(char::is_alphabetic)
            && characters.all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        if good {
            return Ok(name.to_owned());
        }
        let mut instead: String =
            name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect::<String>().to_lowercase();
        instead = instead.trim_matches(|c: char| c == '-' || c.is_numeric()).to_owned();
        if instead.is_empty() {
            "mystory".clone_into(&mut instead);
        }
        let failure = Failure::usage(format!("a story cannot be called `{name}`: use letters, digits, `-` and `_`"));
        Err(failure.hint(format!("for example `dramaturg new {instead}`")))
    }
}

/// `old-mill` is called "Old mill".
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::writing(path, &error);
    let mut file = fs::File::create_new(path).map_err(wrong)?;
    file.write_all(text.as_bytes()).map_err(wrong)
}
