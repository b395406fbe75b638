//! A server whose sessions go wrong, each for itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dramaturg_director::journal::replay;
use dramaturg_director::shell::server::{Opening, Restored, Story};
use dramaturg_director::shell::{Journals, Observer, Served, Server, ServerOptions, Session, SessionOptions};
use dramaturg_director::{Core, Director, DirectorOptions, Event, EventKind, JournalOptions};
use dramaturg_executor::scripted::What;
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_model::{Model, Observation, Plan, StepEvent, Tick};
use dramaturg_planner::planner::PlannerLoader;
use dramaturg_planner::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_wire::FaultCode;
use dramaturg_wire::link::{AnyLink, LinkOptions, ListenOptions, Listener, TcpLink};
use std::sync::Mutex;

const STORY: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator }
object ann, bob: Actor
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3 ticks }
";

fn model() -> Arc<Model> {
    Arc::new(dramaturg_story::compile_text("drill.story", STORY).model)
}

fn plan() -> Plan {
    let mut plan = Plan::default();
    for number in 0..40 {
        plan.add("beat", [["ann", "bob"][number % 2]], 60 + 4 * number as Tick, 4);
    }
    plan
}

/// A planner that panics in its second deliberation.
struct Panics(u32);

impl Planner for Panics {
    fn observe(&mut self, _: &[Observation]) {}
    fn feedback(&mut self, _: &[StepEvent]) {}
    fn rejected(&mut self, _: u64) {}
    fn exogenous(&mut self, _: &PlanDelta) {}
    fn set_goals(&mut self, _: &GoalChange) {}
    fn advance(&mut self, _: TickBounds, _: Tick) {}
    fn deliberate(&mut self, _: &mut Budget, _: &Workers<'_>) -> Progress {
        self.0 += 1;
        assert!(self.0 < 2, "a test of isolation");
        Progress::Idle
    }
    fn publish(&mut self) -> PlanDelta {
        PlanDelta::default()
    }
    fn replies(&mut self) -> Vec<GoalReply> {
        Vec::new()
    }
    fn explain(&self, _: &Inquiry) -> Explanation {
        Explanation::of(String::new())
    }
    fn skip_numbers(&mut self, _: u32) {}

    fn save(&mut self) -> PlannerSave {
        PlannerSave::default()
    }
}

/// A story whose planner is sound, and one whose planner panics.
fn served(name: &str, panics: bool, journals: Journals) -> Served {
    let model = model();
    Served {
        names: vec![name.to_owned()],
        options: SessionOptions::default(),
        open: Box::new(move |session, codec| {
            let options = DirectorOptions { session: session.to_owned(), codec, omega: 6, ..Default::default() };
            let planner: Box<dyn Planner> = if panics {
                Box::new(Panics(0))
            } else {
                Box::new(Scripted::performing(Arc::clone(&model), &plan(), ScriptOptions::default()))
            };
            let mut director =
                Director::new(Core::new(Arc::clone(&model), options), planner, dramaturg_planners::loader());
            let journal = journals.begin(session, None, &mut director).map_err(|error| error.to_string())?;
            Ok(Opening { director, journal: Some(journal) })
        }),
    }
}

struct Player {
    executor: Executor,
    game: ScriptedGame,
    link: AnyLink,
}

impl Player {
    fn new(address: &str, story: &str) -> Self {
        let options = ExecutorOptions { story: Some(story.to_owned()), ..ExecutorOptions::default() };
        let link = TcpLink::connect(address, LinkOptions::default()).expect("connected").into();
        Self { executor: Executor::new(options), game: ScriptedGame::new(), link }
    }
}

#[derive(Default)]
struct Told {
    events: Vec<Event>,
    ended: usize,
}

struct Witness(Arc<Mutex<Told>>);

impl Observer for Witness {
    fn event(&mut self, session: &str, event: &Event) {
        // The broken one is the second to connect; what it did before it broke is of no interest.
        if session != "test-2" {
            self.0.lock().expect("sound").events.push(event.clone());
        }
    }

    fn ended(&mut self, _: &Session) {
        self.0.lock().expect("sound").ended += 1;
    }
}

