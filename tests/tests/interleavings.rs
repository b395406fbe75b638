//! What threads share, in every order that chance finds: the same sources as in the product, built on shuttle's
//! primitives instead of the system's, so that a failure names its schedule and can be played again.

use std::collections::BTreeMap;
use std::sync::{Arc as StdArc, LazyLock};

use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input, Journey};
use dramaturg_executor::scripted::What;
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_model::{Model, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
// What the sources below look for beside them.
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError, LinkOptions};

mod sync {
    pub(super) use shuttle::sync::{Arc, Mutex, mpsc};
    pub(super) use shuttle::thread;
    pub(super) use std::sync::PoisonError;
}
mod clock {
    pub(super) use dramaturg_director::Moment;
}
mod feed {
    pub(super) use dramaturg_director::{Feed, Thought};
}
mod stopwatch {
    pub(super) fn micros(span: std::time::Duration) -> i64 {
        i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
    }
}

#[expect(dead_code, reason = "real threads are waited for elsewhere")]
#[path = "../../crates/dramaturg-wire/src/link/threads.rs"]
mod threads;

#[expect(dead_code, reason = "planners are handed in through a door")]
#[path = "../../crates/dramaturg-director/src/shell/pool.rs"]
mod pool;
#[expect(dead_code, reason = "how long it took matters to sessions only")]
#[path = "../../crates/dramaturg-director/src/shell/thinkers.rs"]
mod thinkers;

use thinkers::{Job, Thinkers};
use threads::ThreadLink;

/// So many orders are tried of each.
const ORDERS: usize = 3_000;

static MODEL: LazyLock<StdArc<Model>> = LazyLock::new(|| {
    let story = "story \"Bells\" { ticks 60 per s }\ntype Ringer { hands: actuator; rung: int 0..1000 = 0 }\nobject ann, bob: Ringer\n\
                 action ring(who: Ringer) { takes 3 ticks; uses who.hands; then who.rung += 1 }";
    let compiled = dramaturg_story::compile_text("bells.story", story);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    StdArc::new(compiled.model)
});

fn planner(steps: u32, fidget: u32) -> Box<Scripted> {
    let mut plan = Plan::default();
    for step in 0..steps {
        plan.add("ring", [if step % 2 == 0 { "ann" } else { "bob" }], 14 + Tick::from(step) * 4, 3);
    }
    let options = ScriptOptions { horizon: 60, retries: 0, fidget, seed: 7 };
    Box::new(Scripted::performing(StdArc::clone(&MODEL), &plan, options))
}

#[test]
fn every_planner_comes_back_once_and_somebody_is_woken() {
    shuttle::check_random(
        || {
            let (wake, woken) = shuttle::sync::mpsc::channel();
            let wake = shuttle::sync::Mutex::new(wake);
            let thinkers = Thinkers::start(2, move || {
                // Whoever has heard everything no longer listens.
                let _ = wake.lock().expect("nobody panics").send(());
            })
            .expect("threads can be had");
            let door = thinkers.door();
            for session in 0..3 {
                let feed = feed::Feed::default();
                door.submit(Job { session, planner: planner(3, 0), feed, units: 10 + session as u32 });
            }
            let mut back: Vec<u64> = Vec::new();
            while back.len() < 3 {
                // Whoever is woken finds at least what woke it, or has found it before.
                woken.recv().expect("a thread lives");
                while let Some(done) = thinkers.done() {
                    assert_eq!(u64::from(done.units), 10 + done.session, "what was asked for comes back with it");
                    assert!(done.outcome.is_ok());
                    back.push(done.session);
                }
            }
            back.sort_unstable();
            assert_eq!(back, [0, 1, 2]);
            drop(door);
            drop(thinkers);
        },
        ORDERS,
    );
}

#[test]
fn threads_end_with_jobs_under_way() {
    shuttle::check_random(
        || {
            let thinkers = Thinkers::start(2, || {}).expect("threads can be had");
            let door = thinkers.door();
            for session in 0..3 {
                door.submit(Job { session, planner: planner(1, 0), feed: feed::Feed::default(), units: 1 });
            }
            drop(thinkers);
            door.submit(Job { session: 3, planner: planner(1, 0), feed: feed::Feed::default(), units: 1 });
        },
        ORDERS,
    );
}

