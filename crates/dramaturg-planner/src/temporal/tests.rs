//! Random problems: every plan holds, none is worse than the one before, and the same seed gives the same plans.

use std::sync::Arc;

use dramaturg_model::{Plan, State};

use super::precedence::preceded;
use super::{Cost, Temporal, TemporalOptions};
use crate::ground::testing::pddl;
use crate::ground::testing::random::{target, task};
use crate::ground::{Goals, GroundOptions, OperatorId, Problem, ground};
use crate::planfile::{Format, write_plan};
use crate::planner::{Budget, Progress};
use crate::search::{BestFirst, BestFirstOptions, Outcome, Relaxation, Target};
use crate::validate::{ValidateOptions, validate};

/// Every plan that is found with so much work, and what it costs.
fn plans(domain: &str, problem: &str, seed: u64, units: u32) -> Vec<(Cost, Plan)> {
    let model = pddl(domain, problem);
    let options = GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() };
    let problem = Arc::new(ground(&model, &options).problem);
    let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
    let start = problem.initial();
    let options = TemporalOptions { seed, states_max: 2_000 };
    let mut planner = Temporal::new(&model, problem, &start, target, options);
    let mut budget = Budget::of(units);
    let mut found = Vec::new();
    while let Progress::Improved { .. } = planner.run(&model, &mut budget) {
        let (cost, plan) = (planner.cost().unwrap(), planner.plan(&model).unwrap());
        let report = validate(&model, &State::initial(&model, 0), &plan, &ValidateOptions::default());
        let told = write_plan(&model, &plan, Format::Ipc);
        assert!(report.valid, "{:#?}\n{told}\n{domain}", report.violations);
        found.push((cost, plan));
    }
    found
}

#[test]
fn random_problems_are_planned_and_judged() {
    let mut solved = 0;
    for seed in 0..100 {
        for durative in [false, true] {
            let (domain, problem) = task(seed, durative);
            let found = plans(&domain, &problem, seed, 1_500);
            assert!(found.windows(2).all(|pair| pair[1].0 < pair[0].0), "{seed}: improvement never worsens");
            solved += usize::from(!found.is_empty());
        }
    }
    assert!(solved > 60, "{solved} of 200");
}

#[test]
fn the_same_seed_gives_the_same_plans() {
    for seed in 0..15 {
        let (domain, problem) = task(seed, true);
        assert_eq!(plans(&domain, &problem, 3, 800), plans(&domain, &problem, 3, 800), "{seed}");
    }
}

/// The best plan that is found with so much work: when it ends, and each step with its start.
fn best(domain: &str, problem: &str, units: u32) -> (i64, Vec<(String, i64)>) {
    let all = plans(domain, problem, 0, units);
    let (cost, plan) = all.last().expect("there is a plan");
    (cost.end, plan.steps.iter().map(|step| (step.action.to_string(), step.start)).collect())
}

const COURIER: &str = "(define (domain courier) (:requirements :typing :durative-actions :timed-initial-literals)
    (:types place) (:predicates (at ?p - place) (road ?a ?b - place) (track ?a ?b - place) (open ?p - place) (visited ?p - place))
    (:durative-action walk :parameters (?a ?b - place) :duration (= ?duration 10)
      :condition (and (at start (at ?a)) (over all (track ?a ?b))) :effect (and (at start (not (at ?a))) (at end (at ?b))))
    (:durative-action ride :parameters (?a ?b - place) :duration (= ?duration 2)
      :condition (and (at start (at ?a)) (over all (road ?a ?b))) :effect (and (at start (not (at ?a))) (at end (at ?b))))
    (:durative-action visit :parameters (?p - place) :duration (= ?duration 3)
      :condition (and (over all (at ?p)) (over all (open ?p))) :effect (at end (visited ?p))))";

fn courier(given: &str, goal: &str) -> String {
    format!(
        "(define (problem p) (:domain courier) (:objects home yard shop - place)
         (:init (at home) (track home shop) (road home yard) (road yard home) (road yard shop) (road shop yard) {given})
         (:goal (and {goal})))"
    )
}

