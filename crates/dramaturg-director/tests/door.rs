//! Who comes in, who waits, who makes way, and what one game may ask for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use dramaturg_director::core::DEFERRED_BYTES_MAX;
use dramaturg_director::save::{SAVE_PAUSE_MICROS, SAVE_REFUSALS_MAX};
use dramaturg_director::shell::server::{
    GAME_BYTES_MAX, HELLO, KEPT_BYTES_SUM_MAX, NEW_HELLO_BYTES_MAX, Opening, SESSION_BYTES_MAX, TASKS_MAX,
    WAITING_HELLOS_MAX,
};
use dramaturg_director::shell::{Served, Server, ServerOptions, SessionOptions};
use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input};
use dramaturg_model::{Model, Plan};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_wire::link::{Link, LinkError, LinkOptions, ListenOptions, Listener, TcpLink};
use dramaturg_wire::{
    Codec, Fault, FaultCode, Frame, Hello, Resume, Status, Task, TaskRecord, TaskState, ToDirector, ToGame, VERSION,
    Welcome,
};

const STORY: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator }
object ann: Actor
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3000 ticks }
";
const PATIENCE: Duration = Duration::from_secs(30);

fn served(name: &str) -> Served {
    let model: Arc<Model> = Arc::new(dramaturg_story::compile_text("drill.story", STORY).model);
    Served {
        names: vec![name.to_owned()],
        options: SessionOptions::default(),
        open: Box::new(move |session, codec| {
            let options = DirectorOptions { session: session.to_owned(), codec, omega: 6, ..Default::default() };
            let mut plan = Plan::default();
            plan.add("beat", ["ann"], 30, 4);
            let planner = Scripted::performing(Arc::clone(&model), &plan, ScriptOptions::default());
            Ok(Opening {
                director: Director::new(
                    Core::new(Arc::clone(&model), options),
                    Box::new(planner),
                    dramaturg_planners::loader(),
                ),
                journal: None,
            })
        }),
    }
}

/// A server, and where it listens.
fn start(names: &[&str], options: ServerOptions) -> (Server, String) {
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let address = listener.address().to_string();
    let served = names.iter().map(|name| served(name)).collect();
    (Server::new(listener, served, options).expect("serving"), address)
}

fn hello() -> Hello {
    Hello {
        version: VERSION,
        token: None,
        story: None,
        game: "test".to_owned(),
        call: 1,
        tick: 0,
        rate_milli: 60_000,
        resume: None,
    }
}

fn resume(session: &str) -> Hello {
    let resume = Resume { session: session.to_owned(), epoch: 1, received: 0, restored: false, tasks: Vec::new() };
    Hello { call: 2, resume: Some(resume), ..hello() }
}

fn frame(epoch: u32, seq: u64, message: &ToDirector) -> Vec<u8> {
    let (mut body, mut frame) = (Vec::new(), Vec::new());
    Codec::Binary.encode(message, &mut body);
    Codec::Binary.wrap(epoch, seq, 0, &body, &mut frame);
    frame
}

/// A game that says what a test wants it to say.
struct Guest {
    link: TcpLink,
    heard: Vec<ToGame>,
    ended: Option<LinkError>,
    sent: u64,
}

impl Guest {
    fn new(address: &str, hello: Hello) -> Self {
        let mut link = TcpLink::connect(address, LinkOptions::default()).expect("connecting");
        link.send(&frame(0, 0, &ToDirector::Hello(Box::new(hello)))).expect("kept");
        Self { link, heard: Vec::new(), ended: None, sent: 0 }
    }

    fn say(&mut self, message: &ToDirector) {
        self.sent += 1;
        self.link.send(&frame(1, self.sent, message)).expect("kept");
    }

    fn listen(&mut self) {
        let mut bytes = Vec::new();
        while self.ended.is_none() {
            match self.link.receive(&mut bytes) {
                Ok(true) => {
                    let frame: Frame<ToGame> = Codec::Binary.decode(&bytes).expect("a frame");
                    self.heard.push(frame.message);
                }
                Ok(false) => return,
                Err(error) => self.ended = Some(error),
            }
        }
    }

    fn welcome(&self) -> Option<&Welcome> {
        self.heard.iter().find_map(|heard| if let ToGame::Welcome(welcome) = heard { Some(&**welcome) } else { None })
    }

