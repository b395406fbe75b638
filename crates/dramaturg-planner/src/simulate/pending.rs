//! What is under way in a world: everything that will come without anybody deciding on it any more.

use dramaturg_model::{ActionId, Args, Change, Evaluator, FluentId, Model, RuleId, Tick, Value};

use super::agenda::Item;
use super::rules::Entry;
use super::step::{Performed, Stage};
use super::world::World;

/// A step that runs, or waits for its tick.
#[derive(Clone, Debug)]
pub(crate) struct PendingStep {
    pub(crate) id: u32,
    pub(crate) action: ActionId,
    pub(crate) args: Args,
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
    pub(crate) runs: bool,
}

/// A rule that has fired and whose effects have not come yet.
#[derive(Clone, Debug)]
pub(crate) struct PendingRule {
    pub(crate) rule: RuleId,
    pub(crate) args: Args,
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
}

/// A value that will be there at a tick.
#[derive(Clone, Debug)]
pub(crate) struct PendingValue {
    pub(crate) tick: Tick,
    pub(crate) fluent: FluentId,
    pub(crate) args: Args,
    pub(crate) value: Value,
}

/// What is under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    /// Steps, in order of their making.
    pub(crate) steps: Vec<PendingStep>,
    /// Rules, in order of firing.
    pub(crate) rules: Vec<PendingRule>,
    /// What will be observed, or is given for a tick.
    pub(crate) seen: Vec<PendingValue>,
    /// What is waited for beyond the time of its rule, as if it came at the end of the wait.
    pub(crate) awaited: Vec<PendingValue>,
    /// The instances of rules whose condition held when it was last looked at, in ascending order.
    pub(crate) held: Vec<(RuleId, Args)>,
}

impl World {
    /// What is under way.
    pub(crate) fn pending(&self, model: &Model) -> Pending {
        let mut pending = Pending::default();
        for (_, step) in self.steps.keyed() {
            let Performed::Action(action) = step.what else { continue };
            let runs = match step.stage {
                Stage::Waiting => false,
                Stage::Running => true,
                Stage::Ending => continue,
            };
            let duration = if runs { step.duration } else { step.planned.unwrap_or(step.duration) };
            let (id, args, start) = (step.id, step.args.clone(), step.start);
            pending.steps.push(PendingStep { id, action, args, start, duration, runs });
        }
        let mut runs: Vec<_> = self.rules.runs.iter().collect();
        runs.sort_unstable_by_key(|(key, _)| **key);
        for (_, run) in runs {
            let (rule, args) = (run.rule, run.args.clone());
            pending.rules.push(PendingRule { rule, args, start: run.start, duration: run.duration });
        }
        for wait in &self.waits.open {
            // While its rule runs, the effects are the rule's.
            let runs =
                pending.rules.iter().any(|run| run.args == wait.args && run.start + run.duration == wait.deadline);
            if !runs && wait.deadline < Tick::MAX {
                pending.awaited.extend(wait.wanted.iter().map(|(fluent, args, value)| PendingValue {
                    tick: wait.deadline,
                    fluent: *fluent,
                    args: args.clone(),
                    value: *value,
                }));
            }
        }
        for (tick, item) in self.agenda.by_tick.iter().flat_map(|(tick, items)| items.iter().map(|item| (*tick, item)))
        {
            match item {
                Item::Observe(fluent, args, value) => {
                    pending.seen.push(PendingValue { tick, fluent: *fluent, args: args.clone(), value: *value });
                }
                Item::Given(given) => {
                    let Some(declared) = given.find(model) else { continue };
                    let Change::Set(value) = &declared.change else { continue };
                    Evaluator::with(model, &self.state, &given.args()).for_each(&declared.binders, &mut |scope| {
                        if declared.condition.as_ref().is_none_or(|condition| scope.holds(condition)) {
                            let (args, value) = (scope.args(&declared.target.args), scope.value(value));
                            pending.seen.push(PendingValue { tick, fluent: declared.target.fluent, args, value });
                        }
                    });
                }
                _ => {}
            }
        }
        for entry in &self.rules.entries {
            if let Entry::Edge(rule, watch) = entry {
                let watched = self.watches.get(*watch);
                let held = (0..watched.bindings.len()).filter(|index| watched.value(*index));
                pending.held.extend(held.map(|index| (*rule, watched.bindings.get(index))));
            }
        }
        pending.held.sort_unstable();
        pending
    }
}
