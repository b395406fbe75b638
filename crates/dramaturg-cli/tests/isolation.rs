//! One game cannot hurt another: a well-behaved game plays on beside each attack, and a stall is only a stall.

mod common;

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use common::player::{Player, story};
use common::serving::{DRILL, PATIENCE, Serving};
use dramaturg_wire::link::{AnyLink, Link, LinkOptions, TcpLink};
use dramaturg_wire::{
    Codec, FaultCode, Hello, Observation, Outcome, Status, Task, Tick, ToDirector, ToGame, VERSION, Value,
};

const FAR: Tick = 1 << 62;

fn stage() -> Stage {
    let stage = Stage::new();
    stage.write("drill.story", DRILL);
    let princess = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories/princess.story");
    let princess = fs::read_to_string(princess).expect("the sample story");
    stage.write("princess.story", &princess);
    stage
}

/// A game that says what it likes.
struct Stranger {
    link: AnyLink,
    epoch: u32,
    number: u64,
    heard: Vec<ToGame>,
}

impl Stranger {
    fn connect(address: &str) -> Self {
        let link = TcpLink::connect(address, LinkOptions::new(Codec::Binary)).expect("connected").into();
        Self { link, epoch: 0, number: 0, heard: Vec::new() }
    }

    fn hello(tick: Tick, rate_milli: u32) -> ToDirector {
        ToDirector::Hello(Box::new(Hello {
            version: VERSION,
            token: None,
            story: Some("princess".to_owned()),
            game: "stranger".to_owned(),
            call: 1,
            tick,
            rate_milli,
            resume: None,
        }))
    }

    /// A stranger whom the director has welcomed.
    fn welcomed(address: &str) -> Self {
        let mut stranger = Self::connect(address);
        stranger.say(&Self::hello(0, 60_000), false);
        let began = Instant::now();
        while stranger.epoch == 0 && began.elapsed() < PATIENCE {
            stranger.listen();
        }
        assert!(stranger.epoch > 0, "never welcomed: {:?}", stranger.heard);
        stranger
    }

    fn say(&mut self, message: &ToDirector, counted: bool) {
        self.number += u64::from(counted);
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        Codec::Binary.encode(message, &mut body);
        Codec::Binary.wrap(self.epoch, if counted { self.number } else { 0 }, 0, &body, &mut frame);
        // The director may have closed the link.
        let _ = self.link.send(&frame);
    }

