//! Steps: actions and tasks with their times, from waiting to their end.

use std::collections::{BTreeSet, VecDeque};

use dramaturg_model::{
    Action, ActionId, Args, ConditionTime, Duration, Evaluator, Expr, Fixed, FluentId, Model, Moment, Span, State,
    Step, Table, TaskId, Tick, TimedCondition, Value,
};
use rustc_hash::FxHashMap;

use super::actuators::{Demands, capacity, demands, held_name};
use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Violation, ViolationKind, WorldEventKind};
use super::explain;
use super::names::{self, NameProblem};
use super::rates::Total;
use super::reads::Reads;
use super::rules::Happened;
use super::task::TaskKey;
use super::waits::Waiter;
use super::world::{Expectations, Unmet, World};

/// Names a step inside one world, whatever its id in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StepKey(pub(super) u32);

/// What a step performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Performed {
    /// An action.
    Action(ActionId),
    /// A task as one transition.
    Task(TaskId),
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting,
    Running,
    /// Its end effects have been read.
    Ending,
}

/// One step of the world.
#[derive(Clone, Debug)]
pub(super) struct WorldStep {
    pub(super) id: u32,
    pub(super) what: Performed,
    pub(super) args: Args,
    pub(super) start: Tick,
    /// How long the plan says it takes.
    pub(super) planned: Option<Tick>,
    /// How long it takes; read in when it starts.
    pub(super) duration: Tick,
    pub(super) stage: Stage,
    pub(super) held: Demands,
    pub(super) totals: Vec<Total>,
    /// The version of the state against which its throughout conditions were read.
    pub(super) checked: u64,
    /// The task that goes on when it has ended.
    pub(super) task: Option<TaskKey>,
    /// Whether it ends only when something is seen.
    pub(super) waits: bool,
}

impl WorldStep {
    pub(super) fn end(&self) -> Tick {
        self.start.saturating_add(self.duration)
    }
}

/// All steps that wait or run.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Keys are given in order, so a step is found by counting from the oldest.
    slots: VecDeque<Option<WorldStep>>,
    /// The key of the first slot.
    first: u32,
    count: usize,
    by_id: FxHashMap<u32, StepKey>,
    pub(super) running: BTreeSet<StepKey>,
    /// Running steps with throughout conditions.
    keeping: BTreeSet<StepKey>,
    /// Running steps with contributions.
    pub(super) contributing: BTreeSet<StepKey>,
    /// The version of the state at which throughout conditions were last looked at.
    looked: u64,
    /// How many running steps must be looked at in every tick.
    timed: usize,
}

/// What the throughout conditions of actions read.
#[derive(Debug)]
pub(super) struct StepWiring {
    keeps: Table<ActionId, Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    fluents: Vec<FluentId>,
    timed: bool,
}

impl StepWiring {
    pub(super) fn new(model: &Model) -> Self {
        let kept = |action: &Action| {
            let mut reads: Option<Reads> = None;
            for condition in required(action, &ConditionTime::Throughout) {
                reads.get_or_insert_default().include(model, &condition.condition, action.params.len());
            }
            reads.map(|reads| {
                let fluents = reads.fluents.into_iter().map(|(fluent, _)| fluent);
                Kept {
                    fluents: fluents.filter(|fluent| !model.fluents[*fluent].is_static).collect(),
                    timed: reads.timed,
                }
            })
        };
        Self { keeps: model.actions.values().map(kept).collect() }
    }

    fn kept(&self, what: Performed) -> Option<&Kept> {
        match what {
            Performed::Action(action) => self.keeps[action].as_ref(),
            Performed::Task(_) => None,
        }
    }
}

/// The conditions of an action at one time that are not only weighed.
pub(crate) fn required<'a>(
    action: &'a Action,
    time: &'a ConditionTime,
) -> impl Iterator<Item = &'a TimedCondition> + use<'a> {
    action.conditions.iter().filter(move |condition| condition.weight.is_none() && condition.time == *time)
}

impl Steps {
    pub(super) fn get(&self, key: StepKey) -> Option<&WorldStep> {
        self.slots.get(self.position(key)?)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: StepKey) -> Option<&mut WorldStep> {
        let at = self.position(key)?;
        self.slots.get_mut(at)?.as_mut()
    }

