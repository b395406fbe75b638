//! Fast Downward's translator, which grounds PDDL in Python: the peer that grounding is measured beside.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the translator is, and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translator {
    python: PathBuf,
    call: Call,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    /// A script of its own.
    Script(PathBuf),
    /// The module `fast_downward.translate` in this folder.
    Module(PathBuf),
}

/// What the translator said about one problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translation {
    /// Its own time by its own clock, without the start of Python.
    pub milliseconds: f64,
    /// How many ground actions it keeps.
    pub operators: usize,
}

/// What to tell who has no translator.
pub const HOW_TO_INSTALL: &str =
    "`pip install up-fast-downward` brings the translator; or name it with `--translator PATH`";

impl Translator {
    /// The translator at this path: a `translate.py`, or the folder `fast_downward/translate` of newer versions.
    pub fn at(path: &Path, python: &Path) -> Option<Self> {
        let python = python.to_owned();
        if path.is_dir() {
            let script = path.join("translate.py");
            if script.is_file() {
                return Some(Self { python, call: Call::Script(script) });
            }
            let is_module = path.join("__main__.py").is_file() && path.ends_with("fast_downward/translate");
            let root = path.parent().and_then(Path::parent)?;
            return is_module.then(|| Self { python, call: Call::Module(root.to_owned()) });
        }
        path.is_file().then(|| Self { python, call: Call::Script(path.to_owned()) })
    }

    /// The translator of the Python package `up_fast_downward`, if this Python has it.
    pub fn find(python: &Path) -> Option<Self> {
        let find = "import importlib.util as u; s = u.find_spec('up_fast_downward'); \
                    print(s.submodule_search_locations[0] if s else '')";
        let output = Command::new(python).args(["-c", find]).output().ok()?;
        let package = String::from_utf8(output.stdout).ok()?;
        let package = Path::new(package.trim());
        if package.as_os_str().is_empty() {
            return None;
        }
        let built = package.join("downward/builds/release/bin");
        ["fast_downward/translate", "translate"].iter().find_map(|folder| Self::at(&built.join(folder), python))
    }

    /// Grounds a problem; none if it cannot.
    pub fn run(&self, domain: &Path, problem: &Path, scratch: &Path) -> Option<Translation> {
        let mut command = Command::new(&self.python);
        match &self.call {
            Call::Script(script) => command.arg(script),
            Call::Module(root) => command.env("PYTHONPATH", root).args(["-m", "fast_downward.translate"]),
        };
        command.arg(domain).arg(problem).arg("--sas-file").arg(scratch.join("output.sas"));
        let output = command.output().ok()?;
        reading(&String::from_utf8_lossy(&output.stdout))
    }
}

/// `Translator operators: 98` and `Done! [0.010s CPU, 0.086s wall-clock]`
fn reading(text: &str) -> Option<Translation> {
    let operators = text.lines().find_map(|line| line.strip_prefix("Translator operators:"))?.trim().parse().ok()?;
    let done = text.lines().rfind(|line| line.starts_with("Done!"))?;
    let seconds: f64 = done.rsplit_once(", ")?.1.strip_suffix("s wall-clock]")?.parse().ok()?;
    Some(Translation { milliseconds: seconds * 1e3, operators })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_translators_own_words_are_read() {
        let text = "Parsing...\nTranslator operators: 98\nDone! [0.010s CPU, 0.086s wall-clock]\n";
        assert_eq!(reading(text), Some(Translation { milliseconds: 86.0, operators: 98 }));
        assert_eq!(reading("Traceback (most recent call last):"), None);
    }
}