    /// Takes in what has come within a moment.
    fn listen(&mut self) {
        let mut bytes = Vec::new();
        for _ in 0..50 {
            while let Ok(true) = self.link.receive(&mut bytes) {
                if let Ok(frame) = Codec::Binary.decode::<ToGame>(&bytes) {
                    if let ToGame::Welcome(welcome) = &frame.message {
                        self.epoch = welcome.epoch;
                    }
                    self.heard.push(frame.message);
                }
                bytes.clear();
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn fault(&mut self) -> Option<FaultCode> {
        self.listen();
        self.heard.iter().find_map(|message| match message {
            ToGame::Fault(fault) => Some(fault.code),
            _ => None,
        })
    }
}

/// A well-behaved game beside the others, in a thread of its own.
struct Witness {
    stop: Arc<AtomicBool>,
    thread: thread::JoinHandle<Player>,
}

impl Witness {
    fn start(address: &str) -> Self {
        let (stop, address) = (Arc::new(AtomicBool::new(false)), address.to_owned());
        let seen = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut player = Player::new(&address, Codec::Binary, story("drill"));
            while !seen.load(Ordering::Relaxed) {
                player.frame().expect("the link of the witness holds");
            }
            player
        });
        Self { stop, thread }
    }

    fn end(self) -> Player {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the witness plays on")
    }
}

fn healthy_within(serving: &Serving, most: Duration, after: &str) {
    let began = Instant::now();
    assert!(serving.http("/health").contains("200 OK"));
    assert!(began.elapsed() < most, "/health took {:?} {after}", began.elapsed());
}

/// Nobody has waited for longer than a tick at 60 Hz, counted in time of a core: what else runs on this machine does not
/// matter.
fn held_up_by_less_than_a_tick(serving: &Serving) {
    let metrics = serving.http("/metrics");
    let longest = metrics.lines().find_map(|line| line.strip_prefix("dramaturg_turn_cpu_microseconds_max "));
    let longest: u64 = longest.and_then(|micros| micros.parse().ok()).expect("the longest turn");
    assert!((1..=16_667).contains(&longest), "a turn took {longest} µs of a core");
}

/// What somebody may say who wants to keep the director busy.
fn far_messages() -> Vec<(&'static str, ToDirector, bool)> {
    let status = |tick| {
        let (task, version) = (Task { step: 1, part: 0 }, 1);
        ToDirector::Status(Status { task, version, tick, outcome: Outcome::Finished, observations: Vec::new() })
    };
    vec![
        ("time", ToDirector::Time { tick: FAR, answers: None }, false),
        ("pause", ToDirector::Pause { tick: FAR }, true),
        ("continue", ToDirector::Continue { tick: FAR, rate_milli: 60_000 }, true),
        ("pace", ToDirector::Continue { tick: 10, rate_milli: u32::MAX }, true),
        ("status", status(FAR), true),
    ]
}

#[test]
fn a_far_tick_is_refused_and_never_written_down() {
    let stage = stage();
    let mut serving = Serving::start(&stage, "127.0.0.1:0", &["princess.story", "--metrics", "--journal", "journals"]);
    for tick in [FAR, Tick::MAX, Tick::MIN] {
        let mut stranger = Stranger::connect(&serving.address);
        stranger.say(&Stranger::hello(tick, 60_000), false);
        assert_eq!(stranger.fault(), Some(FaultCode::Limit), "hello in tick {tick}");
    }
    for (what, message, counted) in far_messages() {
        let mut stranger = Stranger::welcomed(&serving.address);
        stranger.say(&message, counted);
        assert_eq!(stranger.fault(), Some(FaultCode::Limit), "{what}");
        healthy_within(&serving, Duration::from_secs(5), what);
    }
    held_up_by_less_than_a_tick(&serving);
    serving.kill();
    let mut serving = Serving::start(&stage, "127.0.0.1:0", &["princess.story", "--metrics", "--journal", "journals"]);
    assert_eq!(serving.told["restored"], 5, "each session goes on without what was refused");
    healthy_within(&serving, Duration::from_secs(5), "after a restart");
    assert_eq!(serving.terminate(), Some(0));
}

#[test]
fn a_game_plays_on_beside_every_attack() {
    let stage = stage();
    let serving = Serving::start(&stage, "127.0.0.1:0", &["princess.story", "--metrics"]);
    let witness = Witness::start(&serving.address);
    let wait = || thread::sleep(Duration::from_millis(400));
    wait();
    // Eight hours in one report: the world follows in slices.
    let mut slept = Stranger::welcomed(&serving.address);
    slept.say(&ToDirector::Time { tick: 1_728_000, answers: None }, false);
    healthy_within(&serving, Duration::from_secs(2), "while a world catches up");
    // Twenty thousand saves.
    let mut saver = Stranger::welcomed(&serving.address);
    (0..20_000).for_each(|request| saver.say(&ToDirector::Save { request }, true));
    healthy_within(&serving, Duration::from_secs(2), "while saves are asked for");
    // Large frames of observations, in the past and of nothing.
    for fluent in ["player.location", "player.nowhere"] {
        let mut watcher = Stranger::welcomed(&serving.address);
        let observation = |at: usize| {
            let (value, from) = (Value::Name(["village", "castle"][at % 2].to_owned()), (at % 50) as Tick);
            Observation { fluent: fluent.to_owned(), value, from, to: None }
        };
        for _ in 0..20 {
            watcher.say(&ToDirector::Perceive { observations: (0..9_000).map(observation).collect() }, true);
        }
        healthy_within(&serving, Duration::from_secs(2), "while large frames come");
    }
    // Goals without end.
    let mut wisher = Stranger::welcomed(&serving.address);
    let goals: Vec<String> = (0..5_000).map(|at| format!("goal player.motivation == {at} by 500 ticks")).collect();
    (0..5).for_each(|_| wisher.say(&ToDirector::SetGoals { owner: None, goals: goals.clone() }, true));
    healthy_within(&serving, Duration::from_secs(2), "while goals come");
    wait();
    thread::sleep(Duration::from_secs(2));
    let played = witness.end();
    let expected = (played.tick - 180).max(0) as usize / 6;
    assert!(played.starts() >= expected * 8 / 10, "{} starts of {expected} in {} ticks", played.starts(), played.tick);
    assert!(played.on_time() * 10 >= played.starts() * 8, "{} of {} on time", played.on_time(), played.starts());
    held_up_by_less_than_a_tick(&serving);
}

/// A world in which something changes in every tick: none of them can be passed over.
const EMBERS: &str = "story \"Embers\" { ticks 60 per s }
type Actor { hands: actuator }
object ann, bob: Actor
fluent age: number 0..1000000000 = 0
rule ages { during age += 1 per tick }
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3 ticks }
";

#[test]
fn a_game_that_slept_for_eight_hours_plays_on_and_others_do_not_wait() {
    let stage = stage();
    stage.write("embers.story", EMBERS);
    let args = ["embers.story", "--metrics", "--gap", "300", "--tasks", "7000"];
    let serving = Serving::start(&stage, "127.0.0.1:0", &args);
    let mut player = Player::new(&serving.address, Codec::Binary, story("embers"));
    assert!(player.until(|player| player.starts() > 0));
    player.tick += 1_728_000;
    let before = player.starts();
    for _ in 0..30 {
        player.frame().expect("the link holds");
        healthy_within(&serving, Duration::from_secs(2), "while a world catches up");
    }
    assert!(player.until(|player| player.starts() > before), "the story goes on");
    held_up_by_less_than_a_tick(&serving);
}

#[test]
fn a_director_that_was_stopped_goes_on_as_before() {
    let stage = stage();
    let serving = Serving::start(&stage, "127.0.0.1:0", &[]);
    let mut player = Player::new(&serving.address, Codec::Binary, story("drill"));
    assert!(player.until(|player| player.starts() > 5));
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &serving.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    };
    let mut starts_in = |ticks: usize| {
        let before = player.starts();
        (0..ticks).for_each(|_| player.frame().expect("the link holds"));
        player.starts() - before
    };
    let before = starts_in(180);
    for ticks in [30, 120, 240] {
        signal("-STOP");
        starts_in(ticks);
        signal("-CONT");
        // It has two seconds to come back to where it was.
        starts_in(120);
        let after = starts_in(180);
        assert!(after * 10 >= before * 8, "{after} starts after a stop of {ticks} ticks, {before} before");
    }
}
