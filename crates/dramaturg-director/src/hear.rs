//! What the game says, and what follows from it.

use dramaturg_model::{StepEventKind, Tick};
use dramaturg_planner::planner::GoalChange;
use dramaturg_wire::message::pieces::SAVE_BYTES_MAX;
use dramaturg_wire::{
    Answer, DESCRIBES_SINCE, FaultCode, Hello, Observation, Outcome, Pieces, Status, TaskRecord, TaskState, ToDirector,
    ToGame, VERSION, Version, Welcome,
};
use smol_str::SmolStr;

use crate::convert;
use crate::core::{Core, REPORTS_MAX};
use crate::event::EventKind;
use crate::language::Language;
use crate::save::Request;

/// No game has heard of so many epochs, whatever it says.
const EPOCH_MAX: u32 = 1 << 30;

impl Core {
    pub(crate) fn hear(&mut self, message: ToDirector) {
        if let Err(problem) = self.admits(&message) {
            self.fault(FaultCode::Limit, problem);
            return;
        }
        if !self.requests.is_empty() {
            // What is said after a load is about the session that was loaded.
            self.deferred.push_back(message);
            return;
        }
        match message {
            ToDirector::Hello(hello) => self.greet(&hello),
            ToDirector::Time { tick, answers } => self.heard_time(tick, answers),
            ToDirector::Status(status) => {
                if status.outcome.is_final() {
                    self.forget_record(&status);
                }
                self.status(status);
            }
            ToDirector::Answer(answer) => self.answer(&answer),
            ToDirector::Perceive { observations } => self.observe(&observations),
            ToDirector::SetGoals { owner, goals } => self.set_goals(GoalChange {
                owner: owner.map(SmolStr::from),
                goals: goals.into_iter().map(SmolStr::from).collect(),
            }),
            ToDirector::Pause { tick } => {
                self.clock.pause(tick);
                self.tell(EventKind::Paused { tick });
            }
            ToDirector::Continue { tick, rate_milli } => {
                self.clock.resume(tick, rate_milli, self.now);
                self.heard = (self.heard.0.max(tick), self.now);
                self.tell(EventKind::Continued { tick, rate_milli });
            }
            ToDirector::Language { tag } => self.speak(tag),
            // Who was told that it asks too often need not be told again.
            ToDirector::Save { .. } if self.breach.is_some() => {}
            ToDirector::Save { request } => match self.saves.ask(self.now, self.channel.unacknowledged_bytes()) {
                Ok(()) => self.requests.push_back(Request::Save { request }),
                Err((code, message)) => self.fault(code, message),
            },
            ToDirector::LoadPiece { request, data } => {
                if !self.pieces.add(request, &data) {
                    self.fault(
                        FaultCode::Limit,
                        format!("a save of more than {SAVE_BYTES_MAX} bytes cannot be loaded"),
                    );
                }
            }
            ToDirector::Load { request, data } => {
                let data = self.pieces.finish(request, data);
                self.requests.push_back(Request::Load { request, data });
            }
            ToDirector::Described { tasks } => self.described(&tasks),
            ToDirector::Acknowledge => {}
            ToDirector::Goodbye { reason } => {
                self.connected = false;
                self.over = Some(reason.clone());
                self.tell(EventKind::Ended { reason });
            }
        }
    }

    /// Lines are in this language from now on, as far as the story is translated.
    fn speak(&mut self, tag: String) {
        self.language = Language::find(&self.model, &tag);
        let own = self.model.language.as_deref().unwrap_or("en");
        let is_own = tag.split(['-', '_']).next().is_some_and(|wanted| own.split('-').next() == Some(wanted));
        if self.language.is_none() && !is_own && !self.model.translations.is_empty() {
            let known: Vec<&str> = self.model.translations.iter().map(|known| known.language.as_str()).collect();
            let message = format!("the story is not translated into `{tag}`, only into {}", known.join(", "));
            self.fault(FaultCode::Name, message);
        }
        self.tell(EventKind::Language { tag });
    }