    fn faults(&self) -> Vec<&Fault> {
        self.heard
            .iter()
            .filter_map(|heard| if let ToGame::Fault(fault) = heard { Some(fault) } else { None })
            .collect()
    }

    /// Performs the first task.
    fn start_task(&mut self) {
        let started = dramaturg_wire::Outcome::Started { late: 0 };
        let execute =
            self.heard.iter().find_map(|heard| if let ToGame::Execute(execute) = heard { Some(execute) } else { None });
        let (task, version) = execute.map(|execute| (execute.task, execute.version)).expect("a task");
        self.say(&ToDirector::Status(Status { task, version, tick: 30, outcome: started, observations: Vec::new() }));
    }
}

/// Lets both sides go on until something is so.
fn until<T>(
    server: &mut Server,
    guests: &mut [&mut Guest],
    what: &str,
    mut is_so: impl FnMut(&[&mut Guest], &Server) -> Option<T>,
) -> T {
    let began = Instant::now();
    loop {
        server.turn(Duration::from_millis(2)).expect("serving");
        guests.iter_mut().for_each(|guest| guest.listen());
        if let Some(found) = is_so(guests, server) {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what} never came");
    }
}

fn welcomed(server: &mut Server, guest: &mut Guest) -> String {
    until(server, &mut [guest], "a welcome", |guests, _| guests[0].welcome().map(|welcome| welcome.session.clone()))
}

fn refused(server: &mut Server, guest: &mut Guest) -> Fault {
    until(server, &mut [guest], "a fault", |guests, _| guests[0].faults().first().map(|fault| (*fault).clone()))
}

#[test]
fn a_session_whose_link_broke_for_a_moment_is_not_given_to_others() {
    let (mut server, address) = start(&["drill"], ServerOptions { sessions_max: 5, ..ServerOptions::default() });
    let mut victim = Guest::new(&address, hello());
    let name = welcomed(&mut server, &mut victim);
    drop(victim);
    let mut welcomes = 0;
    for _ in 0..12 {
        let mut stranger = Guest::new(&address, hello());
        let said = until(&mut server, &mut [&mut stranger], "an answer", |guests, _| {
            guests[0].faults().first().map(|fault| Some((*fault).clone())).or(guests[0].welcome().map(|_| None))
        });
        match said {
            None => welcomes += 1,
            Some(fault) => {
                assert_eq!(fault.code, FaultCode::Limit);
                let seconds = fault.message.split(' ').rev().nth(1).and_then(|word| word.parse::<u32>().ok());
                assert!(seconds.is_some_and(|seconds| (1..=30).contains(&seconds)), "{}", fault.message);
            }
        }
    }
    assert_eq!(welcomes, 4, "the other places");
    let mut back = Guest::new(&address, resume(&name));
    assert_eq!(welcomed(&mut server, &mut back), name);
}

#[test]
fn a_server_whose_games_are_all_there_says_later() {
    let (mut server, address) = start(&["drill"], ServerOptions { sessions_max: 1, ..ServerOptions::default() });
    let mut first = Guest::new(&address, hello());
    welcomed(&mut server, &mut first);
    let fault = refused(&mut server, &mut Guest::new(&address, hello()));
    assert!(fault.code == FaultCode::Limit && fault.message.ends_with("try again later"), "{}", fault.message);
}

#[test]
fn sessions_that_nobody_played_are_gone_soon_and_others_stay() {
    // Both would stay for a minute; the one that was never played goes after half of that, and this test waits for it.
    let (mut server, address) = start(&["drill"], ServerOptions { linger_seconds: 60, ..ServerOptions::default() });
    let mut played = Guest::new(&address, hello());
    welcomed(&mut server, &mut played);
    until(&mut server, &mut [&mut played], "a task", |guests, _| {
        guests[0].heard.iter().any(|heard| matches!(heard, ToGame::Execute(_))).then_some(())
    });
    played.start_task();
    until(&mut server, &mut [&mut played], "the report", |_, server| {
        server.sessions().any(|session| session.has_started()).then_some(())
    });
    let mut idle = Guest::new(&address, hello());
    welcomed(&mut server, &mut idle);
    drop((played, idle));
    let began = Instant::now();
    while server.metrics().sessions() == 2 {
        assert!(began.elapsed() < Duration::from_secs(50), "the one that was never played stays");
        server.turn(Duration::from_millis(50)).expect("serving");
    }
    assert!(began.elapsed() > Duration::from_secs(25), "{:?}", began.elapsed());
    assert!(server.sessions().all(|session| session.has_started()), "the one that was played waits for its game");
}

