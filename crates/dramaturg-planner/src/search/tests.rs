//! Searches on stories, and on random problems against looking at everything.

use std::sync::Arc;

use dramaturg_model::Model;

use super::*;
use crate::ground::{Goals, GroundOptions, Problem, ground};
use crate::planner::Budget;

fn troy() -> Model {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories/troy-sparta.story");
    let text = std::fs::read_to_string(path).expect("the sample is there");
    let compiled = dramaturg_story::compile_text("troy-sparta.story", &text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    compiled.model
}

fn solve(problem: &Arc<Problem>, target: Target, options: BestFirstOptions) -> (Outcome, u64) {
    let relaxation = Arc::new(Relaxation::new(problem, options.unit_costs));
    let mut search = BestFirst::new(Arc::clone(problem), &relaxation, &problem.initial(), target.clone(), options);
    let mut whole = Budget::of(1_000_000);
    let outcome = search.run(&mut whole).clone();
    if let Outcome::Found(way) = &outcome {
        let mut state = problem.initial();
        for operator in way {
            state = problem.successor(&state, *operator).expect("each can be performed in turn");
        }
        assert!(target.is_reached(problem, &state), "the way leads to the target");
    }
    (outcome, search.expanded())
}

fn character(model: &Model, name: &str) -> (Arc<Problem>, Target) {
    let object = model.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id).expect("known");
    let options = GroundOptions { goals: Some(Goals::Character(object)), ..GroundOptions::default() };
    let problem = ground(model, &options).problem;
    let own = problem.wishes.iter().filter(|wish| wish.owner == Some(object));
    let target = Target::new(own.flat_map(|wish| wish.conditions().cloned()).collect());
    (Arc::new(problem), target)
}

#[test]
fn hector_needs_seven_steps_and_paris_eleven() {
    let model = troy();
    for (name, steps) in [("hector", 7), ("paris", 11)] {
        let (problem, target) = character(&model, name);
        let shortest = BestFirstOptions { guide: Guide::Shortest, ..BestFirstOptions::default() };
        let (outcome, expanded) = solve(&problem, target.clone(), shortest);
        let Outcome::Found(way) = outcome else { panic!("{name}: {outcome:?}") };
        println!(
            "{name}: {expanded} expanded, {:?}",
            way.iter().map(|o| problem.operator_name(&model, *o)).collect::<Vec<_>>()
        );
        assert_eq!(way.len(), steps, "{name}");
        let (outcome, _) = solve(&problem, target, BestFirstOptions::default());
        assert!(matches!(outcome, Outcome::Found(_)), "{name}: {outcome:?}");
    }
}