    /// A game says hello, for the first time or again.
    fn greet(&mut self, hello: &Hello) {
        if hello.version.major != VERSION.major {
            let (theirs, ours) = (hello.version.major, VERSION.major);
            self.fault(
                FaultCode::Version,
                format!("the game speaks version {theirs}, this director {ours}; update one"),
            );
            return;
        }
        if self.is_repeated(hello.call) {
            self.heard_time(hello.tick, None);
            return;
        }
        let resumed = hello.resume.is_some();
        let mut received = 0;
        let can_describe = hello.version.minor >= DESCRIBES_SINCE;
        let asks = can_describe && hello.resume.as_ref().is_some_and(|resume| self.has_forgotten(resume));
        match &hello.resume {
            Some(resume) if resume.session != self.options.session => {
                self.fault(FaultCode::Unknown, format!("there is no session called `{}` here", resume.session));
                return;
            }
            Some(resume) => {
                // The welcome to an earlier call may have been lost, and the epoch that it began with it: what counts
                // is the last one in which something was heard.
                let is_current = resume.epoch == self.channel.epoch();
                received = match self.heard_in {
                    _ if is_current => self.channel.received(),
                    (epoch, received) if epoch == resume.epoch => received,
                    _ => 0,
                };
                let heard = if is_current && !resume.restored { resume.received } else { 0 };
                self.begin_epoch(heard, resume.restored, resume.epoch);
            }
            // A game that knows nothing of its session has forgotten everything.
            None => self.begin_epoch(0, true, 0),
        }
        self.connected = true;
        self.game.clone_from(&hello.game);
        self.clock.resume(hello.tick, hello.rate_milli, self.now);
        self.heard = (hello.tick, self.now);
        self.table = hello.resume.as_ref().map(|resume| resume.tasks.clone()).unwrap_or_default();
        self.table.sort_by_key(|record| (record.task, record.version));
        // The smaller minor number counts; by value, for a constant 0 would make the comparison look idle.
        let ours = VERSION;
        let version = Version { minor: std::cmp::min(ours.minor, hello.version.minor), ..ours };
        let welcome = Welcome {
            version,
            session: self.options.session.clone(),
            story: self.model.title.clone(),
            update: self.options.upsilon,
            epoch: self.channel.epoch(),
            received,
            names: self.dictionary.all(),
            message_bytes_max: self.options.message_bytes_max,
        };
        let epoch = self.channel.epoch();
        self.welcome(hello.call, &ToGame::Welcome(Box::new(welcome)));
        self.tell(EventKind::Connected {
            game: hello.game.clone(),
            session: self.options.session.clone(),
            epoch,
            resumed,
        });
        let (tasks, restored) =
            hello.resume.as_ref().map_or((&[][..], true), |resume| (resume.tasks.as_slice(), resume.restored));
        self.recall(asks);
        self.reconcile(tasks, restored, hello.tick);
        self.subscribe(tasks);
    }

    /// A game may be further than this director, which was started again from before a gap of its journal: it takes no
    /// epoch for new that it had.
    fn begin_epoch(&mut self, received_by_game: u64, restored: bool, epoch_of_game: u32) {
        if restored {
            // What was under way is told anew, from the table of what the executor knows; what the game had begun to
            // hand back it has forgotten, and its requests may have the same numbers again.
            self.channel.drop_outbox();
            self.pieces = Pieces::default();
        }
        if self.channel.received() > 0 {
            self.heard_in = (self.channel.epoch(), self.channel.received());
        }
        let epoch = self.channel.epoch().max(epoch_of_game.min(EPOCH_MAX)).saturating_add(1);
        self.channel.begin_epoch(epoch, received_by_game, self.now);
    }

    /// What the executor knew when it said hello no longer holds for a task that has ended since.
    fn forget_record(&mut self, status: &Status) {
        let key = (status.task, status.version);
        if let Ok(at) = self.table.binary_search_by_key(&key, |record| (record.task, record.version)) {
            match self.table.get_mut(at) {
                // Which step it was may turn out yet.
                Some(record) if self.board.is_new(status.task.step) => {
                    record.state = TaskState::Ended(status.tick, status.outcome.clone());
                }
                _ => drop(self.table.remove(at)),
            }
        }
    }

