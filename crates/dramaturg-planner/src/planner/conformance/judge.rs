//! Whether what a planner publishes keeps what it promises.

use dramaturg_model::{Plan, State, Status, Step, Tick};
use smol_str::SmolStr;

use super::life::Life;
use crate::planner::PlanDelta;
use crate::simulate::WorldEventKind;
use crate::validate::{Goals, ValidateOptions, validate};

impl Life<'_> {
    /// Whether a step is the planner's own to change.
    fn answers_for(&self, id: u32) -> bool {
        self.open.get(&id).is_some_and(|step| step.start >= self.insert_from)
    }

    /// 2 and 3: what is locked or too soon is left alone.
    pub(super) fn take(&mut self, delta: &PlanDelta) -> Result<(), String> {
        let now = self.now;
        for id in &delta.removed {
            match self.open.remove(id) {
                Some(step) if step.start >= self.insert_from => {}
                Some(step) => return Err(format!("3: step {id} of tick {} is removed at tick {now}", step.start)),
                None if self.locked.contains_key(id) || self.running.contains_key(id) => {
                    return Err(format!("2: locked step {id} is removed at tick {now}"));
                }
                None => {}
            }
        }
        for step in &delta.put {
            let id = step.id;
            if self.locked.contains_key(&id) || self.running.contains_key(&id) {
                return Err(format!("2: locked step {id} is changed at tick {now}"));
            }
            let old = self.open.insert(id, step.clone());
            let is_refused = |(action, args): &(SmolStr, Vec<SmolStr>)| (action, args) == (&step.action, &step.args);
            if self.subject.decides && old.is_none() && self.refused.iter().any(is_refused) {
                return Err(format!("11: `{}` was refused, and is planned again at tick {now}", step.action));
            }
            let soonest = old.map_or(step.start, |old| old.start.min(step.start));
            if soonest < self.insert_from {
                return Err(format!("3: step {id} is put at tick {soonest}, before {}", self.insert_from));
            }
            if step.status != Status::Proposed {
                return Err(format!("2: step {id} is published as {:?}", step.status));
            }
        }
        Ok(())
    }

    /// 1 and 5: the plan holds up to the tick it says.
    pub(super) fn judge(&mut self, delta: &PlanDelta) -> Result<(), String> {
        let model = self.subject.model;
        let until = delta.valid_until.unwrap_or(Tick::MAX);
        let prefix = self.open.values().chain(self.locked.values()).filter(|step| step.start <= until);
        let mut world = self.truth.ahead(model);
        let mut last = self.now;
        let mut plan = Plan::default();
        for step in prefix {
            world.schedule(model, step).map_err(|why| format!("1: step {} cannot be read: {why}", step.id))?;
            last = last.max(step.start);
            // What is locked and late starts at the next chance.
            plan.steps.push(Step { start: step.start.max(self.now + 1), ..step.clone() });
        }
        world.step_to(model, last);
        for event in world.drain() {
            if let WorldEventKind::Violation(found) = event.kind
                && found.step.is_some_and(|id| self.answers_for(id))
            {
                return Err(format!(
                    "1: the plan published at tick {} is said to hold until {until}, but {found}",
                    self.now
                ));
            }
        }
        // The judge takes whole plans from the beginning: what was performed, and what is to come.
        if let Some(history) = self.history.as_ref().filter(|_| !plan.steps.is_empty()) {
            plan.steps.extend(history.iter().cloned());
            let options = ValidateOptions { goals: Goals::None, until: Some(last), ..ValidateOptions::default() };
            let report = validate(model, &State::initial(model, 0), &plan, &options);
            // A step that was locked and performed although it lacked something is not the plan's fault any more.
            if report.violations.iter().any(|found| found.step.is_some_and(|id| !self.answers_for(id))) {
                return Ok(());
            }
            let found = report.violations.iter().find(|found| found.step.is_some_and(|id| self.answers_for(id)));
            if let Some(found) = found {
                return Err(format!("1: the judge at tick {}: {found}", self.now));
            }
            self.outcome.judged += 1;
        }
        Ok(())
    }
}
