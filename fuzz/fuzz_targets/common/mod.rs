//! A session for fuzz targets.
#![allow(dead_code, reason = "each target uses its part of this")]

use std::sync::{Arc, LazyLock};

use dramaturg_director::{Core, Director, DirectorOptions, Input};
use dramaturg_executor::{Executor, Game, Report, TaskView};
use dramaturg_model::{Model, Plan};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_wire::{Codec, Tick};
use serde_json::Value;

pub const STORY: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator; voice: actuator; times: int 0..1000000 = 0; tired; place: here | there }
object ann, bob, cid: Actor
action beat(who: Actor) { takes 10 ticks; uses who.hands; then who.times += 1 }
action shout(who: Actor) { takes 4 ticks; uses who.voice; needs not who.tired; late 3 ticks }
action dance(who: Actor) { takes 12 ticks; uses who.hands, who.voice from 4 ticks to 9 ticks; then who.times += 1 }
action go(who: Actor) {
  takes 5 ticks
  ask player \"Shall {who} go?\" answers yes \"Yes.\", no \"No.\", later \"Later.\"
  then who.place = there
  say \"{who} goes.\"
}
rule tires(who: Actor) { when who.times == 3; then who.tired }
rule rests(who: Actor) { when who.times == 6 and who.place == there; then not who.tired; say \"Enough.\" }
";

/// The story of all sessions here.
pub static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let compiled = dramaturg_story::compile_text("drill.story", STORY);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
});

/// How sessions are directed.
pub fn options(codec: Codec) -> DirectorOptions {
    DirectorOptions { codec, omega: 6, window: 60, session: "7f3a".to_owned(), ..DirectorOptions::default() }
}

/// A session that has not begun.
pub fn director(codec: Codec) -> Director {
    let mut plan = Plan::default();
    for step in 0..40 {
        let (action, duration) = [("beat", 10), ("shout", 4), ("dance", 12), ("go", 5)][step % 4];
        plan.add(action, [["ann", "bob", "cid"][step % 3]], 30 + 7 * step as Tick, duration);
    }
    let how = ScriptOptions { horizon: 90, retries: 2, fidget: 5, seed: 3 };
    let planner = Scripted::performing(Arc::clone(&MODEL), &plan, how);
    Director::new(Core::new(Arc::clone(&MODEL), options(codec)), Box::new(planner), dramaturg_planners::loader())
}

/// A session goes on for a while, whatever state it is in, and can be saved and loaded at the end. One that began here
/// is the same then; one that was forged may have a plan that the story has no names for, which loading drops.
pub fn go_on(mut director: Director, is_forged: bool) {
    let workers = Workers::single();
    let first = 1_000_000;
    for look in 0..20 {
        let now = first + look * 16_667;
        for input in [Input::Pump { now, frames: Vec::new() }, Input::Begin { now }, Input::End { now, units: 50 }] {
            director.step(&input, &workers, &mut |_| {});
        }
        director.drain();
    }
    let bytes = director.save().to_bytes();
    let save = dramaturg_director::SessionSave::from_bytes(&bytes).expect("what was written can be read");
    let loader = dramaturg_planners::loader();
    let options = director.core().options().clone();
    let (mut loaded, _) = Director::load(Arc::clone(&MODEL), options, &save, loader).expect("it can be loaded");
    assert_eq!(loaded.trail(), director.trail());
    assert!(is_forged || loaded.save().to_bytes() == bytes, "a session that was loaded is the one that was saved");
}

/// A game that performs everything.
pub struct Performer;

impl Game for Performer {
    fn start(&mut self, _: &TaskView<'_>) {}

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        match task.question() {
            Some(_) => Report::Answered("yes".to_owned()),
            None if tick.saturating_sub(task.started()) >= task.duration().max(1) => Report::Finished,
            None => Report::Running,
        }
    }
}

/// An executor goes on for a while, whatever state it is in.
pub fn perform(mut executor: Executor) {
    let tick = executor.last_tick();
    for after in 1..20 {
        executor.tick(tick.saturating_add(after), &mut Performer);
        executor.poll(&mut |_| {});
    }
    executor.checkpoint();
}

/// A save with a checksum that fits; none if it is no document.
pub fn mended_save(bytes: &[u8]) -> Option<Vec<u8>> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let document: Value = serde_json::from_slice(bytes.get(end + 1..)?).ok()?;
    let body = document.to_string();
    let mut save = format!("dramaturg-save 1 {:08x}\n", crc32fast::hash(body.as_bytes())).into_bytes();
    save.extend_from_slice(body.as_bytes());
    Some(save)
}
