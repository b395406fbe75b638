//! Starts tasks in their ticks and follows them to their end.

use dramaturg_wire::{Answer, Execute, NameId, Outcome, Task, Tick, ToDirector};
use serde::{Deserialize, Serialize};

use crate::dictionary::Dictionary;
use crate::ended::Ended;
use crate::executor::Executor;
use crate::game::{Game, Report};
use crate::guard;
use crate::held::Held;
use crate::performed::Content;
use crate::view::TaskView;
use crate::voice::Voice;

/// A task that runs. All that is looked at in every tick and at its end stands here, side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Where its task is kept.
    pub(crate) slot: u32,
    /// Whether it is a question.
    pub(crate) asks: bool,
    /// Whether it only reads, for ever.
    pub(crate) subscribes: bool,
    pub(crate) thousandths: u16,
    pub(crate) started: Tick,
    pub(crate) late: Tick,
    /// As last amended.
    pub(crate) duration: Tick,
    /// When its fluents are read next; never, if it has none or they are read at its end.
    pub(crate) next_read: Tick,
    /// When the answer is taken that holds if there is none.
    pub(crate) deadline: Tick,
    /// Which task it is: known from the task itself where that is kept beside it.
    #[serde(skip, default = "nameless")]
    pub(crate) task: Task,
    #[serde(skip)]
    pub(crate) version: u32,
    /// Whether it reads fluents.
    #[serde(skip)]
    pub(crate) reads: bool,
}

fn nameless() -> Task {
    Task { step: 0, part: 0 }
}

impl Run {
    fn new(slot: u32, held: Held<'_>, tick: Tick, late: Tick) -> Self {
        let (brief, question) = (held.brief, held.question());
        let reads = !held.reads().is_empty();
        let within = question.and_then(|question| question.within.as_ref());
        Self {
            slot,
            asks: question.is_some(),
            subscribes: brief.task.is_subscription(),
            thousandths: 0,
            started: tick,
            late,
            duration: brief.duration.max(0),
            next_read: if reads && brief.every > 0 { tick } else { Tick::MAX },
            deadline: within.map_or(Tick::MAX, |(ticks, _)| tick.saturating_add(*ticks)),
            task: brief.task,
            version: brief.version,
            reads,
        }
    }

    /// Takes over from the task what is not kept twice.
    pub(crate) fn name(&mut self, execute: &Execute) {
        (self.task, self.version) = (execute.task, execute.version);
        (self.asks, self.subscribes) = (execute.question.is_some(), execute.task.is_subscription());
        self.reads = !execute.reads.is_empty();
    }

    /// How far it is: what the game said, or else how much of its time is over.
    fn thousandths(&self, tick: Tick) -> u16 {
        if self.thousandths > 0 || self.duration <= 0 {
            return self.thousandths;
        }
        let elapsed = i128::from(tick.saturating_sub(self.started).clamp(0, self.duration));
        u16::try_from(elapsed * 1000 / i128::from(self.duration)).unwrap_or(1000)
    }
}

/// How a task ended, and whether it was an answer that ended it.
struct End {
    outcome: Outcome,
    answer: Option<String>,
}

impl End {
    const fn plain(outcome: Outcome) -> Self {
        Self { outcome, answer: None }
    }
}

impl Executor {
    /// Starts every task whose tick has come.
    pub(crate) fn start_due<G: Game + ?Sized>(&mut self, game: &mut G) {
        let tick = self.tick;
        while let Some(slot) = self.tasks.take_due(tick) {
            let Some(held) = self.tasks.held(slot) else { continue };
            let (task, version, action) = (held.brief.task, held.brief.version, held.brief.action);
            let late = tick.saturating_sub(held.brief.start);
            let refused = if late > Tick::from(held.brief.late.most) {
                Some(Outcome::Missed { by: late })
            } else if self.names.get(action).is_none() {
                let reason = format!("the action has no name: number {} is not in the dictionary", action.0);
                Some(Outcome::Failed { reason })
            } else {
                guard::failing(held.guards(), &self.names, game).map(|guard| Outcome::GuardFailed { guard })
            };
            if let Some(outcome) = refused {
                let outcome = self.voice.report(task, version, tick, outcome);
                self.tasks.end(slot, Ended { task, version, tick, ran: false, outcome });
                continue;
            }
            let run = Run::new(slot, held, tick, late);
            if !run.subscribes {
                self.performed.note(task, Content::of(held));
            }
            let view = TaskView { held, run: &run, names: &self.names };
            self.voice.report(task, version, tick, Outcome::Started { late });
            match view.question() {
                _ if run.subscribes => {}
                Some(question) => game.ask(&view, question),
                None => game.start(&view),
            }
            self.running.push(run);
        }
    }