#[test]
fn what_hello_says_is_bounded_and_the_fault_says_by_how_much() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let record = |step| TaskRecord { task: Task { step, part: 0 }, version: 1, state: TaskState::Waiting };
    let mut crowded = resume("none");
    crowded.resume.as_mut().expect("it resumes").tasks = (0..=TASKS_MAX as u32).map(record).collect();
    for (hello, said) in [
        (Hello { game: "x".repeat(GAME_BYTES_MAX + 1), ..hello() }, "of the game has 1025 bytes"),
        (Hello { story: Some("x".repeat(5000)), ..hello() }, "the story has 5000 bytes"),
        (resume(&"x".repeat(SESSION_BYTES_MAX + 1)), "the session has 65 bytes"),
        (crowded, "131073 tasks"),
        (Hello { token: Some("x".repeat(NEW_HELLO_BYTES_MAX)), ..hello() }, "begins a session"),
    ] {
        let mut guest = Guest::new(&address, hello);
        let fault = refused(&mut server, &mut guest);
        assert!(fault.code == FaultCode::Limit && fault.message.contains(said), "{said}: {fault:?}");
        until(&mut server, &mut [&mut guest], "an end", |guests, _| guests[0].ended.clone());
    }
    let longest = Hello { game: "x".repeat(GAME_BYTES_MAX), ..hello() };
    welcomed(&mut server, &mut Guest::new(&address, longest));
}

#[test]
fn a_resume_with_many_tasks_comes_through() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let mut game = Guest::new(&address, hello());
    let name = welcomed(&mut server, &mut game);
    let mut again = resume(&name);
    let record = |step| TaskRecord { task: Task { step, part: 0 }, version: 1, state: TaskState::Running(1_000_000) };
    again.resume.as_mut().expect("it resumes").tasks = (1000..71_000).map(record).collect();
    let bytes = frame(0, 0, &ToDirector::Hello(Box::new(again.clone()))).len();
    assert!(bytes > 500_000, "{bytes}");
    assert_eq!(welcomed(&mut server, &mut Guest::new(&address, again)), name);
}

#[test]
fn a_game_waits_for_a_story_that_is_being_prepared_and_plays_others_meanwhile() {
    let options = ServerOptions { shows_metrics: true, ..ServerOptions::default() };
    let (mut server, address) = start(&["slow", "quick"], options);
    let preparation = server.preparation();
    preparation.begin(0);
    let slow = Hello { story: Some("slow".to_owned()), ..hello() };
    let mut waits = Guest::new(&address, slow.clone());
    let mut plays = Guest::new(&address, Hello { story: Some("quick".to_owned()), ..hello() });
    welcomed(&mut server, &mut plays);
    // It says hello again, as games do that hear nothing, and longer than a link without a hello is let be.
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(7) {
        let again = Hello { tick: began.elapsed().as_millis() as i64, ..slow.clone() };
        waits.link.send(&frame(0, 0, &ToDirector::Hello(Box::new(again)))).expect("kept");
        let until_next = Instant::now();
        while until_next.elapsed() < Duration::from_millis(500) {
            server.turn(Duration::from_millis(10)).expect("serving");
            waits.listen();
        }
    }
    assert!(waits.heard.is_empty() && waits.ended.is_none(), "{:?} {:?}", waits.heard, waits.ended);
    assert_eq!(server.metrics().answer("/health").map(|answer| answer.body), Some("preparing\n".to_owned()));
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        preparation.done(0);
        done.send(()).expect("heard");
    });
    welcomed(&mut server, &mut waits);
    is_done.recv().expect("done");
    assert_eq!(server.metrics().answer("/health").map(|answer| answer.body), Some("ok\n".to_owned()));
    assert_eq!(server.metrics().sessions(), 2);
    let last = server.sessions().map(|session| session.director().last_tick()).max();
    assert!(last.is_some_and(|tick| tick > 5000), "the last hello counts: {last:?}");
}

#[test]
fn who_leaves_while_waiting_for_a_story_is_forgotten() {
    let (mut server, address) = start(&["slow"], ServerOptions::default());
    let preparation = server.preparation();
    preparation.begin(0);
    let mut waits = Guest::new(&address, hello());
    for _ in 0..50 {
        server.turn(Duration::from_millis(5)).expect("serving");
        waits.listen();
    }
    drop(waits);
    for _ in 0..50 {
        server.turn(Duration::from_millis(5)).expect("serving");
    }
    preparation.done(0);
    for _ in 0..50 {
        server.turn(Duration::from_millis(5)).expect("serving");
    }
    assert_eq!(server.metrics().sessions(), 0);
}

