//! What a message may ask of the world, checked before it is written down.
//!
//! A tick in a message moves the world there, tick by tick. One that lies further ahead than any clock explains would
//! keep the session busy for ever, and every director that goes on from its journal after it.

use dramaturg_wire::{Frame, Hello, TaskState, Tick, ToDirector};

use crate::clock::{Moment, RATE_MILLI_MAX};
use crate::core::Core;

impl Core {
    /// Whether a frame may be taken in at this moment; else why not. One that cannot be read is refused when it is
    /// taken in.
    pub(crate) fn admits_frame(&self, now: Moment, bytes: &[u8]) -> Result<(), String> {
        let frame: Result<Frame<ToDirector>, _> = self.options.codec.decode(bytes);
        frame.map_or(Ok(()), |frame| self.admits_at(now, &frame.message))
    }

    /// Whether a message may be taken in; else why not.
    pub(crate) fn admits(&self, message: &ToDirector) -> Result<(), String> {
        self.admits_at(self.now, message)
    }

    fn admits_at(&self, now: Moment, message: &ToDirector) -> Result<(), String> {
        let rate = match message {
            ToDirector::Hello(hello) => Some(hello.rate_milli),
            ToDirector::Continue { rate_milli, .. } => Some(*rate_milli),
            _ => None,
        };
        if let Some(rate) = rate.filter(|rate| !(1..=RATE_MILLI_MAX).contains(rate)) {
            let most = RATE_MILLI_MAX / 1_000;
            return Err(format!(
                "{rate} thousandths of ticks a second are no pace; say more than 0 and at most {most} ticks"
            ));
        }
        let Some((least, most)) = ticks_of(message) else { return Ok(()) };
        // A hello says itself at which pace its ticks passed.
        let days = rate.map_or(0, days_at).max(self.clock.days());
        let furthest = self.clock.furthest(now).saturating_sub(self.clock.days()).saturating_add(days);
        if most > furthest {
            return Err(format!(
                "tick {most} is too far ahead: the game was last in tick {}, and may be in tick {furthest} at most; \
                 report the tick it is in, or begin a new session",
                self.clock.last_tick()
            ));
        }
        if least < -days {
            return Err(format!("tick {least} is too far back: a game may begin {days} ticks before tick 0 at most"));
        }
        Ok(())
    }
}

/// The ticks of an absence at another pace than the one known.
fn days_at(rate_milli: u32) -> Tick {
    crate::clock::ClockEstimate::new(rate_milli, true).days()
}

/// The first and the last tick that a message speaks of as reached.
fn ticks_of(message: &ToDirector) -> Option<(Tick, Tick)> {
    match message {
        ToDirector::Hello(hello) => Some(ticks_of_hello(hello)),
        ToDirector::Time { tick, .. } | ToDirector::Pause { tick } | ToDirector::Continue { tick, .. } => {
            Some((*tick, *tick))
        }
        ToDirector::Status(status) => Some((status.tick, status.tick)),
        ToDirector::Answer(answer) => Some((answer.tick, answer.tick)),
        ToDirector::Perceive { .. }
        | ToDirector::SetGoals { .. }
        | ToDirector::Language { .. }
        | ToDirector::Save { .. }
        | ToDirector::LoadPiece { .. }
        | ToDirector::Load { .. }
        | ToDirector::Described { .. }
        | ToDirector::Acknowledge
        | ToDirector::Goodbye { .. } => None,
    }
}

fn ticks_of_hello(hello: &Hello) -> (Tick, Tick) {
    let tasks = hello.resume.iter().flat_map(|resume| &resume.tasks);
    let ticks = tasks.filter_map(|record| match &record.state {
        TaskState::Waiting => None,
        TaskState::Running(since) => Some(*since),
        TaskState::Ended(when, _) => Some(*when),
    });
    ticks.fold((hello.tick, hello.tick), |(least, most), tick| (least.min(tick), most.max(tick)))
}