    fn position(&self, key: StepKey) -> Option<usize> {
        key.0.checked_sub(self.first).map(|at| at as usize)
    }

    pub(super) fn find(&self, id: u32) -> Option<StepKey> {
        self.by_id.get(&id).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn add(&mut self, step: WorldStep) -> StepKey {
        let key = StepKey(self.first.saturating_add(self.slots.len() as u32));
        self.by_id.insert(step.id, key);
        self.slots.push_back(Some(step));
        self.count += 1;
        key
    }

    fn waiting(&self) -> Vec<u32> {
        let waiting = self.slots.iter().flatten().filter(|step| step.stage == Stage::Waiting);
        let mut ids: Vec<u32> = waiting.map(|step| step.id).collect();
        ids.sort_unstable();
        ids
    }

    /// Whether something about running steps must be done in the next tick.
    pub(super) fn need_every_tick(&self, version: u64) -> bool {
        !self.contributing.is_empty() || self.timed > 0 || (!self.keeping.is_empty() && version != self.looked)
    }

    fn run(&mut self, key: StepKey, wiring: &StepWiring, contributes: bool) {
        self.running.insert(key);
        if contributes {
            self.contributing.insert(key);
        }
        if let Some(kept) = self.get(key).and_then(|step| wiring.kept(step.what)) {
            self.keeping.insert(key);
            self.timed += usize::from(kept.timed);
        }
    }

    pub(super) fn remove(&mut self, key: StepKey, wiring: &StepWiring) -> Option<WorldStep> {
        let at = self.position(key)?;
        let step = self.slots.get_mut(at)?.take()?;
        self.count -= 1;
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
            self.first = self.first.saturating_add(1);
        }
        if self.by_id.get(&step.id) == Some(&key) {
            self.by_id.remove(&step.id);
        }
        self.running.remove(&key);
        self.contributing.remove(&key);
        if self.keeping.remove(&key) && wiring.kept(step.what).is_some_and(|kept| kept.timed) {
            self.timed = self.timed.saturating_sub(1);
        }
        Some(step)
    }
}

/// The bounds of a duration in ticks, read in a state; none where there is no value.
pub(crate) fn duration_bounds(
    model: &Model,
    state: &State,
    duration: &Duration,
    args: &[Value],
) -> Option<(Tick, Tick)> {
    let mut scope = Evaluator::with(model, state, args);
    let mut ticks = |expr: &Expr| scope.number(expr).map(Fixed::round_half_up);
    // At least one tick, except in models that came from PDDL.
    let least = if model.pddl().is_some() { 0 } else { 1 };
    let (low, high) = match duration {
        Duration::Instant => return Some((0, 0)),
        Duration::Fixed(exact) => {
            let exact = ticks(exact)?;
            (exact, exact)
        }
        Duration::Contingent(low, high) => (ticks(low)?, ticks(high)?),
        Duration::Chosen(low, high) => {
            (low.as_ref().map_or(Some(least), &mut ticks)?, high.as_ref().map_or(Some(Tick::MAX), &mut ticks)?)
        }
    };
    Some((low.max(least), high.max(least)))
}

impl World {
    /// Puts a step of a plan into the world's future. Its names must be those of the model.
    pub fn schedule(&mut self, model: &Model, step: &Step) -> Result<(), NameProblem> {
        let what = names::performed(model, &step.action)?;
        let args = names::args(model, what, &step.args)?;
        self.put(step.id, what, args, step.start, Some(step.duration), None);
        Ok(())
    }

    /// Puts a step into the world that is already running: nothing of its start happens again.
    pub(crate) fn resume(&mut self, model: &Model, id: u32, action: ActionId, args: Args, times: (Tick, Tick)) {
        let (start, duration) = times;
        let declared = &model.actions[action];
        let reader =
            Reader { model, state: &self.state, args: &args, duration: Some(duration), cause: Cause::Step(id) };
        let totals = super::rates::totals(&reader, &declared.contributions);
        let step = WorldStep {
            id,
            what: Performed::Action(action),
            args,
            start,
            planned: Some(duration),
            duration,
            stage: Stage::Running,
            held: Demands::new(),
            totals,
            checked: 0,
            task: None,
            waits: false,
        };
        let key = self.steps.add(step);
        self.steps.run(key, &self.wiring.steps, !declared.contributions.is_empty());
        self.acquire(model, key, None);
        self.agenda.add(start.saturating_add(duration).max(self.tick), Item::End(key));
    }

