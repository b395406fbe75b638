//! `dramaturg plan --planner graphplan`: plans in layers, and proofs that there is none.

use std::sync::Arc;

use dramaturg::model::Model;
use dramaturg::planner::graphplan::{Graphplan, GraphplanOptions, Outcome};
use dramaturg::planner::ground::Problem;
use dramaturg::planner::packed::PackedState;
use dramaturg::planner::planner::Budget;
use dramaturg::planner::schedule::in_sequence;
use dramaturg::planner::search::Target;
use dramaturg::planner::search::proof::sees_everything;

use super::{Found, PIECE};
use crate::exit::Failure;

/// Looks for the plan with the fewest layers.
pub fn search(
    model: &Model,
    problem: &Arc<Problem>,
    start: &PackedState,
    target: Target,
    certain: bool,
) -> Result<Found, Failure> {
    let mut graphplan = Graphplan::new(Arc::clone(problem), start, target, GraphplanOptions::default());
    while *graphplan.run(&mut Budget::of(PIECE)) == Outcome::Searching {}
    let counters = graphplan.counters();
    let mut found = Found {
        plan: None,
        proved: false,
        operators: problem.operators.len(),
        evaluated: counters.nodes,
        expanded: counters.choices,
        given_up: Vec::new(),
        layers: None,
        improvements: Vec::new(),
    };
    match graphplan.outcome() {
        Outcome::Found(plan) => {
            found.layers = Some(plan.depth());
            found.plan = Some(in_sequence(model, problem, start, &plan.flatten(), 0));
        }
        Outcome::Exhausted => found.proved = certain && sees_everything(model, problem),
        Outcome::Unsupported { what } => {
            return Err(
                Failure::usage(format!("Graphplan does not follow this: {what}")).hint("plan with --planner forward")
            );
        }
        Outcome::Searching | Outcome::OutOfTime | Outcome::GaveUp => {}
    }
    Ok(found)
}
