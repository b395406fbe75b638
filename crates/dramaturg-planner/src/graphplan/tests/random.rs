//! Random problems, against looking at everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Tick, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{assert_performable, learning, plain, ticks};
use crate::graphplan::{Graphplan, GraphplanOptions, LayerTime, Outcome};
use crate::ground::testing::{by_looking_at_everything, pddl, random};
use crate::ground::{GroundDuration, GroundExpr, GroundOptions, OperatorId, Problem, Timed, ground};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::Target;

/// What came of one random problem.
#[derive(Default)]
struct Tally {
    solved: usize,
    hopeless: usize,
    refused: usize,
    parallel: usize,
    deep: usize,
}

impl Tally {
    fn compare(&mut self, problem: &Arc<Problem>, target: &Target, about: &str) {
        let start = problem.initial();
        let begin = |options| Graphplan::new(Arc::clone(problem), &start, target.clone(), options);
        if matches!(begin(learning()).outcome(), Outcome::Unsupported { .. }) {
            self.refused += 1;
            return;
        }
        let Some(fewest) = by_looking_at_everything(problem, target) else { return };
        let mut depths = Vec::new();
        for options in [learning(), plain()] {
            let mut graphplan = begin(options);
            let outcome = graphplan.run(&mut Budget::of(3_000_000)).clone();
            let agrees = match (&outcome, fewest) {
                (Outcome::Found(plan), Some(fewest)) => {
                    assert!(plan.depth() <= fewest, "{about}, {options:?}: {plan:?} is deeper than {fewest}");
                    assert_performable(problem, &start, plan, target);
                    depths.push(plan.depth());
                    self.parallel += usize::from(plan.depth() < plan.steps());
                    self.deep += usize::from(plan.depth() > 2);
                    true
                }
                (Outcome::Exhausted, None) => true,
                _ => false,
            };
            assert!(agrees, "{about}, {options:?}: {outcome:?}, but {fewest:?}; {:?}", graphplan.counters());
        }
        assert!(depths.windows(2).all(|pair| pair.first() == pair.last()), "{about}: {depths:?}");
        self.solved += usize::from(fewest.is_some());
        self.hopeless += usize::from(fewest.is_none());
    }
}

#[test]
fn random_problems_agree_with_looking_at_everything() {
    let mut tally = Tally::default();
    for seed in 0..4_000 {
        let (domain, text) = random::task(seed, false);
        let model = pddl(&domain, &text);
        let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
        let own = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
        tally.compare(&problem, &own, &format!("seed {seed}"));
        for other in 0..3 {
            let target = random::target(&problem, seed * 7 + other);
            tally.compare(&problem, &target, &format!("seed {seed}, other target {other}"));
        }
    }
    let Tally { solved, hopeless, refused, parallel, deep } = tally;
    println!("{solved} solved, {hopeless} hopeless, {refused} refused, {parallel} parallel, {deep} deep");
    assert!(solved > 2_000 && hopeless > 500 && parallel > 100 && deep > 100);
}

/// The least time to a target with one step after another, by looking at everything; none if there is no way. Nothing if there is too
/// much to look at.
fn least_time(problem: &Problem, target: &Target) -> Option<Option<Tick>> {
    let mut best: FxHashMap<PackedState, Tick> = FxHashMap::default();
    let mut open: BTreeMap<Tick, Vec<PackedState>> = BTreeMap::from([(0, vec![problem.initial()])]);
    let mut applicable = Vec::new();
    best.insert(problem.initial(), 0);
    while let Some((time, states)) = open.pop_first() {
        let mut states = states;
        while let Some(state) = states.pop() {
            if best.get(&state).is_some_and(|best| *best < time) {
                continue;
            }
            if target.is_reached(problem, &state) {
                return Some(Some(time));
            }
            problem.applicable(&state, &mut applicable);
            for operator in &applicable {
                let end = time + ticks(problem, *operator);
                let Some(next) = problem.successor(&state, *operator) else { continue };
                if best.get(&next).is_none_or(|best| end < *best) {
                    best.insert(next.clone(), end);
                    if end == time { states.push(next) } else { open.entry(end).or_default().push(next) }
                }
            }
            if best.len() > 2_000 {
                return None;
            }
        }
    }
    Some(None)
}

/// A problem whose operators take some time.
fn lasting(mut problem: Problem, seed: u64) -> Arc<Problem> {
    let mut chance = Chance::new(seed);
    for operator in problem.operators.values_mut() {
        let ticks = Fixed::from_int(chance.below(5) as i64);
        operator.timed = Some(Box::new(Timed {
            duration: GroundDuration::Fixed(GroundExpr::Value(Value::Number(ticks))),
            conditions: Vec::new(),
            effects: Vec::new(),
            contributions: Vec::new(),
            uses: Vec::new(),
            participants: SmallVec::new(),
        }));
    }
    Arc::new(problem)
}

#[test]
fn random_problems_keep_the_least_time() {
    let (mut kept, mut refused, mut hopeless) = (0, 0, 0);
    for seed in 0..1_500 {
        let (domain, text) = random::task(seed, false);
        let model = pddl(&domain, &text);
        let problem = lasting(ground(&model, &GroundOptions::default()).problem, seed);
        let start = problem.initial();
        let target = random::target(&problem, seed * 5);
        let run = |options: GraphplanOptions| {
            let mut graphplan = Graphplan::new(Arc::clone(&problem), &start, target.clone(), options);
            graphplan.run(&mut Budget::of(3_000_000)).clone()
        };
        if matches!(run(learning()), Outcome::Unsupported { .. }) {
            continue;
        }
        let Some(least) = least_time(&problem, &target) else { continue };
        for options in [learning(), plain()] {
            for time in [LayerTime::Sequential, LayerTime::Layered] {
                let with = |available| run(GraphplanOptions { available: Some(available), time, ..options });
                let Some(least) = least else {
                    let outcome = with(4);
                    assert!(matches!(outcome, Outcome::Exhausted | Outcome::OutOfTime), "seed {seed}: {outcome:?}");
                    hopeless += 1;
                    continue;
                };
                let outcome = with(least);
                assert!(matches!(outcome, Outcome::Found(_)), "seed {seed}, {options:?}, {least}: {outcome:?}");
                let Outcome::Found(plan) = outcome else { continue };
                assert_performable(&problem, &start, &plan, &target);
                let layer = |layer: &Vec<OperatorId>| match time {
                    LayerTime::Sequential => layer.iter().map(|operator| ticks(&problem, *operator)).sum::<Tick>(),
                    LayerTime::Layered => layer.iter().map(|operator| ticks(&problem, *operator)).max().unwrap_or(0),
                };
                assert!(plan.layers.iter().map(layer).sum::<Tick>() <= least, "seed {seed}, {options:?}");
                kept += 1;
                if least > 0 && time == LayerTime::Sequential {
                    let outcome = with(least - 1);
                    assert_eq!(outcome, Outcome::OutOfTime, "seed {seed}, {options:?}, {least}");
                    refused += 1;
                }
            }
        }
    }
    println!("{kept} kept, {refused} refused, {hopeless} hopeless");
    assert!(kept > 500 && refused > 200 && hopeless > 20);
}
