//! The paper's first algorithm to the letter, as a baseline: planning fails if the first extraction does.

use std::sync::Arc;

use dramaturg_planner::graphplan::{Counters, Graphplan, GraphplanOptions, Outcome};
use dramaturg_planner::ground::Problem;
use dramaturg_planner::packed::PackedState;
use dramaturg_planner::planner::Budget;
use dramaturg_planner::search::Target;

/// Builds the graph up to the first level at which all goals are there and no two exclude each other, extracts once without learning,
/// and takes a failure as final: then the outcome is [`Outcome::GaveUp`], and [`Counters::first_mutex_free`] says at which level.
pub fn literal(problem: &Arc<Problem>, start: &PackedState, target: &Target, layers_max: u32) -> (Outcome, Counters) {
    let mut last = (Outcome::GaveUp, Counters::default());
    for layers_max in 0..=layers_max {
        let options = GraphplanOptions { learn: false, layers_max, ..GraphplanOptions::default() };
        let mut graphplan = Graphplan::new(Arc::clone(problem), start, target.clone(), options);
        while *graphplan.run(&mut Budget::of(u32::MAX)) == Outcome::Searching {}
        last = (graphplan.outcome().clone(), graphplan.counters());
        if last.0 != Outcome::GaveUp || last.1.first_mutex_free.is_some() {
            break;
        }
    }
    last
}