#[test]
fn a_session_that_panics_is_closed_and_the_others_go_on_and_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = JournalOptions { hash_every: 20, ..JournalOptions::default() };
    let journals = Journals::open(folder.path(), options, 10).expect("a folder for journals");
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let address = listener.address().to_string();
    let stories = vec![served("sound", false, journals.clone()), served("broken", true, journals.clone())];
    let options = ServerOptions { session_names: Some("test".to_owned()), ..ServerOptions::default() };
    let mut server = Server::new(listener, stories, options).expect("serving");
    server.set_journals(journals.clone());
    let told = Arc::new(Mutex::new(Told::default()));
    server.set_observer(Box::new(Witness(Arc::clone(&told))));
    let mut players = [Player::new(&address, "sound"), Player::new(&address, "broken")];
    let began = Instant::now();
    let mut tick = 0;
    while began.elapsed() < Duration::from_secs(30) && players[0].game.count("beat") < 20 {
        server.turn(Duration::from_millis(4)).expect("serving");
        while began.elapsed() >= Duration::from_micros(16_667) * tick {
            tick += 1;
            for player in &mut players {
                // The link of the one that panicked is closed.
                let _ = player.executor.frame(i64::from(tick), &mut player.game, &mut player.link);
            }
        }
    }
    let [sound, broken] = &mut players;
    assert!(sound.game.count("beat") >= 20, "{:?}", sound.game.transcript());
    let faults: Vec<FaultCode> = broken
        .game
        .take_transcript()
        .into_iter()
        .filter_map(|seen| match seen.what {
            What::Fault(fault) => Some(fault.code),
            _ => None,
        })
        .collect();
    assert_eq!(faults, [FaultCode::Internal]);
    assert_eq!(server.metrics().sessions(), 1);
    server.drain("the test is over");
    assert_eq!(told.lock().expect("sound").ended, 1);
    // What was written down gives the same session again, though its planner worked in a thread.
    let mut events = Vec::new();
    let report = replay(&folder.path().join("test-1"), model(), dramaturg_planners::loader(), None, &mut |event| {
        events.push(event)
    });
    let report = report.expect("it can be replayed");
    assert!(report.is_identical() && report.compared > 0, "{report:?}");
    let told = told.lock().expect("sound");
    let first: Vec<&Event> = told.events.iter().filter(|event| event.number > 0).collect();
    assert_eq!(events.iter().collect::<Vec<_>>(), first);
    assert!(told.events.iter().any(|event| matches!(event.kind, EventKind::Journal { .. })), "a journal was begun");
    let why = std::fs::read_to_string(folder.path().join("ended/test-2/reason")).expect("it was put aside");
    assert!(why.contains("a test of isolation"), "{why}");
}

/// A server with these journals.
fn start(journals: &Journals, sessions_max: usize) -> (Server, Restored, String) {
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let address = listener.address().to_string();
    let options = ServerOptions { sessions_max, ..ServerOptions::default() };
    let mut server = Server::new(listener, vec![served("sound", false, journals.clone())], options).expect("serving");
    let restored = restore(&mut server, journals, &dramaturg_planners::loader());
    (server, restored, address)
}

fn restore(server: &mut Server, journals: &Journals, loader: &PlannerLoader) -> Restored {
    server.restore(journals.clone(), &[Story { model: model(), path: None }], loader)
}

/// The journals of a server that died with one game in it, and the game.
fn died(folder: &std::path::Path) -> (Journals, Player, u32) {
    let journals = Journals::open(folder, JournalOptions::default(), 10).expect("opened");
    let (mut server, _, address) = start(&journals, 10);
    let (mut players, mut tick) = ([Player::new(&address, "sound")], 0);
    go_on(&mut server, &mut players, &mut tick, |players| players[0].game.count("beat") > 3);
    let [player] = players;
    (journals, player, tick)
}

#[test]
fn a_session_that_cannot_be_recovered_in_time_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journals, player, _) = died(folder.path());
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let options = ServerOptions { recovery_seconds: 0, ..ServerOptions::default() };
    let mut server = Server::new(listener, vec![served("sound", false, journals.clone())], options).expect("serving");
    let restored = restore(&mut server, &journals, &dramaturg_planners::loader());
    assert_eq!((restored.sessions, restored.left.len()), (0, 1), "{restored:?}");
    let session = player.executor.session().expect("welcomed");
    let why = std::fs::read_to_string(folder.path().join("ended").join(session).join("reason")).expect("set aside");
    assert!(why.contains("could not be recovered"), "{why}");
}

