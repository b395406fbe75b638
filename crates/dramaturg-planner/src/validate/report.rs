//! What the judge says.

use dramaturg_model::{Fixed, Model, ObjectId, State, Tick, WishId};
use serde::Serialize;

use crate::simulate::{Effort, GoalReport, Violation};

/// The judgement of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether nothing is wrong.
    pub valid: bool,
    /// Everything that is wrong, in order of time.
    pub violations: Vec<Violation>,
    /// Every goal that was followed, and where it stands in the end.
    pub goals: Vec<GoalReport>,
    /// What was only preferred, and how well it is met.
    pub preferences: Vec<Preference>,
    /// How far all preferences are missed, by their weights: the less the better.
    pub metric: Fixed,
    /// What the steps cost.
    pub cost: Fixed,
    /// The tick at which the plan was left.
    pub end: Tick,
    /// The state in the end.
    pub state: State,
    /// How much work it was.
    pub effort: Effort,
}

/// Something preferred, and how well it is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preference {
    /// The wish.
    pub wish: WishId,
    /// Whose it is; none: the story's.
    pub owner: Option<ObjectId>,
    /// How far it is missed, before its weight: 0 is best, of something that has no bound less is better.
    pub missed: Fixed,
    /// How much it counts.
    pub weight: Fixed,
}

impl Report {
    pub(super) fn new(initial: &State) -> Self {
        Self {
            valid: false,
            violations: Vec::new(),
            goals: Vec::new(),
            preferences: Vec::new(),
            metric: Fixed::ZERO,
            cost: Fixed::ZERO,
            end: initial.now(),
            state: initial.clone(),
            effort: Effort::default(),
        }
    }

    /// What the plan changed, as stories write it: each fluent with its value before and after, in order.
    pub fn changes(&self, model: &Model, initial: &State) -> Vec<(String, String, String)> {
        let slots = initial.entries().into_iter().chain(self.state.entries());
        let mut slots: Vec<_> = slots.map(|(fluent, args, _)| (fluent, args.clone())).collect();
        slots.sort_unstable();
        slots.dedup();
        let name = |value| model.value_name(value).to_string();
        let changed = slots.into_iter().filter_map(|(fluent, args)| {
            let (old, new) = (initial.get(fluent, &args), self.state.get(fluent, &args));
            (old != new).then(|| (model.fluent_name(fluent, &args), name(old), name(new)))
        });
        changed.collect()
    }
}
