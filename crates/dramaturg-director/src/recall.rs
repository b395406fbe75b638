//! What the game knows and this director does not: a director that was started again from before a gap of its journal
//! hears of steps that it has sent, as far as it knows, never. The table of tasks in hello tells which, and what became
//! of them.
//!
//! A task is named by the number of its step alone. Of a step that was published before the gap its content is known:
//! it is taken over as it was performed. For that of any other the game is asked ([`crate::inquiry`]); until it has
//! answered nothing is planned. No other step may have such a number in any case.

use std::collections::BTreeSet;

use dramaturg_model::{Step, StepEventKind, Tick};
use dramaturg_wire::{Description, FaultCode, Outcome, Resume, Task, TaskRecord, TaskState, ToGame};

use crate::core::Core;
use crate::event::EventKind;
use crate::order::{self, Performed};

/// No director numbers its steps so high: numbers above are left for subscriptions.
const NUMBER_MAX: u32 = 0xF000_0000;
/// The game is asked about so many tasks in one message.
const ASKED_AT_ONCE: usize = 1024;

impl Core {
    /// Whether the game has heard more from the director than this one has said: something happened that is not in the
    /// journal.
    pub(crate) fn has_forgotten(&self, resume: &Resume) -> bool {
        let epoch = self.channel.epoch();
        self.inquiry.is_open() || resume.epoch > epoch || resume.epoch == epoch && resume.received > self.channel.sent()
    }

    /// Takes over what the game tells of steps that were never sent from here, before both sides compare what they
    /// know. `asks`: whether the game can be asked what they were, and there is reason to.
    pub(crate) fn recall(&mut self, asks: bool) {
        let tasks = self.table.iter().map(|record| record.task).filter(|task| !task.is_subscription());
        let mut steps: Vec<u32> = tasks.map(|task| task.step).collect();
        steps.dedup();
        let (unknown, known): (Vec<u32>, Vec<u32>) = steps.into_iter().partition(|step| self.board.is_new(*step));
        for step in known {
            self.take_over(step);
        }
        let Some(last) = unknown.last().copied() else { return };
        if last >= NUMBER_MAX {
            let message =
                format!("hello tells of a task of step {last}, and no step has a number from {NUMBER_MAX} on");
            return self.fault(FaultCode::Protocol, message);
        }
        self.skip_to = self.skip_to.max(Some(last + 1));
        let records = unknown.iter().flat_map(|step| self.records(*step)).cloned();
        let (waiting, tasks): (Vec<_>, Vec<_>) = records.partition(|record| record.state == TaskState::Waiting);
        for record in waiting {
            // It is taken back when both sides compare. If its step is sent once more, it must not be mistaken for
            // that.
            self.board.leave_version(record.task.step, record.version);
        }
        if tasks.is_empty() {
            return;
        }
        if asks {
            let asked: BTreeSet<Task> = tasks.iter().map(|record| record.task).collect();
            let all: Vec<Task> = asked.iter().copied().collect();
            for some in all.chunks(ASKED_AT_ONCE) {
                self.channel.send(self.now, &ToGame::Describe { tasks: some.to_vec() });
            }
            self.inquiry.ask(asked, self.now);
        } else {
            self.tell(EventKind::Unaccounted { tasks });
        }
    }

    /// The game tells what tasks were.
    pub(crate) fn described(&mut self, tasks: &[Description]) {
        for Description { task, content } in tasks {
            let is_asked = self.inquiry.answer(*task);
            let Some(content) = content.as_ref().filter(|_| is_asked) else { continue };
            let Some(known) = order::performed(&self.model, &content.action) else { continue };
            let args: Vec<_> = content.params.iter().map(smol_str::SmolStr::new).collect();
            let (start, duration) = (content.start, content.duration);
            // A hello whose ticks lie further ahead would have been refused.
            let is_near = start <= self.clock.furthest(self.now) && (0..=self.clock.days()).contains(&duration);
            if is_near && order::arguments(&self.model, known.params(&self.model), &args).is_some() {
                self.inquiry.tell(*task, &content.action, &args, start, duration);
            }
        }
        if !self.inquiry.is_open() {
            self.conclude_inquiry();
        }
    }

