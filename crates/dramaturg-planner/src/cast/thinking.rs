//! How a character in a rehearsal makes up its mind: whether its plan is still good, and what comes of thinking.

use std::sync::Arc;

use dramaturg_model::{Evaluator, Fixed, Model, Tick, WishKind};

use super::domain::Domain;
use super::mending::{Mending, performs, what_still_holds};
use super::mind::{GoalId, Thinking, ThinkingKind};
use super::rehearsal::{Rehearsal, Stagehand};
use super::thought::{Thought, Want};
use crate::ground::GroundWishKind;
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::simulate::World;

/// How many states a second thought looks at: enough for a way around, too few to hold anybody up.
const SECOND_THOUGHT: usize = 200;

impl Rehearsal {
    /// Whether the plan at hand serves these goals, and its next step can be taken.
    pub(super) fn is_sound(&self, at: usize, domain: &Domain, state: &PackedState, goals: &[GoalId]) -> bool {
        let Some(mind) = self.minds.get(at) else { return true };
        if mind.vain.as_ref().is_some_and(|(hash, about)| *hash == state.hash_value() && about == goals) {
            return true;
        }
        let next = mind.plan.front().and_then(|deed| domain.operator(deed));
        mind.serves == goals && next.is_some_and(|next| domain.problem.is_applicable(state, next))
    }

    /// Thinks again about a plan whose next step can be taken, but which no longer leads where it should: others have changed what
    /// it was to find. Little is thought about that, and where it leads to nothing the old plan is gone on with, for what others
    /// have changed they may change back.
    pub(super) fn think_twice(
        &mut self,
        at: usize,
        domain: &Domain,
        state: &PackedState,
        wanted: &[(GoalId, Option<Tick>)],
    ) {
        let (model, world) = (&self.requests.model, &self.world);
        let Some(mind) = self.minds.get_mut(at) else { return };
        let hash = state.hash_value();
        if mind.plan.is_empty() || mind.considered == Some(hash) {
            return;
        }
        mind.considered = Some(hash);
        let Some((expected, role)) = mind.expected.clone().zip(mind.role.clone()) else { return };
        let Some(old) = mind.operators().filter(|_| expected != *state) else { return };
        let serves = wanted.iter().filter(|(goal, _)| mind.given_up.iter().all(|(given_up, _)| given_up != goal));
        let wants: Vec<Want> = serves.map(|(goal, left)| want(model, world, domain, goal, *left)).collect();
        if wants.iter().any(|want| want.within.is_some()) || performs(&role, state, &old, &wants).is_some() {
            return;
        }
        if let Some(mending) = Mending::new(role, state, &expected, old, wants, SECOND_THOUGHT) {
            let kind = ThinkingKind::Twice(Box::new(mending));
            mind.thinking = Some(Thinking { goals: mind.serves.clone(), start: state.clone(), kind });
        }
    }

    pub(super) fn begin_thinking(
        &mut self,
        hand: &Stagehand<'_>,
        at: usize,
        domain: &Domain,
        state: &PackedState,
        wanted: &[(GoalId, Option<Tick>)],
        goals: Vec<GoalId>,
    ) {
        let wants: Vec<Want> =
            wanted.iter().map(|(goal, left)| want(&self.requests.model, &self.world, domain, goal, *left)).collect();
        let Some(mind) = self.minds.get_mut(at) else { return };
        let Some(role) = mind.role.clone() else { return };
        mind.vain = None;
        mind.salience = wants.iter().map(|want| want.salience).max().unwrap_or(0);
        // What was given up before is not a reason to plan anew as long as the rest can be reached as it was.
        let serves_all = mind.given_up.is_empty();
        let old = mind.operators().filter(|old| !old.is_empty() && serves_all);
        if let Some(old) = old {
            if let Some(way) = what_still_holds(&role, state, &old, &wants).filter(|way| !way.is_empty()) {
                mind.intend(&way, goals, state.clone());
                return;
            }
            let bounded = wants.iter().any(|want| want.within.is_some()) || hand.options.thought.available.is_some();
            let expected = mind.expected.clone().filter(|_| !bounded && mind.serves == goals);
            let mending = expected.and_then(|expected| {
                Mending::new(Arc::clone(&role), state, &expected, old, wants.clone(), hand.options.thought.states_max)
            });
            if let Some(mending) = mending {
                let kind = ThinkingKind::Mending(Box::new(mending));
                mind.thinking = Some(Thinking { goals, start: state.clone(), kind });
                return;
            }
        }
        let thought = Thought::new(role, state, wants, hand.options.thought);
        let kind = ThinkingKind::Anew(Box::new(thought));
        mind.thinking = Some(Thinking { goals, start: state.clone(), kind });
    }

    /// Thinks on; whether there is nothing more to think about.
    pub(super) fn think(&mut self, at: usize, budget: &mut Budget) -> bool {
        let Some(mind) = self.minds.get_mut(at) else { return true };
        let Some(mut thinking) = mind.thinking.take() else { return true };
        let resolved = match &mut thinking.kind {
            ThinkingKind::Mending(mending) => match mending.run(budget) {
                None => None,
                Some(Some(way)) => Some((way, Vec::new())),
                Some(None) => {
                    // Nothing of the old plan can be gone on with: think anew.
                    mind.clear_plan();
                    return true;
                }
            },
            ThinkingKind::Twice(mending) => match mending.run(budget) {
                None => None,
                Some(Some(way)) if !way.is_empty() => {
                    mind.intend(&way, thinking.goals, thinking.start);
                    return true;
                }
                Some(_) => return true,
            },
            ThinkingKind::Anew(thought) => {
                thought.run(budget).map(|resolve| (resolve.way.clone(), resolve.given_up.clone()))
            }
        };
        let Some((way, given_up)) = resolved else {
            mind.thinking = Some(thinking);
            return false;
        };
        let Thinking { goals, start, .. } = thinking;
        mind.given_up = given_up.iter().filter_map(|(place, why)| Some((goals.get(*place)?.clone(), *why))).collect();
        if way.is_empty() {
            mind.clear_plan();
            mind.vain = Some((start.hash_value(), goals));
        } else {
            mind.intend(&way, goals, start);
        }
        true
    }
}

fn want(model: &Model, world: &World, domain: &Domain, goal: &GoalId, left: Option<Tick>) -> Want {
    let (wish, args) = goal;
    let salience = match &model.wishes[*wish].kind {
        WishKind::Goal { salience, .. } => {
            Evaluator::with(model, world.state(), args).number(salience).map_or(50, Fixed::round_half_up)
        }
        WishKind::Keep { .. } | WishKind::Prefer { .. } => 0,
    };
    let condition = domain.wish(*wish, args).and_then(|wish| match &wish.kind {
        GroundWishKind::Goal { aims, .. } => {
            let reports = world.goals();
            let mut same = reports.iter().filter(|report| report.wish == wish.wish && report.args == *args);
            let aim = same.next_back().map_or(0, |report| usize::from(report.aim));
            aims.get(aim).or(aims.last()).map(|aim| aim.condition.clone())
        }
        _ => None,
    });
    Want { condition: condition.unwrap_or_else(crate::ground::Condition::never), salience, within: left }
}
