//! A game that does as it is told: for tests, and for runs without a game.

mod transcript;

use std::collections::BTreeMap;

use dramaturg_wire::{Fault, Line, Question, Task, Tick, Value};

pub use self::transcript::{Happening, What};
use crate::game::{Game, Report, ValueRef};
use crate::view::TaskView;

/// Which tasks of an action something happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The next that starts.
    Next,
    /// The one that starts as so many-th since the game began, from 1.
    Nth(u32),
    /// All from now on.
    Every,
}

/// What goes otherwise than planned.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Twist {
    Fail { after: Tick, reason: String },
    Stretch { by: Tick },
}

#[derive(Clone, Debug)]
struct Script {
    action: String,
    /// None: every one.
    nth: Option<u32>,
    twist: Twist,
}

/// What something happens to when it starts next: one of these actions, done with these objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    /// The names of the actions.
    pub actions: Vec<String>,
    /// The objects in order, none where any will do; none at all: whatever they are.
    pub params: Option<Vec<Option<String>>>,
}

impl Aim {
    fn hits(&self, task: &TaskView<'_>) -> bool {
        let fits = |params: &Vec<Option<String>>| {
            let mut pairs = task.params().zip(params);
            task.params().len() == params.len()
                && pairs.all(|(found, wanted)| wanted.as_deref().is_none_or(|wanted| wanted == found))
        };
        self.actions.iter().any(|action| action == task.action()) && self.params.as_ref().is_none_or(fits)
    }
}

/// A game that performs every task as planned, except where it was told beforehand what is to go otherwise. It keeps a transcript
/// of what happened and when.
///
/// A task without a duration finishes in the tick in which it starts; a subscription without one goes on for ever.
#[derive(Clone, Debug, Default)]
pub struct ScriptedGame {
    values: BTreeMap<String, Value>,
    changes: BTreeMap<Tick, Vec<(String, Option<Value>)>>,
    scripts: Vec<Script>,
    /// What happens once, to the next task that it fits.
    aimed: Vec<(Aim, Twist)>,
    answers: BTreeMap<String, String>,
    answer_after: Tick,
    silent: bool,
    counts: BTreeMap<String, u32>,
    twists: BTreeMap<Task, Twist>,
    transcript: Vec<Happening>,
    forgetful: bool,
    tick: Tick,
}

impl ScriptedGame {
    /// A game in which all goes as planned.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps no transcript, for long runs: then nothing is allocated for a task that goes as planned.
    #[must_use]
    pub fn without_transcript(mut self) -> Self {
        self.forgetful = true;
        self
    }

    /// Gives a fluent a value now; none: the game no longer knows it.
    pub fn set(&mut self, fluent: impl Into<String>, value: impl Into<Option<Value>>) {
        match value.into() {
            Some(value) => {
                self.values.insert(fluent.into(), value);
            }
            None => {
                self.values.remove(&fluent.into());
            }
        }
    }

    /// Gives a fluent a value from this tick on.
    pub fn set_at(&mut self, tick: Tick, fluent: impl Into<String>, value: impl Into<Option<Value>>) {
        self.changes.entry(tick).or_default().push((fluent.into(), value.into()));
    }

    /// Lets a task fail so many ticks after it started; 0: at once.
    pub fn fail(&mut self, action: impl Into<String>, which: Which, after: Tick, reason: impl Into<String>) {
        self.script(action.into(), which, Twist::Fail { after, reason: reason.into() });
    }

    /// Refuses to perform a task.
    pub fn refuse(&mut self, action: impl Into<String>, which: Which) {
        self.fail(action, which, 0, "refused");
    }

    /// Lets a task take so many ticks more; it says so as soon as it has started.
    pub fn stretch(&mut self, action: impl Into<String>, which: Which, by: Tick) {
        self.script(action.into(), which, Twist::Stretch { by });
    }

    /// Lets the next task that fits fail so many ticks after it started; 0: at once.
    pub fn fail_next(&mut self, aim: Aim, after: Tick, reason: impl Into<String>) {
        self.aimed.push((aim, Twist::Fail { after, reason: reason.into() }));
    }

    /// Lets the next task that fits take so many ticks more.
    pub fn stretch_next(&mut self, aim: Aim, by: Tick) {
        self.aimed.push((aim, Twist::Stretch { by }));
    }

    fn script(&mut self, action: String, which: Which, twist: Twist) {
        let nth = match which {
            Which::Next => Some(self.count(&action).saturating_add(1)),
            Which::Nth(nth) => Some(nth),
            Which::Every => None,
        };
        self.scripts.push(Script { action, nth, twist });
    }

    /// Sets the answer to the questions of an action. Those without one get their first answer.
    pub fn answer(&mut self, action: impl Into<String>, answer: impl Into<String>) {
        self.answers.insert(action.into(), answer.into());
    }

    /// Lets so many ticks pass before a question is answered.
    pub fn answer_after(&mut self, ticks: Tick) {
        self.answer_after = ticks;
    }

    /// Answers no question, or answers again.
    pub fn stay_silent(&mut self, silent: bool) {
        self.silent = silent;
    }

    /// How many tasks of an action have started.
    pub fn count(&self, action: &str) -> u32 {
        self.counts.get(action).copied().unwrap_or(0)
    }