    /// Asks after every task that runs, and reports what has changed.
    pub(crate) fn follow<G: Game + ?Sized>(&mut self, game: &mut G) {
        let Self { running, tasks, names, voice, answers, tick, options, .. } = self;
        let tick = *tick;
        running.retain_mut(|run| {
            let Some(held) = tasks.held(run.slot) else { return false };
            let (task, version) = (run.task, run.version);
            let given = if run.asks { take_answer(answers, task) } else { None };
            let report = match given {
                Some(answer) => Report::Answered(answer),
                None if run.subscribes => Report::Running,
                None => game.poll(&TaskView { held, run, names }, tick),
            };
            let mut progressed = false;
            let mut end = match report {
                Report::Running => None,
                Report::Progress(thousandths) => {
                    progressed = run.thousandths != thousandths.min(1000);
                    run.thousandths = thousandths.min(1000);
                    None
                }
                Report::Amended(duration) => {
                    if duration != run.duration {
                        run.duration = duration;
                        voice.report(task, version, tick, Outcome::Amended { duration });
                    }
                    None
                }
                Report::Finished => Some(End::plain(Outcome::Finished)),
                Report::Failed(reason) => Some(End::plain(Outcome::Failed { reason: reason.into_owned() })),
                Report::Answered(answer) => Some(answered(held, answer)),
            };
            if end.is_none()
                && tick >= run.deadline
                && let Some((_, default)) = held.question().and_then(|question| question.within.clone())
            {
                game.cancel(&TaskView { held, run, names });
                end = Some(End { outcome: Outcome::Finished, answer: Some(default) });
            }
            let Some(End { outcome, answer }) = end else {
                let reads = tick >= run.next_read;
                let room = voice.channel.unacknowledged() < options.unacknowledged_max;
                if reads {
                    run.next_read = tick.saturating_add(Tick::from(held.brief.every.max(1)));
                }
                if (reads || progressed) && room {
                    if reads {
                        read(held.reads(), names, voice, tick, game);
                    }
                    let outcome = Outcome::Progress { thousandths: run.thousandths(tick) };
                    voice.report(task, version, tick, outcome);
                }
                return true;
            };
            if let Some(answer) = answer {
                voice.say(&ToDirector::Answer(Answer { task, version, tick, answer }));
            }
            if run.reads && outcome == Outcome::Finished {
                read(held.reads(), names, voice, tick, game);
            }
            let outcome = voice.report(task, version, tick, outcome);
            tasks.end(run.slot, Ended { task, version, tick, ran: true, outcome });
            false
        });
        // What was answered to a task that has ended meanwhile answers nothing.
        answers.clear();
    }

    /// What was to start since the checkpoint may have been started by the game that died: it is not started again.
    pub(crate) fn forget_due(&mut self) {
        let tick = self.tick;
        while let Some(slot) = self.tasks.take_due(tick.max(self.ran_until)) {
            let Some(held) = self.tasks.held(slot) else { continue };
            let (task, version) = (held.brief.task, held.brief.version);
            if task.is_subscription() {
                // Reading twice does no harm.
                self.running.push(Run::new(slot, held, tick, 0));
                continue;
            }
            let outcome = self.voice.report(task, version, tick, Outcome::Unknown);
            self.tasks.end(slot, Ended { task, version, tick, ran: true, outcome });
        }
    }

    /// Tells the game what runs since its checkpoint.
    pub(crate) fn tell_resumed<G: Game + ?Sized>(&mut self, game: &mut G) {
        for run in &self.running {
            if let Some(held) = self.tasks.held(run.slot).filter(|_| !run.subscribes) {
                game.resume_task(&TaskView { held, run, names: &self.names });
            }
        }
    }
}

fn take_answer(answers: &mut Vec<(Task, String)>, task: Task) -> Option<String> {
    let at = answers.iter().position(|(answered, _)| *answered == task)?;
    Some(answers.swap_remove(at).1)
}

/// An answer ends a question, if it is one of those that were offered.
fn answered(held: Held<'_>, answer: String) -> End {
    let offered = held.question().map(|question| question.answers.as_slice());
    match offered {
        None => End::plain(Outcome::Failed { reason: format!("nothing was asked, but the answer is `{answer}`") }),
        Some(answers) if !answers.is_empty() && answers.iter().all(|(name, _)| *name != answer) => {
            End::plain(Outcome::Failed { reason: format!("`{answer}` is none of the answers") })
        }
        Some(_) => End { outcome: Outcome::Finished, answer: Some(answer) },
    }
}

/// Adds the values of a task's fluents to its next status. Those that the game does not know are left out.
fn read<G: Game + ?Sized>(reads: &[NameId], names: &Dictionary, voice: &mut Voice, tick: Tick, game: &G) {
    for id in reads {
        if let Some(fluent) = names.get(*id)
            && let Some(value) = game.value(fluent)
        {
            voice.saw(fluent, value, tick);
        }
    }
}
