//! A server whose sessions go wrong, each for itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Observer, Served, Server, ServerOptions, Session, SessionOptions};
use dramaturg_director::{Core, Director, DirectorOptions, Event, EventKind, Input};
use dramaturg_executor::scripted::What;
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_model::{Model, Observation, Plan, StepEvent, Tick};
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
    fn save(&mut self) -> PlannerSave {
        PlannerSave::default()
    }
}

/// A story whose planner is sound, and one whose planner panics.
fn served(name: &str, panics: bool, journal: Arc<Mutex<Vec<Input>>>) -> Served {
    let model = model();
    Served {
        names: vec![name.to_owned()],
        options: SessionOptions::default(),
        open: Box::new(move |session, codec| {
            let options = DirectorOptions { session: session.to_owned(), codec, omega: 6, ..Default::default() };
            let planner: Box<dyn Planner> = if panics {
                Box::new(Panics(0))
            } else {
                Box::new(Scripted::new(Arc::clone(&model), &plan(), ScriptOptions::default()))
            };
            let director = Director::new(Core::new(Arc::clone(&model), options), planner);
            let journal = Arc::clone(&journal);
            let recorder = Box::new(move |input: &Input| journal.lock().expect("sound").push(input.clone()));
            Ok(Opening { director, recorder: (!panics).then_some(recorder as _) })
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
    let journal = Arc::new(Mutex::new(Vec::new()));
    let listener = Listener::bind(ListenOptions::default()).expect("listening");
    let address = listener.address().to_string();
    let stories = vec![served("sound", false, Arc::clone(&journal)), served("broken", true, Arc::clone(&journal))];
    let options = ServerOptions { session_names: Some("test".to_owned()), ..ServerOptions::default() };
    let mut server = Server::new(listener, stories, options).expect("serving");
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
    // What was recorded gives the same session again, though its planner worked in a thread.
    let name = told.lock().expect("sound").events.iter().find_map(|event| match &event.kind {
        EventKind::Connected { session, .. } => Some(session.clone()),
        _ => None,
    });
    let options = DirectorOptions { session: name.expect("connected"), omega: 6, ..Default::default() };
    let planner = Scripted::new(model(), &plan(), ScriptOptions::default());
    let mut again = Director::new(Core::new(model(), options), Box::new(planner));
    let mut events = Vec::new();
    for input in journal.lock().expect("sound").iter() {
        again.step(input, &Workers::single(), &mut |_| {});
        events.extend(again.drain());
    }
    let session = told.lock().expect("sound");
    let first: Vec<&Event> = session.events.iter().filter(|event| !is_of_broken(event, &session.events)).collect();
    assert_eq!(events.iter().collect::<Vec<_>>(), first);
}

/// The broken session shares the witness; its story publishes nothing, so all it tells is that it connected and deliberated.
fn is_of_broken(event: &Event, all: &[Event]) -> bool {
    let _ = all;
    matches!(&event.kind, EventKind::Connected { session, .. } if session == "test-2")
}
