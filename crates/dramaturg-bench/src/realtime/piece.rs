//! What is performed: a problem with durations, and what its operations do to the world of a game.

use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg_model::{FileId, Model, Tick};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};

use super::logistics::Logistics;
use crate::job_shop::JobShop;

/// What an operation asks of the world and does to it, by the names of facts. Written down here once more, so that the game judges
/// plans by its own light.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// What it needs when it starts.
    pub needs: Vec<String>,
    /// What is no longer so from its start on.
    pub takes: Vec<String>,
    /// What is so from its end on.
    pub gives: Vec<String>,
}

impl Deed {
    /// What an action with these arguments asks and does; nothing for one that is not known.
    pub fn of(action: &str, args: &[&str]) -> Self {
        let named = |name: &str, args: &[&str]| format!("{name}({})", args.join(", "));
        let (needs, gives) = match (action, args) {
            ("perform", [operation, machine, next]) => (
                vec![named("due", &[operation]), named("idle", &[machine])],
                vec![named("idle", &[machine]), named("done", &[operation]), named("due", &[next])],
            ),
            ("go", [vehicle, from, to]) => (
                vec![named("parked", &[vehicle, from]), named("ready", &[vehicle])],
                vec![named("parked", &[vehicle, to]), named("ready", &[vehicle])],
            ),
            ("load", [package, vehicle, place]) => (
                vec![named("lies", &[package, place]), named("ready", &[vehicle]), named("parked", &[vehicle, place])],
                vec![named("aboard", &[package, vehicle]), named("ready", &[vehicle])],
            ),
            ("unload", [package, vehicle, place]) => (
                vec![
                    named("aboard", &[package, vehicle]),
                    named("ready", &[vehicle]),
                    named("parked", &[vehicle, place]),
                ],
                vec![named("lies", &[package, place]), named("ready", &[vehicle])],
            ),
            _ => return Self::default(),
        };
        // All that is needed is used up, but the vehicle stays where it is while it is loaded.
        let stays = |fact: &String| action != "go" && fact.starts_with("parked(");
        let takes = needs.iter().filter(|fact| !stays(fact)).cloned().collect();
        Self { needs, takes, gives }
    }
}

/// What is performed.
#[derive(Clone)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// The problem.
    pub model: Arc<Model>,
    /// How many ticks are one unit of its time.
    pub ticks_per_unit: u32,
    /// The shortest plan there is, in units, if that is known.
    pub optimum: Option<u32>,
    /// The facts that hold at first.
    pub facts: BTreeSet<String>,
    /// The facts that are to hold in the end.
    pub goal: Vec<String>,
    /// A plan that takes longer than this many ticks, disturbances included, has come to nothing.
    pub patience: Tick,
}

impl Piece {
    /// A job-shop.
    pub fn job_shop(shop: &JobShop, ticks_per_unit: u32) -> Self {
        let (domain, problem) = shop.in_ticks(ticks_per_unit).to_pddl();
        let mut facts: BTreeSet<String> = (0..shop.machines).map(|machine| format!("idle(m{machine})")).collect();
        facts.extend((0..shop.jobs.len()).map(|job| format!("due(j{job}-0)")));
        let operations =
            shop.jobs.iter().enumerate().flat_map(|(job, all)| (0..all.len()).map(move |place| (job, place)));
        let goal = operations.map(|(job, place)| format!("done(j{job}-{place})")).collect();
        let work: u32 = shop.jobs.iter().flatten().map(|(_, units)| units).sum();
        Self {
            name: shop.name.clone(),
            model: compiled(&domain, &problem),
            ticks_per_unit,
            optimum: shop.optimum(),
            facts,
            goal,
            patience: Tick::from(work * ticks_per_unit) * 2 + 2_000,
        }
    }

    /// A random logistics problem.
    pub fn logistics(seed: u64, cities: usize, packages: usize, ticks_per_unit: u32) -> Self {
        let problem = Logistics::random(seed, cities, packages, ticks_per_unit);
        let (domain, text) = problem.to_pddl();
        let mut facts = BTreeSet::new();
        for (vehicle, place) in &problem.vehicles {
            facts.extend([format!("parked({vehicle}, {place})"), format!("ready({vehicle})")]);
        }
        facts.extend(problem.packages.iter().map(|(package, from, _)| format!("lies({package}, {from})")));
        Self {
            name: problem.name.clone(),
            model: compiled(&domain, &text),
            ticks_per_unit,
            optimum: None,
            facts,
            goal: problem.packages.iter().map(|(package, _, to)| format!("lies({package}, {to})")).collect(),
            patience: 20_000,
        }
    }

    /// So many ticks as units of its time.
    pub fn units(&self, ticks: Tick) -> f64 {
        ticks as f64 / f64::from(self.ticks_per_unit)
    }
}

fn compiled(domain: &str, problem: &str) -> Arc<Model> {
    let options = PddlOptions { ticks_per_unit: 1, ..PddlOptions::default() };
    let (model, faults) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &options);
    debug_assert!(faults.is_empty(), "{faults:?}");
    Arc::new(model)
}
