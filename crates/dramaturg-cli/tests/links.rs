//! `dramaturg run --connect` when the link dies without a word, the director is stopped or silent, or nobody is there.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use common::serving::{DRILL, PATIENCE, Serving, ended};
use serde_json::Value;

/// Passes connections on. Each of the first so many turns into a black hole after so long: nothing passes any more, and
/// nothing is closed.
struct BlackHole {
    address: SocketAddr,
    links: Arc<AtomicU64>,
}

impl BlackHole {
    fn start(target: &str, holes: u64, after: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let links = Arc::new(AtomicU64::new(0));
        let (counted, target) = (Arc::clone(&links), target.to_owned());
        thread::spawn(move || {
            for near in listener.incoming() {
                let Ok(near) = near else { return };
                let swallows = counted.fetch_add(1, Ordering::SeqCst) < holes;
                let far = TcpStream::connect(&target).expect("the director");
                let began = Instant::now();
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    thread::spawn(move || pipe(from, to, swallows.then_some((began, after))));
                }
            }
        });
        Self { address, links }
    }

    fn links(&self) -> u64 {
        self.links.load(Ordering::SeqCst)
    }
}

fn pipe(mut from: TcpStream, mut to: TcpStream, hole: Option<(Instant, Duration)>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if hole.is_none_or(|(began, after)| began.elapsed() < after) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    if hole.is_some() {
        // Whoever closes his end is not told on to the other.
        thread::sleep(PATIENCE);
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

fn stage() -> Stage {
    Stage::with(&[("drill.story", DRILL)])
}

fn game(stage: &Stage, address: &str, ticks: &str, more: &[&str]) -> Child {
    let args = ["run", "drill.story", "--connect", address, "--ticks", ticks, "--json", "--transcript", "game.jsonl"];
    let out = File::create(stage.path("game.out")).expect("a file");
    stage.command(&args).args(more).stdout(out).stderr(Stdio::null()).spawn().expect("the program runs")
}

fn report(stage: &Stage) -> Value {
    let text = stage.read("game.out");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The ticks in which the game started something.
fn starts(stage: &Stage) -> Vec<i64> {
    let lines = stage.read("game.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|line| line["what"] == "started").map(|line| line["tick"].as_i64().expect("a tick")).collect()
}

fn once_each(stage: &Stage) {
    let lines = stage.read("game.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut tasks: Vec<String> = lines
        .filter(|line| line["what"] == "started")
        .map(|line| format!("{}.{}", line["step"], line["part"]))
        .collect();
    let count = tasks.len();
    tasks.sort_unstable();
    tasks.dedup();
    assert_eq!(tasks.len(), count, "nothing ran twice");
}

#[test]
fn a_link_that_swallows_everything_is_given_up_for_another() {
    let stage = stage();
    // The director would wait for a minute: it is the game that notices.
    let serving = Serving::start(&stage, "127.0.0.1:0", &["--idle", "60"]);
    let hole = BlackHole::start(&serving.address, 1, Duration::from_secs(2));
    let mut child = game(&stage, &hole.address.to_string(), "900", &["--idle", "3"]);
    assert_eq!(ended(&mut child), Some(0), "{}", stage.read("game.out"));
    let (report, starts) = (report(&stage), starts(&stage));
    assert_eq!(report["connected"], 2, "one new link, and no more: {report}");
    // One more at most, to hear whether the goodbye has arrived.
    assert!((2..=3).contains(&hole.links()), "{} links", hole.links());
    let silent = starts.windows(2).map(|pair| pair[1] - pair[0]).max().expect("starts");
    // Three seconds until it is noticed, and what the machine takes beside the rest of the tests.
    assert!((120..480).contains(&silent), "{silent} ticks without a start: {starts:?}");
    assert!(starts.last() > Some(&780), "it goes on to the end: {starts:?}");
    once_each(&stage);
}

#[test]
fn a_director_that_is_stopped_for_a_moment_keeps_its_link() {
    let stage = stage();
    let serving = Serving::start(&stage, "127.0.0.1:0", &[]);
    let hole = BlackHole::start(&serving.address, 0, Duration::ZERO);
    let mut child = game(&stage, &hole.address.to_string(), "600", &[]);
    thread::sleep(Duration::from_secs(3));
    signal(&serving, "-STOP");
    thread::sleep(Duration::from_secs(2));
    signal(&serving, "-CONT");
    assert_eq!(ended(&mut child), Some(0), "{}", stage.read("game.out"));
    let report = report(&stage);
    assert_eq!(report["connected"], 1, "{report}");
}

#[test]
fn a_director_that_is_stopped_for_long_is_not_overrun() {
    let stage = stage();
    let serving = Serving::start(&stage, "127.0.0.1:0", &[]);
    let hole = BlackHole::start(&serving.address, 0, Duration::ZERO);
    let mut child = game(&stage, &hole.address.to_string(), "1200", &["--idle", "1"]);
    thread::sleep(Duration::from_secs(3));
    signal(&serving, "-STOP");
    thread::sleep(Duration::from_secs(8));
    signal(&serving, "-CONT");
    assert_eq!(ended(&mut child), Some(0), "{}", stage.read("game.out"));
    let report = report(&stage);
    // One a second at most, and those that the stop itself cost.
    assert!((2..=10).contains(&hole.links()), "{} links: {report}", hole.links());
    assert!(starts(&stage).last() > Some(&900), "it goes on: {:?}", starts(&stage));
    once_each(&stage);
}

fn signal(serving: &Serving, signal: &str) {
    let sent = Command::new("kill").args([signal, &serving.child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

#[test]
fn a_game_that_performed_nothing_is_not_ok() {
    let stage = stage();
    let run = |address: &str, ticks: &str, more: &[&str]| {
        let args = ["run", "drill.story", "--connect", address, "--ticks", ticks];
        let (code, json) = stage.json(&[&args[..], more].concat());
        let told = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(json["ok"], code == 0, "{json}");
        (code, told("trouble"), told("hint"))
    };
    // Nobody listens, and the ticks are over before the patience is.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let nowhere = port.local_addr().expect("an address").to_string();
    drop(port);
    let (code, trouble, hint) = run(&nowhere, "30", &[]);
    assert_eq!(code, 20, "{trouble}");
    assert!(trouble.contains("performed nothing") && trouble.contains(&nowhere), "{trouble}");
    assert!(trouble.contains("refused") && hint.contains("dramaturg serve"), "{trouble}: {hint}");
    // Somebody listens who never answers.
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (code, trouble, _) = run(&mute.local_addr().expect("an address").to_string(), "90", &["--idle", "1"]);
    assert!(code == 20 && trouble.contains("nothing came for"), "{code} {trouble}");
    // A director answers, but the game is over before it has anything done.
    let serving = Serving::start(&stage, "127.0.0.1:0", &[]);
    let (code, trouble, hint) = run(&serving.address, "3", &[]);
    assert_eq!(code, 1, "{trouble}");
    assert!(trouble.contains("performed nothing") && hint.contains("--ticks"), "{trouble}: {hint}");
    let (code, trouble, _) = run(&serving.address, "240", &[]);
    assert_eq!((code, trouble.as_str()), (0, ""));
    // In words.
    let told = stage.run(&["run", "drill.story", "--connect", &nowhere, "--ticks", "30", "--quiet"]);
    assert_eq!(told.code, 20);
    assert!(
        told.err.contains("error: the game performed nothing") && told.err.contains("help: start it"),
        "{}",
        told.err
    );
}

#[test]
fn a_game_goes_on_from_its_save_whatever_its_clock_says() {
    const HOUR: i64 = 3_600_000_000;
    // What the clock of the second life shows, against that of the first; and whether the system tells how long it has
    // been running.
    for (set, tells_uptime) in [(-HOUR, true), (-HOUR, false), (HOUR, true), (HOUR, false), (0, false)] {
        let stage = stage();
        let serving = Serving::start(&stage, "127.0.0.1:0", &[]);
        let saving = ["--save", "game.save", "--save-every", "20"];
        let mut child = game(&stage, &serving.address, "3000", &saving);
        let began = Instant::now();
        while !stage.path("game.jsonl").exists() || starts(&stage).len() < 8 {
            assert!(began.elapsed() < PATIENCE, "nothing is started");
            thread::sleep(Duration::from_millis(20));
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        let (before, last) = (starts(&stage).len(), *starts(&stage).last().expect("one"));
        // A clock that is set forward is one by which the save was made earlier.
        let mut save: Value = serde_json::from_str(&stage.read("game.save")).expect("JSON");
        let made = save["made"].as_i64().expect("a time");
        save["made"] = (made - set).into();
        if !tells_uptime {
            save.as_object_mut().expect("an object").remove("boot");
        }
        stage.write("game.save", save.to_string());
        let end = (last + 400).to_string();
        let mut child = game(&stage, &serving.address, &end, &saving);
        assert_eq!(ended(&mut child), Some(0), "{set} {tells_uptime}: {}", stage.read("game.out"));
        let (report, starts) = (report(&stage), starts(&stage));
        assert!(starts.len() >= before + 8, "{set} {tells_uptime}: {report} {starts:?}");
        assert!(starts[before] < last + 300, "{set} {tells_uptime}: it goes on soon: {last} {starts:?}");
        once_each(&stage);
    }
}

#[test]
fn options_that_cannot_apply_are_refused() {
    let plan = "10: (beat ann) [4]\n";
    let stage = Stage::with(&[("drill.story", DRILL), ("bell.story", common::BELL), ("drill.plan", plan)]);
    let connect = ["--connect", "127.0.0.1:1"];
    let refused = |story: &str, args: &[&str], names: &[&str]| {
        let run = stage.run(&[&["run", story], args].concat());
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.out, run.err);
        for name in names {
            assert!(run.err.contains(name), "{name} for {args:?} in {}", run.err);
        }
    };
    for elsewhere in [
        &["--plan", "drill.plan"][..],
        &["--tasks", "5"],
        &["--once"],
        &["--fail", "3"],
        &["--game", "simulated-player"],
        &["--lockstep"],
        &["--omega", "30"],
        &["--upsilon", "6"],
        &["--mu", "1"],
        &["--policy", "paper"],
        &["--journal", "j"],
        &["--events", "e.jsonl"],
        &["--report", "r.json"],
        &["--plot", "p.svg"],
        &["--link", "inline"],
        &["--link", "threads"],
    ] {
        refused("drill.story", &[&connect[..], elsewhere].concat(), &["--connect", elsewhere[0]]);
    }
    for alone in [
        &["--token", "word"][..],
        &["--save", "s"],
        &["--transcript", "t"],
        &["--patience", "3"],
        &["--idle", "3"],
        &["--tls-trust", "cert.pem"],
    ] {
        refused("drill.story", alone, &["--connect", alone[0]]);
    }
    refused("drill.story", &[&connect[..], &["--save-every", "9"]].concat(), &["--save", "--save-every"]);
    refused("drill.story", &[&connect[..], &["--tls-name", "n"]].concat(), &["--tls-trust", "--tls-name"]);
    refused("drill.story", &["--sync", "each"], &["--journal", "--sync"]);
    refused("drill.story", &["--plan", "drill.plan", "--tasks", "5"], &["--plan", "--tasks"]);
    refused("drill.story", &["--lockstep", "--mu", "measured"], &["--mu measured", "--lockstep", "--mu 1"]);
    refused("drill.story", &["--tasks", "0"], &["--tasks"]);
    refused("bell.story", &["--fail", "3", "--ticks", "60"], &["--fail", "--tasks"]);
    refused("drill.story", &[&connect[..], &["--token", ""]].concat(), &["--token", "empty"]);
    let empty = stage.command(&["run", "drill.story", "--connect", "127.0.0.1:1"]).env("DRAMATURG_TOKEN", "").output();
    let empty = empty.expect("the program runs");
    assert_eq!(empty.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&empty.stderr).contains("DRAMATURG_TOKEN"), "{empty:?}");
    // Who has a token in the environment may still run without a director elsewhere.
    let alone = ["run", "drill.story", "--lockstep", "--tasks", "5", "--quiet"];
    let ran = stage.command(&alone).env("DRAMATURG_TOKEN", "word").output().expect("the program runs");
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}
