//! A planner that wanders: whenever nothing of its own is under way, it does something that can be done, whatever that is.
//!
//! All that makes it a planner behind dramaturg's contract is the `impl Strategy` below. The host keeps the world, what
//! was published and committed, refusals and saves.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Model, Step, Tick};
use dramaturg_planner::ground::{GroundOptions, ground};
use dramaturg_planner::host::{Ended, Proposal, ReplanReason, Serves, Situation, Strategy, foresee};
use dramaturg_planner::planner::{Budget, Explanation, Inquiry, PlannerEntry, Progress, Workers};
use dramaturg_planner::simulate::WorldOptions;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// What can be done at all: actions and their arguments, by name.
type Deeds = Vec<(SmolStr, Vec<SmolStr>)>;

/// A planner that wanders.
pub struct Wanderer {
    deeds: Deeds,
    chance: Chance,
    /// What it does next, and up to when the simulator says that this can be performed; none: it has not looked.
    next: Option<(Step, Option<Tick>)>,
}

/// What it must keep to go on elsewhere.
#[derive(Serialize, Deserialize)]
pub struct SavedWanderer {
    chance: Chance,
}

/// The line that puts it beside the other planners.
pub fn entry() -> PlannerEntry {
    PlannerEntry::of::<Wanderer>("does whatever can be done, by chance", |seed| seed)
}

impl Wanderer {
    /// Something that can be done as soon as steps may start, if this draw finds one.
    fn draw(&mut self, now: &mut Situation) -> Option<(Step, Option<Tick>)> {
        let (action, args) = self.deeds.get(self.chance.below(self.deeds.len().max(1)))?.clone();
        let is_refused = now.cooldowns.iter().any(|(name, of, _)| (name, of) == (&action, args.as_slice()));
        if is_refused {
            return None;
        }
        let step = now.new_step(&action, &args, now.plan.insert_from).ok()?;
        let steps = BTreeMap::from([(step.id, step.clone())]);
        let world = now.forecast().world;
        let foresight = foresee(&now.model, world, &steps, step.end());
        foresight.trouble.is_none().then_some((step, foresight.until))
    }
}

impl Strategy for Wanderer {
    const NAME: &'static str = "wanderer";
    const SERVES: Serves = Serves::Nobody;
    type Options = u64;
    type Saved = SavedWanderer;

    fn new(model: &Arc<Model>, seed: u64) -> Self {
        let problem = ground(model, &GroundOptions::default()).problem;
        let named = problem.operators.ids().map(|id| {
            let args = problem.args(id).iter().map(|arg| SmolStr::new(model.value_name(*arg)));
            (model.actions[problem.operators[id].action].name.clone(), args.collect())
        });
        Self { deeds: named.collect(), chance: Chance::new(seed), next: None }
    }

    fn world(&self) -> WorldOptions {
        WorldOptions::default()
    }

    fn later(&self) -> Tick {
        60
    }

    fn invalidate(&mut self, _: &mut Situation, _: ReplanReason) {
        self.next = None;
    }

    fn committed(&mut self, _: &mut Situation, _: u32) -> Option<ReplanReason> {
        self.next = None;
        None
    }

    fn finished(&mut self, _: &mut Situation, _: &Ended) -> Option<ReplanReason> {
        None
    }

    /// One unit of work is one draw.
    fn search(&mut self, now: &mut Situation, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        let is_late = self.next.as_ref().is_some_and(|(step, _)| step.start < now.plan.insert_from);
        self.next.take_if(|_| is_late);
        while now.plan.committed.is_empty() && self.next.is_none() && budget.take() {
            self.next = self.draw(now);
        }
        Progress::Idle
    }

    fn proposal(&mut self, now: &mut Situation) -> Proposal {
        let (steps, until) = match &self.next {
            Some((step, until)) => (BTreeMap::from([(step.id, step.clone())]), *until),
            None => (BTreeMap::new(), Some(now.plan.now.least)),
        };
        Proposal { steps: Some(steps), valid_until: until, complete: false, cost: None }
    }

    fn explain(&self, _: &Situation, inquiry: &Inquiry) -> Explanation {
        Explanation::of(match inquiry {
            Inquiry::Why(_) => "it could be done",
            Inquiry::WhyNot { .. } => "chance has not drawn it, or it could not be done",
            Inquiry::Beliefs(_) => "a wanderer believes what it is told",
        })
    }

    fn save(&mut self, _: &mut Situation) -> SavedWanderer {
        SavedWanderer { chance: self.chance.clone() }
    }

    fn load(now: &mut Situation, saved: SavedWanderer) -> Self {
        Self { chance: saved.chance, ..Self::new(&now.model, 0) }
    }
}
