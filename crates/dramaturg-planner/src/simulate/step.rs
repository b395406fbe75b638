//! Steps: actions and tasks with their times, from waiting to their end.

use std::collections::{BTreeSet, VecDeque};

use dramaturg_model::{
    Action, ActionId, Args, ConditionTime, Duration, Evaluator, Expr, Fixed, FluentId, Model, Moment, State, Step,
    Table, TaskId, Tick, TimedCondition, Value,
};
use rustc_hash::FxHashMap;

use super::actuators::Demands;
use super::agenda::Item;
use super::batch::Reader;
use super::event::{Cause, Phase, WorldEventKind};
use super::names::{self, NameProblem};
use super::rates::Total;
use super::reads::Reads;
use super::task::TaskKey;
use super::world::World;

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
    pub(super) slots: VecDeque<Option<WorldStep>>,
    /// The key of the first slot.
    pub(super) first: u32,
    count: usize,
    pub(super) by_id: FxHashMap<u32, StepKey>,
    pub(super) running: BTreeSet<StepKey>,
    /// Running steps with throughout conditions.
    pub(super) keeping: BTreeSet<StepKey>,
    /// Running steps with contributions.
    pub(super) contributing: BTreeSet<StepKey>,
    /// The version of the state at which throughout conditions were last looked at.
    pub(super) looked: u64,
    /// How many running steps must be looked at in every tick.
    timed: usize,
}

/// What the throughout conditions of actions read.
#[derive(Debug)]
pub(super) struct StepWiring {
    keeps: Table<ActionId, Option<Kept>>,
}

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) fluents: Vec<FluentId>,
    pub(super) timed: bool,
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

    pub(super) fn kept(&self, what: Performed) -> Option<&Kept> {
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

    /// Every step with its key, oldest first.
    pub(super) fn keyed(&self) -> impl Iterator<Item = (StepKey, &WorldStep)> {
        let keys = (self.first..).map(StepKey);
        keys.zip(&self.slots).filter_map(|(key, step)| Some((key, step.as_ref()?)))
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

    pub(super) fn run(&mut self, key: StepKey, wiring: &StepWiring, contributes: bool) {
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

    /// The same for a step whose start conditions are known to hold in P3 of the tick at hand, which has just been
    /// looked at (see [`World::look_at`]): it starts in P4, without another check.
    pub fn schedule_checked(&mut self, model: &Model, step: &Step) -> Result<(), NameProblem> {
        if step.start != self.tick || self.phase != Phase::Start {
            return self.schedule(model, step);
        }
        let what = names::performed(model, &step.action)?;
        let args = names::args(model, what, &step.args)?;
        let key = self.add_waiting(step.id, what, args, step.start, Some(step.duration), None);
        self.due.push(Item::Start(key));
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
        let key = self.add_waiting(id, what, args, start, planned, task);
        // What comes too late to start on time starts at the next chance; its planned tick stays what it was reported with.
        if start < self.tick || (start == self.tick && self.phase > Phase::Check) {
            let soon = if self.phase > Phase::Check { self.tick.saturating_add(1) } else { self.tick };
            if let Some(step) = self.steps.get_mut(key) {
                step.start = soon;
            }
            self.enter(soon, Item::Start(key));
        } else {
            self.enter(start, Item::Start(key));
        }
    }

    fn add_waiting(
        &mut self,
        id: u32,
        what: Performed,
        args: Args,
        start: Tick,
        planned: Option<Tick>,
        task: Option<TaskKey>,
    ) -> StepKey {
        self.steps.add(WorldStep {
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
        })
    }

    /// Puts something on the agenda, also of the tick at hand.
    pub(super) fn enter(&mut self, tick: Tick, item: Item) {
        if tick == self.tick && self.phase != Phase::Observe {
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
                // Where P1 of this tick is over, it ends in the next at the earliest.
                let soonest = if self.phase <= Phase::End { self.tick } else { self.tick.saturating_add(1) };
                step.duration = duration.max(soonest.saturating_sub(step.start)).max(1);
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
        // A step that stands for a task has left its place to it.
        self.tasks.forget(id);
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
}

/// How many ticks after the start a moment comes.
pub(super) fn moment_tick(reader: &Reader<'_>, moment: &Moment, duration: Tick) -> Tick {
    match moment {
        Moment::Start => 0,
        Moment::End => duration,
        Moment::After(offset) => reader.scope().number(offset).map_or(0, Fixed::round_half_up).max(0),
    }
}
