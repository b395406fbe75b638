//! Rules that have begun, and what has happened since rules last looked.

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::part::Parts;
use super::step::SavedTotal;
use super::task::{find_method, method_name};
use super::value::{SavedValue, find_args_for};
use super::{Loader, Saver};
use crate::simulate::rules::{Happened, Run, RunKey};

/// A rule whose effects have not all come. Others name it by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedRun {
    rule: SmolStr,
    args: Vec<SavedValue>,
    start: Tick,
    duration: Tick,
    totals: Vec<SavedTotal>,
    contributes: bool,
}

/// Something that ended or fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum SavedHappened {
    Action { name: SmolStr, args: Vec<SavedValue> },
    Task { name: SmolStr, method: SmolStr, args: Vec<SavedValue> },
    Rule { name: SmolStr, args: Vec<SavedValue> },
    Milestone { name: SmolStr },
    Ending { name: SmolStr },
}

impl Saver<'_> {
    pub(super) fn runs(&self, keys: &[RunKey]) -> Vec<SavedRun> {
        let (model, labels) = (self.model, self.labels);
        let save = |key: &RunKey| {
            let run = self.world.rules.runs.get(key)?;
            Some(SavedRun {
                rule: labels.rules.of(run.rule),
                args: SavedValue::all(labels, &run.args),
                start: run.start,
                duration: run.duration,
                totals: self.totals(&run.totals, Parts::Contributions(&model.rules[run.rule].contributions)),
                contributes: self.world.rules.contributing.contains(key),
            })
        };
        keys.iter().filter_map(save).collect()
    }

    pub(super) fn happened(&self) -> Vec<SavedHappened> {
        let (model, labels) = (self.model, self.labels);
        let save = |happened: &Happened| match happened {
            Happened::Action(action, args) => {
                SavedHappened::Action { name: labels.actions.of(*action), args: SavedValue::all(labels, args) }
            }
            Happened::Task(task, method, args) => SavedHappened::Task {
                name: labels.tasks.of(*task),
                method: method_name(model, *task, *method),
                args: SavedValue::all(labels, args),
            },
            Happened::Rule(rule, args) => {
                SavedHappened::Rule { name: labels.rules.of(*rule), args: SavedValue::all(labels, args) }
            }
            Happened::Milestone(milestone) => SavedHappened::Milestone { name: labels.milestones.of(*milestone) },
            Happened::Ending(ending) => SavedHappened::Ending { name: labels.endings.of(*ending) },
        };
        self.world.happened.iter().map(save).collect()
    }
}

impl Loader<'_> {
    pub(super) fn load_runs(&mut self, saved: &[SavedRun]) {
        for saved in saved {
            let key = match self.find_rule_run(saved) {
                Ok(run) => {
                    let key = RunKey(self.world.rules.next);
                    self.world.rules.next = self.world.rules.next.wrapping_add(1);
                    self.world.rules.runs.insert(key, run);
                    if saved.contributes {
                        self.world.rules.contributing.insert(key);
                    }
                    Some(key)
                }
                Err(why) => {
                    self.report.dropped(format!("what rule `{}` has begun", saved.rule), why);
                    None
                }
            };
            self.runs.push(key);
        }
    }

    fn find_rule_run(&mut self, saved: &SavedRun) -> Result<Run, String> {
        let (model, labels) = (self.model, self.labels);
        let rule = labels.rules.find(&saved.rule).ok_or("there is no such rule any more")?;
        let args = find_args_for(model, labels, &model.rules[rule].params, &saved.args)?;
        if saved.duration < 0 {
            return Err("it takes less than no time".to_owned());
        }
        let parts = Parts::Contributions(&model.rules[rule].contributions);
        let totals = self.find_totals(&saved.totals, parts, &format!("rule `{}`", saved.rule));
        Ok(Run { rule, args, start: saved.start, duration: saved.duration, totals })
    }

    pub(super) fn load_happened(&mut self, saved: &[SavedHappened]) {
        for saved in saved {
            match self.find_happened(saved) {
                Ok(happened) => self.world.happened.push(happened),
                Err((name, why)) => self.report.dropped(format!("what `{name}` has done"), why),
            }
        }
    }

    fn find_happened(&self, saved: &SavedHappened) -> Result<Happened, (SmolStr, String)> {
        let (model, labels) = (self.model, self.labels);
        let gone = |name: &SmolStr| (name.clone(), "there is nothing of this name any more".to_owned());
        Ok(match saved {
            SavedHappened::Action { name, args } => {
                let action = labels.actions.find(name).ok_or_else(|| gone(name))?;
                let args = find_args_for(model, labels, &model.actions[action].params, args);
                Happened::Action(action, args.map_err(|why| (name.clone(), why))?)
            }
            SavedHappened::Task { name, method, args } => {
                let task = labels.tasks.find(name).ok_or_else(|| gone(name))?;
                let method = find_method(model, task, method).ok_or_else(|| gone(method))?;
                let args = find_args_for(model, labels, &model.tasks[task].params, args);
                Happened::Task(task, method, args.map_err(|why| (name.clone(), why))?)
            }
            SavedHappened::Rule { name, args } => {
                let rule = labels.rules.find(name).ok_or_else(|| gone(name))?;
                let args = find_args_for(model, labels, &model.rules[rule].params, args);
                Happened::Rule(rule, args.map_err(|why| (name.clone(), why))?)
            }
            SavedHappened::Milestone { name } => {
                Happened::Milestone(labels.milestones.find(name).ok_or_else(|| gone(name))?)
            }
            SavedHappened::Ending { name } => Happened::Ending(labels.endings.find(name).ok_or_else(|| gone(name))?),
        })
    }
}
