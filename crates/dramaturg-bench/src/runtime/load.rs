//! A stated load: processes that never rest, beside those that are measured.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dramaturg_wire::link::LinkError;
use serde::{Deserialize, Serialize};

use super::elsewhere::{Games, Order, Spawn};
use super::machine::core_seconds;

/// So many steps a busy process makes before it looks whether it may end: less than a millisecond.
const STEPS: u32 = 100_000;

/// What a busy process came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BusyReport {
    /// Cores that it used on average.
    pub cores: Option<f64>,
}

/// Keeps a core busy until told that it is over: what a process of the load does.
pub fn keep_busy(ready: &mut dyn FnMut(), over: &AtomicBool) -> BusyReport {
    let (began, used) = (Instant::now(), core_seconds());
    ready();
    let mut state = 1_u64;
    while !over.load(Ordering::Relaxed) {
        for _ in 0..STEPS {
            state = black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
    }
    let cores = |(before, after): (f64, f64)| (after - before) / began.elapsed().as_secs_f64();
    BusyReport { cores: used.zip(core_seconds()).map(cores) }
}

/// Processes that never rest, at the same priority as those that are measured. They end with this.
pub struct Load {
    processes: Vec<Games>,
}

impl Load {
    /// Starts so many of them.
    pub fn begin(processes: usize, spawn: &Spawn<'_>) -> Result<Self, LinkError> {
        let start = |_| {
            let mut process = Games::begin(spawn)?;
            process.go(&Order::Busy)?;
            Ok(process)
        };
        Ok(Self { processes: (0..processes).map(start).collect::<Result<_, LinkError>>()? })
    }

    /// Ends them; how many cores they used together, on average.
    pub fn end(self) -> Result<Option<f64>, LinkError> {
        let mut cores = Some(0.0);
        for process in self.processes {
            let report: BusyReport = process.end()?;
            cores = cores.zip(report.cores).map(|(sum, used)| sum + used);
        }
        Ok(cores)
    }
}
