//! `dramaturg plan STORY --planner repair`: the story's own planner, before the story begins.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use dramaturg::model::{self, Fixed, Model, Step};
use dramaturg::planner::planner::{Budget, Planner, Progress, Workers};
use dramaturg::planner::repair::{Playwright, RepairOptions};

use super::repair::{Improvement, as_float, keep, tell};
use super::{Found, Plan};
use crate::exit::Failure;
use crate::shell::Shell;
use crate::staging::planners::{PlannerKind, asked_for};

/// Units of work between two looks at the clock.
const PIECE: u32 = 200;
/// A plan is told of if it costs no more than this share of the last that was.
const WORTH_TELLING: f64 = 0.98;

/// Repairs a plan for what the story wants until the time is over or nothing better is looked for.
pub fn search(plan: &Plan, shell: &mut Shell, model: &Model, begun: Instant) -> Result<Found, Failure> {
    if !asked_for(model).contains(&PlannerKind::Repair) {
        let failure = Failure::usage("this story wants nothing of its own that its planner could repair a plan for");
        return Err(failure.hint("plan for a character with --character, or with --planner forward"));
    }
    let options = RepairOptions { seed: plan.seed, ..RepairOptions::default() };
    let mut planner = Playwright::new(Arc::new(model.clone()), options);
    let until = plan.time_for_better();
    let mut steps: BTreeMap<u32, Step> = BTreeMap::new();
    let (mut improvements, mut looked) = (Vec::<Improvement>::new(), 0);
    let mut cheapest: Option<(Fixed, Fixed)> = None;
    let (mut best, mut is_complete) = (model::Plan::default(), false);
    loop {
        let mut budget = Budget::of(PIECE);
        let progress = planner.deliberate(&mut budget, &Workers::single());
        looked += u64::from(budget.used);
        let delta = planner.publish();
        delta.removed.iter().for_each(|id| drop(steps.remove(id)));
        steps.extend(delta.put.iter().map(|step| (step.id, step.clone())));
        is_complete = if delta.is_empty() { is_complete } else { delta.complete };
        if let Some(cost) =
            planner.strategy().cost().filter(|cost| is_complete && cheapest.is_none_or(|cheapest| *cost < cheapest))
        {
            cheapest = Some(cost);
            // What is published later may lack what turned out to be impossible.
            best.steps = steps.values().cloned().collect();
            best.steps.sort_by_key(|step| (step.start, step.id));
            let improvement = Improvement {
                seconds: begun.elapsed().as_secs_f64(),
                cost: as_float(cost.1),
                makespan: best.end() as f64,
                steps: best.steps.len(),
            };
            // What is better by a hair is kept, but not worth a line.
            let told = improvements.last().map_or(f64::INFINITY, |told| told.cost);
            if improvement.cost < told * WORTH_TELLING {
                tell(shell, &improvement)?;
                improvements.push(improvement);
                if plan.judge(model, &best, true).is_ok() {
                    keep(plan, model, &best)?;
                }
            }
        }
        let rests = !matches!(progress, Progress::Searching | Progress::Improved { .. });
        if rests || cheapest.is_some() && plan.first || begun.elapsed() >= until {
            break;
        }
    }
    Ok(Found {
        plan: cheapest.map(|_| best),
        proved: false,
        operators: model.actions.len(),
        evaluated: looked,
        expanded: looked,
        given_up: Vec::new(),
        layers: None,
        improvements,
    })
}
