//! The plan that a story's own planner makes before the story begins.

use std::sync::Arc;

use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::planner::{Budget, Planner, Progress, TickBounds, Workers};
use dramaturg::planner::repair::{Playwright, RepairOptions};

/// It works so many units at a time, and so many at most.
const PIECE: u32 = 400;
const UNITS: u32 = 40_000;

/// The best plan after a while whose first step starts no sooner than a tick.
pub fn forethought(model: &Arc<Model>, seed: u64, from: Tick) -> Plan {
    let mut planner = Playwright::new(Arc::clone(model), RepairOptions { seed, ..RepairOptions::default() });
    planner.advance(TickBounds::exactly(0), from);
    for _ in 0..UNITS / PIECE {
        match planner.deliberate(&mut Budget::of(PIECE), &Workers::single()) {
            Progress::Searching | Progress::Improved { .. } => {}
            Progress::Idle | Progress::Complete { .. } | Progress::Infeasible { .. } => break,
        }
    }
    let mut steps = planner.publish().put;
    steps.sort_by_key(|step| (step.start, step.id));
    Plan { steps, ..Plan::default() }
}