#[test]
fn frames_between_threads_keep_their_order_and_none_is_lost() {
    const FRAMES: u8 = 8;
    shuttle::check_random(
        || {
            let (left, right) = ThreadLink::pair_with(&LinkOptions::default(), 2);
            let talk = |mut end: ThreadLink| {
                move || {
                    let (mut said, mut heard, mut frame) = (0, Vec::new(), Vec::new());
                    while said < FRAMES || heard.len() < usize::from(FRAMES) || !end.flush().expect("open") {
                        if said < FRAMES {
                            end.send(&[said]).expect("there is room to wait");
                            said += 1;
                        }
                        match end.receive(&mut frame) {
                            Ok(true) => heard.extend_from_slice(&frame),
                            // The other end leaves only when it has heard everything.
                            Ok(false) | Err(LinkError::Closed) => shuttle::thread::yield_now(),
                            Err(other) => panic!("{other}"),
                        }
                    }
                    assert_eq!(heard, (0..FRAMES).collect::<Vec<_>>());
                }
            };
            let other = shuttle::thread::spawn(talk(right));
            talk(left)();
            other.join().expect("the other end heard everything too");
        },
        ORDERS,
    );
}

/// One session with its planner in a thread, and its game in lockstep with the director.
fn perform() {
    let (wake, options) = (|| {}, DirectorOptions { omega: 3, mu: Journey::Given(1), ..DirectorOptions::default() });
    let thinkers = Thinkers::start(1, wake).expect("threads can be had");
    let mut director =
        Director::new(Core::new(StdArc::clone(&MODEL), options), planner(6, 2), dramaturg_planners::loader());
    let mut executor = Executor::new(ExecutorOptions::default());
    let mut game = ScriptedGame::new();
    let mut events = Vec::new();
    let mut away = false;
    for tick in 0..60 {
        let now = tick * 16_667;
        while let Some(done) = thinkers.done() {
            let (planner, thought) = done.outcome.expect("it does not panic");
            director.give_back(planner);
            director.finish(now, &thought);
            away = false;
        }
        let mut frames = Vec::new();
        executor.tick(tick, &mut game);
        executor.poll(&mut |frame| frames.push(frame.to_vec()));
        let mut answers = Vec::new();
        director.step(&Input::Pump { now, frames }, &Workers::single(), &mut |frame| answers.push(frame.to_vec()));
        answers.iter().for_each(|frame| executor.receive(frame).expect("the protocol is kept"));
        if !away && let Some(feed) = director.begin(now) {
            thinkers.door().submit(Job { session: 0, planner: director.lend(), feed, units: 100 });
            away = true;
        }
        events.extend(director.drain());
        shuttle::thread::yield_now();
    }
    judge(&events, &game);
}

/// What was locked is performed once, as it was locked, whatever was published meanwhile.
fn judge(events: &[dramaturg_director::Event], game: &ScriptedGame) {
    let mut sent: BTreeMap<u32, Tick> = BTreeMap::new();
    for event in events {
        match &event.kind {
            EventKind::Dispatched { task, start, .. } => {
                assert_eq!(sent.insert(task.step, *start), None, "step {} is sent twice", task.step);
            }
            EventKind::Published { put, removed, .. } => {
                let touched = put.iter().chain(removed).find(|step| sent.contains_key(step));
                assert_eq!(touched, None, "a step that was sent is changed");
            }
            _ => {}
        }
    }
    let mut begun: BTreeMap<u32, Tick> = BTreeMap::new();
    for happening in game.transcript() {
        if let (Some(task), What::Started { .. }) = (happening.task, &happening.what) {
            assert_eq!(begun.insert(task.step, happening.tick), None, "step {} starts twice", task.step);
        }
    }
    sent.retain(|_, start| *start < 60);
    assert_eq!(begun, sent, "what is sent starts in its tick, and nothing else does");
}

#[test]
fn what_is_locked_stays_as_it_is_whenever_the_planner_publishes() {
    shuttle::check_random(perform, ORDERS / 3);
    shuttle::check_pct(perform, ORDERS / 3, 3);
}
