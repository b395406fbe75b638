//! The executor: takes frames apart, keeps the table of tasks, hands frames out.

use std::collections::VecDeque;

use dramaturg_wire::{
    ChannelOptions, CodecError, Execute, Fault, FaultCode, Frame, Line, NameId, Outcome, Pieces, Received, Task,
    TaskRecord, Tick, ToDirector, ToGame, VERSION, Welcome,
};

use crate::dictionary::Dictionary;
use crate::ended::Ended;
use crate::game::Game;
use crate::greeting::Greeting;
use crate::notice::Notice;
use crate::options::ExecutorOptions;
use crate::perform::Run;
use crate::performed::Performed;
use crate::silence::Silence;
use crate::tasks::{Standing, Tasks};
use crate::voice::Voice;

/// What a game owns to perform what the director sends.
///
/// It starts each task in its tick, whether or not the director can be reached just then, and reports what becomes of
/// it. Nothing that the director repeats is performed twice.
#[derive(Clone, Debug)]
pub struct Executor {
    pub(crate) options: ExecutorOptions,
    pub(crate) tick: Tick,
    pub(crate) paused: bool,
    /// Whether the game has said goodbye: nothing of the session starts or goes on any more.
    pub(crate) over: bool,
    pub(crate) update: Tick,
    pub(crate) next_report: Tick,
    pub(crate) requests: u32,
    pub(crate) greeting: Greeting,
    pub(crate) names: Dictionary,
    pub(crate) tasks: Tasks,
    pub(crate) performed: Performed,
    /// What runs, in the order of starting.
    pub(crate) running: Vec<Run>,
    /// Whether the game must still be told what runs since its checkpoint.
    pub(crate) untold: bool,
    /// Lines that wait for their tick, in the order in which they are shown.
    pub(crate) lines: VecDeque<Line>,
    /// Answers for the next tick.
    pub(crate) answers: Vec<(Task, String)>,
    pub(crate) notices: VecDeque<Notice>,
    /// Of a save that comes in several messages.
    pub(crate) pieces: Pieces,
    pub(crate) voice: Voice,
    pub(crate) silence: Silence,
    /// Bytes that the link had brought when it was last looked at.
    pub(crate) bytes_arrived: Option<u64>,
    /// What waits to start by then may have been started before the checkpoint was restored: see
    /// [`Executor::assume_ran_until`].
    pub(crate) ran_until: Tick,
    /// The frame that is taken in, to be used again.
    pub(crate) incoming: Vec<u8>,
}

/// No director takes less at once: a hello is longer.
const BYTES_LEAST: u32 = 1024;

/// How the executor's end of the channel behaves.
pub(crate) fn channel_options(options: &ExecutorOptions) -> ChannelOptions {
    let channel = ChannelOptions::new(options.codec, i64::from(options.resend.max(1)));
    ChannelOptions { dedupes: options.dedupes, ..channel }
}

impl Executor {
    /// An executor that says hello in its first frame.
    pub fn new(options: ExecutorOptions) -> Self {
        Self {
            tick: 0,
            paused: false,
            over: false,
            update: Tick::from(options.update.max(1)),
            next_report: Tick::MIN,
            requests: 0,
            greeting: Greeting::new(0, options.first_call),
            names: Dictionary::default(),
            tasks: Tasks::new(options.ended_max),
            performed: Performed::new(options.ended_max),
            running: Vec::new(),
            untold: false,
            lines: VecDeque::new(),
            answers: Vec::new(),
            notices: VecDeque::new(),
            pieces: Pieces::default(),
            voice: Voice::new(channel_options(&options)),
            silence: Silence::default(),
            bytes_arrived: None,
            ran_until: Tick::MIN,
            incoming: Vec::new(),
            options,
        }
    }

    /// Whether the director has answered hello.
    pub fn is_connected(&self) -> bool {
        self.greeting.is_open()
    }

    /// The session, once the director has named it.
    pub fn session(&self) -> Option<&str> {
        self.greeting.session.as_deref()
    }

    /// The last tick that ran.
    pub fn last_tick(&self) -> Tick {
        self.tick
    }

    /// How many tasks wait for their tick.
    pub fn waiting_count(&self) -> usize {
        self.tasks.waiting_count()
    }