    /// What happened, in order.
    pub fn transcript(&self) -> &[Happening] {
        &self.transcript
    }

    /// What happened since this was last asked.
    pub fn take_transcript(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.transcript)
    }

    fn note(&mut self, task: Option<Task>, what: impl FnOnce() -> What) {
        if !self.forgetful {
            self.transcript.push(Happening { tick: self.tick, task, what: what() });
        }
    }

    /// Counts a task and looks up what goes otherwise with it.
    fn begin_task(&mut self, task: &TaskView<'_>) {
        let count = match self.counts.get_mut(task.action()) {
            Some(count) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.insert(task.action().to_owned(), 1);
                1
            }
        };
        // A question only decides about a task.
        if task.question().is_none()
            && let Some(at) = self.aimed.iter().position(|(aim, _)| aim.hits(task))
        {
            let (_, twist) = self.aimed.remove(at);
            self.twists.insert(task.id(), twist);
            return;
        }
        let applies = |script: &&Script| script.action == task.action() && script.nth.is_none_or(|nth| nth == count);
        if let Some(script) = self.scripts.iter().find(applies) {
            self.twists.insert(task.id(), script.twist.clone());
        }
    }

    fn answer_to(&self, task: &TaskView<'_>, question: &Question) -> Option<String> {
        let first = || question.answers.first().map(|(name, _)| name.clone());
        self.answers.get(task.action()).cloned().or_else(first)
    }

    fn ended(&mut self, task: &TaskView<'_>, report: Report) -> Report {
        self.twists.remove(&task.id());
        let id = Some(task.id());
        match &report {
            Report::Finished => self.note(id, || What::Finished { action: task.action().to_owned() }),
            Report::Failed(reason) => {
                self.note(id, || What::Failed { action: task.action().to_owned(), reason: reason.clone().into_owned() })
            }
            Report::Answered(answer) => {
                self.note(id, || What::Answered { action: task.action().to_owned(), answer: answer.clone() });
            }
            _ => {}
        }
        report
    }
}

/// Whether a task reads for ever.
fn is_endless(task: &TaskView<'_>) -> bool {
    task.duration() <= 0 && task.is_subscription()
}

impl Game for ScriptedGame {
    fn begin(&mut self, tick: Tick) {
        self.tick = tick;
        while let Some(change) = self.changes.first_entry()
            && *change.key() <= tick
        {
            for (fluent, value) in change.remove() {
                self.set(fluent, value);
            }
        }
    }

    fn start(&mut self, task: &TaskView<'_>) {
        self.begin_task(task);
        // What is only read all the time is nothing that happens.
        if !is_endless(task) {
            self.note(Some(task.id()), || What::started(task));
        }
    }

    fn ask(&mut self, task: &TaskView<'_>, question: &Question) {
        self.begin_task(task);
        self.note(Some(task.id()), || What::Asked {
            action: task.action().to_owned(),
            text: question.text.clone(),
            answers: question.answers.iter().map(|(name, _)| name.clone()).collect(),
        });
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let elapsed = tick.saturating_sub(task.started());
        match self.twists.get(&task.id()) {
            Some(Twist::Fail { after, reason }) if elapsed >= *after => {
                let reason = reason.clone();
                return self.ended(task, Report::Failed(reason.into()));
            }
            Some(Twist::Stretch { by }) if task.question().is_none() => {
                let duration = task.duration().saturating_add(*by);
                self.twists.remove(&task.id());
                self.note(Some(task.id()), || What::Stretched { action: task.action().to_owned(), duration });
                return Report::Amended(duration);
            }
            _ => {}
        }
        if let Some(question) = task.question() {
            return match self.answer_to(task, question) {
                Some(answer) if !self.silent && elapsed >= self.answer_after => {
                    self.ended(task, Report::Answered(answer))
                }
                _ => Report::Running,
            };
        }
        if elapsed >= task.duration() && !is_endless(task) {
            self.ended(task, Report::Finished)
        } else {
            Report::Running
        }
    }

    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        self.values.get(fluent).map(ValueRef::from)
    }

    fn show(&mut self, line: &Line) {
        self.note(None, || What::Shown { speaker: line.speaker.clone(), text: line.text.clone() });
    }

    fn cancel(&mut self, task: &TaskView<'_>) {
        self.twists.remove(&task.id());
        self.note(Some(task.id()), || What::Cancelled { action: task.action().to_owned() });
    }

    fn resume_task(&mut self, task: &TaskView<'_>) {
        self.note(Some(task.id()), || What::Resumed { action: task.action().to_owned() });
    }

    fn welcome(&mut self, session: &str, story: &str) {
        self.note(None, || What::Welcomed { session: session.to_owned(), story: story.to_owned() });
    }

    fn fault(&mut self, fault: &Fault) {
        self.note(None, || What::Fault(fault.clone()));
    }

    fn goodbye(&mut self, reason: &str) {
        self.note(None, || What::Goodbye { reason: reason.to_owned() });
    }

    fn saved(&mut self, request: u32, tick: Tick, data: &[u8]) {
        self.note(None, || What::Saved { request, tick, data: data.to_vec() });
    }

    fn loaded(&mut self, request: u32, notes: &[String]) {
        self.note(None, || What::Loaded { request, notes: notes.to_vec() });
    }
}
