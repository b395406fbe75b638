//! `dramaturg serve`: the real program, and games that connect to it over real sockets.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use common::player::{Player, link, story};
use common::serving::{DRILL, PATIENCE, Serving};
use dramaturg_executor::ExecutorOptions;
use dramaturg_executor::scripted::What;
use dramaturg_wire::link::Link;
use dramaturg_wire::{Codec, FaultCode, Frame, ToGame};

fn stage() -> Stage {
    Stage::with(&[("drill.story", DRILL), ("other.story", &DRILL.replace("Drill", "Other"))])
}

fn start(stage: &Stage, args: &[&str]) -> Serving {
    Serving::start(stage, "127.0.0.1:0", args)
}

#[test]
fn two_games_at_once_have_a_session_each() {
    let stage = stage();
    let serving = start(&stage, &["other.story", "--metrics"]);
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
    let stage = stage();
    let serving = start(&stage, &["--token", "rosebud", "--metrics"]);
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
    let stage = stage();
    let serving = start(&stage, &[]);
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
    let stage = stage();
    let serving = start(&stage, &[]);
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
    let stage = stage();
    let mut serving = start(&stage, &[]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    let mut other = Player::new(&serving.address, Codec::Json, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 0) && other.until(|other| other.executor.is_connected()));
    assert_eq!(serving.terminate(), Some(0));
    for player in [&mut player, &mut other] {
        let bidden = |player: &Player| player.seen.iter().any(|seen| matches!(seen.what, What::Goodbye { .. }));
        assert!(player.until(bidden), "{:?}", player.seen);
    }
}
