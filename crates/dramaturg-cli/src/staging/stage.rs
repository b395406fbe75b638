//! A director and a game on one stage, by one virtual clock: what each tick brings, which questions are open, and whether anything can
//! still come.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use dramaturg::model::{Model, Tick};
use dramaturg::planner::planner::Progress;
use dramaturg::planner::simulate::World;
use dramaturg_director::shell::SessionOptions;
use dramaturg_director::{Core, Event, EventKind};
use dramaturg_executor::AnswerError;
use dramaturg_executor::scripted::{Happening, What as Act};
use dramaturg_wire::Task;
use dramaturg_wire::link::LinkError;

use super::actor::Asked;
use super::lockstep::{LinkKind, Lockstep};
use super::setting::Setting;

/// So many ticks before its first one a story's director and game say hello, and its planner plans: then even a step at tick 0 is
/// sent in time.
const BEFORE: Tick = 8;

/// The planner works so many units at a time.
const UNITS: u32 = 400;

/// Something with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Named {
    /// From `walk(hero, c3, c2)`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('(') {
            Some((name, args)) => {
                let args = args.strip_suffix(')').unwrap_or(args);
                Self { name: name.to_owned(), args: args.split(", ").map(str::to_owned).collect() }
            }
            None => Self { name: text.to_owned(), args: Vec::new() },
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.args.is_empty() { Ok(()) } else { write!(f, "({})", self.args.join(", ")) }
    }
}

/// What a tick brought.
pub struct Brought {
    /// What the game did. A step that has several tasks starts once.
    pub acts: Vec<Happening>,
    /// What the director told.
    pub events: Vec<Event>,
}

/// A director and a game that perform a story tick by tick.
pub struct Stage<'s> {
    /// The story.
    pub model: Arc<Model>,
    /// Director and game.
    pub both: Lockstep<'s>,
    /// Questions that are open, the oldest first.
    pub open: Vec<Asked>,
    /// The steps that have started, in order.
    pub steps: Vec<(u32, Named)>,
    started: BTreeSet<u32>,
    planned: bool,
}

impl<'s> Stage<'s> {
    /// Both sides before they say hello. Nobody answers questions by itself.
    pub fn new(setting: &'s Setting, link: LinkKind) -> Result<Self, LinkError> {
        let options = SessionOptions { units: Some(UNITS), think_ticks: 0, ..setting.session() };
        let mut both = Lockstep::new(setting, link, 0, -BEFORE, options)?;
        both.actor.game().stay_silent(true);
        Ok(Self {
            model: Arc::clone(&setting.model),
            both,
            open: Vec::new(),
            steps: Vec::new(),
            started: BTreeSet::new(),
            planned: false,
        })
    }

    /// Runs one tick, and hands out what it brought.
    pub fn tick(&mut self) -> Result<Brought, LinkError> {
        self.both.step()?;
        self.open.extend(self.both.actor.take_questions());
        let mut acts = self.both.actor.take_transcript();
        acts.retain(|act| self.acted(act));
        let events = self.both.session.take_events();
        events.iter().for_each(|event| self.heard(event));
        Ok(Brought { acts, events })
    }

    /// Keeps in mind what the game did; whether it is the first that is heard of it.
    fn acted(&mut self, Happening { task, what, .. }: &Happening) -> bool {
        // The planner has not heard of it yet.
        self.planned &= matches!(what, Act::Welcomed { .. } | Act::Shown { .. });
        match what {
            Act::Started { action, params, .. } => {
                let step = task.map_or(0, |task| task.step);
                if !self.started.insert(step) {
                    return false;
                }
                self.steps.push((step, Named { name: action.clone(), args: params.clone() }));
            }
            Act::Cancelled { .. } => self.open.retain(|open| Some(open.task) != *task),
            _ => {}
        }
        true
    }

    fn heard(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Deliberated { progress, .. } => {
                self.planned = matches!(progress, Progress::Complete { .. } | Progress::Idle);
            }
            // Also of one that nobody answered in time.
            EventKind::Answered { task, .. } => self.open.retain(|open| open.task != *task),
            _ => {}
        }
    }

    /// The director's side.
    pub fn core(&self) -> &Core {
        self.both.session.director().core()
    }

    /// The world as the director knows it.
    pub fn world(&self) -> &World {
        self.core().chronicle().present()
    }

    /// A step that has started.
    pub fn step(&self, step: u32) -> Option<&Named> {
        self.steps.iter().rev().find(|(known, _)| *known == step).map(|(_, named)| named)
    }

    /// Answers a question that is open.
    pub fn answer(&mut self, task: Task, answer: &str) -> Result<(), AnswerError> {
        self.both.executor.answer(task, answer)?;
        self.open.retain(|open| open.task != task);
        Ok(())
    }

    /// Whether nothing more will come by itself.
    pub fn is_over(&self) -> bool {
        // A question that nobody answers waits for ever, unless it has a time.
        let asked = self.open.len();
        if self.open.iter().any(|open| open.question.within.is_some()) || self.both.executor.running_count() > asked {
            return false;
        }
        self.world().ending().is_some() || self.planned && self.stands_still()
    }

    /// Whether nothing waits, runs, is due or planned, except for questions that are open: only a planner that finds something to do
    /// after all could change that.
    pub fn stands_still(&self) -> bool {
        let asked = self.open.len();
        let rests = self.both.executor.running_count() <= asked && self.core().board().entries().count() <= asked;
        rests && self.world().is_at_rest()
    }
}
