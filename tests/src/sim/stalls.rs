//! Stalls: a side, the link or the whole machine stands still for a while, and goes on as if nothing had been.

use dramaturg_director::EventKind;
use dramaturg_model::{Chance, Tick};

use super::life::Life;

/// What stands still, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// The link keeps what is sent and delivers it in order, each frame so many microseconds after the one before.
    Link {
        /// What the director sends.
        to_game: bool,
        /// What the game sends.
        to_director: bool,
        /// Microseconds between two frames when it goes on; 0: all at once.
        spacing: i64,
    },
    /// The director's process is stopped.
    Director,
    /// The game's process is stopped.
    Game(Return),
    /// Both are stopped: a virtual machine was suspended, but its clocks were not.
    Machine(Return),
    /// The game counts ticks by a wall clock that was set back: it runs, but its tick does not change.
    ClockBack,
    /// The game counts ticks by a wall clock that was set forward: it skips so many.
    ClockForward(Tick),
}

impl Stall {
    /// How many kinds last for a while: all but a clock that is set forward.
    pub(super) const KINDS: usize = 7;

    /// The stall of this kind.
    pub(super) fn of(kind: usize, back: Return, spacing: i64) -> Self {
        match kind {
            0 => Self::Link { to_game: true, to_director: true, spacing },
            1 => Self::Link { to_game: false, to_director: true, spacing },
            2 => Self::Link { to_game: true, to_director: false, spacing },
            3 => Self::Director,
            4 => Self::Game(back),
            5 => Self::Machine(back),
            _ => Self::ClockBack,
        }
    }
}

/// What becomes of the ticks that a game missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Return {
    /// They are lost: its time goes on from where it stood.
    Loses,
    /// It skips them.
    Skips,
    /// It runs them all at once.
    Hurries,
}

/// The stalls of a seed, in order: when each begins, and how many microseconds it takes.
pub fn stalls_of(seed: u64, micros: i64) -> Vec<(i64, i64, Stall)> {
    // Half of the seeds of each kind have none, and stay as they were.
    if (seed / 4).is_multiple_of(2) {
        return Vec::new();
    }
    let mut chance = Chance::new(seed ^ 0x57A1);
    let mut stalls: Vec<(i64, i64, Stall)> = Vec::new();
    for _ in 0..1 + chance.below(3) {
        let at = 500_000 + chance.below((micros - 1_000_000).max(1) as usize) as i64;
        let longest = [400_000, 2_900_000, 2_900_000, 29_900_000][chance.below(4)];
        let long = 100_000 + chance.below(longest) as i64;
        let back = [Return::Loses, Return::Skips, Return::Hurries][chance.below(3)];
        let spacing = [0, 0, 500, 3_000][chance.below(4)];
        let stall = match chance.below(Stall::KINDS + 1) {
            Stall::KINDS => Stall::ClockForward(1 + chance.below(300) as Tick),
            kind => Stall::of(kind, back, spacing),
        };
        stalls.push((at, long, stall));
    }
    stalls.sort_by_key(|(at, ..)| *at);
    stalls
}

impl Life {
    /// Stalls of this moment begin, and those whose time is over end.
    pub(super) fn stall(&mut self) {
        while self.faults.stalls.first().is_some_and(|(at, ..)| *at <= self.now) {
            let (_, long, stall) = self.faults.stalls.remove(0);
            self.totals.stalls += 1;
            let until = self.now + long;
            match stall {
                Stall::Link { to_game, to_director, spacing } => {
                    if to_game {
                        self.to_game.hold(self.now, until, spacing);
                    }
                    if to_director {
                        self.to_director.hold(self.now, until, spacing);
                    }
                }
                Stall::ClockForward(ticks) => self.tick += ticks,
                Stall::Director | Stall::Game(_) | Stall::Machine(_) | Stall::ClockBack => {}
            }
            self.stalling.push((until, stall));
        }
        let over: Vec<_> = self.stalling.extract_if(.., |(until, _)| *until <= self.now).collect();
        for (until, stall) in over {
            if let Stall::Game(back) | Stall::Machine(back) = stall {
                match back {
                    Return::Loses => self.next_tick = self.next_tick.max(self.now),
                    Return::Skips => {
                        let missed = (self.now - self.next_tick).max(0) / self.interval();
                        self.tick += missed;
                        self.next_tick += missed * self.interval();
                    }
                    Return::Hurries => {}
                }
            }
            self.disturb(until + self.calm());
        }
        let is_held = self.now <= self.to_game.held_until().max(self.to_director.held_until());
        if !self.stalling.is_empty() || is_held {
            self.disturb(self.now + self.calm());
        }
    }

    /// So long after the end of a stall everything is as it was before. Where pings are lost, or nobody pings, it takes
    /// longer until the director has heard enough.
    fn calm(&self) -> i64 {
        if self.faults.weather.loses == 0 && !self.seed.is_multiple_of(4) { 2_000_000 } else { 4_000_000 }
    }

    pub(super) fn director_stands(&self) -> bool {
        self.stalling.iter().any(|(_, stall)| matches!(stall, Stall::Director | Stall::Machine(_)))
    }

    pub(super) fn game_stands(&self) -> bool {
        self.stalling.iter().any(|(_, stall)| matches!(stall, Stall::Game(_) | Stall::Machine(_)))
    }

    pub(super) fn tick_stands(&self) -> bool {
        self.stalling.iter().any(|(_, stall)| matches!(stall, Stall::ClockBack))
    }

    /// While nothing disturbs it, a step is sent shortly before its tick: one that is sent for a tick far ahead can no
    /// longer be changed, and the story stands still until then.
    pub(super) fn check_lead(&self, told: usize) -> Result<(), String> {
        if self.is_disturbed() {
            return Ok(());
        }
        for event in self.events.iter().skip(told) {
            if let EventKind::Dispatched { task, start, .. } = &event.kind
                && start - self.tick > LEAD_MOST
            {
                return Err(format!("{task:?} was sent in tick {} for tick {start}", self.tick));
            }
        }
        Ok(())
    }
}

/// No step is sent so many ticks before it starts: the longest journey is a quarter of a second there and back.
const LEAD_MOST: Tick = 75;
