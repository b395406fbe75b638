//! Searches on stories, and on random problems against looking at everything.

use std::sync::Arc;

use dramaturg_model::{Model, Owner};

use rustc_hash::{FxHashMap, FxHashSet};

use super::beam::{Distance, Missed};
use super::labelled::{FirstStep, KeySteps, Unlabelled};
use super::*;
use crate::ground::testing::{by_looking_at_everything, pddl, random};
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
        let novelty = BestFirstOptions { guide: Guide::Novelty, ..greedy };
        let both = BestFirstOptions { guide: Guide::Both, alone: 500, ..greedy };
        for options in [greedy, plain, shortest, novelty, both] {
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
fn what_all_has_cost_so_far_makes_no_other_state() {
    let domain = "(define (domain d) (:predicates (at ?x) (seen ?x)) (:functions (total-cost) (bound) - number)
        (:action go :parameters (?x ?y) :precondition (at ?x)
         :effect (and (not (at ?x)) (at ?y) (seen ?y) (increase (total-cost) 3) (increase (bound) (total-cost)))))";
    let text = "(define (problem p) (:domain d) (:objects a b c) (:init (at a) (= (total-cost) 0) (= (bound) 0))
        (:goal (and (at a) (at b))) (:metric minimize (total-cost)))";
    let model = pddl(domain, text);
    let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
    let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
    for guide in [Guide::Greedy, Guide::Shortest, Guide::Novelty, Guide::Both] {
        let options = BestFirstOptions { guide, ..BestFirstOptions::default() };
        assert_eq!(solve(&problem, target.clone(), options).0, Outcome::Exhausted, "{guide:?}");
    }
}

