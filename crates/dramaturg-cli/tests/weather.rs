//! `dramaturg serve` in bad weather: strangers, floods, silence, cuts and delays between real processes.

mod common;

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::Stage;
use common::player::{Player, link};
use common::serving::{DRILL, PATIENCE, Serving, ended};
use dramaturg_executor::scripted::What;
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::link::{ClientTls, FaultProxy, Faults, Link, LinkOptions, TcpLink};
use dramaturg_wire::{Codec, FaultCode, Frame, ToGame};

fn stage() -> Stage {
    Stage::with(&[("drill.story", DRILL)])
}

fn start(stage: &Stage, args: &[&str]) -> Serving {
    Serving::start(stage, "127.0.0.1:0", args)
}

/// Looks again and again until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn with_a_certificate_who_trusts_it_plays_encrypted() {
    let stage = stage();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    stage.write("cert.pem", made.cert.pem());
    stage.write("key.pem", made.signing_key.serialize_pem());
    let serving = start(&stage, &["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
    assert_eq!(serving.told["encrypted"], true);
    let trust = ClientTls::trusting(made.cert.pem().as_bytes()).expect("trust").named("localhost");
    let options = LinkOptions::default().with_tls(trust);
    let mut player = Player {
        executor: Executor::new(ExecutorOptions::default()),
        game: ScriptedGame::new(),
        link: TcpLink::connect(&serving.address, options).expect("connected").into(),
        tick: 0,
        seen: Vec::new(),
    };
    assert!(player.until(|player| player.starts() > 3), "{:?}\n{}", player.seen, stage.read("serve.log"));
    // From this machine one may also talk plainly.
    let mut plain = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(plain.until(|plain| plain.executor.is_connected()), "{:?}", plain.seen);
    // One who trusts somebody else turns away.
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let trust = ClientTls::trusting(other.cert.pem().as_bytes()).expect("trust").named("localhost");
    let mut wary = TcpLink::connect(&serving.address, LinkOptions::default().with_tls(trust)).expect("connected");
    let mut frame = Vec::new();
    until("a refusal", || wary.receive(&mut frame).is_err_and(|error| error.to_string().contains("certificate")));
    let before = player.starts();
    assert!(player.until(|player| player.starts() > before + 3), "the first goes on");
    // So does the command.
    stage.write("other.pem", other.cert.pem());
    let play = |trusted: &str| {
        let args = ["run", "drill.story", "--connect", &serving.address, "--tls-trust", trusted, "--tls-name"];
        let more = ["localhost", "--ticks", "150", "--patience", "1", "--json"];
        let output = stage.command(&args).args(more).output().expect("the program runs");
        let report = serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON");
        (output.status.code(), report)
    };
    let (code, report) = play("cert.pem");
    assert!(code == Some(0) && report["started"].as_u64() > Some(0), "{code:?} {report}");
    let (code, report) = play("other.pem");
    let trouble = report["trouble"].as_str().unwrap_or_default();
    assert!(code != Some(0) && trouble.contains("certificate") && report["started"] == 0, "{code:?} {report}");
}

#[test]
fn a_flood_is_closed_with_one_error_and_others_do_not_feel_it() {
    let stage = stage();
    let serving = start(&stage, &["--max-frames", "500", "--metrics"]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 2));
    let mut flood = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(flood.until(|flood| flood.executor.is_connected()));
    let address = serving.address.clone();
    let flooding = thread::spawn(move || {
        let (mut link, mut faults, mut bytes) = (flood.link, Vec::new(), Vec::new());
        // A frame of an epoch that never was: it is heard and ignored.
        let mut frame = Vec::new();
        Codec::Binary.wrap(99, 0, 0, &[11], &mut frame);
        let began = Instant::now();
        let error = 'link: loop {
            assert!(began.elapsed() < PATIENCE, "nobody minds: {faults:?} at {address}");
            for _ in 0..200 {
                let _ = link.send(&frame);
            }
            loop {
                match link.receive(&mut bytes) {
                    Ok(true) => {
                        let frame: Frame<ToGame> = Codec::Binary.decode(&bytes).expect("a frame");
                        if let ToGame::Fault(fault) = frame.message {
                            faults.push(fault);
                        }
                    }
                    Ok(false) => break,
                    Err(error) => break 'link error,
                }
            }
        };
        (faults, error)
    });
    let (before, seen) = (player.starts(), player.seen.len());
    assert!(player.until(|player| player.starts() >= before + 30), "{:?}", player.seen);
    let (faults, _) = flooding.join().expect("it ends");
    let [fault] = faults.as_slice() else { panic!("one clear error: {faults:?}") };
    assert_eq!(fault.code, FaultCode::Limit);
    assert!(fault.message.contains("500 frames a second"), "{}", fault.message);
    let late = |what: &What| matches!(what, What::Started { late: 4.., .. });
    assert!(player.seen[seen..].iter().all(|seen| !late(&seen.what)), "undisturbed: {:?}", &player.seen[seen..]);
    assert_eq!(player.faults(), []);
    let metrics = serving.http("/metrics");
    assert!(metrics.contains("\ndramaturg_sessions 2\n"), "its session waits for it to come back: {metrics}");
    assert!(metrics.contains("\ndramaturg_sessions_connected 1\n"), "{metrics}");
}

