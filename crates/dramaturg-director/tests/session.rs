//! A session that is pumped only when it asks for it or something comes in.

mod common;

use std::sync::Arc;

use dramaturg_director::shell::{Mind, Session, SessionOptions};
use dramaturg_director::{Core, Director};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::{Plan, Tick};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};

const TICK: i64 = 16_667;
const TICKS: Tick = 1_400;

struct Game(Vec<(Tick, Tick)>);

impl dramaturg_executor::Game for Game {
    fn start(&mut self, task: &dramaturg_executor::TaskView<'_>) {
        self.0.push((task.start(), task.started()));
    }
}

#[test]
fn ticks_in_which_nothing_is_to_be_done_are_left_out() {
    let model = common::compile(common::STORY);
    let mut plan = Plan::default();
    for number in 0..20 {
        plan.add("beat", ["ann"], 100 + 60 * number, 10);
    }
    let planner = Scripted::performing(Arc::clone(&model), &plan, ScriptOptions::default());
    let director = Director::new(Core::new(model, common::options()), Box::new(planner), dramaturg_planners::loader());
    let mut session = Session::new(1, director, Mind::Inline, SessionOptions::default());
    let mut executor = Executor::new(ExecutorOptions::default());
    let (mut game, mut tick, mut unasked) = (Game(Vec::new()), 0, 0);
    session.pump(0, Vec::new(), &mut |_| {});
    while tick < TICKS {
        let (next_tick, due) = (tick * TICK, session.due());
        let (now, mut frames) = (next_tick.min(due), Vec::new());
        if next_tick <= due {
            executor.tick(tick, &mut game);
            executor.poll(&mut |frame| frames.push(frame.to_vec()));
            tick += 1;
            if frames.is_empty() {
                continue;
            }
        } else {
            unasked += 1;
        }
        session.pump(now, frames, &mut |frame| executor.receive(frame).expect("a frame"));
        assert!(session.due() > now, "it would never rest");
    }
    assert_eq!(game.0.len(), 20);
    assert!(game.0.iter().all(|(planned, started)| planned == started), "{:?}", game.0);
    // Five pings a second, a look at the plan every 24 ticks, and each step in its time.
    assert!(unasked < TICKS / 4, "pumped {unasked} times in {TICKS} ticks");
}
