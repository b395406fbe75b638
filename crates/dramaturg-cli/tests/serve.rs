//! `dramaturg serve`: the real program, and games that connect to it over real sockets.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use common::player::{Player, link, story};
use common::serving::{DRILL, PATIENCE, Serving, ended};
use dramaturg_executor::ExecutorOptions;
use dramaturg_executor::scripted::What;
use dramaturg_wire::link::Link;
use dramaturg_wire::{Codec, FaultCode, Frame, ToDirector, ToGame};

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

/// What a process holds in memory just now.
#[cfg(target_os = "linux")]
fn resident_bytes(serving: &Serving) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("told");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<usize>().ok()).expect("a number") << 10
}

/// Sends bytes on a link that greets and says nothing else, as far as anybody takes them within a moment.
#[cfg(target_os = "linux")]
fn half_a_frame(address: &str, bytes: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(address).expect("connected");
    socket.set_write_timeout(Some(Duration::from_millis(20))).expect("a socket");
    socket.write_all(b"DRMT\0\0\x01\0").expect("greeted");
    socket.write_all(&(1_u32 << 20).to_le_bytes()).expect("claimed");
    let _ = socket.write_all(bytes);
    socket
}

#[cfg(target_os = "linux")]
#[test]
fn strangers_with_half_a_frame_cost_little_and_games_go_on() {
    let stage = stage();
    for token in [&["--token", "rosebud"][..], &[]] {
        let serving = start(&stage, token);
        let options = ExecutorOptions { token: Some("rosebud".to_owned()), ..ExecutorOptions::default() };
        let mut player = Player::new(&serving.address, Codec::Binary, options);
        assert!(player.until(|player| player.starts() > 0), "{:?}", player.seen);
        let before = resident_bytes(&serving);
        let half = vec![b'x'; (1 << 20) - 1];
        let strangers: Vec<TcpStream> = (0..150).map(|_| half_a_frame(&serving.address, &half)).collect();
        let mut most = 0;
        for _ in 0..60 {
            player.frame().expect("open");
            most = most.max(resident_bytes(&serving));
        }
        let grown = most.saturating_sub(before);
        // 16 MiB for all of them, twice for buffers that grow, what 150 links need in any case, and what the allocator
        // keeps of those that were given up meanwhile. Without a bound it would be 150 MiB, or twice that.
        assert!(grown < 96 << 20, "{grown} bytes");
        let starts = player.starts();
        assert!(player.until(|player| player.starts() > starts), "the game goes on");
        drop(strangers);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn frames_out_of_turn_cost_little() {
    let stage = stage();
    let serving = start(&stage, &[]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.executor.is_connected()));
    let before = resident_bytes(&serving);
    // Empty texts take one byte each on the way and many in memory.
    let goals = ToDirector::SetGoals { owner: None, goals: vec![String::new(); 1_000_000] };
    let (mut body, mut most) = (Vec::new(), 0);
    Codec::Binary.encode(&goals, &mut body);
    for number in 0..200 {
        let mut frame = Vec::new();
        Codec::Binary.wrap(1, 1_000 + number, 0, &body, &mut frame);
        player.link.send(&frame).expect("kept");
        let began = Instant::now();
        while !player.link.flush().expect("open") && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        most = most.max(resident_bytes(&serving));
    }
    let grown = most.saturating_sub(before);
    // One message of empty texts takes 24 MB, in each of the threads that a session is pumped in.
    assert!(grown < 160 << 20, "{grown} bytes for 200 frames of 1 MB");
}

#[test]
fn a_token_that_is_empty_is_wrong_usage() {
    let stage = stage();
    let run = stage.run(&["serve", "drill.story", "--listen", "127.0.0.1:0", "--token", ""]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("the token is empty") && run.err.contains("nobody guesses"), "{}", run.err);
    let mut command = stage.command(&["serve", "drill.story", "--listen", "127.0.0.1:0"]);
    let output = command.env("DRAMATURG_TOKEN", "").stdin(Stdio::null()).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    stage.write("token.txt", "\n");
    let run = stage.run(&["serve", "drill.story", "--listen", "127.0.0.1:0", "--token-file", "token.txt"]);
    assert_eq!(run.code, 2, "{}", run.err);
}

#[test]
fn what_cannot_be_used_is_told_with_its_cure() {
    let stage = stage();
    stage.write("garbled.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n");
    stage.write("key.pem", "nothing");
    let serve = ["serve", "drill.story", "--listen", "127.0.0.1:0"];
    let run = stage.run(&[&serve[..], &["--tls-cert", "garbled.pem", "--tls-key", "key.pem"]].concat());
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("garbled.pem") && run.err.contains("whole PEM file"), "{}", run.err);
    let run = stage.run(&[&serve[..], &["--tls-cert", "none.pem", "--tls-key", "key.pem"]].concat());
    assert_eq!(run.code, 20, "{}", run.err);
    stage.write("broken.story", "story \"Broken\"\naction a { then nothing_of_the_kind }\n");
    let run = stage.run(&["serve", "drill.story", "broken.story", "--listen", "127.0.0.1:0"]);
    assert_eq!(run.code, 1, "faults are told before anybody can connect: {}", run.out);
}