#[test]
fn a_silent_link_is_dropped_and_its_session_with_time() {
    let stage = stage();
    let serving = start(&stage, &["--idle", "1", "--linger", "1", "--metrics", "--journal", "journals"]);
    let mut player = Player::new(&serving.address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 0));
    // It falls silent, but reads.
    let mut bytes = Vec::new();
    let mut faults = Vec::new();
    until("an end", || {
        loop {
            match player.link.receive(&mut bytes) {
                Ok(true) => {
                    let frame: Frame<ToGame> = Codec::Binary.decode(&bytes).expect("a frame");
                    if let ToGame::Fault(fault) = frame.message {
                        faults.push(fault.code);
                    }
                }
                Ok(false) => return false,
                Err(_) => return true,
            }
        }
    });
    assert_eq!(faults, [FaultCode::Limit], "it is told why");
    until("the end of the session", || serving.http("/metrics").contains("\ndramaturg_sessions 0\n"));
    let ended: Vec<_> = fs::read_dir(stage.path("journals/ended")).expect("put aside").flatten().collect();
    assert_eq!(ended.len(), 1);
    let why = fs::read_to_string(ended[0].path().join("reason")).expect("a reason");
    assert!(why.contains("did not come back"), "{why}");
}

fn game(stage: &Stage, address: &str, ticks: &str) -> Child {
    let args = ["run", "drill.story", "--connect", address, "--ticks", ticks, "--json", "--transcript", "game.jsonl"];
    stage.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
}

/// Two processes, and between them everything that a line can do.
#[test]
fn cuts_delays_and_half_open_lines_lose_nothing_between_processes() {
    let stage = stage();
    let serving = start(&stage, &["--journal", "journals", "--tasks", "70", "--idle", "2"]);
    let far = serving.address.parse().expect("an address");
    let proxy = FaultProxy::start(far, Faults { delay_milliseconds: 10, jitter_milliseconds: 30, ..Faults::default() });
    let proxy = proxy.expect("a proxy");
    let mut child = game(&stage, &proxy.address().to_string(), "900");
    thread::sleep(Duration::from_millis(2_500));
    for _ in 0..3 {
        proxy.cut();
        thread::sleep(Duration::from_millis(700));
    }
    // Neither side hears of it: the director notices the silence, closes, and the game comes back.
    proxy.set_half_open(true);
    thread::sleep(Duration::from_millis(3_000));
    proxy.cut();
    proxy.set_half_open(false);
    proxy.set_faults(Faults { delay_milliseconds: 5, cut_after_bytes: 6_000, seed: 5, ..Faults::default() });
    thread::sleep(Duration::from_millis(2_000));
    proxy.set_faults(Faults::default());
    assert_eq!(ended(&mut child), Some(0), "the game ends in order");
    assert!(proxy.connections() > 4 && proxy.cuts() > 3, "{} {}", proxy.connections(), proxy.cuts());
    let log = stage.read("game.jsonl");
    let mut starts: Vec<(u64, u64)> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|line| line["what"] == "started")
        .map(|line| (line["step"].as_u64().expect("a step"), line["part"].as_u64().expect("a part")))
        .collect();
    let count = starts.len();
    starts.sort_unstable();
    starts.dedup();
    assert_eq!(starts.len(), count, "nothing ran twice");
    let journal = fs::read_dir(stage.path("journals/ended")).expect("ended").flatten().next().expect("one").path();
    let replay = stage.run(&["replay", &journal.display().to_string(), "--events", "events.jsonl"]);
    assert_eq!(replay.code, 0, "{}{}", replay.out, replay.err);
    let events = stage.read("events.jsonl");
    let of = |kind: &str| events.lines().filter(|line| line.contains(kind)).count();
    assert!(of("\"event\":\"connected\"") > 4, "it came back again and again");
    let ends = events.lines().filter(|line| {
        line.contains("\"event\":\"status\"")
            && !["\"accepted\"", "\"started\"", "\"progress\"", "\"amended\""].iter().any(|kind| line.contains(kind))
    });
    assert_eq!(ends.count(), of("\"event\":\"dispatched\""), "everything that was sent has one end");
    assert!(count >= 60, "only {count} were started");
}

#[test]
fn a_director_that_ends_in_order_goes_on_with_its_sessions_when_it_is_started_again() {
    let stage = stage();
    let args = ["--journal", "journals", "--metrics", "--sync", "each"];
    let mut serving = start(&stage, &args);
    let address = serving.address.clone();
    let mut player = Player::new(&address, Codec::Binary, ExecutorOptions::default());
    assert!(player.until(|player| player.starts() > 3), "{:?}", player.seen);
    let session = player.executor.session().map(str::to_owned);
    assert_eq!(serving.terminate(), Some(0));
    let bidden = |player: &Player| player.seen.iter().any(|seen| matches!(seen.what, What::Goodbye { .. }));
    assert!(player.until(bidden), "{:?}", player.seen);
    let serving = Serving::start(&stage, &address, &args);
    assert_eq!(serving.told["restored"], 1);
    assert!(serving.http("/metrics").contains("\ndramaturg_sessions_restored_total 1\n"));
    player.link = link(&address, Codec::Binary);
    player.executor.reconnect();
    let before = player.starts();
    assert!(player.until(|player| player.starts() > before + 3), "{:?}", player.seen);
    assert_eq!(player.executor.session().map(str::to_owned), session);
    // A folder that cannot be one is said at once.
    stage.write("file", "");
    let run = stage.run(&["serve", "drill.story", "--listen", "127.0.0.1:0", "--journal", "file/journals"]);
    assert_eq!(run.code, 20, "{}", run.err);
    assert_eq!(stage.run(&["serve", "drill.story", "--journal", "j", "--sync", "soon"]).code, 2);
}
