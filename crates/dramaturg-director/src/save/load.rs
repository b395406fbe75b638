//! Making a session of a save.

use std::collections::VecDeque;
use std::sync::Arc;

use dramaturg_model::{Model, Observation, StepEvent, StepEventKind};
use dramaturg_planner::chronicle::Chronicle;
use dramaturg_planner::simulate::names;
use dramaturg_wire::{Channel, Outcome, Task, TaskRecord, TaskState, ToGame};

use super::{LoadKind, LoadNote, LoadReport, SessionSave};
use crate::board::Entry;
use crate::clock::ClockEstimate;
use crate::core::{Core, channel_options};
use crate::dictionary::Dictionary;
use crate::feed::Feed;
use crate::inquiry::Inquiry;
use crate::language::Language;
use crate::options::DirectorOptions;
use crate::order;

/// Counts in a save are no larger than this, so that counting on from them cannot overflow.
const COUNT_MAX: u64 = u64::MAX >> 2;

impl Core {
    /// The session that was saved, as far as the model still has what it is about, and what could not be taken over.
    pub(crate) fn load(model: Arc<Model>, options: DirectorOptions, save: &SessionSave) -> (Self, LoadReport) {
        let (mut core, mut report) = Self::load_all(model, options, save);
        core.drop_unfit(&mut report);
        if core.connected {
            core.renew_subscriptions();
        }
        (core, report)
    }

    /// Takes everything over; the published plan may still name what the model does not have.
    fn load_all(model: Arc<Model>, options: DirectorOptions, save: &SessionSave) -> (Self, LoadReport) {
        let (chronicle, mut report) = Chronicle::load(&model, &save.world);
        let talk = &save.talk;
        let world = chronicle.present().now();
        let clock = save.clock.clone().mended(options.mechanisms.clock, world);
        let clock = clock.believing_gushes(!options.mechanisms.stalls);
        let furthest = world.saturating_add(clock.days());
        let core = Self {
            chronicle,
            board: save.board.clone(),
            clock,
            latency: save.latency.clone(),
            channel: Channel::of_state(channel_options(&options), &talk.channel),
            dictionary: Dictionary::load(&talk.names, talk.names_told, &model),
            language: talk.language.as_deref().and_then(|tag| Language::find(&model, tag)),
            feed: fitting(&model, &save.feed, &mut report),
            connected: talk.connected,
            game: talk.game.clone(),
            heard_in: talk.heard_in,
            reported: save.reported.min(furthest),
            breach: talk.breach,
            welcomed: talk.welcomed.clone(),
            greetings: talk.greetings.clone(),
            promised: save.promised,
            thinking: save.thinking,
            thoughts: save.thoughts.iter().copied().collect(),
            pings: talk.pings.clone(),
            next_ping: (talk.next_ping.0.min(COUNT_MAX), talk.next_ping.1),
            now: save.now,
            events: Vec::new(),
            event_number: save.events.min(COUNT_MAX),
            seen: save.observations.min(COUNT_MAX),
            over: save.over.clone(),
            heard: talk.heard,
            table: talk.table.clone(),
            skip_to: talk.skip_to,
            inquiry: talk.inquiry.clone(),
            subscribed: talk.subscribed.clone(),
            pieces: talk.pieces.clone(),
            saves: talk.saves,
            requests: VecDeque::new(),
            deferred: VecDeque::new(),
            deferred_bytes: 0,
            is_behind: save.is_behind,
            slices: 0,
            model,
            options,
        };
        (core, report)
    }

    /// Takes steps back whose action or objects the model no longer has.
    fn drop_unfit(&mut self, report: &mut LoadReport) {
        let unfit: Vec<(u32, String, bool)> = self
            .board
            .entries()
            .filter_map(|(id, entry)| unfit(&self.model, entry).map(|why| (*id, why, entry.is_locked())))
            .collect();
        for (id, why, is_locked) in unfit {
            self.cancel(id);
            let Some(Entry { step, version, .. }) = self.board.end(id) else { continue };
            let what = format!("step {id}, `{}({})`", step.action, step.args.join(", "));
            let why = if is_locked { format!("{why}, so it is cancelled") } else { why };
            report.notes.push(LoadNote { kind: LoadKind::Dropped, what, why });
            self.feed.events.push(StepEvent { step: id, version, kind: StepEventKind::Cancelled });
        }
    }

