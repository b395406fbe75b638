//! `dramaturg plan --planner repair`: plans in time, a first one soon and then better ones.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use dramaturg::model::{self, Fixed, Model};
use dramaturg::planner::ground::Problem;
use dramaturg::planner::packed::PackedState;
use dramaturg::planner::planfile::write_plan;
use dramaturg::planner::planner::{Budget, Progress};
use dramaturg::planner::search::Target;
use dramaturg::planner::temporal::{Temporal, TemporalOptions};
use serde::Serialize;

use super::{Found, Plan};
use crate::exit::Failure;
use crate::shell::{Shell, count};
use crate::style::{DIM, GOOD};

/// Units of work between two looks at the clock.
const PIECE: u32 = 200;

/// A plan that was better than all before it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Improvement {
    /// When it was found, from the beginning of planning.
    pub(super) seconds: f64,
    /// What it costs: the problem's metric, or how long it takes; for a story what it lacks of what is liked.
    pub(super) cost: f64,
    /// How long it takes, in the problem's units of time; in ticks for a story.
    pub(super) makespan: f64,
    /// How many steps it has.
    pub(super) steps: usize,
}

/// Looks for a plan, and for better ones until the time is over.
pub fn search(
    plan: &Plan,
    shell: &mut Shell,
    model: &Model,
    problem: Arc<Problem>,
    start: &PackedState,
    target: Target,
    begun: Instant,
) -> Result<Found, Failure> {
    let unit = model.pddl().map_or(1, |origin| origin.ticks_per_unit.max(1));
    let operators = problem.operators.len();
    let options = TemporalOptions { seed: plan.seed, states_max: plan.states_max };
    let until = plan.time_for_better();
    let mut planner = Temporal::new(model, problem, start, target, options);
    let mut best: Option<model::Plan> = None;
    let mut improvements = Vec::new();
    let mut refused = None;
    loop {
        match planner.run(model, &mut Budget::of(PIECE)) {
            Progress::Improved { cost } => {
                let Some(found) = planner.plan(model) else { continue };
                // One that the judge refuses is never shown; what comes after it may be.
                if let Err(failure) = plan.judge(model, &found, true) {
                    refused = Some(failure);
                    if begun.elapsed() >= until {
                        break;
                    }
                    continue;
                }
                let improvement = Improvement {
                    seconds: begun.elapsed().as_secs_f64(),
                    cost: as_float(cost),
                    makespan: found.end() as f64 / unit as f64,
                    steps: found.steps.len(),
                };
                tell(shell, &improvement)?;
                improvements.push(improvement);
                keep(plan, model, &found)?;
                best = Some(found);
            }
            Progress::Searching => {}
            Progress::Idle | Progress::Complete { .. } | Progress::Infeasible { .. } => break,
        }
        let tried = best.is_some() || refused.is_some();
        if best.is_some() && plan.first || tried && begun.elapsed() >= until || plan.is_over(begun) {
            break;
        }
    }
    if let (None, Some(failure)) = (&best, refused) {
        return Err(failure);
    }
    Ok(Found {
        plan: best,
        proved: false,
        operators,
        evaluated: planner.looked(),
        expanded: planner.looked(),
        given_up: Vec::new(),
        layers: None,
        improvements,
    })
}

/// Whoever ends this early has the best plan so far.
pub(super) fn keep(plan: &Plan, model: &Model, found: &model::Plan) -> Result<(), Failure> {
    let Some(path) = &plan.output else { return Ok(()) };
    let text = write_plan(model, found, plan.written());
    std::fs::write(path, text).map_err(|error| Failure::writing(path, &error))
}

pub(super) fn tell(shell: &mut Shell, improvement: &Improvement) -> Result<(), Failure> {
    if shell.json {
        return Ok(());
    }
    let Improvement { seconds, cost, makespan, steps } = improvement;
    let time = if cost == makespan { String::new() } else { format!(", time {makespan:.3}") };
    let steps = count(*steps, "step");
    writeln!(shell.err, "{DIM}{seconds:8.3} s{DIM:#}  {GOOD}cost {cost:.3}{GOOD:#}{time}, {steps}")?;
    Ok(())
}

pub(super) fn as_float(number: Fixed) -> f64 {
    number.0 as f64 / 1e6
}
