//! What the game says on its own account.

use std::fmt;

use dramaturg_wire::message::pieces;
use dramaturg_wire::{Description, FaultCode, NameId, Observation, Task, TaskContent, ToDirector};

use crate::executor::Executor;
use crate::performed::Content;
use crate::tasks::Standing;

/// Why an answer was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// No such question is open: it was answered, its time is over, or it was never asked.
    NotAsked,
    /// The question offers other answers.
    NotOffered,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAsked => "no such question is open",
            Self::NotOffered => "the question offers other answers",
        })
    }
}

impl std::error::Error for AnswerError {}

impl Executor {
    /// Tells the director what tasks were of which it has no record. More than it takes in one message are told in
    /// several.
    pub(crate) fn describe(&mut self, tasks: &[Task]) {
        if tasks.is_empty() {
            return;
        }
        let refused = self.voice.refused;
        let described = tasks.iter().map(|task| Description { task: *task, content: self.content(*task) }).collect();
        if self.voice.say(&ToDirector::Described { tasks: described }) {
            return;
        }
        self.voice.refused = refused;
        match tasks {
            [task] => {
                // Its names are too long for this director.
                let forgotten = Description { task: *task, content: None };
                self.voice.say(&ToDirector::Described { tasks: vec![forgotten] });
            }
            _ => {
                let (some, rest) = tasks.split_at(tasks.len() / 2);
                self.describe(some);
                self.describe(rest);
            }
        }
    }

    fn content(&self, task: Task) -> Option<TaskContent> {
        let held = || self.tasks.find(task).map(Content::of);
        let Content { action, params, start, duration } = self.performed.find(task).cloned().or_else(held)?;
        let name = |number: &NameId| self.names.get(*number).map(str::to_owned);
        let params = params.iter().map(name).collect::<Option<Vec<_>>>()?;
        Some(TaskContent { action: name(&action)?, params, start, duration })
    }

    /// Tells the director something that it did not ask for.
    pub fn perceive(&mut self, observation: Observation) {
        self.perceive_all(vec![observation]);
    }

    /// Tells the director several things at once that it did not ask for. More than the director takes in one message
    /// are told in several.
    pub fn perceive_all(&mut self, observations: Vec<Observation>) {
        if observations.is_empty() {
            return;
        }
        let refused = self.voice.refused;
        let message = ToDirector::Perceive { observations };
        if !self.voice.say(&message)
            && let ToDirector::Perceive { mut observations } = message
            && observations.len() > 1
        {
            self.voice.refused = refused;
            let rest = observations.split_off(observations.len() / 2);
            self.perceive_all(observations);
            self.perceive_all(rest);
        }
    }

    /// Answers a question; it ends in the next tick.
    pub fn answer(&mut self, task: Task, answer: impl Into<String>) -> Result<(), AnswerError> {
        let Standing::Running { slot, .. } = self.tasks.standing(task) else { return Err(AnswerError::NotAsked) };
        let question = self.tasks.held(slot).and_then(|held| held.question());
        let offered = &question.ok_or(AnswerError::NotAsked)?.answers;
        let answer = answer.into();
        if !offered.is_empty() && offered.iter().all(|(name, _)| *name != answer) {
            return Err(AnswerError::NotOffered);
        }
        if self.answers.iter().any(|(answered, _)| *answered == task) {
            return Err(AnswerError::NotAsked);
        }
        self.answers.push((task, answer));
        Ok(())
    }

    /// Sets other goals, each as the story language writes a wish: for a character, or with no owner for the story.
    pub fn set_goals(&mut self, owner: Option<String>, goals: Vec<String>) {
        self.voice.say(&ToDirector::SetGoals { owner, goals });
    }

    /// Time stands still: nothing starts and nothing is asked after until [`Executor::resume`]. Frames may go on, so
    /// that messages are still exchanged.
    pub fn pause(&mut self) {
        if !self.paused {
            self.paused = true;
            self.voice.say(&ToDirector::Pause { tick: self.tick });
        }
    }

    /// Time goes on, at so many ticks in a thousand seconds. Also tells of another pace when nothing was paused.
    pub fn resume(&mut self, rate_milli: u32) {
        self.paused = false;
        self.options.rate_milli = rate_milli;
        self.voice.say(&ToDirector::Continue { tick: self.tick, rate_milli });
    }

    /// Whether time stands still.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Sets the language for lines: `en`, `de-AT`.
    pub fn set_language(&mut self, tag: impl Into<String>) {
        self.voice.say(&ToDirector::Language { tag: tag.into() });
    }

    /// Asks for a save of the session, which comes through [`crate::Game::saved`] under the number that is returned. A
    /// game keeps it in its own save, beside [`Executor::checkpoint`].
    pub fn request_save(&mut self) -> u32 {
        self.requests = self.requests.wrapping_add(1);
        self.voice.say(&ToDirector::Save { request: self.requests });
        self.requests
    }

    /// Hands a save back to the director; [`crate::Game::loaded`] tells when it is done, under the number that is
    /// returned.
    ///
    /// The tasks that the executor knows must be those of the save. Restore it from the checkpoint that was kept beside
    /// the save, or else call [`Executor::leave_session`] and [`Executor::reconnect`] first. Where that is not done,
    /// what the save waits for and the executor has ended since is planned anew.
    pub fn load(&mut self, data: Vec<u8>) -> u32 {
        self.requests = self.requests.wrapping_add(1);
        let (request, most) = (self.requests, pieces::save_bytes_max(self.options.codec));
        if data.len() > most {
            let text = format!("the save has {} bytes, and one may have {most} at most to be sent", data.len());
            self.complain(FaultCode::Limit, &text);
            return request;
        }
        let (ahead, last) = pieces::cut(&data, self.options.codec, self.voice.bytes_max);
        for piece in ahead {
            self.voice.say(&ToDirector::LoadPiece { request, data: piece.to_vec() });
        }
        self.voice.say(&ToDirector::Load { request, data: last.to_vec() });
        request
    }

    /// Ends the session: nothing of it starts, is shown or is asked after from now on. Go on with frames until
    /// [`Executor::unacknowledged`] is 0, so that the director hears of it. [`Executor::leave_session`] and
    /// [`Executor::reconnect`] begin another.
    pub fn goodbye(&mut self, reason: impl Into<String>) {
        self.over = true;
        self.voice.say(&ToDirector::Goodbye { reason: reason.into() });
    }
}
