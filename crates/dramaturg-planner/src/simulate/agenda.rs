//! What is due when.

use std::collections::BTreeMap;

use dramaturg_model::{Args, FluentId, Initial, Model, ObjectId, PopulationId, Tick, Value};

use super::goals::GoalKey;
use super::rules::RunKey;
use super::step::StepKey;
use super::task::TaskKey;
use super::waits::WaitKey;

/// One thing that is due in a tick. Entries whose step has been cut off or moved meanwhile are passed over when they come.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// P0: a value is observed.
    Observe(FluentId, Args, Value),
    /// P0: something given for this tick.
    Given(Given),
    /// P1: a step ends.
    End(StepKey),
    /// P1: the effects of a rule with a duration come.
    RuleEnd(RunKey),
    /// P1: one use of a step is over.
    Release(StepKey, usize),
    /// P1: a task begins or goes on.
    Task(TaskKey),
    /// P2: an expectation is looked at for the last time.
    Deadline(WaitKey),
    /// P3: a condition at a moment of a step.
    Condition(StepKey, usize),
    /// P3: a goal's time has come.
    Goal(GoalKey),
    /// P3 and P4: a step starts.
    Start(StepKey),
    /// P4: an effect at a moment of a step.
    Effect(StepKey, usize),
    /// P4: an effect at a moment of a rule with a duration.
    RuleEffect(RunKey, usize),
    /// P4: one use of a step begins.
    Acquire(StepKey, usize),
    /// P4: something is said at a moment of a step.
    Say(StepKey, usize),
}

/// Something the model gives at a tick, by its number: for the story, or for one member of a population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) number: usize,
    pub(super) whom: Option<(PopulationId, ObjectId)>,
}

impl Given {
    /// What is given.
    pub(super) fn find(self, model: &Model) -> Option<&Initial> {
        match self.whom {
            Some((population, _)) => model.populations.try_at(population)?.given.get(self.number),
            None => model.initial.get(self.number),
        }
    }

    /// The first variables of what is given.
    pub(super) fn args(self) -> Args {
        self.whom.iter().map(|(_, object)| Value::Object(*object)).collect()
    }
}

/// Everything due, by tick.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    pub(super) by_tick: BTreeMap<Tick, Vec<Item>>,
}

impl Agenda {
    pub(super) fn add(&mut self, tick: Tick, item: Item) {
        self.by_tick.entry(tick).or_default().push(item);
    }

    /// The first tick at which something is due.
    pub(super) fn next(&self) -> Option<Tick> {
        self.by_tick.keys().next().copied()
    }

    /// Takes out what is due at a tick.
    pub(super) fn take(&mut self, tick: Tick) -> Vec<Item> {
        self.by_tick.remove(&tick).unwrap_or_default()
    }

    /// Forgets what the model gives at later ticks, because another level begins.
    pub(super) fn forget_given(&mut self) {
        self.forget(|item| matches!(item, Item::Given(_)));
    }

    /// Forgets the times of goals, because other goals are followed now.
    pub(super) fn forget_goals(&mut self) {
        self.forget(|item| matches!(item, Item::Goal(_)));
    }

    fn forget(&mut self, is_forgotten: impl Fn(&Item) -> bool) {
        self.by_tick.retain(|_, items| {
            let before = items.len();
            items.retain(|item| !is_forgotten(item));
            items.len() == before || !items.is_empty()
        });
    }
}
