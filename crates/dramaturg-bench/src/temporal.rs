//! Planning in time, whole command to whole command, beside LPG-td.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::claim::Claim;
use crate::ground::median;
use crate::lpg::Lpg;
use crate::whole_command::run;

/// What is measured.
#[derive(Clone, Debug)]
pub struct TemporalBench {
    /// Domains and problems.
    pub problems: Vec<(PathBuf, PathBuf)>,
    /// The program that has `plan`.
    pub program: PathBuf,
    /// The peer, if there is one.
    pub lpg: Option<Lpg>,
    /// How many seconds each may look for better plans.
    pub seconds: u64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct TemporalFigures {
    /// Each problem.
    pub problems: Vec<TemporalProblem>,
    /// How many seconds each had.
    pub seconds: u64,
    /// How many we solved.
    pub solved: usize,
    /// How many the peer solved.
    pub peer_solved: Option<usize>,
    /// How many times sooner than the peer's our first plan comes, at the median over what both solved.
    pub median_first: Option<f64>,
    /// Our best plan's time by the peer's, at the median over what both solved.
    pub median_makespan: Option<f64>,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// One problem.
#[derive(Clone, Debug, Serialize)]
pub struct TemporalProblem {
    /// Folder and file.
    pub name: String,
    /// We.
    pub ours: TemporalAttempt,
    /// The peer.
    pub peer: Option<TemporalAttempt>,
}

/// How one planner fared with one problem.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TemporalAttempt {
    /// The whole command up to a first plan, in seconds.
    pub first_seconds: Option<f64>,
    /// How long the first plan takes.
    pub first_makespan: Option<f64>,
    /// How long the best plan takes.
    pub makespan: Option<f64>,
    /// Its steps.
    pub steps: usize,
}

/// Plans whose times differ by no more than this share take as long: planners keep steps apart by different moments.
const TIE: f64 = 1.0005;

impl TemporalBench {
    /// Measures; `progress` hears how many of all problems are done. Who comes first changes from problem to problem.
    pub fn run(&self, scratch: &Path, progress: &mut dyn FnMut(usize, usize)) -> std::io::Result<TemporalFigures> {
        let mut problems = Vec::new();
        for (domain, problem) in &self.problems {
            let folder = domain.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let file = problem.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{file}");
            let (domain, problem) = (domain.canonicalize()?, problem.canonicalize()?);
            let mut found = TemporalProblem { name, ours: TemporalAttempt::default(), peer: None };
            for turn in 0..2 {
                if (turn + problems.len()) % 2 == 0 {
                    found.ours = self.ours(&domain, &problem, scratch)?;
                } else if let Some(lpg) = &self.lpg {
                    found.peer = Some(self.peer(lpg, &domain, &problem, scratch)?);
                }
            }
            problems.push(found);
            progress(problems.len(), self.problems.len());
        }
        Ok(self.figures(problems))
    }

    fn limit(&self) -> Duration {
        // The clock of a command starts a little after ours.
        Duration::from_secs(self.seconds) + Duration::from_millis(500)
    }

    fn ours(&self, domain: &Path, problem: &Path, scratch: &Path) -> std::io::Result<TemporalAttempt> {
        let command = |more: &[&str]| {
            let mut command = Command::new(&self.program);
            command.arg("plan").arg(domain).arg(problem).args(["--planner", "repair", "--json"]).args(more);
            command
        };
        let first = run(command(&["--first"]), scratch, self.limit())?;
        if first.code != Some(0) {
            return Ok(TemporalAttempt::default());
        }
        let makespan = |said: &str, first: bool| -> Option<(f64, usize)> {
            let said: Value = serde_json::from_str(said).ok()?;
            let all = said["improvements"].as_array()?;
            let one = if first { all.first() } else { all.last() }?;
            Some((one["makespan"].as_f64()?, one["steps"].as_u64()? as usize))
        };
        let seconds = self.seconds.to_string();
        let best = run(command(&["--time", &seconds]), scratch, self.limit() * 2)?;
        let found = makespan(&best.said, false);
        Ok(TemporalAttempt {
            first_seconds: Some(first.time.as_secs_f64()),
            first_makespan: makespan(&first.said, true).map(|(end, _)| end),
            makespan: found.map(|(end, _)| end),
            steps: found.map_or(0, |(_, steps)| steps),
        })
    }

    fn peer(&self, lpg: &Lpg, domain: &Path, problem: &Path, scratch: &Path) -> std::io::Result<TemporalAttempt> {
        let once = |seconds: Option<u64>| -> std::io::Result<(f64, Option<(usize, f64)>)> {
            let folder = scratch.join("peer");
            // None may be left over from the run before.
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder)?;
            let plan = folder.join("plan");
            let ran = run(lpg.command(domain, problem, &plan, seconds), scratch, self.limit())?;
            Ok((ran.time.as_secs_f64(), Lpg::best(&plan)))
        };
        let (seconds, first) = once(None)?;
        let Some((_, first_makespan)) = first else { return Ok(TemporalAttempt::default()) };
        let (_, best) = once(Some(self.seconds))?;
        Ok(TemporalAttempt {
            first_seconds: Some(seconds),
            first_makespan: Some(first_makespan),
            makespan: best.map(|(_, end)| end.min(first_makespan)),
            steps: best.map_or(0, |(steps, _)| steps),
        })
    }

    fn figures(&self, problems: Vec<TemporalProblem>) -> TemporalFigures {
        let solved = problems.iter().filter(|problem| problem.ours.first_seconds.is_some()).count();
        let theirs = |problem: &&TemporalProblem| problem.peer.is_some_and(|peer| peer.first_seconds.is_some());
        let peer_solved = self.lpg.is_some().then(|| problems.iter().filter(theirs).count());
        let ratios = |of: fn(&TemporalAttempt) -> Option<f64>| -> Vec<f64> {
            let both = problems.iter().filter_map(|problem| Some((of(&problem.ours)?, of(problem.peer.as_ref()?)?)));
            both.map(|(ours, peer)| ours / peer).collect()
        };
        let median_first = median(ratios(|attempt| attempt.first_seconds)).map(|ratio| 1.0 / ratio);
        let median_makespan = median(ratios(|attempt| attempt.makespan));
        let mut claims = Vec::new();
        if let Some(peer_solved) = peer_solved {
            claims.push(Claim::at_least("solved, beside LPG", solved as f64, peer_solved as f64, "problems"));
        }
        if let Some(ratio) = median_first {
            claims.push(Claim::at_least("first plan as soon as LPG's, median", ratio, 1.0, "×"));
        }
        if let Some(ratio) = median_makespan {
            claims.push(Claim::at_most("time of the best plan by that of LPG's, median", ratio, TIE, "×"));
        }
        TemporalFigures { problems, seconds: self.seconds, solved, peer_solved, median_first, median_makespan, claims }
    }
}
