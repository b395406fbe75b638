//! What a character in a rehearsal does when it has made up its mind: the next step, or waiting for others.

use dramaturg_model::{Evaluator, Model, Status, Step, Tick};
use smol_str::SmolStr;

use super::beliefs::slot_of;
use super::domain::{Deed, Domain};
use super::mind::{DeedName, Foreseen, Mind};
use super::rehearsal::{Rehearsal, Stagehand};
use super::touched::{participants, touched};
use crate::ground::OperatorId;
use crate::packed::PackedState;
use crate::simulate::step::duration_bounds;
use crate::simulate::words;

impl Rehearsal {
    /// Takes the next step of a plan, if it can be taken now.
    pub(super) fn act(
        &mut self,
        hand: &mut Stagehand<'_>,
        at: usize,
        domain: &Domain,
        state: &PackedState,
        believed: &PackedState,
    ) {
        let model = hand.model;
        let Some(mind) = self.minds.get_mut(at) else { return };
        let Some(deed) = mind.plan.front().cloned() else { return };
        let Some(operator) = domain.operator(&deed) else { return };
        let object = mind.object;
        let others = participants(model, &deed, object);
        let mut touched = touched(domain, state, operator);
        touched.who = others.iter().copied().chain([object]).collect();
        if !domain.problem.is_applicable(state, operator) {
            // Whoever believed that it could be done finds out that something about it is not so.
            let problem = &domain.problem;
            let wrong = touched.reads.iter().filter(|read| state.get(problem, **read) != believed.get(problem, **read));
            wrong.filter_map(|read| slot_of(problem, *read)).for_each(|slot| mind.beliefs.doubt(&slot));
            return;
        }
        if self.would_spoil(at, domain, operator) && self.waits_out(hand, at) {
            return;
        }
        let blocked = others.iter().any(|other| self.is_engaged(model, *other))
            || self.running.values().any(|running| running.is_in_the_way_of(&touched));
        if blocked {
            self.wait(hand, at, &deed);
            return;
        }
        let (action, args) = &deed;
        let declared = &model.actions[*action];
        let Some((least, most)) = duration_bounds(model, self.world.state(), &declared.duration, args) else { return };
        let waits = declared.expectation.is_some();
        let duration =
            if waits || matches!(declared.duration, dramaturg_model::Duration::Contingent(..)) { most } else { least };
        let step = self.step(hand, at, &deed, duration);
        let asks = declared.question.as_ref().is_some_and(|question| {
            let mut scope = Evaluator::with(model, self.world.state(), args);
            question.condition.as_ref().is_none_or(|condition| scope.holds(condition))
        });
        self.engaged.insert(object);
        self.engaged.extend(others);
        let Some(mind) = self.minds.get_mut(at) else { return };
        mind.waits_since = None;
        if asks {
            // Until it is answered nobody knows what comes; the others go on.
            mind.asks = true;
        } else {
            // The names are the model's own.
            let _ = self.world.schedule(model, &step);
            self.running.insert(step.id, touched);
            self.open.insert(step.id);
            if waits {
                self.waits.insert(step.id, (at, deed.clone()));
            }
            mind.plan.pop_front();
            mind.expected = mind
                .role
                .as_ref()
                .and_then(|role| role.problem.successor(mind.expected.as_ref()?, role.operator(&deed)?));
        }
        self.steps.push(step);
    }

    /// Whether a step would spoil the plan of somebody with goals that matter more: then it is better to wait for that one to be
    /// done. Of two who look for each other one stays where it is.
    fn would_spoil(&self, at: usize, domain: &Domain, operator: OperatorId) -> bool {
        let (Some(mind), Some(state)) = (self.minds.get(at), &self.state) else { return false };
        let problem = &domain.problem;
        let comes_first = |other: &Mind, place: usize| (other.salience, at) > (mind.salience, place);
        self.minds.iter().enumerate().any(|(place, other)| {
            if place == at || other.plan.is_empty() || other.idle.is_some() || !comes_first(other, place) {
                return false;
            }
            let engaged = self.world.running().next().is_some() && !other.bound.is_empty();
            let begins = match &other.expected {
                Some(expected) => Some(expected.clone()),
                None if engaged => follow(domain, state.clone(), other.bound.iter()),
                None => Some(state.clone()),
            };
            let Some(begins) = begins.filter(|begins| problem.is_applicable(begins, operator)) else { return false };
            let spoilt = problem.successor(&begins, operator);
            follow(domain, begins, other.plan.iter()).is_some()
                && spoilt.is_none_or(|spoilt| follow(domain, spoilt, other.plan.iter()).is_none())
        })
    }

    /// Whether a character still has the patience to wait for somebody else.
    fn waits_out(&mut self, hand: &Stagehand<'_>, at: usize) -> bool {
        let now = self.tick;
        self.minds.get_mut(at).is_some_and(|mind| {
            let since = *mind.waits_since.get_or_insert(now);
            now - since < hand.options.patience
        })
    }

    /// Somebody or something is not free: the character waits its turn, and gives way when it has waited too long.
    fn wait(&mut self, hand: &mut Stagehand<'_>, at: usize, deed: &Deed) {
        let now = self.tick;
        let Some(mind) = self.minds.get_mut(at) else { return };
        let since = *mind.waits_since.get_or_insert(now);
        if now - since >= hand.options.patience {
            mind.waits_since = None;
            bar(hand, mind, deed, now, true);
        }
    }

    fn step(&mut self, hand: &Stagehand<'_>, at: usize, deed: &Deed, duration: Tick) -> Step {
        let (name, args) = named(hand.model, deed);
        let again = |step: &&Step| step.start == self.tick && step.action == name && step.args == args;
        let used = |id: u32| self.steps.iter().any(|step| step.id == id);
        let known = hand.known.values().filter(|step| !used(step.id)).find(again).map(|step| step.id);
        let id = known.unwrap_or_else(|| {
            self.next_id = self.next_id.saturating_add(1);
            self.next_id - 1
        });
        let serves = self.minds.get(at).map(|mind| mind.serves.as_slice()).unwrap_or_default();
        let model = &self.requests.model;
        let goals = serves.iter().map(|(wish, _)| SmolStr::new(words::wish(model, &model.wishes[*wish])));
        Step {
            id,
            action: name,
            args,
            start: self.tick,
            duration,
            window: None,
            status: Status::default(),
            goals: goals.collect(),
            origin: Default::default(),
        }
    }
}

/// What was waited for in vain is left alone for a while.
pub(super) fn bar(hand: &Stagehand<'_>, mind: &mut Mind, deed: &Deed, now: Tick, gave_way: bool) {
    let until = now.saturating_add(hand.options.patience);
    mind.foreseen.push(Foreseen { deed: named(hand.model, deed), from: now, until, gave_way });
    mind.role = None;
    mind.clear_plan();
}

/// The state after some deeds; none if one of them cannot be done.
fn follow<'d>(domain: &Domain, state: PackedState, mut deeds: impl Iterator<Item = &'d Deed>) -> Option<PackedState> {
    deeds.try_fold(state, |state, deed| {
        let operator = domain.operator(deed).filter(|operator| domain.problem.is_applicable(&state, *operator))?;
        domain.problem.successor(&state, operator)
    })
}

/// A deed in names.
pub(crate) fn named(model: &Model, deed: &Deed) -> DeedName {
    let (action, args) = deed;
    (model.actions[*action].name.clone(), args.iter().map(|arg| SmolStr::new(model.value_name(*arg))).collect())
}
