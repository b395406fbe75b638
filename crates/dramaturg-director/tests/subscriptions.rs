//! What rules read again and again: the director subscribes to it once, hears what is new, and nothing else.

mod common;

use std::sync::Arc;

use common::stage::Stage;
use dramaturg_director::{EventKind, Input};
use dramaturg_model::{Model, Plan, Tick};
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

struct Watch(Stage);

impl Watch {
    fn new() -> Self {
        let mut watch = Self::of(STORY);
        watch.set("you.place", Value::Name("gate".to_owned()));
        watch.set("you.hurries", Value::Bool(false));
        watch
    }

    fn of(story: &str) -> Self {
        Self(Stage::new(model(story), &Plan::default()))
    }

    fn set(&mut self, fluent: &str, value: Value) {
        self.0.game.set(fluent, value);
    }

    fn until(&mut self, end: Tick) {
        self.0.until(end);
    }

    fn subscriptions(&self) -> Vec<(u32, bool)> {
        let table = self.0.executor.task_table();
        let runs = |record: &TaskRecord| matches!(record.state, TaskState::Running(_));
        assert!(table.iter().all(|record| record.task.is_subscription()), "{table:?}");
        table.iter().map(|record| (record.task.step, runs(record))).collect()
    }

    fn reload(&mut self, story: &str) {
        self.0.director.reload(model(story)).expect("the edited story can be loaded");
    }

    /// What was observed since the last call, each with its tick.
    fn seen_when(&mut self) -> Vec<(Tick, String)> {
        let told = std::mem::take(&mut self.0.events).into_iter();
        let seen = told.filter_map(|(tick, kind)| match kind {
            EventKind::Observed { observation } => Some((tick, observation.fluent)),
            EventKind::Fault { message, .. } => panic!("{message}"),
            _ => None,
        });
        seen.collect()
    }

    fn seen(&mut self) -> Vec<String> {
        self.seen_when().into_iter().map(|(_, fluent)| fluent).collect()
    }
}

#[test]
fn what_rules_read_is_subscribed_to_once_and_only_news_count() {
    let mut watch = Watch::new();
    watch.until(60);
    assert_eq!(watch.subscriptions().iter().map(|(_, runs)| *runs).collect::<Vec<_>>(), [true, true]);
    // Subscriptions are nothing that anybody waits for.
    assert_eq!((watch.0.executor.running_count(), watch.0.executor.waiting_count()), (0, 0));
    assert!(watch.0.game.transcript().iter().all(|happening| happening.task.is_none()));
    // All is as the director believes.
    assert_eq!(watch.seen(), [""; 0]);
    watch.set("you.place", Value::Name("yard".to_owned()));
    watch.until(120);
    let seen = watch.seen_when();
    let [(tick, fluent)] = seen.as_slice() else { panic!("{seen:?}") };
    assert!(fluent == "you.place" && (61..=68).contains(tick), "{tick} {fluent}");
    // What a rule expects is looked at as often as that rule says.
    watch.set("you.hurries", Value::Bool(true));
    watch.until(126);
    let seen = watch.seen_when();
    // Both rules may look in the same tick, and neither waits for the other.
    assert!(!seen.is_empty() && seen.len() <= 2, "{seen:?}");
    assert!(seen.iter().all(|(tick, fluent)| fluent == "you.hurries" && (121..=125).contains(tick)), "{seen:?}");
}

#[test]
fn a_game_that_calls_again_keeps_its_subscriptions() {
    let mut watch = Watch::new();
    watch.until(30);
    let before = watch.subscriptions();
    let now = watch.0.now();
    watch.0.step(&Input::Disconnected { now, reason: "the link broke".to_owned() });
    watch.0.frames.clear();
    watch.0.executor.reconnect();
    watch.until(90);
    assert_eq!(watch.subscriptions(), before);
    watch.set("you.place", Value::Name("yard".to_owned()));
    watch.until(120);
    assert_eq!(watch.seen(), ["you.place"]);
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
    watch.set("you.place", Value::Name("yard".to_owned()));
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
        watch.set(door, Value::Bool(false));
    }
    watch.until(30);
    watch.set("gate.ajar", Value::Bool(true));
    watch.until(60);
    assert_eq!(watch.seen(), [""; 0]);
    watch.set("dusk", Value::Bool(true));
    watch.until(90);
    assert_eq!(watch.seen(), ["dusk", "gate.ajar"]);
}