#[test]
fn what_is_so_in_the_state_is_not_made_once_more() {
    let model = pddl(
        "(define (domain work) (:requirements :durative-actions) (:predicates (rested) (done) (idle))
         (:durative-action slowly :parameters () :duration (= ?duration 10) :condition (at start (rested)) :effect (at end (done)))
         (:durative-action quickly :parameters () :duration (= ?duration 1) :condition (at start (idle)) :effect (at end (done))))",
        "(define (problem p) (:domain work) (:init (rested) (idle)) (:goal (done)))",
    );
    let options = GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() };
    let problem = Arc::new(ground(&model, &options).problem);
    let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
    let start = problem.initial();
    let planner = Temporal::new(&model, problem, &start, target, TemporalOptions::default());
    let stage = planner.stage(false);
    let durations = Arc::new(super::guide::Durations::new(&stage, 2_000));
    let mut guide = super::guide::Guide::new(&stage, &durations, &stage.target, Vec::new());
    let is_slow = |id: &OperatorId| stage.problem.duration(&stage.start, *id) == Some(10);
    let slowly = stage.problem.operators.ids().find(is_slow).expect("it is there");
    let (mut state, mut timeline) = (stage.start.clone(), stage.opening.clone());
    assert!(stage.problem.apply_to(&mut state, slowly));
    timeline.occupy(stage.footprints.of(slowly), 0, 10, |_, _| {});
    let estimate = guide.estimate(&stage, &state, &timeline).expect("it is reached");
    assert_eq!((estimate.steps, estimate.work, estimate.end), (0, 0, 10));
}

#[test]
fn steps_wait_for_what_is_given_later() {
    let (end, steps) =
        best(COURIER, &courier("(at 20 (open shop)) (at 30 (not (open shop)))", "(visited shop)"), 2_000);
    let visit = steps.iter().find(|(name, _)| name == "visit").expect("a visit").1;
    assert!((20..=27).contains(&visit) && end <= 24, "{steps:?} until {end}");
}

#[test]
fn a_later_window_is_taken_where_the_first_is_too_short() {
    let windows = "(at 5 (open shop)) (at 7 (not (open shop))) (at 40 (open shop)) (at 43 (not (open shop)))";
    let (end, _) = best(COURIER, &courier(windows, "(visited shop)"), 2_000);
    assert_eq!(end, 43, "it fits exactly");
}

#[test]
fn a_longer_way_that_takes_less_time_keeps_a_deadline() {
    // The way with fewer steps leads to the same place too late.
    let (end, steps) = best(COURIER, &courier("(open shop) (at 9 (not (open shop)))", "(visited shop)"), 5_000);
    assert!(end <= 9, "{steps:?}");
}

#[test]
fn a_deadline_that_nobody_can_keep_is_not_kept() {
    assert!(plans(COURIER, &courier("(open shop) (at 4 (not (open shop)))", "(visited shop)"), 0, 60_000).is_empty());
}

#[test]
fn what_is_given_and_changed_by_actions_too_is_planned_with() {
    let domain = COURIER.replace(
        "(:durative-action visit",
        "(:durative-action unlock :parameters (?p - place) :duration (= ?duration 1)
          :condition (over all (at ?p)) :effect (at end (open ?p)))
         (:durative-action visit",
    );
    let (end, steps) = best(&domain, &courier("(open shop) (at 2 (not (open shop)))", "(visited shop)"), 20_000);
    assert!(steps.iter().any(|(name, _)| name == "unlock"), "{steps:?} until {end}");
}

