//! Searches on stories, and on random problems against looking at everything.

use std::sync::Arc;

use dramaturg_model::{Model, Owner};

use rustc_hash::FxHashSet;

use super::*;
use crate::ground::testing::{pddl, random};
use crate::ground::{Goals, GroundOptions, OperatorId, Problem, ground};
use crate::packed::PackedState;
use crate::planner::Budget;

fn troy() -> Model {
    let text = include_str!("../../../../stories/troy-sparta.story");
    let compiled = dramaturg_story::compile_text("troy-sparta.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    compiled.model
}

fn solve(problem: &Arc<Problem>, target: Target, options: BestFirstOptions) -> (Outcome, u64) {
    let relaxation = Arc::new(Relaxation::new(problem, options.unit_costs));
    let mut search = BestFirst::new(Arc::clone(problem), &relaxation, &problem.initial(), target.clone(), options);
    let mut whole = Budget::of(100_000);
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

fn found(outcome: Outcome) -> Vec<OperatorId> {
    assert!(matches!(outcome, Outcome::Found(_)), "{outcome:?}");
    match outcome {
        Outcome::Found(way) => way,
        _ => Vec::new(),
    }
}

fn character(model: &Model, name: &str) -> (Arc<Problem>, Target) {
    let object = model.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id).expect("known");
    let cast = [object];
    let options =
        GroundOptions { goals: Some(Goals::Character(object)), cast: Some(&cast), ..GroundOptions::default() };
    let problem = ground(model, &options).problem;
    let own = problem.wishes.iter().filter(|wish| model.wishes[wish.wish].owner == Owner::Character(object));
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
        let way = found(outcome);
        assert_eq!(way.len(), steps, "{name}");
        assert!(expanded <= 20, "{name}: {expanded} states were gone on from");
        let (outcome, _) = solve(&problem, target, BestFirstOptions::default());
        assert!(matches!(outcome, Outcome::Found(_)), "{name}: {outcome:?}");
    }
}

/// The fewest steps to a target, by looking at everything; none if there is no way. Nothing if there is too much to look at.
fn by_looking_at_everything(problem: &Problem, target: &Target) -> Option<Option<usize>> {
    let mut seen: FxHashSet<PackedState> = FxHashSet::default();
    let mut layer = vec![problem.initial()];
    let mut applicable = Vec::new();
    seen.extend(layer.iter().cloned());
    for steps in 0.. {
        if layer.iter().any(|state| target.is_reached(problem, state)) {
            return Some(Some(steps));
        }
        let mut next = Vec::new();
        for state in &layer {
            problem.applicable(state, &mut applicable);
            for operator in &applicable {
                if let Some(found) = problem.successor(state, *operator)
                    && seen.insert(found.clone())
                {
                    next.push(found);
                }
            }
        }
        if next.is_empty() {
            return Some(None);
        }
        if seen.len() > 3_000 {
            return None;
        }
        layer = next;
    }
    None
}

#[test]
fn searches_agree_with_looking_at_everything() {
    let (mut solved, mut hopeless, mut longer) = (0, 0, 0);
    for seed in 0..1_500 {
        let (domain, text) = random::task(seed, false);
        let model = pddl(&domain, &text);
        let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
        let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
        let Some(fewest) = by_looking_at_everything(&problem, &target) else { continue };
        let greedy = BestFirstOptions::default();
        let plain = BestFirstOptions { landmarks: false, ..greedy };
        let shortest = BestFirstOptions { guide: Guide::Shortest, ..greedy };
        for options in [greedy, plain, shortest] {
            let outcome = solve(&problem, target.clone(), options).0;
            match fewest {
                None => assert_eq!(outcome, Outcome::Exhausted, "seed {seed}, {options:?}"),
                Some(fewest) => {
                    let way = found(outcome);
                    assert!(way.len() >= fewest, "seed {seed}: {} steps are fewer than {fewest}", way.len());
                    longer += usize::from(options.guide == Guide::Shortest && way.len() > fewest);
                }
            }
        }
        solved += usize::from(fewest.is_some());
        hopeless += usize::from(fewest.is_none());
    }
    assert!(solved > 300 && hopeless > 100, "{solved} solved, {hopeless} hopeless");
    assert!(longer * 10 < solved, "{longer} of {solved} ways are not the shortest");
}

#[test]
fn a_search_in_pieces_is_the_same_search() {
    let model = troy();
    let (problem, target) = character(&model, "paris");
    let relaxation = Arc::new(Relaxation::new(&problem, true));
    let start = problem.initial();
    for guide in [Guide::Greedy, Guide::Shortest] {
        let options = BestFirstOptions { guide, ..BestFirstOptions::default() };
        let begin = || BestFirst::new(Arc::clone(&problem), &relaxation, &start, target.clone(), options);
        let (mut whole, mut pieces) = (begin(), begin());
        let found = whole.run(&mut Budget::of(100_000)).clone();
        let mut units = 0;
        while *pieces.run(&mut Budget::of(3)) == Outcome::Searching {
            units += 3;
            assert!(units < 100_000);
        }
        assert_eq!(*pieces.run(&mut Budget::of(1)), found);
        assert_eq!((pieces.expanded(), pieces.evaluated()), (whole.expanded(), whole.evaluated()));
    }
}
