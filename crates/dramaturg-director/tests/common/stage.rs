//! A director and a scripted game, side by side, over a link that neither loses nor delays.

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input, Journey};
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_model::{Model, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_planner::simulate::{Detail, WorldOptions};

/// Both, and what happened.
pub struct Stage {
    pub director: Director,
    pub executor: Executor,
    pub game: ScriptedGame,
    /// The tick that comes next.
    pub tick: Tick,
    /// What the director has sent and the game has not heard.
    pub frames: Vec<Vec<u8>>,
    /// What was told, each with its tick.
    pub events: Vec<(Tick, EventKind)>,
}

impl Stage {
    /// A stage before its first tick.
    pub fn new(model: Arc<Model>, plan: &Plan) -> Self {
        let options = DirectorOptions {
            omega: 1,
            upsilon: 1,
            mu: Journey::Given(0),
            world: WorldOptions { detail: Detail::Texts, ..WorldOptions::default() },
            ..DirectorOptions::default()
        };
        let planner = Scripted::performing(Arc::clone(&model), plan, ScriptOptions::default());
        Self {
            director: Director::new(Core::new(model, options), Box::new(planner), dramaturg_planners::loader()),
            executor: Executor::new(ExecutorOptions::default()),
            game: ScriptedGame::new(),
            tick: 0,
            frames: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Plays up to a tick.
    pub fn until(&mut self, end: Tick) {
        while self.tick < end {
            for frame in self.frames.drain(..) {
                self.executor.receive(&frame).expect("the director speaks the protocol");
            }
            self.executor.tick(self.tick, &mut self.game);
            let mut sent = Vec::new();
            self.executor.poll(&mut |frame| sent.push(frame.to_vec()));
            let now = self.now();
            let inputs = [Input::Pump { now, frames: sent }, Input::Begin { now }, Input::End { now, units: 100 }];
            for input in inputs.into_iter().chain([Input::Pump { now, frames: Vec::new() }]) {
                self.step(&input);
            }
            let (tick, told) = (self.tick, self.director.drain());
            self.events.extend(told.into_iter().map(|event| (tick, event.kind)));
            self.tick += 1;
        }
    }

    /// The director hears something else.
    pub fn step(&mut self, input: &Input) {
        let Self { director, frames, .. } = self;
        director.step(input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
    }

    /// The director's time, in microseconds.
    pub fn now(&self) -> i64 {
        self.tick * 16_667
    }
}
