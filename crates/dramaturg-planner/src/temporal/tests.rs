//! Random problems: every plan holds, none is worse than the one before, and the same seed gives the same plans.

use std::sync::Arc;

use dramaturg_model::{Plan, State};

use super::{Cost, Temporal, TemporalOptions};
use crate::ground::testing::{pddl, random::task};
use crate::ground::{Goals, GroundOptions, ground};
use crate::planfile::{Format, write_plan};
use crate::planner::{Budget, Progress};
use crate::search::Target;
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
