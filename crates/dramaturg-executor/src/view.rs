//! A task as the game sees it.

use dramaturg_wire::{Question, Task, Tick};

use crate::dictionary::Dictionary;
use crate::held::Held;
use crate::perform::Run;

/// A task with its names spelled out. It borrows from the executor, so looking at it costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct TaskView<'a> {
    pub(crate) held: Held<'a>,
    pub(crate) run: &'a Run,
    pub(crate) names: &'a Dictionary,
}

impl<'a> TaskView<'a> {
    /// Which task, for the game to find its own notes by.
    pub fn id(&self) -> Task {
        self.run.task
    }

    /// Which version of it.
    pub fn version(&self) -> u32 {
        self.run.version
    }

    /// The name of the action.
    pub fn action(&self) -> &'a str {
        self.names.get(self.held.brief.action).unwrap_or_default()
    }

    /// What performs it: `anna.hands`.
    pub fn actuator(&self) -> Option<&'a str> {
        self.names.get(self.held.brief.actuator()?)
    }

    /// The objects it is done with. A number that the director never gave a name for is an empty name.
    pub fn params(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let names = self.names;
        self.held.params().iter().map(move |id| names.get(*id).unwrap_or_default())
    }

    /// The tick in which it was to start.
    pub fn start(&self) -> Tick {
        self.held.brief.start
    }

    /// The tick in which it did.
    pub fn started(&self) -> Tick {
        self.run.started
    }

    /// How many ticks it takes in all, as last amended; 0: as many as the game needs.
    pub fn duration(&self) -> Tick {
        self.run.duration
    }

    /// What the player or game is asked, if the task is a question.
    pub fn question(&self) -> Option<&'a Question> {
        self.held.question()
    }

    /// Whether the task reports fluents again and again while it runs.
    pub fn is_subscription(&self) -> bool {
        self.held.brief.every > 0 && !self.held.reads().is_empty()
    }
}
