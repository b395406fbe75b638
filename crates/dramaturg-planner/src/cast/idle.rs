//! What somebody does who has nothing better to do.

use dramaturg_model::{Args, Evaluator, ObjectId, Tick, Value};

use super::domain::Domain;
use super::mind::GoalId;
use super::rehearsal::{Rehearsal, Stagehand};
use crate::ground::VariableId;
use crate::packed::PackedState;

impl Rehearsal {
    /// A wish for somebody who has nothing better to do, and whom nobody else counts on.
    pub(super) fn idle_goal(
        &mut self,
        hand: &mut Stagehand<'_>,
        at: usize,
        domain: &Domain,
        state: &PackedState,
    ) -> Vec<(GoalId, Option<Tick>)> {
        let Some(object) = self.minds.get(at).map(|mind| mind.object) else { return Vec::new() };
        if self.is_counted_on(at, object, domain, state) {
            if let Some(mind) = self.minds.get_mut(at) {
                mind.idle = None;
                mind.clear_plan();
            }
            return Vec::new();
        }
        let model = hand.model;
        let reached = |goal: &GoalId| {
            let wish = domain.wish(goal.0, &goal.1);
            wish.is_none_or(|wish| wish.conditions().all(|condition| domain.problem.holds(state, condition)))
        };
        let current = self.minds.get(at).and_then(|mind| mind.idle.clone());
        if let Some(current) = current.filter(|current| !reached(current)) {
            return vec![(current, None)];
        }
        let mut wishes: Vec<GoalId> = Vec::new();
        let scope_of = |futile: &dramaturg_model::Futile, args: &Args| {
            let mut scope = Evaluator::with(model, self.world.state(), args);
            futile.needs.iter().all(|need| scope.holds(need))
        };
        for futile in model.futile.values().filter(|futile| model.is_visible(futile.level, self.world.state().level()))
        {
            for wish in &futile.wishes {
                let own = domain.problem.wishes.iter().filter(|found| found.wish == *wish);
                for found in own.filter(|found| found.args.first() == Some(&Value::Object(object))) {
                    if scope_of(futile, &found.args) {
                        wishes.push((*wish, found.args.clone()));
                    }
                }
            }
        }
        wishes.retain(|goal| !reached(goal));
        let memory = hand.memories.entry(object).or_default();
        let turn = memory.idle_turn as usize;
        let chosen = (!wishes.is_empty()).then(|| wishes.get(turn % wishes.len()).cloned()).flatten();
        if chosen.is_some() {
            memory.idle_turn = memory.idle_turn.wrapping_add(1);
        }
        if let Some(mind) = self.minds.get_mut(at) {
            mind.idle.clone_from(&chosen);
            mind.clear_plan();
        }
        chosen.into_iter().map(|goal| (goal, None)).collect()
    }

    /// Whether somebody else's plan has to do with a character: it takes part in it, or is changed by it.
    fn is_counted_on(&self, at: usize, object: ObjectId, domain: &Domain, state: &PackedState) -> bool {
        let about = |variable: VariableId| domain.problem.variables[variable].is_about(object);
        self.minds.iter().enumerate().filter(|(other, mind)| *other != at && mind.idle.is_none()).any(|(_, mind)| {
            let mut state = state.clone();
            mind.plan.iter().any(|deed| {
                if deed.1.contains(&Value::Object(object)) {
                    return true;
                }
                let next = domain.operator(deed).and_then(|operator| domain.problem.successor(&state, operator));
                let Some(next) = next else { return false };
                let mut changed =
                    domain.problem.variables.ids().filter(|variable| {
                        state.get(&domain.problem, *variable) != next.get(&domain.problem, *variable)
                    });
                let changes = changed.any(about);
                state = next;
                changes
            })
        })
    }
}
