//! How much work may be done. Work is counted in units, never in seconds, so that a run can be repeated bit for bit.

use dramaturg_model::Fixed;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// How much work may be done, and how much was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The most units.
    pub units: u32,
    /// The units used so far.
    pub used: u32,
}

impl Budget {
    /// So many units, none of them used.
    pub const fn of(units: u32) -> Self {
        Self { units, used: 0 }
    }

    /// The units that are left.
    pub fn left(&self) -> u32 {
        self.units.saturating_sub(self.used)
    }

    /// Uses up some units, all if there are fewer.
    pub fn spend(&mut self, units: u32) {
        self.used = self.used.saturating_add(units).min(self.units);
    }

    /// Takes one unit, if one is left.
    pub fn take(&mut self) -> bool {
        let takes = self.used < self.units;
        self.used += u32::from(takes);
        takes
    }
}

/// How far deliberating has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// There is nothing to do until something comes in.
    Idle,
    /// There is more to do.
    Searching,
    /// A better plan was found, and there is more to do.
    Improved {
        /// Its cost.
        cost: Fixed,
    },
    /// The plan reaches its goals, and nothing better is looked for.
    Complete {
        /// Its cost.
        cost: Fixed,
    },
    /// No plan reaches these goals.
    Infeasible {
        /// Whether that is proved, not only likely.
        proof: bool,
        /// The goals, by their text form.
        core: Vec<SmolStr>,
    },
}

/// Runs independent jobs, one after another or side by side. The shell supplies the threads; each job has its own share of units,
/// so the number of threads never changes what comes out.
pub struct Workers<'w> {
    run: Option<&'w RunJobs<'w>>,
}

/// Runs jobs 0 to `count`, each exactly once, and returns when all are done.
pub type RunJobs<'w> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync + 'w;

impl<'w> Workers<'w> {
    /// Jobs one after another, in the calling thread.
    pub const fn single() -> Self {
        Self { run: None }
    }

    /// Jobs as the shell runs them.
    pub const fn with(run: &'w RunJobs<'w>) -> Self {
        Self { run: Some(run) }
    }

    /// Runs jobs 0 to `count`, each exactly once.
    pub fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        match self.run {
            Some(run) => run(count, job),
            None => (0..count).for_each(job),
        }
    }
}
