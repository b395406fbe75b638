//! What a director that was started again from before a gap of its journal asks its game: which steps the game performed
//! that nothing is known of here.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Step, Tick};
use dramaturg_wire::Task;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::clock::Moment;

/// A game that has not told by then, in microseconds, will not: the session goes on without.
const PATIENCE: Moment = 3_000_000;

/// Tasks whose content the game is asked for, and what it told so far. While it is open nothing is planned or sent: what
/// was done would be done again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inquiry {
    asked: BTreeSet<Task>,
    told: BTreeMap<u32, Told>,
    until: Moment,
}

/// What the game told of a step, from one of its tasks or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    action: SmolStr,
    args: Vec<SmolStr>,
    start: Tick,
    end: Tick,
}

impl Inquiry {
    /// The game is asked about these tasks at this moment; those of an earlier question count no longer.
    pub(crate) fn ask(&mut self, tasks: BTreeSet<Task>, now: Moment) {
        *self = Self { asked: tasks, told: BTreeMap::new(), until: now.saturating_add(PATIENCE) };
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.asked.is_empty()
    }

    /// When it is over at the latest, if it is open.
    pub(crate) fn until(&self) -> Option<Moment> {
        self.is_open().then_some(self.until)
    }

    /// A task is answered for; whether it was asked about.
    pub(crate) fn answer(&mut self, task: Task) -> bool {
        self.asked.remove(&task)
    }

    /// What a task of a step was. Its names are those of the model, so that a game cannot have other texts kept here.
    pub(crate) fn tell(&mut self, task: Task, action: &str, args: &[SmolStr], start: Tick, duration: Tick) {
        let end = start.saturating_add(duration.max(1));
        let told = || Told { action: SmolStr::new(action), args: args.to_vec(), start, end };
        let told = self.told.entry(task.step).or_insert_with(told);
        (told.start, told.end) = (told.start.min(start), told.end.max(end));
    }

    /// Ends it; gives the steps that are known now.
    pub(crate) fn close(&mut self) -> Vec<Step> {
        let Self { told, .. } = std::mem::take(self);
        let step = |(id, Told { action, args, start, end }): (u32, Told)| Step {
            id,
            action,
            args,
            start,
            duration: end.saturating_sub(start),
            window: None,
            status: Default::default(),
            goals: Vec::new(),
            origin: Default::default(),
        };
        told.into_iter().map(step).collect()
    }
}
