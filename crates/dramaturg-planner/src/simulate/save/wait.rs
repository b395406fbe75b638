//! What is waited for.

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::value::{SavedSlot, SavedValue, find_args};
use super::{Loader, Saver};
use crate::simulate::event::Cause;
use crate::simulate::step::StepKey;
use crate::simulate::waits::{Wait, WaitKey, Waiter};

/// Something that is waited for. Deadlines name it by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedWait {
    waiter: SavedWaiter,
    args: Vec<SavedValue>,
    wanted: Vec<SavedWanted>,
    deadline: Tick,
    late: u32,
    extensions: u32,
    extend_by: Tick,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedWaiter {
    Step(usize),
    Rule(SmolStr),
    /// A step that has ended meanwhile, by its id.
    Gone(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedWanted {
    slot: SavedSlot,
    value: SavedValue,
}

/// The key of no step.
const NO_STEP: StepKey = StepKey(u32::MAX);

impl Saver<'_> {
    pub(super) fn waits(&self) -> Vec<SavedWait> {
        let labels = self.labels;
        let save = |wait: &Wait| SavedWait {
            waiter: match (&wait.waiter, wait.cause) {
                (Waiter::Rule(rule), _) => SavedWaiter::Rule(labels.rules.of(*rule)),
                (Waiter::Step(key), cause) => match (self.steps.get(key), cause) {
                    (Some(step), _) => SavedWaiter::Step(*step),
                    (None, Cause::Step(id)) => SavedWaiter::Gone(id),
                    (None, _) => SavedWaiter::Gone(u32::MAX),
                },
            },
            args: SavedValue::all(labels, &wait.args),
            wanted: wait
                .wanted
                .iter()
                .map(|(fluent, args, value)| SavedWanted {
                    slot: SavedSlot::new(labels, *fluent, args),
                    value: SavedValue::new(labels, *value),
                })
                .collect(),
            deadline: wait.deadline,
            late: wait.late,
            extensions: wait.extensions,
            extend_by: wait.extend_by,
        };
        self.world.waits.open.iter().map(save).collect()
    }
}

impl Loader<'_> {
    pub(super) fn load_waits(&mut self, saved: &[SavedWait], unlooked: bool) {
        self.world.waits.looked = if unlooked { 0 } else { self.world.version };
        for saved in saved {
            let key = match self.find_wait(saved) {
                Ok(wait) => {
                    let key = wait.key;
                    self.world.waits.next = self.world.waits.next.wrapping_add(1);
                    self.world.waits.open.push(wait);
                    Some(key)
                }
                Err((name, why)) => {
                    self.report.dropped(format!("what {name} waits for"), why);
                    self.cut_waiter(&saved.waiter);
                    None
                }
            };
            self.waits.push(key);
        }
    }

    fn find_wait(&self, saved: &SavedWait) -> Result<Wait, (String, String)> {
        let (model, labels) = (self.model, self.labels);
        let (name, found) = match &saved.waiter {
            SavedWaiter::Rule(rule) => {
                let found = labels.rules.find(rule).map(|rule| (Waiter::Rule(rule), Cause::Rule(rule)));
                (format!("rule `{rule}`"), found)
            }
            SavedWaiter::Gone(id) => (format!("step {id}"), Some((Waiter::Step(NO_STEP), Cause::Step(*id)))),
            SavedWaiter::Step(number) => {
                let key = self.steps.get(*number).copied().flatten();
                let step = key.and_then(|key| Some((key, self.world.steps.get(key)?.id)));
                ("a step".to_owned(), step.map(|(key, id)| (Waiter::Step(key), Cause::Step(id))))
            }
        };
        let (waiter, cause) = found.ok_or_else(|| (name.clone(), "who waits is not there any more".to_owned()))?;
        let problem = |why: String| (name.clone(), why);
        let mut wanted = Vec::new();
        for part in &saved.wanted {
            let (fluent, args) = part.slot.find(model, labels).map_err(problem)?;
            let value = part.value.find(labels);
            let gone = |value: SmolStr| problem(format!("`{value}` does not exist any more"));
            wanted.push((fluent, args, value.map_err(gone)?));
        }
        Ok(Wait {
            key: WaitKey(self.world.waits.next),
            waiter,
            cause,
            args: find_args(labels, &saved.args).map_err(problem)?,
            wanted,
            deadline: saved.deadline,
            late: saved.late,
            extensions: saved.extensions,
            extend_by: saved.extend_by,
        })
    }

    /// A step that waits for what cannot come would never end.
    fn cut_waiter(&mut self, waiter: &SavedWaiter) {
        let SavedWaiter::Step(number) = waiter else { return };
        if let Some(key) = self.steps.get_mut(*number).and_then(Option::take) {
            self.world.cut_step(key);
        }
    }
}
