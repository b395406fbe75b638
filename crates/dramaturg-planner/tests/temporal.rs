//! Plans in time: what is found holds in the judge's eyes, and what is found later is never worse.

mod support;

use std::sync::Arc;

use dramaturg_model::{Model, Plan, Tick};
use dramaturg_planner::ground::{Goals, GroundOptions, ground};
use dramaturg_planner::planfile::{Format, write_plan};
use dramaturg_planner::planner::{Budget, Progress};
use dramaturg_planner::search::Target;
use dramaturg_planner::temporal::{Cost, Temporal, TemporalOptions};
use dramaturg_planner::validate::ValidateOptions;
use expect_test::expect;
use support::*;

/// The best plan after some work; every plan on the way is judged, and each must be better than the one before.
fn plan(model: &Model, seed: u64, units: u32) -> Option<Plan> {
    let options = GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() };
    let problem = Arc::new(ground(model, &options).problem);
    let target = Target::new(problem.story_goals(model).into_iter().cloned().collect());
    let start = problem.initial();
    let mut planner =
        Temporal::new(model, problem, &start, target, TemporalOptions { seed, ..TemporalOptions::default() });
    let mut budget = Budget::of(units);
    let mut before: Option<Cost> = None;
    let mut best = None;
    loop {
        match planner.run(model, &mut budget) {
            Progress::Improved { .. } => {
                let found = planner.plan(model).unwrap();
                assert_valid(&judge(model, &found, &ValidateOptions::default()));
                let cost = planner.cost().unwrap();
                assert!(before.is_none_or(|before| cost < before), "{before:?} {cost:?}");
                (before, best) = (Some(cost), Some(found));
            }
            Progress::Searching => return best,
            _ => {
                assert!(best.is_none());
                return None;
            }
        }
    }
}

fn end(plan: &Plan) -> Tick {
    plan.end()
}

const CELLAR: &str = "(define (domain cellar) (:requirements :typing :durative-actions)
  (:types match fuse)
  (:predicates (unused ?m - match) (light ?m - match) (mended ?f - fuse) (hand))
  (:durative-action strike :parameters (?m - match) :duration (= ?duration 5)
    :condition (at start (unused ?m))
    :effect (and (at start (not (unused ?m))) (at start (light ?m)) (at end (not (light ?m)))))
  (:durative-action mend :parameters (?f - fuse ?m - match) :duration (= ?duration 2)
    :condition (and (at start (hand)) (over all (light ?m)))
    :effect (and (at start (not (hand))) (at end (mended ?f)) (at end (hand)))))";

#[test]
fn fuses_are_mended_by_the_light_of_matches() {
    let model = pddl(
        CELLAR,
        "(define (problem dark) (:domain cellar) (:objects m n - match f g h - fuse)
           (:init (hand) (unused m) (unused n)) (:goal (and (mended f) (mended g) (mended h)))
           (:metric minimize (total-time)))",
    );
    let plan = plan(&model, 0, 20_000).unwrap();
    assert_eq!((plan.steps.len(), end(&plan)), (5, 6_002), "{}", write_plan(&model, &plan, Format::Ipc));
    // One match is not enough for three fuses.
    let one = pddl(
        CELLAR,
        "(define (problem darker) (:domain cellar) (:objects m - match f g h - fuse)
           (:init (hand) (unused m)) (:goal (and (mended f) (mended g) (mended h))))",
    );
    assert_eq!(self::plan(&one, 0, 20_000), None);
}

#[test]
fn no_match_is_wasted_where_all_are_needed() {
    let names = |letter: char, count: usize| (0..count).map(|i| format!(" {letter}{i}")).collect::<String>();
    let facts = |name: &str, letter: char, count: usize| {
        (0..count).map(|i| format!(" ({name} {letter}{i})")).collect::<String>()
    };
    let problem = format!(
        "(define (problem night) (:domain cellar) (:objects{} - match{} - fuse) (:init (hand){})
           (:goal (and{})) (:metric minimize (total-time)))",
        names('m', 10),
        names('f', 20),
        facts("unused", 'm', 10),
        facts("mended", 'f', 20),
    );
    let model = pddl(CELLAR, &problem);
    let plan = plan(&model, 0, 3_000).unwrap();
    assert_eq!((plan.steps.len(), end(&plan) / 1000), (30, 40), "{}", write_plan(&model, &plan, Format::Ipc));
}

/// Two cranes, each of which does one thing at a time.
const YARD: &str = "(define (domain yard) (:requirements :typing :durative-actions :fluents)
  (:types crane box place)
  (:predicates (free ?c - crane) (at ?b - box ?p - place))
  (:functions (weight ?b - box) (energy))
  (:durative-action move :parameters (?c - crane ?b - box ?p ?q - place) :duration (= ?duration (weight ?b))
    :condition (and (at start (free ?c)) (at start (at ?b ?p)))
    :effect (and (at start (not (free ?c))) (at start (not (at ?b ?p))) (at end (free ?c)) (at end (at ?b ?q))
                 (at end (increase (energy) (weight ?b))))))";

