//! Classical and ADL planning, whole command to whole command, beside Fast Downward's LAMA.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::claim::Claim;
use crate::downward::Downward;
use crate::ground::median;
use crate::whole_command::run;

/// What is measured.
#[derive(Clone, Debug)]
pub struct ClassicalBench {
    /// Domains and problems.
    pub problems: Vec<(PathBuf, PathBuf)>,
    /// The program that has `plan`.
    pub program: PathBuf,
    /// The peer, if there is one.
    pub downward: Option<Downward>,
    /// How long a command may take.
    pub limit: Duration,
    /// How often each is run.
    pub repeat: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct ClassicalFigures {
    /// Each problem.
    pub problems: Vec<Compared>,
    /// The limit in seconds.
    pub limit: f64,
    /// How many we solved.
    pub solved: usize,
    /// How many the peer solved.
    pub peer_solved: Option<usize>,
    /// Our seconds for what both solved.
    pub seconds: f64,
    /// The peer's seconds for that.
    pub peer_seconds: Option<f64>,
    /// Our steps for what both solved.
    pub steps: usize,
    /// The peer's steps for that.
    pub peer_steps: Option<usize>,
    /// How many times faster than the peer, at the median over what both solved.
    pub median_ratio: Option<f64>,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// One problem.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// Folder and file.
    pub name: String,
    /// We.
    pub ours: Attempt,
    /// The peer.
    pub peer: Option<Attempt>,
    /// How many times faster than the peer, if both solved it.
    pub ratio: Option<f64>,
}

/// How one planner fared with one problem.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Attempt {
    /// Whether there is a plan.
    pub solved: bool,
    /// The whole command, at the median.
    pub seconds: f64,
    /// The plan's steps.
    pub steps: usize,
    /// The states that were looked at.
    pub states: Option<u64>,
    /// The most memory.
    pub kilobytes: Option<u64>,
}

impl ClassicalBench {
    /// Measures; `progress` hears how many of all problems are done. Who comes first changes from run to run.
    pub fn run(&self, scratch: &Path, progress: &mut dyn FnMut(usize, usize)) -> std::io::Result<ClassicalFigures> {
        let mut problems = Vec::new();
        for (domain, problem) in &self.problems {
            let folder = domain.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let file = problem.file_stem().unwrap_or_default().to_string_lossy();
            let (domain, problem) = (domain.canonicalize()?, problem.canonicalize()?);
            let (mut ours, mut peers) = (Vec::new(), Vec::new());
            for round in 0..self.repeat.max(1) {
                for turn in 0..2 {
                    if (round + turn + problems.len()) % 2 == 0 {
                        ours.push(self.ours(&domain, &problem, scratch)?);
                    } else if let Some(downward) = &self.downward {
                        peers.push(self.peer(downward, &domain, &problem, scratch)?);
                    }
                }
            }
            let (ours, peer) = (middle(ours).unwrap_or_default(), middle(peers));
            let both = peer.as_ref().filter(|peer| peer.solved && ours.solved);
            let ratio = both.map(|peer| peer.seconds / ours.seconds);
            problems.push(Compared { name: format!("{folder}/{file}"), ours, peer, ratio });
            progress(problems.len(), self.problems.len());
        }
        Ok(self.figures(problems))
    }

    fn ours(&self, domain: &Path, problem: &Path, scratch: &Path) -> std::io::Result<Attempt> {
        let mut command = Command::new(&self.program);
        command.arg("plan").arg(domain).arg(problem).args(["--first", "--json"]);
        let ran = run(command, scratch, self.limit)?;
        let said: Value = serde_json::from_str(&ran.said).unwrap_or_default();
        Ok(Attempt {
            // The command shows a plan only if the validator accepts it.
            solved: ran.code == Some(0),
            seconds: ran.time.as_secs_f64(),
            steps: said["steps"].as_u64().unwrap_or(0) as usize,
            states: said["evaluated"].as_u64(),
            kilobytes: ran.kilobytes,
        })
    }

    fn peer(&self, downward: &Downward, domain: &Path, problem: &Path, scratch: &Path) -> std::io::Result<Attempt> {
        let plan = scratch.join("plan.txt");
        // None may be left over from the problem before.
        let _ = fs::remove_file(&plan);
        let ran = run(downward.command(domain, problem, &plan), scratch, self.limit)?;
        let found = fs::read_to_string(&plan).ok().filter(|_| ran.code == Some(0));
        Ok(Attempt {
            solved: found.is_some(),
            seconds: ran.time.as_secs_f64(),
            steps: found.map_or(0, |plan| Downward::steps(&plan)),
            states: Downward::states(&ran.said),
            kilobytes: Downward::kilobytes(&ran.said).max(ran.kilobytes),
        })
    }

    fn figures(&self, problems: Vec<Compared>) -> ClassicalFigures {
        let solved = problems.iter().filter(|problem| problem.ours.solved).count();
        let theirs = |problem: &&Compared| problem.peer.as_ref().is_some_and(|peer| peer.solved);
        let peer_solved = self.downward.is_some().then(|| problems.iter().filter(theirs).count());
        let both = || problems.iter().filter(|problem| problem.ratio.is_some());
        let peers = || both().filter_map(|problem| problem.peer.as_ref());
        let median_ratio = median(both().filter_map(|problem| problem.ratio).collect());
        let mut claims = Vec::new();
        if let Some(peer_solved) = peer_solved {
            claims.push(Claim::at_least("solved, beside Fast Downward", solved as f64, peer_solved as f64, "problems"));
        }
        if let Some(ratio) = median_ratio {
            claims.push(Claim::at_least("as fast as Fast Downward, median", ratio, 1.0, "×"));
        }
        ClassicalFigures {
            limit: self.limit.as_secs_f64(),
            solved,
            peer_solved,
            // Nothing at all sums up to minus zero.
            seconds: both().map(|problem| problem.ours.seconds).sum::<f64>() + 0.0,
            peer_seconds: peer_solved.map(|_| peers().map(|peer| peer.seconds).sum::<f64>() + 0.0),
            steps: both().map(|problem| problem.ours.steps).sum(),
            peer_steps: peer_solved.map(|_| peers().map(|peer| peer.steps).sum()),
            median_ratio,
            claims,
            problems,
        }
    }
}

/// The attempt with the middle time, of an even number the earlier; one that solved nothing counts for all.
fn middle(mut attempts: Vec<Attempt>) -> Option<Attempt> {
    attempts.sort_by(|a, b| a.solved.cmp(&b.solved).then(a.seconds.total_cmp(&b.seconds)));
    let all = attempts.first().is_some_and(|first| first.solved);
    let place = if all { (attempts.len() - 1) / 2 } else { 0 };
    attempts.into_iter().nth(place)
}
