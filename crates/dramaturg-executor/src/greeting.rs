//! Hello, welcome, and hello again.

use dramaturg_wire::{Codec, Hello, Resume, TaskRecord, Tick, ToDirector, VERSION};

use crate::ExecutorOptions;

/// The longest time between two hellos, in multiples of the first.
const PATIENCE: i64 = 4;

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Hello is said at this time, and again after that long.
    Calling { due: i64, wait: i64 },
    /// The director has answered.
    Open,
    /// The director has refused, or has said goodbye and must hear once more that this arrived.
    Closed { acknowledge: bool },
}

/// Begins the conversation, and begins it again.
#[derive(Clone, Debug)]
pub(crate) struct Greeting {
    stage: Stage,
    /// The session, once there is one.
    pub(crate) session: Option<String>,
    /// Whether the executor comes from a checkpoint and the director has not heard of it.
    pub(crate) restored: bool,
    /// The last number that can have left under this epoch. Messages that were made while calling have numbers too, but none
    /// that the director could have seen: those of a game restored from before may even be numbers that it has seen otherwise.
    pub(crate) sent_most: u64,
    /// Differs from call to call.
    call: u64,
}

impl Greeting {
    /// Calls from this time on.
    pub(crate) fn new(now: i64, first_call: u64) -> Self {
        Self {
            stage: Stage::Calling { due: now, wait: 0 },
            session: None,
            restored: false,
            sent_most: 0,
            call: first_call,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    pub(crate) fn is_calling(&self) -> bool {
        matches!(self.stage, Stage::Calling { .. })
    }

    /// Calls (again) from this time on. `sent` is the last number of the channel.
    pub(crate) fn call(&mut self, now: i64, sent: u64) {
        if self.is_open() {
            self.sent_most = sent;
        }
        self.stage = Stage::Calling { due: now, wait: 0 };
        self.call = self.call.wrapping_add(1);
    }

    pub(crate) fn open(&mut self, session: String) {
        self.stage = Stage::Open;
        self.session = Some(session);
        self.restored = false;
    }

    pub(crate) fn close(&mut self, sent: u64) {
        if self.is_open() {
            self.sent_most = sent;
        }
        self.stage = Stage::Closed { acknowledge: self.is_open() };
    }

    /// Whether something may be said to the director: in the conversation, and once at its end.
    pub(crate) fn may_speak(&mut self) -> bool {
        match &mut self.stage {
            Stage::Open => true,
            Stage::Closed { acknowledge } => std::mem::take(acknowledge),
            Stage::Calling { .. } => false,
        }
    }

    /// Whether hello is to be said now; it will be again, ever less often.
    pub(crate) fn is_due(&mut self, now: i64, resend: i64) -> bool {
        let Stage::Calling { due, wait } = &mut self.stage else { return false };
        if *due > now {
            return false;
        }
        *wait = if *wait == 0 { resend } else { wait.saturating_mul(2).min(resend.saturating_mul(PATIENCE)) };
        *due = now.saturating_add(*wait);
        true
    }

    /// The frame of a hello.
    pub(crate) fn hello(
        &self,
        options: &ExecutorOptions,
        tick: Tick,
        (epoch, received): (u32, u64),
        tasks: impl FnOnce() -> Vec<TaskRecord>,
    ) -> Vec<u8> {
        let resume = self.session.clone().map(|session| Resume {
            session,
            epoch,
            received,
            restored: self.restored,
            tasks: tasks(),
        });
        let hello = ToDirector::Hello(Box::new(Hello {
            version: VERSION,
            token: options.token.clone(),
            story: options.story.clone(),
            game: options.game.clone(),
            call: self.call,
            tick,
            rate_milli: options.rate_milli,
            resume,
        }));
        frame(options.codec, &hello)
    }
}

/// A frame that stands outside of epochs.
fn frame(codec: Codec, message: &ToDirector) -> Vec<u8> {
    let (mut body, mut frame) = (Vec::new(), Vec::new());
    codec.encode(message, &mut body);
    codec.wrap(0, 0, 0, &body, &mut frame);
    frame
}
