//! The start of a step: its conditions in P3, its effects and what it holds in P4.

use dramaturg_model::{
    Action, ConditionTime, Duration, Fixed, LevelId, Model, Moment, Span, Tick, TimedCondition, Value,
};

use super::actuators::{capacity, demands, held_name};
use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Violation, ViolationKind, WorldEventKind};
use super::explain;
use super::step::{Performed, Stage, StepKey, duration_bounds, moment_tick, required};
use super::waits::Waiter;
use super::world::{Expectations, Unmet, World};

impl World {
    /// P3: whether a step may start; every part of a condition that is not met is reported.
    pub(super) fn check_start(&mut self, model: &Model, key: StepKey) -> bool {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Waiting) else { return false };
        let before = self.violations();
        let (id, args) = (step.id, step.args.clone());
        match step.what {
            Performed::Action(action) => {
                let duration = self.expected_duration(model, key);
                let declared = &model.actions[action];
                self.check_level(model, id, declared.level, &args, &declared.name, declared.place);
                for condition in required(declared, &ConditionTime::Start) {
                    self.check(model, ViolationKind::StartCondition, id, condition, &args, duration);
                }
            }
            Performed::Task(task) => {
                let declared = &model.tasks[task];
                self.check_level(model, id, declared.level, &args, &declared.name, declared.place);
                if let Err(problem) = self.can_do(model, task, &args) {
                    let mut violation = problem.violation(model, self.tick, task, &args);
                    violation.step = Some(id);
                    self.violation(violation);
                }
            }
        }
        let may = self.violations() == before || self.options.unmet == Unmet::Performed;
        if !may {
            self.happen(|| WorldEventKind::StepRefused { step: id });
            if let Some(step) = self.steps.remove(key, &self.wiring.steps)
                && let Some(task) = step.task
            {
                self.tasks.remove(task);
            }
        }
        may
    }

    fn check_level(&mut self, model: &Model, id: u32, level: Option<LevelId>, args: &[Value], name: &str, place: Span) {
        let current = self.state.level();
        let mut missing: Vec<String> = Vec::new();
        if !model.is_visible(level, current) {
            missing.push(name.to_owned());
        }
        for object in args.iter().filter_map(|arg| arg.as_object()) {
            if !model.is_visible(model.objects[object].level, current) {
                missing.push(model.objects[object].name.to_string());
            }
        }
        for name in missing {
            let message = format!("`{name}` does not exist in this level");
            let violation = Violation::new(ViolationKind::NotInLevel, self.tick, message).of(id).at(place);
            self.violation(violation);
        }
    }

    /// Reads one condition and reports every part of it that is not met.
    pub(super) fn check(
        &mut self,
        model: &Model,
        kind: ViolationKind,
        id: u32,
        condition: &TimedCondition,
        args: &[Value],
        duration: Option<Tick>,
    ) {
        self.effort.conditions += 1;
        let reader = Reader { model, state: &self.state, args, duration, cause: Cause::Step(id) };
        if reader.scope().holds(&condition.condition) {
            return;
        }
        let leaves = explain::unmet(model, &self.state, &condition.condition, args, duration);
        let who = format!("step {id}");
        for leaf in leaves {
            let violation = leaf.violation(kind, self.tick, &who).of(id).at(condition.place);
            self.violation(violation);
        }
    }

    /// How long a step will take if it starts now: as planned, or as read in.
    fn expected_duration(&self, model: &Model, key: StepKey) -> Option<Tick> {
        let step = self.steps.get(key)?;
        let Performed::Action(action) = step.what else { return step.planned };
        step.planned.or_else(|| {
            duration_bounds(model, &self.state, &model.actions[action].duration, &step.args).map(|bounds| bounds.0)
        })
    }

    /// P4: reads in what a step needs and reads its start effects into the batch.
    pub(super) fn start_step(&mut self, model: &Model, key: StepKey, batch: &mut Batch) {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Waiting) else { return };
        let Performed::Action(action) = step.what else {
            self.start_task_step(key);
            return;
        };
        let declared = &model.actions[action];
        let (id, args) = (step.id, step.args.clone());
        let duration = self.read_duration(model, key, declared);
        let reader =
            Reader { model, state: &self.state, args: &args, duration: Some(duration), cause: Cause::Step(id) };
        let start = self.tick;
        let at = |moment: &Moment| moment_tick(&reader, moment, duration);
        let mut later = Vec::new();
        for (number, effect) in declared.effects.iter().enumerate() {
            match &effect.moment {
                Moment::End if duration > 0 => {}
                Moment::After(_) => match at(&effect.moment) {
                    0 => batch.effect(&reader, effect, &mut self.chance),
                    offset => later.push((offset, Item::Effect(key, number))),
                },
                Moment::Start | Moment::End => batch.effect(&reader, effect, &mut self.chance),
            }
        }
        for (number, condition) in declared.conditions.iter().enumerate() {
            if let ConditionTime::After(offset) = &condition.time
                && condition.weight.is_none()
            {
                let offset = reader.scope().number(offset).map_or(0, Fixed::round_half_up).max(0);
                later.push((offset.max(1), Item::Condition(key, number)));
            }
        }
        for (number, hold) in declared.uses.iter().enumerate() {
            let (from, to) = (at(&hold.from), at(&hold.to));
            if from > 0 && from < to {
                later.push((from, Item::Acquire(key, number)));
            }
            if hold.to != Moment::End && from < to {
                later.push((to, Item::Release(key, number)));
            }
        }
        for (number, say) in declared.says.iter().enumerate() {
            if let Moment::After(_) = say.moment {
                later.push((at(&say.moment), Item::Say(key, number)));
            }
        }
        let totals = super::rates::totals(&reader, &declared.contributions);
        let waits = declared.expectation.is_some() && self.options.expectations == Expectations::Watched;
        if waits && let Some(expectation) = &declared.expectation {
            self.waits.begin(&reader, Waiter::Step(key), expectation, start.saturating_add(duration));
        }
        for (offset, item) in later {
            self.enter(start.saturating_add(offset), item);
        }
        if let Some(step) = self.steps.get_mut(key) {
            step.duration = duration;
            step.start = start;
            step.stage = Stage::Running;
            step.totals = totals;
            step.waits = waits;
        }
        self.steps.run(key, &self.wiring.steps, !declared.contributions.is_empty() && duration > 0);
        if waits {
            self.enter_last_deadline();
        } else if duration > 0 {
            self.enter(start.saturating_add(duration), Item::End(key));
        }
        self.happen(|| WorldEventKind::StepStarted { step: id, action, args, until: start.saturating_add(duration) });
    }

    /// The duration a step takes: the plan's if it has one, which must then be right.
    fn read_duration(&mut self, model: &Model, key: StepKey, action: &Action) -> Tick {
        let Some(step) = self.steps.get(key) else { return 1 };
        let (id, planned) = (step.id, step.planned);
        let bounds = duration_bounds(model, &self.state, &action.duration, &step.args);
        let wrong = match (bounds, planned) {
            (Some((low, high)), Some(planned)) => !(low..=high).contains(&planned),
            (bounds, None) => bounds.is_none(),
            (None, Some(_)) => true,
        };
        if wrong {
            let wanted = match bounds {
                Some((low, high)) if low == high => format!("{low}"),
                Some((low, high)) => format!("{low}..{high}"),
                None => "a number".to_owned(),
            };
            let found = planned.map_or("nothing".to_owned(), |planned| planned.to_string());
            let message = format!("step {id} takes {found} ticks, but `{}` takes {wanted}", action.name);
            let violation = Violation::new(ViolationKind::WrongDuration, self.tick, message);
            self.violation(violation.of(id).at(action.place).values(wanted, found));
        }
        let least = if action.duration == Duration::Instant || model.pddl().is_some() { 0 } else { 1 };
        planned.or(bounds.map(|bounds| bounds.0)).unwrap_or(1).max(least)
    }

    /// P4: takes hold of what a step uses from its start, or from now on.
    pub(super) fn acquire(&mut self, model: &Model, key: StepKey, number: Option<usize>) {
        let Some(step) = self.steps.get(key).filter(|step| step.stage == Stage::Running) else { return };
        let Performed::Action(action) = step.what else { return };
        let (id, args, start, duration) = (step.id, step.args.clone(), step.start, step.duration);
        if duration == 0 {
            return;
        }
        let declared = &model.actions[action];
        for (at, hold) in declared.uses.iter().enumerate() {
            let reader =
                Reader { model, state: &self.state, args: &args, duration: Some(duration), cause: Cause::Step(id) };
            let from = moment_tick(&reader, &hold.from, duration);
            let to = moment_tick(&reader, &hold.to, duration);
            let is_due = number.map_or(from == 0, |number| number == at);
            if !is_due || from >= to {
                continue;
            }
            let demands = demands(&reader, &hold.target, hold.amount);
            let until = start.saturating_add(to);
            let overlaps = self.actuators.acquire(model, (key, at), &demands, (self.tick, until));
            // An object as a whole is many things; one report is enough.
            if let Some(overlap) = overlaps.first() {
                let others: Vec<String> = overlap
                    .others
                    .iter()
                    .filter(|other| **other != key)
                    .filter_map(|other| self.steps.get(*other))
                    .map(|other| format!("step {}", other.id))
                    .collect();
                let name = held_name(model, &overlap.held);
                let (capacity, amount) = (capacity(model, &overlap.held), overlap.amount);
                debug_assert_eq!(capacity, overlap.capacity);
                let others = if others.is_empty() { "itself".to_owned() } else { others.join(" and ") };
                let message = format!(
                    "step {id} and {others} hold {amount} of `{name}`, which does {capacity} at a time: \
                     they overlap for {} ticks",
                    overlap.ticks
                );
                let violation = Violation::new(ViolationKind::OverCapacity, self.tick, message);
                let violation = violation.of(id).at(hold.place).about(name);
                self.violation(violation.values(format!("at most {capacity}"), amount.to_string()));
            }
            if let Some(step) = self.steps.get_mut(key) {
                step.held.extend(demands);
            }
        }
    }
}