#[test]
fn a_server_listens_while_sessions_are_recovered() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journals, player, mut tick) = died(folder.path());
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let address = listener.address().to_string();
    let served = vec![served("sound", false, journals.clone())];
    let mut server = Server::new(listener, served, ServerOptions::default()).expect("serving");
    // A planner that takes longer to load than a server waits.
    let slow: PlannerLoader = Arc::new(|model, save| {
        std::thread::sleep(Duration::from_millis(3_500));
        dramaturg_planners::loader()(model, save)
    });
    let restored = restore(&mut server, &journals, &slow);
    assert_eq!((restored.sessions, restored.recovering), (0, 1), "{restored:?}");
    // Others play meanwhile, and the game that comes back waits for its session.
    let mut players = [player, Player::new(&address, "sound")];
    players[0].link = TcpLink::connect(&address, LinkOptions::default()).expect("connected").into();
    players[0].executor.reconnect();
    let before = players[0].game.count("beat");
    go_on(&mut server, &mut players, &mut tick, |players| players[1].executor.is_connected());
    go_on(&mut server, &mut players, &mut tick, |players| players[0].game.count("beat") > before);
}

/// Lets a server and its games go on until something is so.
fn go_on(server: &mut Server, players: &mut [Player], tick: &mut u32, is_so: impl Fn(&[Player]) -> bool) {
    let (began, first) = (Instant::now(), *tick);
    while !is_so(players) {
        assert!(began.elapsed() < Duration::from_secs(30), "it never came to that");
        server.turn(Duration::from_millis(4)).expect("serving");
        while began.elapsed() >= Duration::from_micros(16_667) * (*tick - first) {
            *tick += 1;
            for player in &mut *players {
                let _ = player.executor.frame(i64::from(*tick), &mut player.game, &mut player.link);
            }
        }
    }
}

#[test]
fn sessions_of_a_server_that_died_go_on_as_far_as_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let journals = Journals::open(&folder.path().join("journals"), JournalOptions::default(), 1).expect("opened");
    let (mut server, restored, address) = start(&journals, 10);
    assert_eq!(restored, Restored::default());
    let mut players = [(); 3].map(|()| Player::new(&address, "sound"));
    let mut tick = 0;
    go_on(&mut server, &mut players, &mut tick, |players| players.iter().all(|player| player.game.count("beat") > 3));
    players[2].executor.goodbye("enough");
    go_on(&mut server, &mut players, &mut tick, |players| players[2].executor.unacknowledged() == 0);
    // It dies without a word.
    drop(server);
    let ended = folder.path().join("journals/ended");
    assert_eq!(std::fs::read_dir(&ended).expect("there").count(), 1, "one had ended");
    std::fs::create_dir(folder.path().join("journals/.. not a name")).expect("made");
    std::fs::create_dir(folder.path().join("journals/nothing")).expect("made");
    let (server, restored, _) = start(&journals, 1);
    assert_eq!((restored.sessions, restored.left.len()), (1, 1), "{restored:?}");
    assert!(restored.left[0].contains("all sessions are taken"), "{restored:?}");
    drop(server);
    let (mut server, restored, address) = start(&journals, 10);
    assert_eq!((restored.sessions, restored.left.len()), (2, 0), "{restored:?}");
    let before = players[..2].iter().map(|player| player.game.count("beat")).max().expect("two");
    for player in &mut players[..2] {
        player.link = TcpLink::connect(&address, LinkOptions::default()).expect("connected").into();
        player.executor.reconnect();
    }
    let is_done = |players: &[Player]| players.iter().all(|player| player.game.count("beat") > before + 5);
    go_on(&mut server, &mut players[..2], &mut tick, is_done);
    for player in &mut players[..2] {
        let starts = player.game.transcript().iter().filter(|seen| matches!(seen.what, What::Started { .. }));
        let mut tasks: Vec<_> = starts.filter_map(|seen| seen.task).collect();
        let started = tasks.len();
        tasks.sort();
        tasks.dedup();
        assert_eq!(tasks.len(), started, "nothing ran twice");
        let session = player.executor.session().expect("welcomed");
        let report = replay(
            &folder.path().join("journals").join(session),
            model(),
            dramaturg_planners::loader(),
            None,
            &mut |_| {},
        );
        let report = report.expect("it can be replayed");
        assert!(report.parting.is_none(), "{report:?}");
    }
    // A server that ends in order keeps its sessions; a story that is not served any more is left alone.
    server.drain("the test is over");
    drop(server);
    let (_, restored, _) = start(&journals, 10);
    assert_eq!(restored.sessions, 2, "{restored:?}");
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let mut other = Server::new(listener, vec![], ServerOptions::default()).expect("serving");
    let restored = other.restore(journals, &[], &dramaturg_planners::loader());
    assert!(
        restored.left.iter().all(|why| why.contains("is not served here")) && restored.left.len() == 2,
        "{restored:?}"
    );
}
