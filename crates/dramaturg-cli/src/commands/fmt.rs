//! `dramaturg fmt`: one layout for all stories.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dramaturg::model::{Diagnostic, Severity, Sources};
use dramaturg::open::{self, Kind};
use dramaturg::story::Files;
use dramaturg::story::format::{format_play, format_story};
use dramaturg::story::syntax::{parse_play, parse_story};
use dramaturg::{DiskFiles, render};
use serde::Serialize;
use similar::TextDiff;

use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::style::{BAD, BOLD, DIM, GOOD};
use crate::targets;

/// Bring stories and plays into the one layout
///
/// Comments, blank lines and order stay. A file with syntax faults is left as it is and reported. Files are replaced as a whole,
/// so nothing is lost if the machine stops halfway.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg fmt apple.story apple.play
  dramaturg fmt --check stories/            show what would change, exit 1 if anything would
  dramaturg fmt - < draft.story             from standard input to standard output")]
pub struct Fmt {
    /// Files, folders (with everything inside), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Change nothing; show what would change and exit 1 if anything would
    #[arg(long)]
    check: bool,
    /// The name standard input goes by; one that ends in `.play` makes it a play
    #[arg(long, value_name = "NAME", default_value = "stdin.story")]
    stdin_name: PathBuf,
}

#[derive(Serialize)]
struct Formatted {
    command: &'static str,
    ok: bool,
    changed: usize,
    files: Vec<FileResult>,
}

#[derive(Serialize)]
struct FileResult {
    path: String,
    /// `unchanged`, `formatted`, `would-change` or `faulty`
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<serde_json::Value>,
}

struct Work {
    path: String,
    before: Arc<str>,
    after: String,
    sources: Sources,
    faults: Vec<Diagnostic>,
}

impl Work {
    fn changes(&self) -> bool {
        self.faults.is_empty() && *self.before != *self.after
    }

    fn diff(&self) -> String {
        let diff = TextDiff::from_lines(&*self.before, &self.after);
        diff.unified_diff().context_radius(3).header(&self.path, &self.path).to_string()
    }
}

