//! The playwright: repairs in a second on short and long plans, the first plan, and planning again.

use std::sync::Arc;
use std::time::Instant;

use dramaturg_model::{Model, Observation, Tick};
use dramaturg_planner::planner::{Budget, Planner, TickBounds, Workers};
use dramaturg_planner::repair::{Playwright, RepairOptions};
use dramaturg_story::compile_text;
use serde::Serialize;

use crate::claim::Claim;
use crate::script::{BEGIN, Script};
use crate::timing::{Samples, Timing};

/// What is measured.
#[derive(Clone, Debug)]
pub struct RepairBench {
    /// How long the plans are on which repairs are counted.
    pub steps: Vec<usize>,
    /// For how many seconds repairs are counted on each.
    pub seconds: f64,
    /// How often first plans and plans after a surprise are made.
    pub repeat: usize,
}

/// Repairs on a plan of one length.
#[derive(Clone, Debug, Serialize)]
pub struct RepairRow {
    /// What the plan is for.
    pub title: &'static str,
    /// How many steps it has.
    pub steps: usize,
    /// How many repairs were tried in a second.
    pub per_second: f64,
    /// How far the number is off its curve on average.
    pub error: Option<f64>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct RepairFigures {
    /// Repairs in a second.
    pub rows: Vec<RepairRow>,
    /// The first plan of `princess` that lacks nothing.
    pub first_plan: Timing,
    /// A plan that lacks nothing after something was seen that contradicts it.
    pub again: Timing,
    /// How many repairs the first plan took, at most.
    pub first_repairs: u32,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// Princes, princesses and a curve.
const PRINCESS: &str = include_str!("../../../stories/princess.story");

impl RepairBench {
    /// Measures; `progress` hears how many of all rounds are done.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize)) -> RepairFigures {
        let rounds = self.steps.len() * 2 + self.repeat;
        let mut rows = Vec::new();
        for (number, steps) in self.steps.iter().enumerate() {
            rows.extend(self.count("goals alone", &Script::doors(*steps)));
            progress(number * 2 + 1, rounds);
            rows.extend(self.count("a curve", &Script::curve(*steps)));
            progress(number * 2 + 2, rounds);
        }
        let (mut first, mut again, mut first_repairs) = (Samples::new(), Samples::new(), 0);
        for round in 0..self.repeat {
            let mut planner = Playwright::new(compiled(PRINCESS), options(round as u64));
            see(&mut planner, "player.quest", "princessQuest", 0);
            see(&mut planner, "player.location", "castle", 0);
            planner.advance(TickBounds::exactly(0), 5);
            first_repairs = first_repairs.max(first.measure(|| until_complete(&mut planner)));
            // A better plan in peace, then a surprise.
            planner.deliberate(&mut Budget::of(5_000), &Workers::single());
            planner.publish();
            planner.advance(TickBounds::exactly(10), 15);
            see(&mut planner, "player.location", "village", 8);
            again.measure(|| until_complete(&mut planner));
            progress(self.steps.len() * 2 + round + 1, rounds);
        }
        let (first_plan, again) = (first.timing(), again.timing());
        let mut claims = Vec::new();
        for row in &rows {
            let target = match (row.error.is_some(), row.steps) {
                (false, ..=300) => Some(100_000.0),
                (true, 301..=3_000) => Some(20_000.0),
                (true, 3_001..) => Some(2_000.0),
                _ => None,
            };
            if let Some(target) = target {
                let name = format!("repairs, {}, {} steps", row.title, row.steps);
                claims.push(Claim::at_least(name, row.per_second, target, "per second"));
            }
        }
        claims.extend(growth(&rows));
        claims.push(Claim::at_most("first plan of princess, p50", first_plan.p50, 50.0, "ms"));
        claims.push(Claim::at_most("plan after a surprise, p99", again.p99, 5.0, "ms"));
        RepairFigures { rows, first_plan, again, first_repairs, claims }
    }

    /// Counts repairs on a plan that is written down; none if it cannot be taken over.
    fn count(&self, title: &'static str, script: &Script) -> Option<RepairRow> {
        let mut planner = script.playwright(options(1)).ok()?;
        planner.advance(TickBounds::exactly(0), BEGIN);
        // The plan is projected, and the first repairs get used to it; that is not counted.
        planner.deliberate(&mut Budget::of(1_000), &Workers::single());
        let (begin, mut repairs) = (Instant::now(), 0u64);
        while begin.elapsed().as_secs_f64() < self.seconds {
            planner.deliberate(&mut Budget::of(200), &Workers::single());
            repairs += 200;
        }
        let per_second = repairs as f64 / begin.elapsed().as_secs_f64();
        // What is published is the best plan, not what was tried last.
        planner.publish();
        let error = planner.strategy().mean_curve_error().map(|error| error.0 as f64 / 1e6);
        Some(RepairRow { title, steps: planner.strategy().planned(), per_second, error })
    }
}

/// How much longer a repair takes in a long plan than in the shortest, where no curve is followed: no more than its length has digits.
fn growth(rows: &[RepairRow]) -> Vec<Claim> {
    let mut rows = rows.iter().filter(|row| row.error.is_none());
    let Some(first) = rows.next() else { return Vec::new() };
    let claim = |row: &RepairRow| {
        let target = (row.steps.max(2) as f64).log10() / (first.steps.max(2) as f64).log10();
        let name = format!("a repair, {} steps against {}", row.steps, first.steps);
        Claim::at_most(name, first.per_second / row.per_second, target, "times")
    };
    rows.map(claim).collect()
}

fn options(seed: u64) -> RepairOptions {
    RepairOptions {
        seed,
        enough: u32::MAX,
        enough_for_curves: u32::MAX,
        horizon: 2_000_000,
        ..RepairOptions::default()
    }
}

fn compiled(text: &str) -> Arc<Model> {
    Arc::new(compile_text("bench.story", text).model)
}

fn see(planner: &mut Playwright, fluent: &str, value: &str, from: Tick) {
    let (fluent, value) = (fluent.into(), value.into());
    planner.observe(&[Observation { fluent, value, from, to: None, source: 0, sequence: 0 }]);
}

/// Repairs until nothing is lacking; how many that took.
fn until_complete(planner: &mut Playwright) -> u32 {
    for round in 1..2_000 {
        planner.deliberate(&mut Budget::of(25), &Workers::single());
        if planner.strategy().cost().is_some_and(|(hard, _)| hard.0 == 0) {
            return round * 25;
        }
    }
    u32::MAX
}
