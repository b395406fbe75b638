//! LPG-td: the peer that planning in time is measured beside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where LPG is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lpg {
    program: PathBuf,
}

/// What to tell who has no LPG.
pub const HOW_TO_INSTALL_LPG: &str = "`pip install up-lpg` brings LPG-td; or name its program with `--lpg PATH`";

impl Lpg {
    /// The one at this path.
    pub fn at(path: &Path) -> Option<Self> {
        path.is_file().then(|| Self { program: path.canonicalize().unwrap_or_else(|_| path.to_owned()) })
    }

    /// The one of the Python package `up_lpg`, if this Python has it.
    pub fn find(python: &Path) -> Option<Self> {
        let find = "import importlib.util as u; s = u.find_spec('up_lpg'); \
                    print(s.submodule_search_locations[0] if s else '')";
        let output = Command::new(python).args(["-c", find]).output().ok()?;
        let package = String::from_utf8(output.stdout).ok()?;
        let package = Path::new(package.trim());
        if package.as_os_str().is_empty() { None } else { Self::at(&package.join("lpg")) }
    }

    /// The command for one plan, or for ever better ones for so many seconds.
    pub fn command(&self, domain: &Path, problem: &Path, plan: &Path, seconds: Option<u64>) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-o").arg(domain).arg("-f").arg(problem).arg("-out").arg(plan).args(["-seed", "2004"]);
        match seconds {
            None => command.args(["-n", "1"]),
            Some(seconds) => command.args(["-n", "1000", "-cputime", &seconds.to_string()]),
        };
        command
    }

    /// The shortest of the plans that a command has written beside the name that it was given: steps and end.
    pub fn best(plan: &Path) -> Option<(usize, f64)> {
        let stem = plan.file_name()?.to_string_lossy().into_owned();
        let mut best: Option<(usize, f64)> = None;
        for entry in fs::read_dir(plan.parent()?).ok()?.flatten() {
            if !entry.file_name().to_string_lossy().starts_with(&stem) {
                continue;
            }
            let found = fs::read_to_string(entry.path()).ok().and_then(|text| Self::end(&text));
            if let Some((steps, end)) = found
                && best.is_none_or(|(_, least)| end < least)
            {
                best = Some((steps, end));
            }
        }
        best
    }

    /// How many steps a plan of its has, and when the last ends: `0.0003:   (FLY P1 C0 C1) [D:180.0000; C:0.1000]`
    pub fn end(plan: &str) -> Option<(usize, f64)> {
        let (mut steps, mut end) = (0, 0.0_f64);
        for line in plan.lines().map(str::trim).filter(|line| !line.starts_with(';')) {
            let Some((start, rest)) = line.split_once(':') else { continue };
            let Ok(start) = start.trim().parse::<f64>() else { continue };
            let duration = rest.rsplit_once('[')?.1.trim_start_matches("D:");
            let duration: f64 = duration.split([';', ']']).next()?.trim().parse().ok()?;
            steps += 1;
            end = end.max(start + duration);
        }
        (steps > 0).then_some((steps, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_plans_are_read() {
        let plan = "; Version LPG-td-1.4\n; Seed 2004\n\n; Time 0.02\n\n\
                    0.0003:   (FLY P1 C0 C1) [D:180.0000; C:0.1000]\n20.5:   (BOARD A P1 C1) [D:20.0000; C:0.1000]\n";
        assert_eq!(Lpg::end(plan), Some((2, 180.0003)));
        assert_eq!(Lpg::end("; no plan\n"), None);
    }
}