    /// Both sides compare what they know of tasks: what one of them has lost is made good.
    pub(crate) fn reconcile(&mut self, tasks: &[TaskRecord], restored: bool, tick: Tick) {
        for record in tasks.iter().filter(|record| !record.task.is_subscription()).collect::<Vec<_>>() {
            self.hear_record(record, tick);
        }
        let known = |step: u32, part: u16, version: u32| {
            tasks.iter().any(|record| (record.task.step, record.task.part, record.version) == (step, part, version))
        };
        let mut lost = Vec::new();
        for (id, entry) in self.board.entries() {
            for (part, number) in entry.parts.iter().zip(0..) {
                let ended = part.outcome.as_ref().is_some_and(Outcome::is_final);
                if !ended && !known(*id, number, entry.version) {
                    lost.push((*id, number, entry.version, part.outcome.clone()));
                }
            }
        }
        for (step, part, version, outcome) in lost {
            let task = dramaturg_wire::Task { step, part };
            let outcome = match outcome {
                // It was never heard of: what was sent is still under way, unless the game forgot everything since its
                // save.
                None if !restored => continue,
                // The game waited for it when it was saved, or had it after: it did not run in the world that goes on,
                // as far as anybody knows.
                Some(Outcome::Started { .. } | Outcome::Progress { .. } | Outcome::Amended { .. }) => Outcome::Unknown,
                None | Some(Outcome::Accepted) => Outcome::Unknown,
                Some(_) => continue,
            };
            self.status(Status { task, version, tick, outcome, observations: Vec::new() });
        }
    }

    /// What the executor knew of a task when it said hello.
    pub(crate) fn hear_record(&mut self, record: &TaskRecord, tick: Tick) {
        let TaskRecord { task, version, ref state } = *record;
        let known = self.board.get(task.step).is_some_and(|entry| entry.version == version);
        if *state == TaskState::Waiting && !known {
            // It has an end on this side already.
            self.channel.send(self.now, &ToGame::Cancel { task, version });
        }
        let (tick, outcome) = match state {
            TaskState::Waiting => (tick, Outcome::Accepted),
            TaskState::Running(since) => (*since, Outcome::Started { late: 0 }),
            TaskState::Ended(when, outcome) => (*when, outcome.clone()),
        };
        self.status(Status { task, version, tick, outcome, observations: Vec::new() });
    }

    fn observe(&mut self, observations: &[Observation]) {
        let furthest = self.clock.furthest(self.now);
        // A message of many observations that cannot be used is answered by one fault, not by as many.
        let mut problems: Option<(String, usize)> = None;
        let mut note = |message: String| problems.get_or_insert((message, 0)).1 += 1;
        for seen in observations {
            if self.chronicle.report_count() >= REPORTS_MAX {
                let message = format!("more than {REPORTS_MAX} reports are kept; report the time, and less at once");
                self.fault(FaultCode::Limit, message);
                break;
            }
            if seen.from.max(seen.to.unwrap_or(seen.from)) > furthest {
                note(format!("an observation of `{}` lies beyond tick {furthest}", seen.fluent));
                continue;
            }
            self.seen += 1;
            let known = convert::observation(seen, 0, self.seen);
            match self.chronicle.observe(&self.model, &known) {
                Ok(()) => {
                    self.tell(EventKind::Observed { observation: seen.clone() });
                    self.feed.observations.push(known);
                }
                Err(problem) => note(format!("an observation cannot be used: {problem}")),
            }
        }
        match problems {
            None => {}
            Some((message, 1)) => self.fault(FaultCode::Name, message),
            Some((message, count)) => {
                self.fault(FaultCode::Name, format!("{message}; nor can {} others of the same message", count - 1));
            }
        }
    }

    fn answer(&mut self, answer: &Answer) {
        self.tell(EventKind::Answered { task: answer.task, tick: answer.tick, answer: answer.answer.clone() });
        let kind = StepEventKind::Answered(SmolStr::new(&answer.answer));
        self.feed_kind(answer.task.step, answer.version, kind);
        let asked = self.board.get_mut(answer.task.step);
        if let Some(entry) = asked.filter(|entry| entry.asking && entry.version == answer.version) {
            entry.answer = Some(answer.answer.clone());
        }
    }