    /// Goes on without what the game has not told, if it had time enough.
    pub(crate) fn give_up_inquiry(&mut self) {
        if self.connected && self.inquiry.until().is_some_and(|until| until <= self.now) {
            self.conclude_inquiry();
        }
    }

    /// Takes the steps over that the game performed and has told of; of the others it is told that they were there.
    fn conclude_inquiry(&mut self) {
        let tick = self.clock.last_tick();
        for step in self.inquiry.close() {
            let id = step.id;
            let records = self.records(id).to_vec();
            // What came to nothing has changed nothing: if it is planned again, its own number tells what became of it.
            let is_performed = |record: &TaskRecord| {
                matches!(record.state, TaskState::Running(_) | TaskState::Ended(_, Outcome::Finished))
            };
            if self.board.is_new(id) && records.iter().any(is_performed) {
                self.board.adopt(Step { start: self.begins(&step), ..step });
                self.take_over(id);
                records.iter().for_each(|record| self.hear_record(record, tick));
            }
        }
        let is_unknown = |record: &&TaskRecord| {
            let id = record.task.step;
            !record.task.is_subscription() && record.state != TaskState::Waiting && self.board.is_new(id)
        };
        let tasks: Vec<TaskRecord> = self.table.iter().filter(is_unknown).cloned().collect();
        if !tasks.is_empty() {
            self.tell(EventKind::Unaccounted { tasks });
        }
    }

    /// When a step began whose first task began so: an action may hold its first actuator only later.
    fn begins(&self, step: &Step) -> Tick {
        let Some(Performed::Action(action)) = order::performed(&self.model, &step.action) else { return step.start };
        let action = &self.model.actions[action];
        let Some(args) = order::arguments(&self.model, &action.params, &step.args) else { return step.start };
        let offset = order::first_use(&self.model, self.chronicle.present(), action, &args, step);
        step.start.saturating_sub(offset)
    }

    /// Steps that were just published may be known to the game: a script gives a step the same number again.
    pub(crate) fn recall_published(&mut self, published: &[u32]) {
        let tick = self.clock.last_tick();
        for step in published {
            let records = self.records(*step).to_vec();
            let has_begun = records.iter().any(|record| record.state != TaskState::Waiting);
            if has_begun && self.take_over(*step) {
                records.iter().for_each(|record| self.hear_record(record, tick));
            }
        }
    }

    /// Whether a step must not be published: the planner has numbered it without knowing that the game has had this
    /// number.
    pub(crate) fn is_taken(&self, step: u32) -> bool {
        self.skip_to.is_some_and(|next| step < next) && self.board.is_new(step) && !self.records(step).is_empty()
    }

    /// What the game told in hello of a step.
    fn records(&self, step: u32) -> &[TaskRecord] {
        let first = self.table.partition_point(|record| record.task.step < step);
        let end = self.table.partition_point(|record| record.task.step <= step);
        self.table.get(first..end).unwrap_or_default()
    }

    /// Takes a step of the published plan for sent, as the game has it; whether the game had more of it than was sent
    /// from here.
    fn take_over(&mut self, step: u32) -> bool {
        let records = self.records(step);
        let Some(version) = records.iter().map(|record| record.version).max() else { return false };
        let Some(entry) = self.board.get(step).filter(|entry| entry.version < version) else { return false };
        let (known, duration) = (entry.step.clone(), entry.step.duration);
        let parts = records.iter().filter(|record| record.version == version).map(|record| record.task.part);
        let (Some(first), Some(last)) = (parts.clone().min(), parts.max()) else { return false };
        let begun =
            records.iter().filter(|record| record.version == version).filter_map(|record| match &record.state {
                TaskState::Waiting => None,
                TaskState::Running(since) => Some(*since),
                TaskState::Ended(when, _) => Some(when.saturating_sub(duration)),
            });
        let start: Tick = begun.min().unwrap_or(known.start);
        // A question is the first task of its step, and those that perform it come behind.
        let asks = first == 0
            && matches!(order::performed(&self.model, &known.action),
                Some(Performed::Action(action)) if self.model.actions[action].question.is_some());
        self.board.take_over(step, start, version, (first, last), asks);
        self.feed_kind(step, version, StepEventKind::Locked);
        self.tell(EventKind::Recalled {
            step,
            version,
            action: known.action.to_string(),
            args: known.args.iter().map(ToString::to_string).collect(),
            start,
        });
        true
    }
}