    /// Goes back to a save in the middle of a conversation: the world, the plan and the planner's part are those of the
    /// save, while the conversation goes on.
    pub(crate) fn go_back(&mut self, save: &SessionSave) -> LoadReport {
        let (mut core, mut report) = Self::load_all(Arc::clone(&self.model), self.options.clone(), save);
        std::mem::swap(&mut core.channel, &mut self.channel);
        std::mem::swap(&mut core.dictionary, &mut self.dictionary);
        std::mem::swap(&mut core.latency, &mut self.latency);
        core.language = self.language.take();
        core.connected = self.connected;
        core.game.clone_from(&self.game);
        core.heard_in = self.heard_in;
        core.breach = self.breach;
        core.welcomed = self.welcomed.take();
        core.greetings = std::mem::take(&mut self.greetings);
        core.pings = std::mem::take(&mut self.pings);
        core.next_ping = self.next_ping;
        core.table = std::mem::take(&mut self.table);
        core.skip_to = self.skip_to;
        // What was performed in a time that is undone does not matter any more.
        core.inquiry = Inquiry::default();
        core.subscribed = std::mem::take(&mut self.subscribed);
        core.pieces = std::mem::take(&mut self.pieces);
        core.saves = self.saves;
        core.requests = std::mem::take(&mut self.requests);
        core.deferred = std::mem::take(&mut self.deferred);
        core.deferred_bytes = self.deferred_bytes;
        core.events = std::mem::take(&mut self.events);
        core.event_number = self.event_number;
        core.seen = core.seen.max(self.seen);
        core.now = self.now;
        core.heard = self.heard;
        // When it began to think lies in another time.
        core.thinking = core.thinking.map(|(_, tau)| (self.now, tau));
        // The game is where it last said it was, which may lie before what was heard until now.
        let (tick, at) = self.heard;
        core.clock = ClockEstimate::new(self.clock.rate_milli(), self.options.mechanisms.clock);
        core.clock.resume(tick, self.clock.rate_milli(), at);
        if self.clock.is_paused() {
            core.clock.pause(tick);
        }
        let strangers = strangers(self, &core);
        // The executor has what it knew when it said hello, as far as that did not end since, and what it was sent
        // since: a game that hands a save back without having restored its executor does not wait for tasks that are
        // long over.
        let mut tasks = core.table.clone();
        tasks.extend(held(self, &core));
        *self = core;
        for (task, version) in strangers {
            self.channel.send(self.now, &ToGame::Cancel { task, version });
        }
        self.drop_unfit(&mut report);
        self.reconcile(&tasks, true, tick);
        report
    }
}

/// What was sent to the executor and has not ended, and the save does not know.
fn strangers(live: &Core, loaded: &Core) -> Vec<(Task, u32)> {
    let mut strangers = Vec::new();
    for (step, entry) in live.board.entries() {
        if loaded.board.get(*step).is_some_and(|known| known.version == entry.version) {
            continue;
        }
        for (part, number) in entry.parts.iter().zip(0..) {
            if !part.cancelled && !part.outcome.as_ref().is_some_and(Outcome::is_final) {
                strangers.push((Task { step: *step, part: number }, entry.version));
            }
        }
    }
    strangers
}

/// What both know and the executor has, by what was heard last: it goes on.
fn held(live: &Core, loaded: &Core) -> Vec<TaskRecord> {
    let mut held = Vec::new();
    for (step, entry) in live.board.entries() {
        if loaded.board.get(*step).is_none_or(|known| known.version != entry.version) {
            continue;
        }
        for (part, number) in entry.parts.iter().zip(0..) {
            let task = Task { step: *step, part: number };
            let told = |record: &TaskRecord| (record.task, record.version) == (task, entry.version);
            let state = match &part.outcome {
                None | Some(Outcome::Accepted) => TaskState::Waiting,
                Some(Outcome::Started { late }) => TaskState::Running(entry.step.start.saturating_add(*late)),
                Some(Outcome::Progress { .. } | Outcome::Amended { .. }) => TaskState::Running(entry.step.start),
                // One part of several that has ended, in a time that is undone.
                Some(_) => continue,
            };
            if !loaded.table.iter().any(told) {
                held.push(TaskRecord { task, version: entry.version, state });
            }
        }
    }
    held
}

/// Why the model cannot perform a step, if it cannot.
fn unfit(model: &Model, entry: &Entry) -> Option<String> {
    let step = &entry.step;
    let Some(known) = order::performed(model, &step.action) else {
        return Some(format!("there is no action `{}` any more", step.action));
    };
    let fits = order::arguments(model, known.params(model), &step.args).is_some();
    (!fits).then(|| "the action cannot be done with these objects any more".to_owned())
}

/// What a planner is told, without what the model has no name for.
pub(crate) fn fitting(model: &Model, feed: &Feed, report: &mut LoadReport) -> Feed {
    let mut feed = feed.clone();
    feed.observations.retain(|seen| match fits(model, seen) {
        Ok(()) => true,
        Err(why) => {
            let what = format!("the observation of `{}` for the planner", seen.fluent);
            report.notes.push(LoadNote { kind: LoadKind::Dropped, what, why });
            false
        }
    });
    feed
}

fn fits(model: &Model, seen: &Observation) -> Result<(), String> {
    let (fluent, _) = names::fluent(model, &seen.fluent).map_err(|problem| problem.to_string())?;
    names::value_of(model, fluent, &seen.value).map(|_| ()).map_err(|problem| problem.to_string())
}

/// The lines of a report, for the game.
pub(crate) fn lines(report: &LoadReport) -> Vec<String> {
    let line = |note: &LoadNote| {
        let kind = match note.kind {
            LoadKind::Dropped => "dropped",
            LoadKind::Defaulted => "defaulted",
            LoadKind::Mapped => "mapped",
        };
        format!("{kind} {}: {}", note.what, note.why)
    };
    report.notes.iter().map(line).collect()
}
