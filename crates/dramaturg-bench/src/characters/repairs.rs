//! Plans that come to grief, mended and made anew.

use std::sync::Arc;

use dramaturg_model::{Chance, Model, State};
use dramaturg_planner::cast::domain::Domain;
use dramaturg_planner::cast::mending::{Mending, what_still_holds};
use dramaturg_planner::cast::{Manner, Thought, ThoughtOptions, distance};
use dramaturg_planner::ground::OperatorId;
use dramaturg_planner::packed::PackedState;
use dramaturg_planner::planner::Budget;
use serde::Serialize;

use super::methods::Case;

/// What mending costs beside planning anew, over random single failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RepairFigures {
    /// Plans that came to grief and could be mended or made anew.
    pub failures: u64,
    /// Of them: those where a part of the old plan could be gone on with at once.
    pub without_search: u64,
    /// States that planning anew went on from, in all.
    pub anew_expanded: u64,
    /// States that mending went on from, in all.
    pub mended_expanded: u64,
    /// Which share of the steps that were left is in the mended plan, on average.
    pub mended_stability: f64,
    /// The same for plans made anew.
    pub anew_stability: f64,
    /// Steps of mended plans in all, beside those of plans made anew.
    pub mended_steps: u64,
    /// Steps of plans made anew, in all.
    pub anew_steps: u64,
    /// Whether every mended plan leads to everything wanted.
    pub sound: bool,
}

impl RepairFigures {
    /// How many times fewer states mending goes on from.
    pub fn ratio(&self) -> f64 {
        self.anew_expanded as f64 / self.mended_expanded.max(1) as f64
    }
}

/// Breaks a character's plan so many times: a step of its own fails, or somebody else does something that gets in its way.
pub(super) fn repairs(model: &Model, names: &[&str], rounds: usize) -> RepairFigures {
    let state = State::initial(model, 0);
    let domain = Domain::new(model, &state);
    let mut figures = RepairFigures { sound: true, ..RepairFigures::default() };
    let (mut mended_kept, mut anew_kept) = (0.0, 0.0);
    for name in names {
        let case = model.find_object(name).and_then(|object| Case::new(model, &domain, &state, object));
        let Some(case) = case else { continue };
        let problem = &case.role.problem;
        let (Some(way), _) = anew(&case, &case.start) else { continue };
        let states: Vec<PackedState> = way.iter().fold(vec![case.start.clone()], |mut states, step| {
            let next = states.last().and_then(|state| problem.successor(state, *step));
            states.extend(next);
            states
        });
        let mut chance = Chance::new(7);
        let mut others = Vec::new();
        for _ in 0..rounds {
            let place = chance.below(way.len());
            let (Some(before), Some(expected)) = (states.get(place), states.get(place + 1)) else { continue };
            let is = if chance.below(2) == 0 {
                before.clone()
            } else {
                domain.problem.applicable(expected, &mut others);
                let other = others.get(chance.below(others.len().max(1)));
                match other.and_then(|other| domain.problem.successor(expected, *other)) {
                    Some(is) => is,
                    None => continue,
                }
            };
            let rest = way.get(place + 1..).unwrap_or_default();
            if rest.is_empty() || reaches(&case, &is, rest) {
                continue;
            }
            let (Some(new), new_expanded) = anew(&case, &is) else { continue };
            let (mended, expanded) = mend(&case, &is, expected, rest);
            let (mended, expanded) = match mended {
                Some(mended) => (mended, expanded),
                // What cannot be mended is made anew, at the price of both.
                None => (new.clone(), expanded + new_expanded),
            };
            figures.failures += 1;
            figures.without_search += u64::from(expanded == 0);
            figures.anew_expanded += new_expanded;
            figures.mended_expanded += expanded;
            figures.sound &= reaches(&case, &is, &mended);
            mended_kept += kept(rest, &mended);
            anew_kept += kept(rest, &new);
            figures.mended_steps += mended.len() as u64;
            figures.anew_steps += new.len() as u64;
        }
    }
    let failures = figures.failures.max(1) as f64;
    (figures.mended_stability, figures.anew_stability) = (mended_kept / failures, anew_kept / failures);
    figures
}

fn anew(case: &Case, from: &PackedState) -> (Option<Vec<OperatorId>>, u64) {
    let options = ThoughtOptions { manner: Manner::AllGoals, ..ThoughtOptions::default() };
    let mut thought = Thought::new(Arc::clone(&case.role), from, case.wants.clone(), options);
    loop {
        if let Some(resolve) = thought.run(&mut Budget::of(u32::MAX)) {
            return (resolve.given_up.is_empty().then(|| resolve.way.clone()), resolve.expanded);
        }
    }
}

fn mend(case: &Case, is: &PackedState, expected: &PackedState, rest: &[OperatorId]) -> (Option<Vec<OperatorId>>, u64) {
    if let Some(way) = what_still_holds(&case.role, is, rest, &case.wants) {
        return (Some(way), 0);
    }
    let most = ThoughtOptions::default().states_max;
    let mending = Mending::new(Arc::clone(&case.role), is, expected, rest.to_vec(), case.wants.clone(), most);
    let Some(mut mending) = mending else { return (None, 0) };
    loop {
        if let Some(way) = mending.run(&mut Budget::of(u32::MAX)) {
            return (way, mending.expanded());
        }
    }
}

/// Whether steps can be performed and lead to everything wanted.
fn reaches(case: &Case, from: &PackedState, way: &[OperatorId]) -> bool {
    let problem = &case.role.problem;
    let end = way.iter().try_fold(from.clone(), |state, step| {
        problem.is_applicable(&state, *step).then(|| problem.successor(&state, *step)).flatten()
    });
    end.is_some_and(|end| case.wants.iter().all(|want| problem.holds(&end, &want.condition)))
}

/// Which share of the old steps is in a new plan.
fn kept(old: &[OperatorId], new: &[OperatorId]) -> f64 {
    let common = (old.len() + new.len() - distance(old, new)) / 2;
    common as f64 / old.len().max(1) as f64
}
