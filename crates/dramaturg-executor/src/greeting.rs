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
    /// The last number that can have left under this epoch. Messages that were made while calling have numbers too, but
    /// none that the director could have seen: those of a game restored from before may even be numbers that it has
    /// seen otherwise.
    pub(crate) sent_most: u64,
    /// Differs from call to call.
    call: u64,
    /// The last call that was said.
    said: u64,
    /// Links since the last answer on which hello was said in vain for as long as silence is borne.
    unanswered: u32,
}

/// Where the clock was set back, a restored executor goes on so far above the last call before its checkpoint: the game
/// that made it may have called again.
const RESTORED_STEP: u64 = 1 << 24;
/// After so many links on which hello was not answered the number leaps: the director may have answered a higher one,
/// from before an old save was loaded or the clock was set back, and ignores all up to that.
const UNANSWERED_MAX: u32 = 2;
/// The least and the greatest leap, in bits: 17 seconds to 13 days, where calls are the time of day in microseconds.
const LEAP_BITS: std::ops::RangeInclusive<u32> = 24..=40;
/// Each leap is so many bits longer than the one before.
const LEAP_GROWTH_BITS: u32 = 4;

impl Greeting {
    /// Calls from this time on.
    pub(crate) fn new(now: i64, first_call: u64) -> Self {
        Self {
            stage: Stage::Calling { due: now, wait: 0 },
            session: None,
            restored: false,
            sent_most: 0,
            call: first_call,
            said: 0,
            unanswered: 0,
        }
    }

    /// Goes on after a checkpoint in which this was the last call that was said.
    pub(crate) fn restore_call(&mut self, said: u64) {
        self.said = said;
        if self.call <= said {
            // Two games may go on from one checkpoint, one after the other: what the clock shows tells them apart.
            self.call = said.saturating_add(RESTORED_STEP).saturating_add(self.call % RESTORED_STEP);
        }
    }

    /// The last call that was said; 0: none.
    pub(crate) fn said(&self) -> u64 {
        self.said
    }

    pub(crate) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    pub(crate) fn is_calling(&self) -> bool {
        matches!(self.stage, Stage::Calling { .. })
    }

    /// Whether the director has something to answer: hello, or what is said in the conversation.
    pub(crate) fn expects_answer(&self) -> bool {
        !matches!(self.stage, Stage::Closed { .. })
    }

    /// Calls (again) from this time on. `sent` is the last number of the channel, `silent` whether the link before was
    /// given up for silence.
    pub(crate) fn call(&mut self, now: i64, sent: u64, silent: bool) {
        if self.is_open() {
            self.sent_most = sent;
        }
        // A director that is merely away has not heard hello, so it has not ignored it either.
        if self.is_calling() && silent {
            self.unanswered = self.unanswered.saturating_add(1);
        }
        self.stage = Stage::Calling { due: now, wait: 0 };
        let leaps = self.unanswered.saturating_sub(UNANSWERED_MAX);
        let step = if self.unanswered < UNANSWERED_MAX {
            1
        } else {
            1 << leaps.saturating_mul(LEAP_GROWTH_BITS).saturating_add(*LEAP_BITS.start()).min(*LEAP_BITS.end())
        };
        self.call = self.call.saturating_add(step);
    }

    pub(crate) fn open(&mut self, session: String) {
        self.stage = Stage::Open;
        self.unanswered = 0;
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
        &mut self,
        options: &ExecutorOptions,
        tick: Tick,
        (epoch, received): (u32, u64),
        tasks: impl FnOnce() -> Vec<TaskRecord>,
    ) -> Vec<u8> {
        self.said = self.call;
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