fn yard(metric: &str) -> Model {
    let problem = format!(
        "(define (problem boxes) (:domain yard) (:objects c d - crane x y z - box p q - place)
           (:init (free c) (free d) (at x p) (at y p) (at z p) (= (weight x) 2) (= (weight y) 3) (= (weight z) 4.5)
                  (= (energy) 0))
           (:goal (and (at x q) (at y q) (at z q))) (:metric minimize {metric}))"
    );
    pddl(YARD, &problem)
}

#[test]
fn work_is_shared() {
    let model = yard("(total-time)");
    let plan = plan(&model, 0, 20_000).unwrap();
    expect![[r#"
        0.000: (move d z p q) [4.500]
        0.000: (move c y p q) [3.000]
        3.001: (move c x p q) [2.000]
        ; cost = 5.001
    "#]]
    .assert_eq(&write_plan(&model, &plan, Format::Ipc));
    assert_eq!(self::plan(&model, 0, 20_000), Some(plan), "the same every time");
    let costs = yard("(energy)");
    assert_eq!(self::plan(&costs, 1, 20_000).unwrap().cost.unwrap().to_string(), "9.5");
}

#[test]
fn what_is_given_by_the_clock_is_waited_for() {
    let office = "(define (domain office) (:requirements :durative-actions :timed-initial-literals)
           (:predicates (open) (lamp) (signed) (filed))
           (:durative-action sign :parameters () :duration (= ?duration 3)
             :condition (and (at start (open)) (at end (lamp))) :effect (at end (signed)))
           (:durative-action shine :parameters () :duration (and (>= ?duration 1) (<= ?duration 4))
             :effect (and (at start (lamp)) (at end (not (lamp)))))
           (:durative-action file :parameters () :duration (= ?duration 2)
             :condition (and (at start (signed)) (over all (open))) :effect (at end (filed))))";
    let hours = |close: u32| {
        let problem = format!(
            "(define (problem day) (:domain office) (:init (at 9 (open)) (at {close} (not (open))))
               (:goal (filed)) (:metric minimize (total-time)))"
        );
        pddl(office, &problem)
    };
    let plan = plan(&hours(17), 0, 5_000).unwrap();
    assert_eq!(end(&plan), 14_002, "{}", write_plan(&hours(17), &plan, Format::Ipc));
    assert_eq!(self::plan(&hours(13), 0, 5_000), None, "closed before it can be filed");
}

/// Three jobs on three machines; the shortest plan takes 11.
#[test]
fn machines_do_one_thing_at_a_time() {
    let domain = "(define (domain shop) (:requirements :typing :durative-actions :fluents)
      (:types operation machine)
      (:predicates (on ?o - operation ?m - machine) (next ?o ?p - operation) (due ?o - operation) (idle ?m - machine)
                   (done ?o - operation))
      (:functions (length ?o - operation))
      (:durative-action perform :parameters (?o - operation ?m - machine ?p - operation) :duration (= ?duration (length ?o))
        :condition (and (at start (due ?o)) (at start (on ?o ?m)) (at start (next ?o ?p)) (at start (idle ?m)))
        :effect (and (at start (not (due ?o))) (at start (not (idle ?m))) (at end (idle ?m)) (at end (done ?o))
                     (at end (due ?p)))))";
    let jobs: [&[(u32, u32)]; 3] = [&[(0, 3), (1, 2), (2, 2)], &[(0, 2), (2, 1), (1, 4)], &[(1, 4), (2, 3)]];
    let (mut objects, mut init, mut goal) = (String::new(), String::new(), String::new());
    for (number, job) in jobs.iter().enumerate() {
        init += &format!(" (due j{number}0)");
        objects += &format!(" j{number}{}", job.len());
        for (place, (machine, length)) in job.iter().enumerate() {
            let next = place + 1;
            objects += &format!(" j{number}{place}");
            goal += &format!(" (done j{number}{place})");
            init += &format!(" (on j{number}{place} m{machine}) (next j{number}{place} j{number}{next})");
            init += &format!(" (= (length j{number}{place}) {length})");
        }
    }
    let problem = format!(
        "(define (problem jobs) (:domain shop) (:objects{objects} - operation m0 m1 m2 - machine)
           (:init (idle m0) (idle m1) (idle m2){init}) (:goal (and{goal})) (:metric minimize (total-time)))"
    );
    let model = pddl(domain, &problem);
    for seed in 0..5 {
        let plan = plan(&model, seed, 20_000).unwrap();
        assert_eq!(end(&plan) / 1000, 11, "{}", write_plan(&model, &plan, Format::Ipc));
    }
}
