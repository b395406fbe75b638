//! What rules read again and again: the director subscribes to it once, hears what is new, and nothing else.

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input, Journey};
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_model::{Model, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_wire::{TaskRecord, TaskState, Value};

const STORY: &str = "story \"Watch\" { ticks 60 per s }
type Place
type Walker { place: Place; hurries }
object gate, yard: Place
object you: Walker (place = gate)
fluent warned
rule watch { reads you.place, you.hurries every 6 ticks }
rule comes { when warned; takes 30 ticks; expect you.hurries = true; check every 3 ticks; otherwise not warned }
";

fn model(story: &str) -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("watch.story", story);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

struct Watch {
    director: Director,
    executor: Executor,
    game: ScriptedGame,
    tick: Tick,
    frames: Vec<Vec<u8>>,
    seen: Vec<(Tick, String)>,
}

impl Watch {
    fn new() -> Self {
        Self::of(STORY)
    }

    fn of(story: &str) -> Self {
        let model = model(story);
        let options = DirectorOptions { omega: 1, upsilon: 1, mu: Journey::Given(0), ..DirectorOptions::default() };
        let planner = Scripted::new(Arc::clone(&model), &Plan::default(), ScriptOptions::default());
        let mut game = ScriptedGame::new();
        game.set("you.place", Value::Name("gate".to_owned()));
        game.set("you.hurries", Value::Bool(false));
        Self {
            director: Director::new(Core::new(model, options), Box::new(planner)),
            executor: Executor::new(ExecutorOptions::default()),
            game,
            tick: 0,
            frames: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn until(&mut self, end: Tick) {
        while self.tick < end {
            self.tick += 1;
            for frame in std::mem::take(&mut self.frames) {
                self.executor.receive(&frame).expect("the director speaks the protocol");
            }
            self.executor.tick(self.tick, &mut self.game);
            let mut up = Vec::new();
            self.executor.poll(&mut |frame| up.push(frame.to_vec()));
            let now = self.tick * 16_667;
            let frames = &mut self.frames;
            for input in [Input::Pump { now, frames: up }, Input::Begin { now }, Input::End { now, units: 10 }] {
                self.director.step(&input, &Workers::single(), &mut |frame: &[u8]| frames.push(frame.to_vec()));
            }
            for event in self.director.drain() {
                match event.kind {
                    EventKind::Observed { observation } => self.seen.push((self.tick, observation.fluent)),
                    EventKind::Fault { message, .. } => panic!("{message}"),
                    _ => {}
                }
            }
        }
    }

    fn subscriptions(&self) -> Vec<(u32, bool)> {
        let table = self.executor.task_table();
        let runs = |record: &TaskRecord| matches!(record.state, TaskState::Running(_));
        assert!(table.iter().all(|record| record.task.is_subscription()), "{table:?}");
        table.iter().map(|record| (record.task.step, runs(record))).collect()
    }

    fn reload(&mut self, story: &str) {
        self.director.reload(model(story)).expect("the edited story can be loaded");
    }

    fn seen(&mut self) -> Vec<String> {
        std::mem::take(&mut self.seen).into_iter().map(|(_, fluent)| fluent).collect()
    }
}

#[test]
fn what_rules_read_is_subscribed_to_once_and_only_news_count() {
    let mut watch = Watch::new();
    watch.until(60);
    assert_eq!(watch.subscriptions().iter().map(|(_, runs)| *runs).collect::<Vec<_>>(), [true, true]);
    // Subscriptions are nothing that anybody waits for.
    assert_eq!((watch.executor.running_count(), watch.executor.waiting_count()), (0, 0));
    assert!(watch.game.transcript().iter().all(|happening| happening.task.is_none()));
    // All is as the director believes.
    assert_eq!(watch.seen, []);
    watch.game.set("you.place", Value::Name("yard".to_owned()));
    watch.until(120);
    let seen = std::mem::take(&mut watch.seen);
    let [(tick, fluent)] = seen.as_slice() else { panic!("{seen:?}") };
    assert!(fluent == "you.place" && (61..=68).contains(tick), "{tick} {fluent}");
    // What a rule expects is looked at as often as that rule says.
    watch.game.set("you.hurries", Value::Bool(true));
    watch.until(126);
    let seen = std::mem::take(&mut watch.seen);
    // Both rules may look in the same tick, and neither waits for the other.
    assert!(!seen.is_empty() && seen.len() <= 2, "{seen:?}");
    assert!(seen.iter().all(|(tick, fluent)| fluent == "you.hurries" && (121..=125).contains(tick)), "{seen:?}");
}

#[test]
fn a_game_that_calls_again_keeps_its_subscriptions() {
    let mut watch = Watch::new();
    watch.until(30);
    let before = watch.subscriptions();
    watch.director.step(
        &Input::Disconnected { now: 30 * 16_667, reason: "the link broke".to_owned() },
        &Workers::single(),
        &mut |_: &[u8]| {},
    );
    watch.frames.clear();
    watch.executor.reconnect();
    watch.until(90);
    assert_eq!(watch.subscriptions(), before);
    watch.game.set("you.place", Value::Name("yard".to_owned()));
    watch.until(120);
    assert_eq!(watch.seen.iter().map(|(_, fluent)| fluent.as_str()).collect::<Vec<_>>(), ["you.place"]);
}

#[test]
fn an_edited_story_reads_what_it_says_now() {
    let mut watch = Watch::new();
    watch.until(30);
    let before = watch.subscriptions();
    // What the one rule reads is left out, what the other expects stays as it was.
    watch.reload(&STORY.replace("reads you.place, you.hurries every 6", "reads you.hurries every 5"));
    watch.until(60);
    let after = watch.subscriptions();
    let running: Vec<u32> = after.iter().filter(|(_, runs)| *runs).map(|(step, _)| *step).collect();
    let kept = before.iter().filter(|(step, _)| running.contains(step)).count();
    assert_eq!((running.len(), kept, after.len()), (2, 1, 3), "{before:?} {after:?}");
    watch.game.set("you.place", Value::Name("yard".to_owned()));
    watch.until(90);
    assert_eq!(watch.seen(), [""; 0]);
    // Back again: what was taken back is read once more.
    watch.reload(STORY);
    watch.until(120);
    assert_eq!(watch.seen(), ["you.place"]);
    let runs = |all: Vec<(u32, bool)>| all.into_iter().filter(|(_, runs)| *runs).collect::<Vec<_>>();
    assert_eq!(runs(watch.subscriptions()), before);
}

#[test]
fn another_level_reads_what_exists_there() {
    let story = "story \"Doors\" { ticks 60 per s }
type Door { ajar }
fluent dusk
level day { object hatch: Door  milestone evening { when dusk; next night carrying dusk } }
level night { object gate: Door }
rule watch(door: Door) { reads door.ajar every 6 ticks }
rule sky { reads dusk every 6 ticks }
";
    let mut watch = Watch::of(story);
    for door in ["hatch.ajar", "gate.ajar", "dusk"] {
        watch.game.set(door, Value::Bool(false));
    }
    watch.until(30);
    watch.game.set("gate.ajar", Value::Bool(true));
    watch.until(60);
    assert_eq!(watch.seen(), [""; 0]);
    watch.game.set("dusk", Value::Bool(true));
    watch.until(90);
    assert_eq!(watch.seen(), ["dusk", "gate.ajar"]);
}
