//! Steps that wait or run.

use dramaturg_model::{Fixed, Tick};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::part::{Parts, SavedPart};
use super::value::{SavedSlot, SavedValue, find_args, find_args_for};
use super::{Loader, Saver};
use crate::simulate::actuators::Demands;
use crate::simulate::rates::Total;
use crate::simulate::step::{Performed, Stage, StepKey, WorldStep};

/// A step; others name it by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedStep {
    id: u32,
    performs: SavedPerformed,
    args: Vec<SavedValue>,
    start: Tick,
    planned: Option<Tick>,
    duration: Tick,
    running: bool,
    totals: Vec<SavedTotal>,
    /// Whether its throughout conditions must be read again.
    unchecked: bool,
    /// The doing of a task that goes on when it has ended.
    task: Option<usize>,
    waits: bool,
    /// Whether its id means another step.
    shadowed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedPerformed {
    Action(SmolStr),
    Task(SmolStr),
}

/// What a contribution adds in all, as it was read in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedTotal {
    contribution: SavedPart,
    variables: Vec<SavedValue>,
    slot: SavedSlot,
    total: Fixed,
}

/// The version of the state in a world that was loaded; what was unchecked was checked before it.
const LOADED: u64 = 2;

impl Saver<'_> {
    pub(super) fn steps(&self) -> Vec<SavedStep> {
        let steps = &self.world.steps;
        steps.keyed().map(|(key, step)| self.step(key, step)).collect()
    }

    fn step(&self, key: StepKey, step: &WorldStep) -> SavedStep {
        let (model, labels) = (self.model, self.labels);
        let (performs, parts) = match step.what {
            Performed::Action(action) => (
                SavedPerformed::Action(labels.actions.of(action)),
                Parts::Contributions(&model.actions[action].contributions),
            ),
            Performed::Task(task) => (SavedPerformed::Task(labels.tasks.of(task)), Parts::Contributions(&[])),
        };
        let running = step.stage != Stage::Waiting;
        let kept = self.world.wiring.steps.kept(step.what).filter(|_| running);
        let has_changed = |fluent| self.world.versions[fluent] > step.checked;
        SavedStep {
            id: step.id,
            performs,
            args: SavedValue::all(labels, &step.args),
            start: step.start,
            planned: step.planned,
            duration: step.duration,
            running,
            totals: self.totals(&step.totals, parts),
            unchecked: kept.is_some_and(|kept| kept.fluents.iter().copied().any(has_changed)),
            task: step.task.and_then(|task| self.tasks.get(&task).copied()),
            waits: step.waits,
            shadowed: self.world.steps.find(step.id) != Some(key),
        }
    }

    pub(super) fn totals(&self, totals: &[Total], parts: Parts<'_>) -> Vec<SavedTotal> {
        let (model, labels) = (self.model, self.labels);
        let save = |total: &Total| SavedTotal {
            contribution: parts.save(model, labels, total.number),
            variables: SavedValue::all(labels, &total.variables),
            slot: SavedSlot::new(labels, total.fluent, &total.args),
            total: total.total,
        };
        totals.iter().map(save).collect()
    }
}

impl Loader<'_> {
    pub(super) fn load_steps(&mut self, saved: &[SavedStep], unlooked: bool) {
        self.world.version = LOADED;
        self.world.versions.values_mut().for_each(|version| *version = 1);
        self.world.steps.looked = if unlooked { 0 } else { LOADED };
        for saved in saved {
            let key = match self.find_step(saved) {
                Ok(step) => Some(self.add_step(step, saved.shadowed)),
                Err(why) => {
                    let name = match &saved.performs {
                        SavedPerformed::Action(name) | SavedPerformed::Task(name) => name,
                    };
                    self.report.dropped(format!("step {} `{name}`", saved.id), format!("{why}, so it is cut"));
                    self.drop_task_of(saved);
                    None
                }
            };
            self.steps.push(key);
        }
    }

    fn add_step(&mut self, step: WorldStep, shadowed: bool) -> StepKey {
        let (id, running) = (step.id, step.stage == Stage::Running);
        let contributes = match step.what {
            Performed::Action(action) => !self.model.actions[action].contributions.is_empty(),
            Performed::Task(_) => false,
        };
        let before = self.world.steps.find(id);
        let key = self.world.steps.add(step);
        if shadowed {
            match before {
                Some(before) => self.world.steps.by_id.insert(id, before),
                None => self.world.steps.by_id.remove(&id),
            };
        }
        if running {
            let wiring = self.world.wiring.clone();
            self.world.steps.run(key, &wiring.steps, contributes);
        }
        key
    }

    fn find_step(&mut self, saved: &SavedStep) -> Result<WorldStep, String> {
        let (model, labels) = (self.model, self.labels);
        let (what, params) = match &saved.performs {
            SavedPerformed::Action(name) => {
                let action = labels.actions.find(name).ok_or("there is no such action any more")?;
                (Performed::Action(action), &model.actions[action].params)
            }
            SavedPerformed::Task(name) => {
                let task = labels.tasks.find(name).ok_or("there is no such task any more")?;
                (Performed::Task(task), &model.tasks[task].params)
            }
        };
        let args = find_args_for(model, labels, params, &saved.args)?;
        let totals = match what {
            Performed::Task(_) if saved.running => return Err("a task never runs as a step".to_owned()),
            Performed::Task(_) => Vec::new(),
            Performed::Action(action) => {
                let parts = Parts::Contributions(&model.actions[action].contributions);
                self.find_totals(&saved.totals, parts, &format!("step {}", saved.id))
            }
        };
        if saved.duration < 0 || saved.planned.is_some_and(|planned| planned < 0) {
            return Err("it takes less than no time".to_owned());
        }
        Ok(WorldStep {
            id: saved.id,
            what,
            args,
            start: saved.start,
            planned: saved.planned,
            duration: saved.duration,
            stage: if saved.running { Stage::Running } else { Stage::Waiting },
            held: Demands::new(),
            totals,
            checked: if saved.unchecked { 0 } else { LOADED },
            task: saved.task.and_then(|task| self.tasks.get(task).copied().flatten()),
            waits: saved.waits,
        })
    }

    /// A task whose action is cut goes no further.
    fn drop_task_of(&mut self, saved: &SavedStep) {
        let place = saved.task.and_then(|task| self.tasks.get_mut(task));
        if let Some(key) = place.and_then(Option::take) {
            self.world.tasks.remove(key);
        }
    }

    pub(super) fn find_totals(&mut self, saved: &[SavedTotal], parts: Parts<'_>, whose: &str) -> Vec<Total> {
        let (model, labels) = (self.model, self.labels);
        let find = |saved: &SavedTotal| {
            let number = parts.find(model, labels, &saved.contribution).ok_or("it contributes to this no more")?;
            let (fluent, args) = saved.slot.find(model, labels)?;
            let variables = SmallVec::from_slice(&find_args(labels, &saved.variables)?);
            Ok(Total { number, variables, fluent, args, total: saved.total })
        };
        let mut totals = Vec::new();
        for saved in saved {
            let found: Result<Total, String> = find(saved);
            match found {
                Ok(total) => totals.push(total),
                Err(why) => self.report.dropped(format!("what {whose} adds to `{}`", saved.slot.fluent), why),
            }
        }
        totals
    }
}