    /// The question about a step has ended: the step is sent now, or it is over. Only planners know what follows from a
    /// no.
    fn decide(&mut self, step: u32, version: u32) {
        let answer = self.board.get(step).and_then(|entry| entry.answer.as_deref());
        if answer.is_some_and(|answer| !matches!(answer, "no" | "later")) {
            let start = self.insert_from();
            self.board.agree(step, start);
        } else {
            self.board.end(step);
            self.feed_kind(step, version, StepEventKind::Cancelled);
        }
    }

    /// What became of a task, and so of its step.
    fn status(&mut self, mut status: Status) {
        if status.task.is_subscription() {
            status.observations = self.news(status.observations);
        }
        self.observe(&status.observations);
        self.reported = self.reported.max(status.tick);
        let Status { task, version, tick, outcome, .. } = status;
        let step = task.step;
        let Some(entry) = self.board.get_mut(step).filter(|entry| entry.version == version) else { return };
        let number = usize::from(task.part);
        let Some(part) = entry.parts.get_mut(number) else { return };
        let before = part.outcome.replace(outcome.clone());
        if before.as_ref().is_some_and(Outcome::is_final) || before.as_ref() == Some(&outcome) {
            part.outcome = before;
            return;
        }
        // A report that was overtaken changes nothing.
        if before.is_some() && outcome == Outcome::Accepted {
            part.outcome = before;
            return;
        }
        let all_ended = entry.parts.iter().all(|part| part.outcome.as_ref().is_some_and(Outcome::is_final));
        let all_finished = entry.parts.iter().all(|part| part.outcome == Some(Outcome::Finished));
        // Of a step that several actuators perform, one part that does not come to its end undoes the whole.
        let is_given_up = entry.parts.iter().filter_map(|part| part.outcome.as_ref()).any(Outcome::is_vain);
        let first = usize::from(entry.first_part());
        let (known, is_first, asking) = (entry.step.clone(), number == first, entry.asking);
        let adopted = entry.adopted;
        let single = entry.parts.len() == first + 1;
        self.tell(EventKind::Status { task, tick, outcome: outcome.clone() });
        if asking && outcome == Outcome::Finished {
            return self.decide(step, version);
        }
        match &outcome {
            // A question is asked, but nothing of what it is about has begun.
            Outcome::Started { .. } | Outcome::Progress { .. } | Outcome::Amended { .. } if asking => {}
            Outcome::Accepted | Outcome::Progress { .. } if is_first => {
                self.feed_event(convert::step_event(step, version, tick, &outcome));
            }
            Outcome::Accepted | Outcome::Progress { .. } => {}
            Outcome::Started { .. } => {
                if !self.chronicle.is_running(step) && !is_given_up {
                    // The names were known when it was sent.
                    let _ = self.chronicle.started(&self.model, &known, tick);
                    self.feed_adopted(adopted, &known, tick);
                    self.feed_event(convert::step_event(step, version, tick, &outcome));
                }
            }
            Outcome::Amended { .. } if single => {
                if let Outcome::Amended { duration } = outcome {
                    self.chronicle.amended(step, duration);
                }
                self.feed_event(convert::step_event(step, version, tick, &outcome));
            }
            Outcome::Amended { .. } => {}
            Outcome::Finished => {
                if all_finished {
                    if !self.chronicle.is_running(step) {
                        // The report of its start came too late or never; the planner must hear of it all the same.
                        let _ = self.chronicle.started(&self.model, &known, known.start);
                        self.feed_adopted(adopted, &known, known.start);
                        let began = Outcome::Started { late: 0 };
                        self.feed_event(convert::step_event(step, version, known.start, &began));
                    }
                    self.chronicle.finished(step, tick);
                    self.feed_event(convert::step_event(step, version, tick, &outcome));
                }
            }
            Outcome::Failed { .. }
            | Outcome::Missed { .. }
            | Outcome::GuardFailed { .. }
            | Outcome::Cancelled
            | Outcome::Unknown => {
                self.chronicle.cut(step, tick);
                self.cancel(step);
                self.feed_event(convert::step_event(step, version, tick, &outcome));
            }
        }
        if all_ended {
            self.board.end(step);
        }
    }
}
