//! A step while it runs, and its end: conditions throughout, moments inside it, effects in P1.

use dramaturg_model::{ConditionTime, Model, Moment};

use super::batch::{Batch, Reader};
use super::event::{Cause, ViolationKind, WorldEventKind};
use super::rules::Happened;
use super::step::{Performed, Stage, StepKey, required};
use super::world::{Expectations, World};

impl World {
    /// Reads the throughout conditions of a step that has just started, or of all that run.
    pub(super) fn check_throughout(&mut self, model: &Model, only: Option<StepKey>) {
        let keys: Vec<StepKey> = match only {
            Some(key) => self.steps.keeping.contains(&key).then_some(key).into_iter().collect(),
            None if self.steps.keeping.is_empty() => return,
            None => self.steps.keeping.iter().copied().collect(),
        };
        let wiring = self.wiring.clone();
        for key in keys {
            let Some(step) = self.steps.get(key) else { continue };
            let Some(kept) = wiring.steps.kept(step.what) else { continue };
            let inside = only.is_some() || (step.start < self.tick && self.tick < step.end());
            let is_known = only.is_none()
                && !kept.timed
                && kept.fluents.iter().all(|fluent| self.versions[*fluent] <= step.checked);
            if !inside || is_known {
                continue;
            }
            let Performed::Action(action) = step.what else { continue };
            let (id, args, duration) = (step.id, step.args.clone(), step.duration);
            for condition in required(&model.actions[action], &ConditionTime::Throughout) {
                self.check(model, ViolationKind::ThroughoutCondition, id, condition, &args, Some(duration));
            }
            let version = self.version;
            if let Some(step) = self.steps.get_mut(key) {
                step.checked = version;
            }
        }
        if only.is_none() {
            self.steps.looked = self.version;
        }
    }

    /// P3: a condition at a moment of a step.
    pub(super) fn check_moment(&mut self, model: &Model, key: StepKey, number: usize) {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Running) else { return };
        let Performed::Action(action) = step.what else { return };
        let (id, args, duration) = (step.id, step.args.clone(), step.duration);
        if let Some(condition) = model.actions[action].conditions.get(number) {
            self.check(model, ViolationKind::TimedCondition, id, condition, &args, Some(duration));
        }
    }

    /// P4: an effect at a moment of a step.
    pub(super) fn effect_at(&mut self, model: &Model, key: StepKey, number: usize, batch: &mut Batch) {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Running) else { return };
        let Performed::Action(action) = step.what else { return };
        let duration = Some(step.duration);
        let reader = Reader { model, state: &self.state, args: &step.args, duration, cause: Cause::Step(step.id) };
        if let Some(effect) = model.actions[action].effects.get(number) {
            batch.effect(&reader, effect, &mut self.chance);
        }
    }

    /// P1: reads the end conditions of a step and its end effects into the batch.
    pub(super) fn end_step(&mut self, model: &Model, key: StepKey, batch: &mut Batch) -> bool {
        let Some(step) = self.steps.get(key) else { return false };
        let Performed::Action(action) = step.what else { return false };
        if step.stage != Stage::Running || (step.end() != self.tick && !step.waits) {
            return false;
        }
        let declared = &model.actions[action];
        let (id, args, duration) = (step.id, step.args.clone(), step.duration);
        for condition in required(declared, &ConditionTime::End) {
            self.check(model, ViolationKind::EndCondition, id, condition, &args, Some(duration));
        }
        let reader =
            Reader { model, state: &self.state, args: &args, duration: Some(duration), cause: Cause::Step(id) };
        for effect in declared.effects.iter().filter(|effect| effect.moment == Moment::End) {
            batch.effect(&reader, effect, &mut self.chance);
        }
        if self.options.expectations == Expectations::Assumed
            && let Some(expectation) = &declared.expectation
        {
            for effect in &expectation.effects {
                batch.effect(&reader, effect, &mut self.chance);
            }
        }
        if let Some(step) = self.steps.get_mut(key) {
            step.stage = Stage::Ending;
        }
        true
    }

    /// P1, or P4 for a step without duration: lets go of everything, says the last words, and tells rules.
    pub(super) fn finish_step(&mut self, model: &Model, key: StepKey) {
        let Some(step) = self.steps.remove(key, &self.wiring.steps) else { return };
        self.actuators.release(key, None, &step.held);
        let Performed::Action(action) = step.what else { return };
        self.happen(|| WorldEventKind::StepEnded { step: step.id });
        let declared = &model.actions[action];
        for say in declared.says.iter().filter(|say| say.moment == Moment::End) {
            self.say(model, say, &step.args, Some(step.duration));
        }
        if let Some(task) = step.task {
            self.enter_task(task);
        }
        self.happened.push(Happened::Action(action, step.args));
    }

    /// P4: what a step says when it starts.
    pub(super) fn say_start(&mut self, model: &Model, key: StepKey) {
        let Some(step) = self.steps.get(key) else { return };
        let Performed::Action(action) = step.what else { return };
        let (args, duration) = (step.args.clone(), step.duration);
        for say in model.actions[action].says.iter().filter(|say| say.moment == Moment::Start) {
            self.say(model, say, &args, Some(duration));
        }
    }

    /// P4: what a step says at a moment.
    pub(super) fn say_at(&mut self, model: &Model, key: StepKey, number: usize) {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Running) else { return };
        let Performed::Action(action) = step.what else { return };
        let (args, duration) = (step.args.clone(), step.duration);
        if let Some(say) = model.actions[action].says.get(number) {
            self.say(model, say, &args, Some(duration));
        }
    }
}