#[test]
fn a_game_that_said_goodbye_and_asks_again_is_not_a_stranger() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let mut game = Guest::new(&address, hello());
    let name = welcomed(&mut server, &mut game);
    game.say(&ToDirector::Goodbye { reason: "enough".to_owned() });
    until(&mut server, &mut [&mut game], "the end", |_, server| (server.metrics().sessions() == 0).then_some(()));
    let fault = refused(&mut server, &mut Guest::new(&address, resume(&name)));
    assert!(fault.code == FaultCode::Unknown && fault.message.contains("said goodbye"), "{fault:?}");
    assert!(server.metrics().text().contains("dramaturg_links_refused_total 0\n"), "nobody was turned away");
    let fault = refused(&mut server, &mut Guest::new(&address, resume("another")));
    assert_eq!(fault.code, FaultCode::Unknown);
    assert!(server.metrics().text().contains("dramaturg_links_refused_total 1\n"));
}

#[test]
fn saves_come_one_at_a_time_and_a_few_in_a_second() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let mut game = Guest::new(&address, hello());
    welcomed(&mut server, &mut game);
    for request in 0..5 {
        game.say(&ToDirector::Save { request });
    }
    // This game acknowledges nothing, so what was sent comes again.
    let saved = |guest: &Guest| {
        let requests = guest.heard.iter().filter_map(|heard| match heard {
            ToGame::Saved { request, .. } => Some(*request),
            _ => None,
        });
        requests.collect::<BTreeSet<u32>>().len()
    };
    until(&mut server, &mut [&mut game], "answers", |guests, _| (guests[0].faults().len() >= 4).then_some(()));
    assert_eq!(saved(&game), 1);
    assert!(
        game.faults().iter().all(|fault| fault.code == FaultCode::Save && fault.message.contains("wait")),
        "{:?}",
        game.faults()
    );
    assert!(game.ended.is_none(), "the session goes on");
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(SAVE_PAUSE_MICROS as u64 + 50_000) {
        server.turn(Duration::from_millis(10)).expect("serving");
        game.listen();
    }
    game.say(&ToDirector::Save { request: 9 });
    until(&mut server, &mut [&mut game], "the next save", |guests, _| (saved(guests[0]) == 2).then_some(()));
    // Who asks without end is closed.
    for request in 100..20_000 {
        game.say(&ToDirector::Save { request });
    }
    until(&mut server, &mut [&mut game], "an end", |guests, _| guests[0].ended.clone());
    assert!(game.faults().len() <= 4 + SAVE_REFUSALS_MAX as usize + 1, "{}", game.faults().len());
    assert_eq!(game.faults().last().map(|fault| fault.code), Some(FaultCode::Limit));
    assert!(saved(&game) <= 3, "{}", saved(&game));
}

#[test]
fn a_link_that_says_nothing_is_closed_with_the_reason() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let link = TcpLink::connect(&address, LinkOptions::default()).expect("connecting");
    let mut silent = Guest { link, heard: Vec::new(), ended: None, sent: 0 };
    let began = Instant::now();
    let fault = refused(&mut server, &mut silent);
    assert!(fault.code == FaultCode::Limit && fault.message.contains("say hello"), "{fault:?}");
    assert!(began.elapsed() >= Duration::from_micros(HELLO as u64));
    until(&mut server, &mut [&mut silent], "an end", |guests, _| guests[0].ended.clone());
}

#[test]
fn so_many_games_wait_for_a_story_and_no_more() {
    let (mut server, address) = start(&["slow"], ServerOptions::default());
    let preparation = server.preparation();
    preparation.begin(0);
    let mut guests: Vec<Guest> = Vec::new();
    for _ in 0..=WAITING_HELLOS_MAX {
        guests.push(Guest::new(&address, hello()));
        server.turn(Duration::ZERO).expect("serving");
    }
    let began = Instant::now();
    while guests.iter().all(|guest| guest.heard.is_empty()) {
        assert!(began.elapsed() < PATIENCE, "nobody was told");
        server.turn(Duration::from_millis(5)).expect("serving");
        guests.iter_mut().for_each(Guest::listen);
    }
    let faults: Vec<&Fault> = guests.iter().flat_map(Guest::faults).collect();
    assert!(faults.len() == 1 && faults[0].code == FaultCode::Limit, "{faults:?}");
    assert!(faults[0].message.contains("try again"), "{faults:?}");
}