/// What search makes of a problem, if it does not have to give up.
fn solved(problem: &Arc<Problem>, target: &Target) -> Option<Option<Vec<OperatorId>>> {
    let relaxation = Arc::new(Relaxation::new(problem, true));
    let options = BestFirstOptions { states_max: 4_000, ..BestFirstOptions::default() };
    let mut search = BestFirst::new(Arc::clone(problem), &relaxation, &problem.initial(), target.clone(), options);
    match search.run(&mut Budget::of(20_000)) {
        Outcome::Found(way) => Some(Some(way.clone())),
        Outcome::Exhausted => Some(None),
        _ => None,
    }
}

/// With goals in the order in which they must be reached, what could be reached still can, and every way is one without that order too.
#[test]
fn the_order_of_goals_keeps_nothing_from_being_reached() {
    let (mut ordered, mut reached) = (0, 0);
    for seed in 0..6_000 {
        let (domain, text) = task(seed, seed % 2 == 0);
        let model = pddl(&domain, &text);
        let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
        for other in 0..3 {
            let (start, target) = (problem.initial(), target(&problem, seed * 11 + other));
            let Some(strict) = preceded(&model, &problem, &start, &target) else { continue };
            let strict = Arc::new(strict);
            let (Some(plain), Some(in_order)) = (solved(&problem, &target), solved(&strict, &target)) else { continue };
            assert_eq!(plain.is_some(), in_order.is_some(), "seed {seed}, target {other}\n{domain}\n{text}");
            ordered += 1;
            if let Some(way) = in_order {
                let mut state = start;
                assert!(way.iter().all(|operator| problem.apply_to(&mut state, *operator)), "seed {seed}");
                assert!(target.is_reached(&problem, &state), "seed {seed}");
                reached += 1;
            }
        }
    }
    assert!(ordered > 150 && reached > 80, "{ordered} in order, {reached} of them reached");
}

/// Nobody walks on wet paint, so that a floor is painted from the far end; whoever begins at the near end never gets there. Search alone
/// begins so more often than not.
#[test]
fn a_floor_is_painted_from_the_far_end() {
    let domain = "(define (domain floor) (:requirements :typing :durative-actions) (:types tile painter)
      (:predicates (at ?p - painter ?t - tile) (dry ?t - tile) (wet ?t - tile) (beyond ?t ?u - tile) (beside ?t ?u - tile))
      (:durative-action paint :parameters (?p - painter ?t ?u - tile) :duration (= ?duration 2)
        :condition (and (at start (dry ?u)) (over all (at ?p ?t)) (over all (beyond ?t ?u)))
        :effect (and (at start (not (dry ?u))) (at end (wet ?u))))
      (:durative-action go :parameters (?p - painter ?t ?u - tile) :duration (= ?duration 1)
        :condition (and (at start (at ?p ?t)) (at start (dry ?u)) (over all (beside ?t ?u)))
        :effect (and (at start (not (at ?p ?t))) (at end (dry ?t)) (at start (not (dry ?u))) (at end (at ?p ?u)))))";
    let (rows, columns) = (6, 5);
    let (mut tiles, mut facts, mut goals) = (String::new(), String::new(), String::new());
    for row in 0..=rows {
        for column in 0..columns {
            tiles += &format!(" t{row}-{column}");
            if (row, column) != (0, 0) {
                facts += &format!(" (dry t{row}-{column})");
            }
            if row < rows {
                let (one, next) = (format!("t{row}-{column}"), format!("t{}-{column}", row + 1));
                facts += &format!(
                    " (beyond {one} {next}) (beyond {next} {one}) (beside {one} {next}) (beside {next} {one})"
                );
                goals += &format!(" (wet {next})");
            }
            if column + 1 < columns {
                let (one, next) = (format!("t{row}-{column}"), format!("t{row}-{}", column + 1));
                facts += &format!(" (beside {one} {next}) (beside {next} {one})");
            }
        }
    }
    let problem = format!(
        "(define (problem hall) (:domain floor) (:objects{tiles} - tile anna - painter) (:init (at anna t0-0){facts})
           (:goal (and{goals})) (:metric minimize (total-time)))"
    );
    let found = plans(domain, &problem, 0, 40_000);
    assert!(!found.is_empty());
}