#[cfg(unix)]
#[test]
fn journals_that_may_not_be_written_are_told_before_anybody_plays() {
    use std::os::unix::fs::PermissionsExt;
    let stage = stage();
    let locked = stage.path("locked");
    std::fs::create_dir(&locked).expect("made");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).expect("locked");
    // Permissions do not bind everybody; a system has folders that do.
    let folders = [locked, "/sys/kernel".into(), "/proc/self".into()];
    let denied = |folder: &std::path::PathBuf| {
        let probe = std::fs::File::create(folder.join("probe"));
        probe.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
    };
    let Some(folder) = folders.iter().find(|folder| denied(folder)) else { panic!("everything may be written here") };
    let run = stage.run(&["serve", "drill.story", "--listen", "127.0.0.1:0", "--journal", &folder.to_string_lossy()]);
    assert_eq!(run.code, 20, "{}", run.err);
    assert!(run.err.contains("may be written") && run.err.contains("--journal"), "{}", run.err);
}

/// A story in which the next step is hard to find, so that making a stream of it takes a while.
fn slow() -> String {
    let places: Vec<String> = (0..120).map(|number| format!("p{number}")).collect();
    format!(
        "story \"Slow\" {{ ticks 60 per s }}\ntype Actor {{ place: {}; hands: actuator }}\nobject {}: Actor\n\
         action go(who: Actor) {{ takes 3600 ticks; uses who.hands; needs who.place == p0; then who.place = p1 }}\n\
         action back(who: Actor) {{ takes 3600 ticks; uses who.hands; needs who.place == p1; then who.place = p0 }}\n",
        places.join(" | "),
        (0..120).map(|number| format!("a{number}")).collect::<Vec<_>>().join(", "),
    )
}

#[test]
fn it_listens_at_once_and_games_wait_for_stories_that_take_long() {
    let stage = stage();
    stage.write("slow.story", slow());
    let began = Instant::now();
    let mut serving = start(&stage, &["slow.story", "--metrics", "--tasks", "200000"]);
    let listened = began.elapsed();
    assert_eq!(serving.told["ok"], true, "{}", serving.told);
    let preparing = serving.told["preparing"].as_array().expect("a list");
    assert!(preparing.iter().any(|name| name == "slow"), "{} after {listened:?}", serving.told);
    assert!(serving.http("/health").ends_with("preparing\n"));
    let mut waits = Player::new(&serving.address, Codec::Binary, story("slow"));
    for _ in 0..60 {
        waits.frame().expect("it waits");
    }
    assert!(!waits.executor.is_connected() && waits.faults().is_empty(), "{:?}", waits.seen);
    // SIGTERM does not wait for what is being prepared.
    assert_eq!(serving.terminate(), Some(0));
}

#[test]
fn a_game_that_waited_for_its_story_plays_it() {
    let stage = stage();
    stage.write("slow.story", slow());
    let mut serving = start(&stage, &["slow.story", "--metrics", "--tasks", "600"]);
    let mut game =
        stage.command(&["run", "slow.story", "--connect", &serving.address, "--ticks", "600", "--json", "--quiet"]);
    let mut game = game.stdout(Stdio::piped()).spawn().expect("it runs");
    assert_eq!(ended(&mut game), Some(0));
    let mut told = String::new();
    game.stdout.take().expect("piped").read_to_string(&mut told).expect("read");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert!(told["started"].as_u64() > Some(0), "{told}");
    assert_eq!(serving.terminate(), Some(0));
}

#[test]
fn nobody_is_turned_away_who_has_said_goodbye() {
    let stage = stage();
    let mut serving = start(&stage, &[]);
    let games: Vec<_> = (0..8)
        .map(|_| {
            let args = ["run", "drill.story", "--connect", &serving.address, "--ticks", "240", "--json", "--quiet"];
            stage.command(&args).stdout(Stdio::null()).spawn().expect("it runs")
        })
        .collect();
    for mut game in games {
        assert_eq!(ended(&mut game), Some(0));
    }
    assert_eq!(serving.terminate(), Some(0));
    let log = stage.read("serve.log");
    assert!(!log.contains("turned away"), "{log}");
}

#[test]
fn names_that_games_choose_are_cut_in_the_log() {
    let stage = stage();
    let mut serving = start(&stage, &[]);
    let options = ExecutorOptions { game: "ignored".to_owned(), ..ExecutorOptions::default() };
    let mut player = Player::new(&serving.address, Codec::Binary, options);
    // The player has its own name; this one says hello by hand.
    let hello = dramaturg_wire::Hello {
        version: dramaturg_wire::VERSION,
        token: None,
        story: Some(format!("\u{1b}[2J\n2026-01-01 ERROR forged {}", "x".repeat(900))),
        game: "y".repeat(1000),
        call: 1,
        tick: 0,
        rate_milli: 60_000,
        resume: None,
    };
    let mut say = |hello: dramaturg_wire::Hello| {
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        Codec::Binary.encode(&ToDirector::Hello(Box::new(hello)), &mut body);
        Codec::Binary.wrap(0, 0, 0, &body, &mut frame);
        player.link = link(&serving.address, Codec::Binary);
        player.link.send(&frame).expect("kept");
        let (began, mut bytes) = (Instant::now(), Vec::new());
        while !player.link.receive(&mut bytes).expect("open") {
            assert!(began.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(1));
        }
    };
    say(hello.clone());
    say(dramaturg_wire::Hello { story: None, ..hello });
    assert_eq!(serving.terminate(), Some(0));
    let log = stage.read("serve.log");
    assert!(log.lines().all(|line| line.len() < 600), "{log}");
    assert!(
        log.contains("turned away")
            && !log.contains('\u{1b}')
            && !log.lines().any(|line| line.starts_with("2026-01-01")),
        "{log}"
    );
}
