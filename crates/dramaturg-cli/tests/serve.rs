//! `dramaturg serve`: the real program, and games that connect to it over real sockets.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use dramaturg_executor::scripted::{Happening, What};
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::link::{AnyLink, Link, LinkError, LinkOptions, TcpLink, WebSocketLink};
use dramaturg_wire::{Codec, FaultCode, Frame, ToGame};

const DRILL: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator }
object ann, bob: Actor
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3 ticks }
";

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Serving {
    _stage: Stage,
    child: Child,
    address: String,
}

impl Serving {
    fn start(args: &[&str]) -> Self {
        let stage = Stage::with(&[("drill.story", DRILL), ("other.story", &DRILL.replace("Drill", "Other"))]);
        let start = ["serve", "drill.story", "--listen", "127.0.0.1:0", "--json", "--gap", "6"];
        let mut command = stage.command(&[&start[..], args].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it tells where it listens");
        let told: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let address = told["address"].as_str().expect("an address").to_owned();
        Self { _stage: stage, child, address }
    }

    fn http(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").expect("asked");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("answered");
        text
    }

    fn terminate(&mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("waited") {
                return status.code();
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A game that ticks 60 times a second.
struct Player {
    executor: Executor,
    game: ScriptedGame,
    link: AnyLink,
    tick: i64,
    seen: Vec<Happening>,
}

impl Player {
    fn new(address: &str, codec: Codec, options: ExecutorOptions) -> Self {
        let executor = Executor::new(ExecutorOptions { game: "test".to_owned(), codec, ..options });
        Self { executor, game: ScriptedGame::new(), link: link(address, codec), tick: 0, seen: Vec::new() }
    }

    fn frame(&mut self) -> Result<(), LinkError> {
        thread::sleep(Duration::from_micros(16_667));
        self.tick += 1;
        let went = self.executor.frame(self.tick, &mut self.game, &mut self.link);
        self.seen.extend(self.game.take_transcript());
        went
    }

    /// Ticks until something is so; false: it never was.
    fn until(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let went = self.frame();
            if is_so(self) {
                return true;
            }
            if went.is_err() {
                return false;
            }
        }
        false
    }

    fn starts(&self) -> usize {
        self.seen.iter().filter(|seen| matches!(seen.what, What::Started { .. })).count()
    }

    fn on_time(&self) -> usize {
        self.seen.iter().filter(|seen| matches!(seen.what, What::Started { late: 0, .. })).count()
    }

    fn faults(&self) -> Vec<FaultCode> {
        let fault = |seen: &Happening| match &seen.what {
            What::Fault(fault) => Some(fault.code),
            _ => None,
        };
        self.seen.iter().filter_map(fault).collect()
    }
}

fn link(address: &str, codec: Codec) -> AnyLink {
    let options = LinkOptions::new(codec);
    match codec {
        Codec::Binary => TcpLink::connect(address, options).expect("connected").into(),
        Codec::Json => WebSocketLink::connect(address, options).expect("connected").into(),
    }
}

fn story(name: &str) -> ExecutorOptions {
    ExecutorOptions { story: Some(name.to_owned()), ..ExecutorOptions::default() }
}

#[test]
fn two_games_at_once_have_a_session_each() {
    let serving = Serving::start(&["other.story", "--metrics"]);
    let mut players = [
        Player::new(&serving.address, Codec::Binary, story("drill")),
        Player::new(&serving.address, Codec::Json, story("Other")),
    ];
    let began = Instant::now();
    while players.iter().any(|player| player.starts() < 10) && began.elapsed() < PATIENCE {
        thread::scope(|scope| {
            players.iter_mut().for_each(|player| drop(scope.spawn(|| player.frame().expect("open"))))
        });
    }
    for player in &players {
        assert!(player.starts() >= 10, "{:?}", player.seen);
        assert!(player.on_time() * 10 >= player.starts() * 8, "{:?}", player.seen);
    }
    let [first, second] = &players;
    let (first, second) = (first.executor.session().expect("welcomed"), second.executor.session().expect("welcomed"));
    assert_ne!(first, second);
    assert_eq!(first.len(), 32, "nobody can guess {first}");
    assert!(serving.http("/health").contains("200 OK"));
    let metrics = serving.http("/metrics");
    assert!(metrics.contains("\ndramaturg_sessions 2\n"), "{metrics}");
    for name in ["frames_received_total", "tasks_total", "tasks_late_total", "tasks_missed_total", "tasks_lost"] {
        assert!(metrics.contains(&format!("\ndramaturg_{name} ")), "{name} in {metrics}");
    }
    let mut lost = Player::new(&serving.address, Codec::Binary, story("hamlet"));
    assert!(lost.until(|player| !player.faults().is_empty()));
    assert_eq!(lost.faults(), [FaultCode::Unknown]);
}

#[test]
fn only_who_shows_the_token_comes_in() {
    let serving = Serving::start(&["--token", "rosebud", "--metrics"]);
    for wrong in [None, Some("rosebu".to_owned())] {
        let options = ExecutorOptions { token: wrong, ..ExecutorOptions::default() };
        let mut player = Player::new(&serving.address, Codec::Binary, options);
        assert!(player.until(|player| !player.faults().is_empty()), "{:?}", player.seen);
        assert_eq!(player.faults(), [FaultCode::Token]);
        assert!(!player.executor.is_connected());
    }
    let options = ExecutorOptions { token: Some("rosebud".to_owned()), ..ExecutorOptions::default() };
    let mut player = Player::new(&serving.address, Codec::Binary, options);
    assert!(player.until(|player| player.executor.is_connected()), "{:?}", player.seen);
    assert!(serving.http("/metrics").contains("401"));
    let open = Stage::with(&[("drill.story", DRILL)]).run(&["serve", "drill.story", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.code, 2, "without a token only this machine may connect");
    assert!(open.err.contains("token"), "{}", open.err);
}

#[test]
fn garbage_is_told_once_and_closed_and_others_go_on() {
    let serving = Serving::start(&[]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 0));
    // Before any greeting.
    let mut stranger = TcpStream::connect(&serving.address).expect("connected");
    stranger.write_all(b"hello, is anybody there?\n").expect("written");
    let mut answer = Vec::new();
    stranger.read_to_end(&mut answer).expect("closed");
    assert!(!answer.is_empty());
    // Instead of hello; and after it, in a session that was welcomed.
    for greets in [false, true] {
        let mut bad = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
        if greets {
            assert!(bad.until(|bad| bad.executor.is_connected()));
        }
        let mut link = bad.link;
        for _ in 0..5 {
            link.send(&[0xFF; 40]).expect("sent");
        }
        let (began, mut faults, mut bytes) = (Instant::now(), Vec::new(), Vec::new());
        let closed = loop {
            match link.receive(&mut bytes) {
                Ok(true) => {
                    let frame: Frame<ToGame> = Codec::Binary.decode(&bytes).expect("a frame");
                    if let ToGame::Fault(fault) = frame.message {
                        faults.push(fault.code);
                    }
                }
                Ok(false) => thread::sleep(Duration::from_millis(1)),
                Err(error) => break error,
            }
            assert!(began.elapsed() < PATIENCE, "{faults:?}");
        };
        assert_eq!(faults, [FaultCode::Protocol], "greets: {greets}");
        assert!(closed.is_clean(), "{closed}");
    }
    let before = player.starts();
    assert!(player.until(|player| player.starts() > before), "the others go on");
}

#[test]
fn a_game_that_comes_back_goes_on_with_its_session() {
    let serving = Serving::start(&[]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 2));
    let session = player.executor.session().map(str::to_owned);
    player.link = link(&serving.address, Codec::Binary);
    player.executor.reconnect();
    let before = player.starts();
    assert!(player.until(|player| player.starts() > before + 3), "{:?}", player.seen);
    assert_eq!(player.executor.session().map(str::to_owned), session);
}

#[test]
fn sigterm_bids_goodbye_and_ends_with_0() {
    let mut serving = Serving::start(&[]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    let mut other = Player::new(&serving.address, Codec::Json, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 0) && other.until(|other| other.executor.is_connected()));
    assert_eq!(serving.terminate(), Some(0));
    for player in [&mut player, &mut other] {
        let bidden = |player: &Player| player.seen.iter().any(|seen| matches!(seen.what, What::Goodbye { .. }));
        assert!(player.until(bidden), "{:?}", player.seen);
    }
}