impl Fmt {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let mut results = Vec::new();
        for path in &self.paths {
            if path.as_os_str() == "-" {
                results.push(self.stdin(shell)?);
            } else if path.is_dir() {
                for file in targets::files(path, &["story", "play"], true)? {
                    results.push(self.file(shell, &file)?);
                }
            } else {
                results.push(self.file(shell, path)?);
            }
        }
        let of = |result: &str| results.iter().filter(|file| file.result == result).count();
        let (faulty, would) = (of("faulty"), of("would-change"));
        let changed = would + of("formatted");
        let ok = faulty == 0 && would == 0;
        if shell.json {
            shell.json(&Formatted { command: "fmt", ok, changed, files: results })?;
        } else {
            let unchanged = of("unchanged");
            let mut parts = Vec::new();
            if would > 0 {
                parts.push(format!("{BAD}{} would change{BAD:#}", count(would, "file")));
            }
            if of("formatted") > 0 {
                parts.push(format!("{GOOD}{} formatted{GOOD:#}", count(of("formatted"), "file")));
            }
            if faulty > 0 {
                parts.push(format!("{BAD}{} with faults left as it was{BAD:#}", count(faulty, "file")));
            }
            if unchanged > 0 || parts.is_empty() {
                parts.push(format!("{} already in the one layout", count(unchanged, "file")));
            }
            writeln!(shell.err, "{}", parts.join(", "))?;
        }
        Ok(Exit::fine_if(ok))
    }

    fn stdin(&self, shell: &mut Shell) -> Result<FileResult, Failure> {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::trouble(format!("cannot read standard input: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|_| Failure::faults("standard input is not UTF-8 text"))?;
        let work = format(&self.stdin_name, text.into(), Vec::new())?;
        if shell.json {
            let mut result = self.report(shell, &work)?;
            result.text = Some(work.after);
            return Ok(result);
        }
        if !self.check {
            // Also with faults: whoever reads us gets back at least what was given.
            write!(shell.out, "{}", work.after)?;
        }
        self.report(shell, &work)
    }

    fn file(&self, shell: &mut Shell, path: &Path) -> Result<FileResult, Failure> {
        let files = DiskFiles::new();
        let name = path.to_string_lossy();
        let Some(text) = files.read(&name) else {
            return Err(match files.troubles().pop() {
                Some(trouble) => Failure::trouble(format!("cannot read `{}`: {}", path.display(), trouble.error)),
                None => open::missing(path).into(),
            });
        };
        let garbled = files.encoding_faults(&Sources::single(name.clone(), text.clone()));
        let work = format(path, text, garbled)?;
        if work.changes() && !self.check {
            replace(path, &work.after)?;
        }
        self.report(shell, &work)
    }

    fn report(&self, shell: &mut Shell, work: &Work) -> Result<FileResult, Failure> {
        let result = match (work.faults.is_empty(), work.changes(), self.check) {
            (false, _, _) => "faulty",
            (true, false, _) => "unchanged",
            (true, true, true) => "would-change",
            (true, true, false) => "formatted",
        };
        let diff = (result == "would-change").then(|| work.diff());
        if shell.json {
            let findings = work.faults.iter().map(|found| render::finding(&work.sources, found));
            let findings = findings.filter_map(|found| serde_json::to_value(found).ok()).collect();
            return Ok(FileResult { path: work.path.clone(), result, diff, text: None, findings });
        }
        shell.diagnose(&work.sources, &work.faults, Severity::Error)?;
        if let Some(diff) = &diff {
            for line in diff.lines() {
                match line.as_bytes().first() {
                    Some(b'+') if !line.starts_with("+++") => writeln!(shell.out, "{GOOD}{line}{GOOD:#}")?,
                    Some(b'-') if !line.starts_with("---") => writeln!(shell.out, "{BAD}{line}{BAD:#}")?,
                    Some(b'@') => writeln!(shell.out, "{DIM}{line}{DIM:#}")?,
                    Some(b'+' | b'-') => writeln!(shell.out, "{BOLD}{line}{BOLD:#}")?,
                    _ => writeln!(shell.out, "{line}")?,
                }
            }
        }
        if result == "formatted" && self.paths.iter().all(|path| path.as_os_str() != "-") {
            writeln!(shell.out, "{GOOD}formatted{GOOD:#} {}", work.path)?;
        }
        Ok(FileResult { path: work.path.clone(), result, diff, text: None, findings: Vec::new() })
    }
}

fn format(path: &Path, text: Arc<str>, mut faults: Vec<Diagnostic>) -> Result<Work, Failure> {
    let name = path.to_string_lossy().into_owned();
    let mut sources = Sources::new();
    let file = sources.add(name.clone(), text.clone());
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_play = extension == Some("play");
    let is_pddl = extension.is_none_or(|known| known != "story" && known != "play")
        && path.is_file()
        && Kind::of(path)? == Kind::Pddl;
    if is_pddl {
        let failure = Failure::usage(format!("`{name}` is PDDL, which has no layout of ours"));
        return Err(failure.hint("`dramaturg convert --to story` makes a story of it"));
    }
    faults.extend(if is_play { parse_play(file, &text).1 } else { parse_story(file, &text).1 });
    faults.retain(Diagnostic::is_error);
    let after = match (faults.is_empty(), is_play) {
        (false, _) => text.to_string(),
        (true, true) => format_play(&text),
        (true, false) => format_story(&text),
    };
    Ok(Work { path: name, before: text, after, sources, faults })
}

/// Puts a new text in the place of a file at once: either the old or the new one is there, never half of it.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::writing(path, &error);
    // What a link leads to is replaced, not the link.
    let real = fs::canonicalize(path).map_err(wrong)?;
    let folder = real.parent().unwrap_or(Path::new("."));
    let mut draft = tempfile::Builder::new().prefix(".dramaturg-").tempfile_in(folder).map_err(wrong)?;
    draft.write_all(text.as_bytes()).map_err(wrong)?;
    let permissions = fs::metadata(&real).map_err(wrong)?.permissions();
    draft.as_file().set_permissions(permissions).map_err(wrong)?;
    draft.as_file().sync_all().map_err(wrong)?;
    draft.persist(&real).map_err(|error| wrong(error.error))?;
    Ok(())
}
