//! The course is laid: from what is known now, in the order that was, and written down as steps.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use dramaturg_model::{State, Step, StepOrigin, Tick};

use super::baton::{Baton, timed};
use super::opening::stage;
use super::order::kept;
use super::planner::Scheduling;
use super::score::Score;
use crate::ground::OperatorId;
use crate::host::Situation;
use crate::host::forecast::with_committed;

impl Scheduling {
    /// Lays the course again, from what is known now: what waits is shifted and its order kept.
    pub(super) fn lay(&mut self, now: &mut Situation) {
        self.ahead_of_us = false;
        if !self.upset {
            let base = self.earliest(now).saturating_add(self.options.stride);
            let (near, far): (Vec<Step>, Vec<Step>) =
                std::mem::take(&mut self.intended).into_iter().partition(|step| step.start < base);
            if self.go_on(now, base, &near, &far) {
                return;
            }
            self.intended = near.into_iter().chain(far).collect();
        }
        let again = std::mem::take(&mut self.again);
        let wanted: Vec<Step> = again.into_iter().chain(std::mem::take(&mut self.intended)).collect();
        (self.upset, self.foreseen) = (false, None);
        self.edition += 1;
        let base = self.earliest(now);
        let fixed: Vec<Step> = now.plan.committed.values().cloned().collect();
        if now.model.timed_given().next().is_some() {
            self.baton = None;
            return;
        }
        let expected =
            || Arc::new(Score::new(&now.model, &State::initial(&now.model, self.options.seed), &now.cooldowns));
        let score = self.score.take().or_else(|| (!self.strange).then(expected));
        let known =
            score.and_then(|score| stage(&now.model, &score, &now.chronicle, &fixed, base).map(|stage| (score, stage)));
        let (score, stage) = match known {
            Some(known) => known,
            None => {
                // Another state than those that were expected: grounded from there, it is one of them.
                self.strange = true;
                let mut world = with_committed(&now.model, &now.chronicle, fixed.iter()).world;
                let spans = now.chronicle.running().map(|(_, start, duration)| start.saturating_add(duration));
                let last = spans.chain(fixed.iter().map(Step::end)).max().unwrap_or(0).max(world.now());
                world.step_to(&now.model, last);
                let score = Arc::new(Score::new(&now.model, world.state(), &now.cooldowns));
                let Some(stage) = stage(&now.model, &score, &now.chronicle, &fixed, base) else {
                    self.baton = None;
                    return;
                };
                (score, stage)
            }
        };
        let operators: Vec<OperatorId> = wanted.iter().filter_map(|step| score.operator(step)).collect();
        let order = kept(&stage, &operators);
        self.score = Some(score);
        let moved = match &mut self.baton {
            Some(baton) => baton.move_to(stage.clone(), base, order.clone(), true),
            None => false,
        };
        if !moved {
            self.baton = Some(Baton::new(stage, base, order, &self.options));
        }
        self.held = 0;
        self.intended = wanted;
        self.write_down(now);
    }

    /// Time has passed and all went as planned: what starts soon stays as it is, and the search goes on with the rest.
    fn go_on(&mut self, now: &mut Situation, base: Tick, near: &[Step], far: &[Step]) -> bool {
        let Some((score, baton)) = self.score.as_ref().zip(self.baton.as_mut()) else { return false };
        let fixed: Vec<Step> = now.plan.committed.values().chain(near).cloned().collect();
        let Some(stage) = stage(&now.model, score, &now.chronicle, &fixed, base) else { return false };
        let order: Vec<OperatorId> = far.iter().filter_map(|step| score.operator(step)).collect();
        if !baton.move_to(stage, base, order, false) {
            return false;
        }
        self.held = near.len();
        self.intended = near.iter().chain(far).cloned().collect();
        self.write_down(now);
        true
    }

    /// Writes the course at hand down as steps. A step that was known keeps its id.
    pub(super) fn write_down(&mut self, now: &mut Situation) {
        let Some((score, baton)) = self.score.as_ref().zip(self.baton.as_ref()).filter(|(_, baton)| baton.leads())
        else {
            return;
        };
        let mut known: BTreeMap<OperatorId, VecDeque<u32>> = BTreeMap::new();
        let mut free: Vec<&Step> = self.intended.iter().skip(self.held).collect();
        free.sort_by_key(|step| (step.start, step.id));
        for step in free {
            if let Some(operator) = score.operator(step) {
                known.entry(operator).or_default().push_back(step.id);
            }
        }
        let mut places: Vec<(OperatorId, Tick, Tick)> =
            baton.course().into_iter().flat_map(|course| timed(course, baton.base)).collect();
        let mut ids: Vec<(Tick, usize)> =
            places.iter().enumerate().map(|(place, (_, start, _))| (*start, place)).collect();
        ids.sort_unstable();
        let mut of_place: BTreeMap<usize, u32> = BTreeMap::new();
        for (_, place) in ids {
            let Some((operator, ..)) = places.get(place) else { continue };
            let id = known.get_mut(operator).and_then(VecDeque::pop_front).unwrap_or_else(|| now.plan.number());
            of_place.insert(place, id);
        }
        let mut steps: Vec<Step> = self.intended.iter().take(self.held).cloned().collect();
        for ((operator, start, duration), id) in places.drain(..).zip(of_place.into_values()) {
            let (action, args) = score.names(&now.model, operator);
            steps.push(Step { origin: StepOrigin::Planner, ..Step::new(id, action, args, start, duration) });
        }
        self.edition += u64::from(steps != self.intended);
        self.intended = steps;
    }
}
