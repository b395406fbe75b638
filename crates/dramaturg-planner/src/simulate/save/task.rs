//! Tasks that are being done.

use dramaturg_model::{Method, Model, TaskId};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::part::{Parts, SavedPart};
use super::value::{SavedValue, find_args_for};
use super::{Loader, Saver};
use crate::simulate::task::{Frame, Run, TaskKey};

/// A doing of a task: what is to be done, or the clauses it has come to, outermost first. Others name it by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedTask {
    call: Option<SavedCall>,
    frames: Vec<SavedFrame>,
    step: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedCall {
    task: SmolStr,
    args: Vec<SavedValue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFrame {
    task: SmolStr,
    args: Vec<SavedValue>,
    method: SmolStr,
    /// The clause it has come to; without words when it is at its end.
    next: SavedPart,
}

/// A method by its name, or by its number if it has none.
pub(super) fn method_name(model: &Model, task: TaskId, number: u16) -> SmolStr {
    let method = model.tasks[task].methods.get(usize::from(number));
    method.and_then(|method| method.name.clone()).unwrap_or_else(|| format_smolstr!("#{number}"))
}

/// The number of a method.
pub(super) fn find_method(model: &Model, task: TaskId, name: &str) -> Option<u16> {
    let methods = &model.tasks[task].methods;
    let named = methods.iter().position(|method| method.name.as_deref() == Some(name));
    let unnamed = || {
        let number: usize = name.strip_prefix('#')?.parse().ok()?;
        methods.get(number).is_some_and(|method: &Method| method.name.is_none()).then_some(number)
    };
    named.or_else(unnamed).and_then(|number| u16::try_from(number).ok())
}

impl Saver<'_> {
    pub(super) fn tasks(&self, keys: &[TaskKey]) -> Vec<SavedTask> {
        let (model, labels) = (self.model, self.labels);
        let frame = |frame: &Frame| {
            let method = model.tasks[frame.task].methods.get(usize::from(frame.method));
            let clauses = Parts::Clauses(method.map_or(&[], |method| &method.steps));
            SavedFrame {
                task: labels.tasks.of(frame.task),
                args: SavedValue::all(labels, &frame.args),
                method: method_name(model, frame.task, frame.method),
                next: clauses.save(model, labels, frame.next),
            }
        };
        let save = |run: &Run| SavedTask {
            call: run
                .task
                .as_ref()
                .map(|(task, args)| SavedCall { task: labels.tasks.of(*task), args: SavedValue::all(labels, args) }),
            frames: run.frames.iter().map(frame).collect(),
            step: run.step,
        };
        keys.iter().filter_map(|key| self.world.tasks.runs.get(key)).map(save).collect()
    }
}

impl Loader<'_> {
    pub(super) fn load_tasks(&mut self, saved: &[SavedTask]) {
        for saved in saved {
            let key = match self.find_run(saved) {
                Ok(run) => {
                    let key = TaskKey(self.world.tasks.next);
                    self.world.tasks.next = self.world.tasks.next.wrapping_add(1);
                    self.world.tasks.runs.insert(key, run);
                    Some(key)
                }
                Err((name, why)) => {
                    self.report.dropped(format!("the doing of task `{name}`"), why);
                    None
                }
            };
            self.tasks.push(key);
        }
    }

    fn find_run(&self, saved: &SavedTask) -> Result<Run, (SmolStr, String)> {
        let task = match &saved.call {
            Some(call) => {
                let (task, args) = self.find_call(&call.task, &call.args)?;
                Some((task, args))
            }
            None => None,
        };
        let frames: Result<Vec<Frame>, _> = saved.frames.iter().map(|frame| self.find_frame(frame)).collect();
        Ok(Run { task, frames: frames?, step: saved.step })
    }

    fn find_call(
        &self,
        name: &SmolStr,
        args: &[SavedValue],
    ) -> Result<(TaskId, dramaturg_model::Args), (SmolStr, String)> {
        let gone = || (name.clone(), "there is no such task any more".to_owned());
        let task = self.labels.tasks.find(name).ok_or_else(gone)?;
        let args = find_args_for(self.model, self.labels, &self.model.tasks[task].params, args);
        Ok((task, args.map_err(|why| (name.clone(), why))?))
    }

    fn find_frame(&self, saved: &SavedFrame) -> Result<Frame, (SmolStr, String)> {
        let (task, args) = self.find_call(&saved.task, &saved.args)?;
        let problem = |why: String| (saved.task.clone(), why);
        let method = find_method(self.model, task, &saved.method);
        let method = method.ok_or_else(|| problem(format!("it has no method `{}` any more", saved.method)))?;
        let steps = self.model.tasks[task].methods.get(usize::from(method)).map_or(&[][..], |method| &method.steps);
        let next = if saved.next.words.is_empty() {
            Some(steps.len())
        } else {
            Parts::Clauses(steps).find(self.model, self.labels, &saved.next)
        };
        let gone = || problem(format!("its method `{}` has no clause `{}` any more", saved.method, saved.next.words));
        Ok(Frame { task, args, method, next: next.ok_or_else(gone)? })
    }
}