#[test]
fn a_search_in_pieces_is_the_same_search() {
    let model = troy();
    let (problem, target) = character(&model, "paris");
    let relaxation = Arc::new(Relaxation::new(&problem, true));
    let start = problem.initial();
    for guide in [Guide::Greedy, Guide::Shortest, Guide::Novelty, Guide::Both] {
        let options = BestFirstOptions { guide, alone: 1_000, ..BestFirstOptions::default() };
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

fn random_problem(seed: u64) -> (Arc<Problem>, Target) {
    let (domain, text) = random::task(seed, false);
    let model = pddl(&domain, &text);
    let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
    let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
    (problem, target)
}

fn assert_leads_there(problem: &Problem, target: &Target, way: &[OperatorId]) {
    let mut state = problem.initial();
    for operator in way {
        let next = problem.successor(&state, *operator);
        assert!(next.is_some(), "each can be performed in turn");
        state = next.unwrap_or(state);
    }
    assert!(target.is_reached(problem, &state), "the way leads to the target");
}

/// Runs to the end, in one piece and in pieces of three units, which must come to the same.
fn run_in_pieces<S: Score>(begin: impl Fn() -> Beam<S>) -> Outcome {
    let (mut whole, mut pieces) = (begin(), begin());
    let outcome = whole.run(&mut Budget::of(100_000)).clone();
    while *pieces.run(&mut Budget::of(3)) == Outcome::Searching {}
    assert_eq!(*pieces.run(&mut Budget::of(0)), outcome);
    assert_eq!((pieces.counts(), pieces.best()), (whole.counts(), whole.best()));
    outcome
}

#[test]
fn a_beam_of_any_width_is_complete_and_a_narrow_one_proves_nothing() {
    let (mut solved, mut narrowed) = (0, 0);
    for seed in 0..600 {
        let (problem, target) = random_problem(seed);
        let Some(fewest) = by_looking_at_everything(&problem, &target) else { continue };
        let relaxation = Arc::new(Relaxation::new(&problem, true));
        let start = problem.initial();
        let wide = BeamOptions { width: usize::MAX, ..BeamOptions::default() };
        let narrow = BeamOptions { width: 3, by_margin: 1, steps_max: 8, ..BeamOptions::default() };
        for options in [wide, narrow] {
            let by_distance = run_in_pieces(|| {
                let policy = Distance::new(&problem, &relaxation, &target);
                Beam::new(Arc::clone(&problem), &start, target.clone(), policy, options)
            });
            let by_goals = run_in_pieces(|| {
                let policy = Missed { target: target.clone() };
                Beam::new(Arc::clone(&problem), &start, target.clone(), policy, options)
            });
            for outcome in [by_distance, by_goals] {
                narrowed += usize::from(outcome == Outcome::Narrowed);
                match (&outcome, fewest) {
                    (Outcome::Found(way), Some(fewest)) => {
                        assert_leads_there(&problem, &target, way);
                        assert!(options.width == 3 || way.len() == fewest, "seed {seed}: a whole layer is the fewest");
                        solved += 1;
                    }
                    (Outcome::Exhausted, None) => {}
                    _ => assert!(outcome == Outcome::Narrowed && options.width == 3, "seed {seed}: {outcome:?}"),
                }
            }
        }
    }
    assert!(solved > 300 && narrowed > 20, "{solved} solved, {narrowed} narrowed");
}

/// The cheapest way of each label, by looking at every state with every label.
fn cheapest_by_label(problem: &Problem, target: &Target, labels: &impl Labels) -> Option<FxHashMap<u64, usize>> {
    let mut cheapest = FxHashMap::default();
    let mut seen: FxHashSet<(PackedState, u64)> = FxHashSet::default();
    let mut layer = vec![(problem.initial(), 0)];
    let mut applicable = Vec::new();
    seen.extend(layer.iter().cloned());
    for steps in 0.. {
        let mut next = Vec::new();
        for (state, label) in &layer {
            if target.is_reached(problem, state) {
                cheapest.entry(*label).or_insert(steps);
                continue;
            }
            problem.applicable(state, &mut applicable);
            for operator in &applicable {
                let label = labels.after(*label, *operator);
                if let Some(found) = problem.successor(state, *operator)
                    && seen.insert((found.clone(), label))
                {
                    next.push((found, label));
                }
            }
        }
        if next.is_empty() {
            return Some(cheapest);
        }
        if seen.len() > 6_000 {
            return None;
        }
        layer = next;
    }
    None
}

fn assert_each_label_once(seed: u64, labels: &(impl Labels + Clone)) -> usize {
    let (problem, target) = random_problem(seed);
    let Some(mut cheapest) = cheapest_by_label(&problem, &target, labels) else { return 0 };
    let relaxation = Arc::new(Relaxation::new(&problem, true));
    let start = problem.initial();
    for estimate in [true, false] {
        let options = LabelledOptions { estimate, ..LabelledOptions::default() };
        let begin =
            || Labelled::new(Arc::clone(&problem), &relaxation, &start, target.clone(), labels.clone(), options);
        let (mut whole, mut pieces) = (begin(), begin());
        let mut found: Vec<(u64, usize)> = Vec::new();
        while let Outcome::Found(way) = whole.run(&mut Budget::of(1_000_000)).clone() {
            while *pieces.run(&mut Budget::of(3)) == Outcome::Searching {}
            assert_eq!(*pieces.outcome(), Outcome::Found(way.clone()), "seed {seed}");
            assert_leads_there(&problem, &target, &way);
            let label = whole.label(&way);
            assert!(found.iter().all(|(known, _)| *known != label), "seed {seed}: a label comes twice");
            found.push((label, way.len()));
            whole.want_another();
            pieces.want_another();
        }
        assert_eq!(*whole.outcome(), Outcome::Exhausted, "seed {seed}");
        assert_eq!(found.len(), cheapest.len(), "seed {seed}: a way of each kind");
        if !estimate {
            assert!(found.is_sorted_by_key(|(_, steps)| *steps), "seed {seed}: the cheapest comes first");
            for (label, steps) in found {
                assert_eq!(cheapest.remove(&label), Some(steps), "seed {seed}");
            }
            assert!(cheapest.is_empty(), "seed {seed}");
            return 1;
        }
    }
    0
}

#[test]
fn labelled_ways_are_one_of_each_kind_and_the_cheapest_of_it() {
    let mut looked_at = 0;
    for seed in 0..400 {
        looked_at += assert_each_label_once(seed, &Unlabelled);
        looked_at += assert_each_label_once(seed, &FirstStep);
        let marks = [0, 2, 3, 7, 11].iter().zip([0, 1, 0, 2, 63]).map(|(id, mark)| (OperatorId(*id), mark)).collect();
        looked_at += assert_each_label_once(seed, &KeySteps { marks });
    }
    assert!(looked_at > 300, "{looked_at} could be looked at");
}
