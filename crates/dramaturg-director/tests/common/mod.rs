//! A director and a game in virtual time, over a link that loses and delays: what saves and journals are tested with.
#![allow(dead_code, reason = "each test file uses its part of this")]

pub mod journaling;
pub mod stage;

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, Input};
use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, TaskView};
use dramaturg_model::{Chance, Model, Plan, Tick};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::{Observation, Value};

pub const STORY: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator; voice: actuator; times: int 0..1000000 = 0; tired }
object ann, bob, cid: Actor
action beat(who: Actor) { takes 10 ticks; uses who.hands; then who.times += 1 }
action shout(who: Actor) { takes 4 ticks; uses who.voice; needs not who.tired; late 3 ticks }
action dance(who: Actor) { takes 12 ticks; uses who.hands, who.voice from 4 ticks to 9 ticks; then who.times += 1 }
action blink(who: Actor) { takes 1 tick; late drop }
rule tires(who: Actor) { when who.times == 3; then who.tired }
rule rests(who: Actor) { when who.times == 6; then not who.tired; say \"Enough.\" }
";

/// A quarter of a tick at 60 ticks a second, in microseconds.
pub const LOOK: i64 = 4_167;

pub fn compile(text: &str) -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("drill.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

pub fn options() -> DirectorOptions {
    DirectorOptions {
        omega: 6,
        world: WorldOptions { detail: Detail::Happenings, ..WorldOptions::default() },
        window: 60,
        ..DirectorOptions::default()
    }
}

pub fn script(seed: u64, steps: usize) -> Plan {
    let mut chance = Chance::new(seed ^ 0x5C21);
    let mut plan = Plan::default();
    let mut start = 40 + chance.below(60) as Tick;
    for _ in 0..steps {
        let (action, duration) = [("beat", 10), ("shout", 4), ("dance", 12), ("blink", 1)][chance.below(4)];
        plan.add(action, [["ann", "bob", "cid"][chance.below(3)]], start, duration);
        start += chance.below(20) as Tick;
    }
    plan
}

pub fn director(model: &Arc<Model>, seed: u64) -> Director {
    let how = ScriptOptions { horizon: 90, retries: (seed % 3) as u32, fidget: 3 + (seed % 5) as u32, seed };
    let planner = Scripted::performing(Arc::clone(model), &script(seed, 30), how);
    Director::new(Core::new(Arc::clone(model), options()), Box::new(planner), dramaturg_planners::loader())
}

/// A game that performs what it is told, not always as planned.
pub struct Performer {
    pub seed: u64,
    pub started: Vec<(u32, Tick)>,
    pub saved: Option<Vec<u8>>,
    pub faults: Vec<String>,
}

impl Game for Performer {
    fn start(&mut self, task: &TaskView<'_>) {
        self.started.push((task.id().step, task.start()));
    }

    fn saved(&mut self, _: u32, _: Tick, data: &[u8]) {
        self.saved = Some(data.to_vec());
    }

    fn fault(&mut self, fault: &dramaturg_wire::Fault) {
        self.faults.push(fault.message.clone());
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let (ran, planned) = (tick - task.started(), task.duration().max(1));
        let mut chance = Chance::new(self.seed ^ u64::from(task.id().step) << 8);
        match chance.below(6) {
            0 if ran >= planned / 2 => Report::Failed("it went wrong".into()),
            1 if ran == 1 && planned > 1 => Report::Amended(planned + 5),
            1 if ran < planned + 5 => Report::Running,
            _ if ran >= planned => Report::Finished,
            _ => Report::Running,
        }
    }
}

/// Everything but the director: the game, its executor and the way between.
pub struct Theatre {
    pub chance: Chance,
    pub executor: Executor,
    pub game: Performer,
    pub now: i64,
    pub tick: Tick,
    pub next_tick: i64,
    flying: Vec<(i64, bool, Vec<u8>)>,
    thinking_until: Option<i64>,
    next_think: i64,
    loses: usize,
}

impl Theatre {
    pub fn new(seed: u64) -> Self {
        let executor = ExecutorOptions { game: "drill".to_owned(), ..ExecutorOptions::default() };
        Self {
            chance: Chance::new(seed),
            executor: Executor::new(executor),
            game: Performer { seed, started: Vec::new(), saved: None, faults: Vec::new() },
            now: 0,
            tick: 0,
            next_tick: 0,
            flying: Vec::new(),
            thinking_until: None,
            next_think: 0,
            loses: if seed.is_multiple_of(3) { 0 } else { 12 },
        }
    }

    /// A frame leaves one side.
    pub fn send(&mut self, to_game: bool, frame: &[u8]) {
        if self.loses > 0 && self.chance.below(self.loses) == 0 {
            return;
        }
        let at = self.now + 500 + self.chance.below(20_000) as i64;
        self.flying.push((at, to_game, frame.to_vec()));
    }

    fn arrived(&mut self, to_game: bool) -> Vec<Vec<u8>> {
        let now = self.now;
        let mut due: Vec<_> = self.flying.extract_if(.., |(at, side, _)| *side == to_game && *at <= now).collect();
        due.sort_by_key(|(at, ..)| *at);
        due.into_iter().map(|(.., frame)| frame).collect()
    }

    /// Time goes on; returns what the director is given.
    pub fn look(&mut self) -> Vec<Input> {
        self.now += LOOK;
        for frame in self.arrived(true) {
            self.executor.receive(&frame).expect("the director speaks the protocol");
        }
        while self.next_tick <= self.now {
            self.next_tick += 16_667;
            self.tick += 1;
            if self.tick % 41 == 0 {
                self.executor.perceive(Observation {
                    fluent: "bob.tired".to_owned(),
                    value: Value::Bool(self.chance.below(3) == 0),
                    from: self.tick - 2,
                    to: None,
                });
            }
            self.executor.tick(self.tick, &mut self.game);
        }
        let mut out = Vec::new();
        self.executor.poll(&mut |frame| out.push(frame.to_vec()));
        out.iter().for_each(|frame| self.send(false, frame));
        let now = self.now;
        let mut inputs = vec![Input::Pump { now, frames: self.arrived(false) }];
        if self.thinking_until.is_some_and(|until| until <= now) {
            self.thinking_until = None;
            inputs.push(Input::End { now, units: 400 });
            inputs.push(Input::Pump { now, frames: Vec::new() });
        } else if self.thinking_until.is_none() && self.next_think <= now {
            self.next_think = now + 16_667;
            inputs.push(Input::Begin { now });
            self.thinking_until = Some(now + (1 + self.chance.below(4) as i64) * 16_667);
        }
        if self.chance.below(400) == 0 {
            inputs.push(Input::Disconnected { now, reason: "the link broke".to_owned() });
            self.flying.clear();
            self.executor.reconnect();
        }
        if self.chance.below(300) == 0 {
            inputs.push(Input::Cancel { now, step: self.chance.below(30) as u32 });
        }
        inputs
    }
}