    /// The ids of steps that wait for their start, in order of id.
    pub fn waiting(&self) -> Vec<u32> {
        self.steps.waiting()
    }

    /// Puts an action into the world's future, with its duration read in when it starts.
    pub fn perform(&mut self, id: u32, action: ActionId, args: Args, start: Tick) {
        self.put(id, Performed::Action(action), args, start, None, None);
    }

    pub(crate) fn put(
        &mut self,
        id: u32,
        what: Performed,
        args: Args,
        start: Tick,
        planned: Option<Tick>,
        task: Option<TaskKey>,
    ) {
        let step = WorldStep {
            id,
            what,
            args,
            start,
            planned,
            duration: planned.unwrap_or(1),
            stage: Stage::Waiting,
            held: Demands::new(),
            totals: Vec::new(),
            checked: 0,
            task,
            waits: false,
        };
        let key = self.steps.add(step);
        // What comes too late to start on time starts at the next chance; its planned tick stays what it was reported with.
        if start < self.tick || (start == self.tick && self.phase > super::event::Phase::Check) {
            let soon = if self.phase > super::event::Phase::Check { self.tick.saturating_add(1) } else { self.tick };
            if let Some(step) = self.steps.get_mut(key) {
                step.start = soon;
            }
            self.enter(soon, Item::Start(key));
        } else {
            self.enter(start, Item::Start(key));
        }
    }

    /// Puts something on the agenda, also of the tick at hand.
    pub(super) fn enter(&mut self, tick: Tick, item: Item) {
        if tick == self.tick && self.phase != super::event::Phase::Observe {
            self.due.push(item);
        } else {
            self.agenda.add(tick, item);
        }
    }

    /// A running or waiting step will take so long in all.
    pub fn amend(&mut self, id: u32, duration: Tick) {
        let Some(key) = self.steps.find(id) else { return };
        let Some(step) = self.steps.get_mut(key) else { return };
        match step.stage {
            Stage::Waiting => step.planned = Some(duration),
            Stage::Ending => {}
            Stage::Running => {
                let old = step.end();
                step.duration = duration.max(self.tick.saturating_sub(step.start)).max(1);
                let (new, held) = (step.end(), step.held.clone());
                self.actuators.extend(key, &held, old, new);
                self.enter(new, Item::End(key));
            }
        }
    }

    /// Takes a step back, or ends it without its effects.
    pub fn cut(&mut self, id: u32) {
        if let Some(key) = self.steps.find(id) {
            self.cut_step(key);
        }
    }

    pub(super) fn cut_step(&mut self, key: StepKey) {
        let Some(step) = self.steps.remove(key, &self.wiring.steps) else { return };
        self.actuators.release(key, None, &step.held);
        self.waits.drop_step(key);
        if let Some(task) = step.task {
            self.tasks.remove(task);
        }
        self.happen(|| WorldEventKind::StepCut { step: step.id });
    }

    /// The ids of running steps, in order of starting.
    pub fn running(&self) -> impl Iterator<Item = u32> + '_ {
        self.steps.running.iter().filter_map(|key| self.steps.get(*key)).map(|step| step.id)
    }

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

    fn check_level(
        &mut self,
        model: &Model,
        id: u32,
        level: Option<dramaturg_model::LevelId>,
        args: &[Value],
        name: &str,
        place: Span,
    ) {
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

/// How many ticks after the start a moment comes.
pub(super) fn moment_tick(reader: &Reader<'_>, moment: &Moment, duration: Tick) -> Tick {
    match moment {
        Moment::Start => 0,
        Moment::End => duration,
        Moment::After(offset) => reader.scope().number(offset).map_or(0, Fixed::round_half_up).max(0),
    }
}
