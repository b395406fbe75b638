//! What a game implements.

use std::borrow::Cow;

use dramaturg_wire::{Fault, Line, Question, Tick, Value};

use crate::TaskView;

/// A value of a fluent, borrowed from the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRef<'a> {
    /// Yes or no.
    Bool(bool),
    /// A number in millionths: `1.5` is 1,500,000.
    Number(i64),
    /// An object or a named value.
    Name(&'a str),
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(value) => Self::Number(*value),
            Value::Name(value) => Self::Name(value),
        }
    }
}

/// How a task is going.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// It goes on.
    Running,
    /// It goes on and is so far, in thousandths. Told to the director when it changes.
    Progress(u16),
    /// It goes on and will take so many ticks in all. Told to the director when it changes.
    Amended(Tick),
    /// It has ended.
    Finished,
    /// It ended without its effects, for this reason.
    Failed(Cow<'static, str>),
    /// The question has this answer.
    Answered(String),
}

/// What the executor asks of a game. Most methods have a default that suits a game which does not care.
pub trait Game {
    /// Begin to perform this task. It may be late; [`TaskView::start`] and [`TaskView::started`] say by how much.
    fn start(&mut self, task: &TaskView<'_>);

    /// How is this task going? Asked in every tick, from the one in which it started.
    ///
    /// By default a task with a duration finishes by itself when its time is over. A game whose tasks may have none (duration 0:
    /// as long as the game needs) says here when they end.
    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let over = task.duration() > 0 && tick >= task.started().saturating_add(task.duration());
        if over && !task.run.asks { Report::Finished } else { Report::Running }
    }

    /// The value of a fluent now, for guards and sensors: `player.location`. A guard on a fluent that has none does not hold.
    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        let _ = fluent;
        None
    }

    /// Show this text.
    fn show(&mut self, line: &Line) {
        let _ = line;
    }

    /// Ask this question; [`Game::start`] is not called for it. The answer comes from [`Game::poll`] or through
    /// [`crate::Executor::answer`].
    fn ask(&mut self, task: &TaskView<'_>, question: &Question) {
        let _ = (task, question);
    }

    /// Stop this task without reporting on it: the time for its answer is over, or its session is gone.
    fn cancel(&mut self, task: &TaskView<'_>) {
        let _ = task;
    }

    /// This task ran when the checkpoint was made from which the executor was restored, and goes on.
    fn resume_task(&mut self, task: &TaskView<'_>) {
        let _ = task;
    }

    /// A tick begins, before anything else happens in it.
    fn begin(&mut self, tick: Tick) {
        let _ = tick;
    }

    /// The director answered: this session, of this story.
    fn welcome(&mut self, session: &str, story: &str) {
        let _ = (session, story);
    }

    /// Something was wrong with what one of both sides said.
    fn fault(&mut self, fault: &Fault) {
        let _ = fault;
    }

    /// The director ends the session.
    fn goodbye(&mut self, reason: &str) {
        let _ = reason;
    }

    /// The session up to this tick, as asked for with [`crate::Executor::request_save`].
    fn saved(&mut self, request: u32, tick: Tick, data: &[u8]) {
        let _ = (request, tick, data);
    }

    /// A save was loaded, as asked for with [`crate::Executor::load`]; what had to be dropped or defaulted is listed.
    fn loaded(&mut self, request: u32, notes: &[String]) {
        let _ = (request, notes);
    }
}
