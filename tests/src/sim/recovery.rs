//! One stall in a steady stream of steps: how soon the game starts as many as before.

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, Input};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::{Chance, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};

use super::air::{Air, Weather};
use super::game::{Performer, Truth};
use super::life::LOOK;
use super::planned::Planned;
use super::stalls::{Return, Stall};

/// The stall begins here, in microseconds.
const BEGINS: i64 = 6_000_000;
/// So long after its end everything is as before.
const CALM: i64 = 2_000_000;
/// Starts are counted over so long, before the stall and after it.
const COUNTED: i64 = 3_000_000;
/// Ticks between two steps of the stream.
const GAP: Tick = 6;

/// What came of one stall.
#[derive(Clone, Copy, Debug)]
pub struct Recovery {
    /// What stood still, and for how many microseconds.
    pub stall: (Stall, i64),
    /// Starts in three seconds before it.
    pub before: usize,
    /// Starts in three seconds, from two seconds after its end.
    pub after: usize,
    /// How many of those were late.
    pub late: usize,
}

/// Plays one random stall of 0.1 to 30 seconds.
pub fn recovery(seed: u64) -> Recovery {
    let mut chance = Chance::new(seed ^ 0x2EC0);
    let longest = [400_000, 2_900_000, 29_900_000][chance.below(3)];
    let length = 100_000 + chance.below(longest) as i64;
    let back = [Return::Loses, Return::Skips, Return::Hurries][chance.below(3)];
    let spacing = [0, 0, 200, 500][chance.below(4)];
    let stall = Stall::of(chance.below(Stall::KINDS), back, spacing);
    let least = 200 + chance.below(15_000) as i64;
    let weather = Weather { loses: 0, doubles: 0, least, jitter: chance.below(20_000) as i64 };
    Play::new(seed, weather, stall, length).run()
}

/// A director, a game and the link between them.
struct Play {
    stall: Stall,
    /// When it ends; a queue that is delivered slowly holds things up for longer.
    until: i64,
    length: i64,
    weather: Weather,
    chance: Chance,
    director: Director,
    executor: Executor,
    truth: Truth,
    to_game: Air,
    to_director: Air,
    now: i64,
    tick: Tick,
    next_tick: i64,
    next_think: i64,
    thinks: bool,
}

impl Play {
    fn new(seed: u64, weather: Weather, stall: Stall, length: i64) -> Self {
        let model = Planned::Script.model(false);
        let mut plan = Plan::default();
        for (number, start) in (90..9_000).step_by(GAP as usize).enumerate() {
            plan.add("beat", [["ann", "bob", "cid"][number % 3]], start, 10);
        }
        let options = ScriptOptions { horizon: 300, retries: 0, fidget: 0, seed };
        let planner = Scripted::performing(Arc::clone(&model), &plan, options);
        let core = Core::new(model, DirectorOptions { omega: 6, ..DirectorOptions::default() });
        Self {
            stall,
            until: BEGINS + length,
            length,
            weather,
            chance: Chance::new(seed),
            director: Director::new(core, Box::new(planner), dramaturg_planners::loader()),
            executor: Executor::new(ExecutorOptions { game: "drill".to_owned(), ..ExecutorOptions::default() }),
            truth: Truth::default(),
            to_game: Air::new(),
            to_director: Air::new(),
            now: 0,
            tick: 0,
            next_tick: 0,
            next_think: 0,
            thinks: false,
        }
    }

    fn run(mut self) -> Recovery {
        let (mut before, mut after, mut late) = (0, 0, 0);
        while self.now < self.ends() + CALM + COUNTED {
            self.now += LOOK;
            let known = self.truth.starts.len();
            self.look();
            let fresh = self.truth.starts.get(known..).unwrap_or_default();
            if (BEGINS - COUNTED..BEGINS).contains(&self.now) {
                before += fresh.len();
            }
            if self.now >= self.ends() + CALM {
                after += fresh.len();
                late += fresh.iter().filter(|start| start.tick > start.planned).count();
            }
        }
        Recovery { stall: (self.stall, self.length), before, after, late }
    }

    fn ends(&self) -> i64 {
        self.until.max(self.to_game.held_until()).max(self.to_director.held_until())
    }

    fn look(&mut self) {
        let begins = self.now - LOOK < BEGINS && self.now >= BEGINS;
        if let (true, Stall::Link { to_game, to_director, spacing }) = (begins, self.stall) {
            let airs = [(to_game, &mut self.to_game), (to_director, &mut self.to_director)];
            for (_, air) in airs.into_iter().filter(|(held, _)| *held) {
                air.hold(self.now, self.until, spacing);
            }
        }
        let stalls = (BEGINS..self.until).contains(&self.now);
        if !(stalls && matches!(self.stall, Stall::Game(_) | Stall::Machine(_))) {
            self.game_side(stalls);
        }
        if !(stalls && matches!(self.stall, Stall::Director | Stall::Machine(_))) {
            self.director_side();
        }
    }

    fn game_side(&mut self, stalls: bool) {
        let interval = 1_000_000 / 60;
        let missed = (self.now - self.next_tick) / interval;
        match self.stall {
            Stall::Game(Return::Loses) | Stall::Machine(Return::Loses) if missed > 1 => self.next_tick = self.now,
            Stall::Game(Return::Skips) | Stall::Machine(Return::Skips) if missed > 1 => {
                self.tick += missed;
                self.next_tick += missed * interval;
            }
            _ => {}
        }
        for frame in self.to_game.arrived(self.now) {
            self.executor.receive(&frame).expect("the director speaks the protocol");
        }
        while self.next_tick <= self.now {
            self.next_tick += interval;
            self.tick += i64::from(!(stalls && self.stall == Stall::ClockBack));
            let truth = &mut self.truth;
            let mut game = Performer { truth, life: 0, tick: self.tick, seed: 0, fails: 0, stretches: 0 };
            self.executor.tick(self.tick, &mut game);
        }
        let Self { executor, to_director, weather, chance, now, .. } = self;
        executor.poll(&mut |frame| to_director.send(*now, frame, weather, chance));
    }

    fn director_side(&mut self) {
        let (now, frames) = (self.now, self.to_director.arrived(self.now));
        if !frames.is_empty() || self.director.core().due().is_some_and(|due| due <= now) {
            self.input(&Input::Pump { now, frames });
        }
        if self.thinks {
            self.thinks = false;
            self.input(&Input::End { now, units: 400 });
            self.input(&Input::Pump { now, frames: Vec::new() });
        } else if self.next_think <= now {
            self.next_think = now + 100_000;
            self.thinks = true;
            self.input(&Input::Begin { now });
        }
    }

    fn input(&mut self, input: &Input) {
        let Self { director, to_game, weather, chance, now, .. } = self;
        director.step(input, &Workers::single(), &mut |frame| to_game.send(*now, frame, weather, chance));
        director.drain();
    }
}