    /// How many tasks run, without subscriptions, which have no end.
    pub fn running_count(&self) -> usize {
        self.running.iter().filter(|run| !run.subscribes).count()
    }

    /// How many messages wait to be acknowledged by the director.
    pub fn unacknowledged(&self) -> usize {
        self.voice.channel.unacknowledged()
    }

    /// How often something had to be sent again.
    pub fn resent(&self) -> u64 {
        self.voice.channel.resent()
    }

    /// Every task the executor knows and where it stands, sorted by task: what hello tells when a session is resumed.
    pub fn task_table(&self) -> Vec<TaskRecord> {
        self.tasks.records(&self.running)
    }

    /// For how many ticks nothing has come from the director. A frame that skips ticks counts for 30 at most: a
    /// game that stood still has not listened.
    pub fn silent_ticks(&self) -> Tick {
        self.silence.ticks()
    }

    /// Whether nothing has come from the director for as long as [`ExecutorOptions::silence_ticks_max`] allows,
    /// although it was asked: the link is dead, even if the system has not noticed. Take another link and call
    /// [`Executor::reconnect`].
    pub fn is_link_silent(&self) -> bool {
        self.greeting.expects_answer() && self.silence.is_over(self.options.silence_ticks_max)
    }

    /// Something has come over the link that is not a whole frame yet: the director is there. [`Executor::frame`]
    /// notices by itself.
    pub fn note_arrival(&mut self) {
        self.silence.hear();
    }

