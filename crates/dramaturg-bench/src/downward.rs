//! Fast Downward with the first iteration of LAMA: the peer that classical planning is measured beside.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Fast Downward is, and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downward {
    python: PathBuf,
    script: PathBuf,
}

/// What to tell who has no Fast Downward.
pub const HOW_TO_INSTALL_DOWNWARD: &str =
    "`pip install up-fast-downward` brings Fast Downward; or name its `fast-downward.py` with `--downward PATH`";

impl Downward {
    /// The one at this path: `fast-downward.py` or the folder that it lies in.
    pub fn at(path: &Path, python: &Path) -> Option<Self> {
        let script = if path.is_dir() { path.join("fast-downward.py") } else { path.to_owned() };
        let is_it = script.is_file() && script.extension().is_some_and(|kind| kind == "py");
        is_it.then(|| Self { python: python.to_owned(), script: script.canonicalize().unwrap_or(script) })
    }

    /// The one of the Python package `up_fast_downward`, if this Python has it.
    pub fn find(python: &Path) -> Option<Self> {
        let find = "import importlib.util as u; s = u.find_spec('up_fast_downward'); \
                    print(s.submodule_search_locations[0] if s else '')";
        let output = Command::new(python).args(["-c", find]).output().ok()?;
        let package = String::from_utf8(output.stdout).ok()?;
        let package = Path::new(package.trim());
        if package.as_os_str().is_empty() { None } else { Self::at(&package.join("downward"), python) }
    }

    /// The command for a problem, which writes its plan to a file.
    pub fn command(&self, domain: &Path, problem: &Path, plan: &Path) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(["--alias", "lama-first", "--plan-file"]).arg(plan).arg(domain).arg(problem);
        command
    }

    /// How many states it says to have looked at: `Evaluated 62 state(s).`
    pub fn states(said: &str) -> Option<u64> {
        let line = said.lines().rfind(|line| line.contains("Evaluated ") && line.contains("state(s)"))?;
        line.rsplit_once("Evaluated ")?.1.split(' ').next()?.parse().ok()
    }

    /// The memory that its search says to have taken: `Peak memory: 10888 KB`
    pub fn kilobytes(said: &str) -> Option<u64> {
        let line = said.lines().rfind(|line| line.contains("Peak memory: "))?;
        line.rsplit_once("Peak memory: ")?.1.split(' ').next()?.parse().ok()
    }

    /// How many steps a plan file has: a line for each, and comments.
    pub fn steps(plan: &str) -> usize {
        plan.lines().filter(|line| line.starts_with('(')).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_is_read() {
        let said = "[t=0.005s, 10888 KB] Expanded 45 state(s).\n[t=0.005s, 10888 KB] Evaluated 62 state(s).\n\
                    Peak memory: 10888 KB\n";
        assert_eq!((Downward::states(said), Downward::kilobytes(said)), (Some(62), Some(10_888)));
        assert_eq!((Downward::states(""), Downward::kilobytes("out of memory")), (None, None));
        assert_eq!(Downward::steps("(pick a b)\n(drop a b)\n; cost = 2 (unit cost)\n"), 2);
    }
}