#[test]
fn a_session_that_hoards_is_over_when_all_together_keep_too_much() {
    let (mut server, address) = start(&["drill"], ServerOptions::default());
    let piece = ToDirector::LoadPiece { request: 1, data: vec![7; 1_000_000] };
    let count = KEPT_BYTES_SUM_MAX / 8_000_000 + 1;
    let mut guests: Vec<Guest> = Vec::new();
    for number in 0..count {
        let mut guest = Guest::new(&address, hello());
        welcomed(&mut server, &mut guest);
        // One of them a little more than the others.
        for _ in 0..if number == 3 { 8 } else { 7 } {
            guest.say(&piece);
            until(&mut server, &mut [&mut guest], "its way", |_, _| Some(()));
        }
        guests.push(guest);
    }
    // The rest, until it is too much.
    let mut all: Vec<&mut Guest> = guests.iter_mut().collect();
    let over = |guests: &[&mut Guest]| guests.iter().position(|guest| guest.ended.is_some());
    let mut first = None;
    for number in (0..count).filter(|number| *number != 3) {
        if first.is_some() {
            break;
        }
        all[number].say(&piece);
        for _ in 0..20 {
            server.turn(Duration::from_millis(2)).expect("serving");
            all.iter_mut().for_each(|guest| guest.listen());
        }
        first = over(&all);
    }
    let first = first.expect("one is over");
    let fault = all[first].faults().last().map(|fault| (*fault).clone()).expect("it was told");
    assert!(fault.code == FaultCode::Limit && fault.message.contains("keeps"), "{fault:?}");
    assert_eq!(server.metrics().sessions() as usize, count - 1, "the others go on");
    let kept: usize = server.sessions().map(|session| session.director().core().kept_bytes()).sum();
    assert!(kept <= KEPT_BYTES_SUM_MAX, "{kept}");
}

#[test]
fn what_is_said_after_a_save_waits_within_a_bound_and_nothing_is_lost() {
    let model: Arc<Model> = Arc::new(dramaturg_story::compile_text("drill.story", STORY).model);
    let planner = Scripted::performing(Arc::clone(&model), &Plan::default(), ScriptOptions::default());
    let mut director =
        Director::new(Core::new(model, DirectorOptions::default()), Box::new(planner), dramaturg_planners::loader());
    let mut now = 0;
    let mut pump = |director: &mut Director, frames: Vec<Vec<u8>>| {
        now += 1_000;
        let mut acknowledged = 0;
        director.step(&Input::Pump { now, frames }, &Workers::single(), &mut |bytes| {
            let frame: Frame<ToGame> = Codec::Binary.decode(bytes).expect("a frame");
            acknowledged = acknowledged.max(frame.ack);
        });
        acknowledged
    };
    pump(&mut director, vec![frame(0, 0, &ToDirector::Hello(Box::new(hello())))]);
    director.step(&Input::Begin { now: 1_500 }, &Workers::single(), &mut |_| {});
    assert!(director.is_thinking(), "a save waits for the planner");
    let goals = |number: u64| ToDirector::SetGoals { owner: None, goals: vec![format!("{number}{}", "x".repeat(999))] };
    let mut said = vec![frame(1, 1, &ToDirector::Save { request: 1 })];
    said.extend((2..=101).map(|number| frame(1, number, &goals(number))));
    let kept = pump(&mut director, said.clone());
    assert!(kept > 5 && kept < 20, "{kept} are within {DEFERRED_BYTES_MAX} bytes");
    assert!(director.core().kept_bytes() < 4 * DEFERRED_BYTES_MAX, "{}", director.core().kept_bytes());
    director.step(&Input::End { now: 3_500, units: 100 }, &Workers::single(), &mut |_| {});
    pump(&mut director, Vec::new());
    // What was dropped comes again.
    assert_eq!(pump(&mut director, said), 101);
    let mut heard = director.drain().into_iter().filter_map(|event| match event.kind {
        EventKind::Goals { goals, .. } => goals.first().and_then(|goal| goal.trim_end_matches('x').parse::<u64>().ok()),
        _ => None,
    });
    assert!((2..=101).all(|number| heard.next() == Some(number)), "each once and in order");
}