    /// Takes in the bytes of one frame. What the game must hear of is told in the next tick.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), CodecError> {
        let frame: Frame<ToGame> = self.options.codec.decode_to_game(bytes)?;
        self.silence.hear();
        if frame.epoch == 0 {
            // Greetings stand outside of epochs.
            if frame.seq == 0 {
                self.greeted(frame.message);
            }
            return Ok(());
        }
        // While it calls, hello has told the director what arrived: more of the old epoch would arrive again in the new
        // one.
        if self.greeting.is_open()
            && let Received::Message(message) = self.voice.channel.accept(frame, bytes)
        {
            self.heard(message);
            while self.greeting.is_open()
                && let Some(message) = self.voice.channel.next_ready()
            {
                self.heard(message);
            }
        }
        Ok(())
    }

    /// Hands over the bytes of every frame that is due.
    pub fn poll(&mut self, emit: &mut dyn FnMut(&[u8])) {
        let Self { voice, greeting, options, tasks, running, tick, .. } = self;
        if greeting.may_speak() {
            voice.channel.poll(voice.now, &ToDirector::Acknowledge, emit);
        } else if greeting.is_due(voice.now, i64::from(options.resend.max(1))) {
            let place = (voice.channel.epoch(), voice.channel.received());
            emit(&greeting.hello(options, *tick, place, || tasks.records(running)));
        }
    }

    /// Says hello again, over a new link: the session goes on where it was.
    pub fn reconnect(&mut self) {
        let silent = self.is_link_silent();
        self.silence.reset();
        self.greeting.call(self.voice.now, self.voice.channel.sent(), silent);
    }

    /// Gives the session up, so that [`Executor::reconnect`] begins a new one. What waits is forgotten, what runs is
    /// cancelled.
    pub fn leave_session(&mut self) {
        self.abandon();
        self.over = false;
        self.greeting.session = None;
        self.greeting.restored = false;
    }

    fn abandon(&mut self) {
        let tasks = &self.tasks;
        let cancelled = self.running.drain(..).filter(|run| !run.subscribes).filter_map(|run| {
            let held = tasks.held(run.slot)?;
            Some((*held.brief, held.extras.clone(), run))
        });
        let cancelled: Vec<_> = cancelled.collect();
        if !cancelled.is_empty() {
            self.notices.push_back(Notice::Abandoned { names: self.names.clone(), tasks: cancelled });
        }
        self.tasks.clear();
        self.performed.clear();
        self.lines.clear();
        self.answers.clear();
        self.pieces = Pieces::default();
        self.voice.channel.drop_outbox();
    }

    fn greeted(&mut self, message: ToGame) {
        match message {
            ToGame::Welcome(welcome) => self.welcomed(*welcome),
            ToGame::Fault(_) | ToGame::Goodbye { .. } => {
                if self.greeting.is_calling() {
                    self.greeting.close(self.voice.channel.sent());
                }
                self.heard(message);
            }
            _ => self.complain(FaultCode::Protocol, "the director said something before its welcome"),
        }
    }

    fn welcomed(&mut self, welcome: Welcome) {
        let same = self.greeting.session.as_deref() == Some(welcome.session.as_str());
        if self.greeting.is_open() {
            // A hello that was said twice may be answered twice. Another epoch means that the director took the second
            // for a new one and will not understand what is said in the old.
            if welcome.epoch > self.voice.channel.epoch() || !same {
                self.reconnect();
            }
            return;
        }
        if !self.greeting.is_calling() || same && welcome.epoch <= self.voice.channel.epoch() {
            return;
        }
        if welcome.version.major != VERSION.major || welcome.epoch == 0 {
            self.greeting.close(self.voice.channel.sent());
            let reason = "the director speaks another version of the protocol; use the same release of both";
            return self.complain(FaultCode::Version, reason);
        }
        if self.greeting.session.is_some() && !same {
            self.abandon();
        }
        let received = if same { welcome.received.min(self.greeting.sent_most) } else { 0 };
        self.voice.channel.begin_epoch(welcome.epoch, received, self.voice.now);
        if let Some(numbers) = self.names.replace(welcome.names) {
            let renumber = |number: &mut NameId| *number = numbers.of(*number);
            self.tasks.renumber(&renumber);
            self.performed.renumber(&renumber);
        }
        self.update = Tick::from(welcome.update.max(1));
        self.voice.bytes_max = welcome.message_bytes_max.max(BYTES_LEAST);
        self.next_report = Tick::MIN;
        self.greeting.open(welcome.session.clone());
        self.notices.push_back(Notice::Welcome { session: welcome.session, story: welcome.story });
    }

    fn heard(&mut self, message: ToGame) {
        match message {
            ToGame::Execute(execute) => self.told(execute),
            ToGame::Cancel { task, version } => self.taken_back(task, version),
            ToGame::Ping { id } => {
                self.voice.channel.send_loose(&ToDirector::Time { tick: self.tick, answers: Some(id) });
            }
            ToGame::Names { first, names } => {
                if !self.names.extend(first, names) {
                    self.complain(FaultCode::Protocol, "the director sent names that leave a gap in the dictionary");
                }
            }
            ToGame::Line(_) if self.lines.len() >= self.options.waiting_max => {
                self.complain(FaultCode::Limit, "too many lines wait for their tick; one was dropped");
            }
            ToGame::Line(line) => {
                let at = self.lines.partition_point(|before| before.tick <= line.tick);
                self.lines.insert(at, line);
            }
            ToGame::SavedPiece { request, data } => {
                if !self.pieces.add(request, &data) {
                    self.complain(FaultCode::Limit, "the director sent a save that is larger than any may be");
                }
            }
            ToGame::Saved { request, tick, data } => {
                let data = self.pieces.finish(request, data);
                self.notices.push_back(Notice::Saved { request, tick, data });
            }
            ToGame::Loaded { request, notes } => self.notices.push_back(Notice::Loaded { request, notes }),
            ToGame::Fault(fault) => self.notices.push_back(Notice::Fault(fault)),
            ToGame::Goodbye { reason } => {
                self.greeting.close(self.voice.channel.sent());
                self.notices.push_back(Notice::Goodbye { reason });
            }
            ToGame::Describe { tasks } => self.describe(&tasks),
            ToGame::Acknowledge | ToGame::Welcome(_) => {}
        }
    }

    /// Tells the game of something wrong that this side noticed.
    pub(crate) fn complain(&mut self, code: FaultCode, message: &str) {
        self.notices.push_back(Notice::Fault(Fault { code, message: message.to_owned() }));
    }

    /// Takes in a task. The same again changes nothing, but is answered: the director may have forgotten the first
    /// answer.
    fn told(&mut self, execute: Execute) {
        let (task, version, tick) = (execute.task, execute.version, self.tick);
        match self.tasks.standing(task) {
            Standing::Unknown => {}
            Standing::Ended(_) if !self.options.dedupes => {}
            Standing::Waiting { slot, version: old } => {
                if version > old {
                    self.tasks.replace(slot, execute);
                }
                if version >= old {
                    self.voice.report(task, version, tick, Outcome::Accepted);
                }
                return;
            }
            Standing::Running { slot, version: old } => {
                let run = self.running.iter().find(|run| run.slot == slot);
                if let Some(run) = run
                    && version >= old
                {
                    self.voice.report(task, old, run.started, Outcome::Started { late: run.late });
                }
                return;
            }
            Standing::Ended(ended) => {
                if version < ended.version {
                    return;
                }
                if version == ended.version || ended.ran {
                    self.voice.report(task, ended.version, ended.tick, ended.outcome.clone());
                    return;
                }
            }
        }
        if self.tasks.waiting_count() >= self.options.waiting_max {
            let reason = format!("more than {} tasks wait already", self.options.waiting_max);
            let outcome = self.voice.report(task, version, tick, Outcome::Failed { reason });
            return self.tasks.remember(Ended { task, version, tick, ran: false, outcome });
        }
        self.tasks.wait(execute);
        self.voice.report(task, version, tick, Outcome::Accepted);
    }

    /// Takes a task back that has not started, or a subscription. Another that runs or is over is left alone: its own
    /// end is reported.
    fn taken_back(&mut self, task: Task, version: u32) {
        let tick = self.tick;
        match self.tasks.standing(task) {
            Standing::Waiting { slot, version: old } if version >= old => {
                let outcome = self.voice.report(task, old, tick, Outcome::Cancelled);
                self.tasks.end(slot, Ended { task, version: old, tick, ran: false, outcome });
            }
            Standing::Running { slot, version: old } if task.is_subscription() && version >= old => {
                self.running.retain(|run| run.slot != slot);
                let outcome = self.voice.report(task, old, tick, Outcome::Cancelled);
                self.tasks.end(slot, Ended { task, version: old, tick, ran: false, outcome });
            }
            Standing::Unknown => {
                // It was forgotten, or a game restored from an old checkpoint never heard of it: it may have run.
                let outcome = self.voice.report(task, version, tick, Outcome::Unknown);
                self.tasks.remember(Ended { task, version, tick, ran: !task.is_subscription(), outcome });
            }
            _ => {}
        }
    }

    /// Everything of one frame: shows, starts, follows and reports. Ticks may be skipped; what was to start in them
    /// starts now, late.
    pub fn tick<G: Game + ?Sized>(&mut self, tick: Tick, game: &mut G) {
        self.advance(tick);
        game.begin(tick);
        if std::mem::take(&mut self.untold) {
            self.forget_due();
            self.tell_resumed(game);
        }
        if let Some(bytes) = self.voice.refused.take() {
            let most = self.voice.bytes_max;
            let text =
                format!("a message of {bytes} bytes was not sent, for the director takes {most}; say less at once");
            self.complain(FaultCode::Limit, &text);
        }
        while let Some(notice) = self.notices.pop_front() {
            notice.tell(game);
        }
        if self.paused || self.over {
            return;
        }
        while self.lines.front().is_some_and(|line| line.tick <= tick) {
            if let Some(line) = self.lines.pop_front() {
                game.show(&line);
            }
        }
        self.start_due(game);
        self.follow(game);
    }

    fn advance(&mut self, tick: Tick) {
        let passed = tick.saturating_sub(self.tick).max(1);
        self.voice.now = self.voice.now.saturating_add(passed);
        self.silence.pass(passed, self.options.silence_ticks_max);
        if self.greeting.is_open()
            && self.silence.is_doubtful(self.options.silence_ticks_max)
            && self.voice.channel.unacknowledged() == 0
        {
            // A director may have nothing to say, and a time report is not answered. What is counted is acknowledged in
            // any case.
            self.voice.say(&ToDirector::Acknowledge);
        }
        if tick < self.tick {
            // The game went back in time: an old save was loaded.
            self.next_report = tick;
        }
        self.tick = tick;
        if tick >= self.next_report && self.greeting.is_open() {
            self.voice.channel.send_loose(&ToDirector::Time { tick, answers: None });
            self.next_report = tick.saturating_add(self.update);
        }
    }
}
