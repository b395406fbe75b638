//! Saves: at any moment, into the same story and into an edited one, by hand and by the game.

mod common;

use std::sync::Arc;

use common::stage::Stage;
use common::{STORY, Theatre, compile, director, options, script};
use dramaturg_director::save::LoadKind;
use dramaturg_director::{Director, EventKind, Input, SessionSave};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_planner::planner::Workers;
use dramaturg_wire::{Codec, Frame, ToDirector};
use proptest::prelude::*;

/// What came of an input: frames, events and trail.
fn step(director: &mut Director, input: &Input) -> (Vec<Vec<u8>>, String) {
    let mut frames = Vec::new();
    director.step(input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
    (frames, format!("{:?} {}", director.drain(), director.trail()))
}

fn load(model: &Arc<dramaturg_model::Model>, bytes: &[u8]) -> (Director, dramaturg_director::LoadReport) {
    let save = SessionSave::from_bytes(bytes).expect("a save can be read");
    Director::load(Arc::clone(model), options(), &save, dramaturg_planners::loader()).expect("it can be loaded")
}

proptest! {
    // A theatre where hardly anything starts shows nothing: it is passed over, and more than a few of them fail the test.
    #![proptest_config(ProptestConfig { cases: 96, max_global_rejects: 4, ..ProptestConfig::default() })]

    #[test]
    fn live_and_loaded_go_on_alike(seed in 0u64..100_000, at in 1usize..900) {
        let model = compile(STORY);
        let mut theatre = Theatre::new(seed);
        let mut live = director(&model, seed);
        let mut loaded: Option<Director> = None;
        let mut count = 0;
        for _ in 0..900 {
            for input in theatre.look() {
                let (frames, told) = step(&mut live, &input);
                frames.iter().for_each(|frame| theatre.send(true, frame));
                if let Some(loaded) = &mut loaded {
                    let (also, told_also) = step(loaded, &input);
                    prop_assert_eq!(&frames, &also, "input {}", count);
                    prop_assert_eq!(told, told_also, "input {}", count);
                    if count % 64 == 0 {
                        prop_assert_eq!(live.core().content_hash(), loaded.core().content_hash());
                    }
                }
                count += 1;
                if count == at {
                    let bytes = live.save().to_bytes();
                    let (other, report) = load(&model, &bytes);
                    prop_assert!(report.is_clean(), "{:?}", report);
                    prop_assert_eq!(other.is_thinking(), live.is_thinking());
                    loaded = Some(other);
                }
            }
        }
        let mut loaded = loaded.expect("it was saved");
        prop_assert!(live.save().to_bytes() == loaded.save().to_bytes(), "they can be told apart");
        prop_assume!(theatre.game.started.len() > 3);
    }

    #[test]
    fn no_bytes_make_it_panic(mut at in 0usize..100_000, byte in any::<u8>(), cut in any::<bool>()) {
        let model = compile(STORY);
        let mut bytes = director(&model, 1).save().to_bytes();
        at %= bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(save) = SessionSave::from_bytes(&bytes) {
            let _ = Director::load(model, options(), &save, dramaturg_planners::loader());
        }
    }
}

/// With odd seeds no message may be longer.
const SMALL: u32 = 2_000;

/// Plays until a dance is running and another is only planned; returns the director.
fn in_the_middle(model: &Arc<dramaturg_model::Model>, theatre: &mut Theatre, seed: u64) -> Director {
    middle(model, theatre, seed).expect("this seed comes to the middle")
}

/// The same; none if a seed never comes to that.
fn middle(model: &Arc<dramaturg_model::Model>, theatre: &mut Theatre, seed: u64) -> Option<Director> {
    let mut live = director(model, seed);
    if !seed.is_multiple_of(2) {
        live.set_message_bytes_max(SMALL);
    }
    for _ in 0..1_200 {
        for input in theatre.look() {
            let (frames, _) = step(&mut live, &input);
            frames.iter().for_each(|frame| theatre.send(true, frame));
        }
        let board = live.core().board();
        let running = |action| {
            board.entries().any(|(id, entry)| entry.step.action == action && live.core().chronicle().is_running(*id))
        };
        let planned = |action| board.entries().any(|(_, entry)| entry.step.action == action && !entry.is_locked());
        if running("dance") && planned("dance") {
            return Some(live);
        }
    }
    None
}

const EDITED: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator; voice: actuator; times: int 0..1000000 = 0; tired; glad }
object ann, cid, dan: Actor
action beat(who: Actor) { takes 10 ticks; uses who.hands; then who.times += 1 }
action shout(who: Actor) { takes 4 ticks; uses who.voice; late 3 ticks }
action blink(who: Actor) { takes 1 tick; late drop }
";

#[test]
fn an_edited_story_takes_over_what_it_still_has() {
    let (model, edited) = (compile(STORY), compile(EDITED));
    let mut theatre = Theatre::new(2);
    let mut live = in_the_middle(&model, &mut theatre, 2);
    let names_before = live.save();
    let report = live.reload(Arc::clone(&edited)).expect("it can be loaded");
    let told: Vec<_> = report.notes.iter().map(|note| (note.kind, note.what.as_str())).collect();
    let has = |kind, what: &str| told.iter().any(|(k, w)| *k == kind && w.contains(what));
    assert!(has(LoadKind::Dropped, "object `bob`"), "{told:?}");
    assert!(has(LoadKind::Defaulted, "object `dan`"), "{told:?}");
    assert!(has(LoadKind::Dropped, "`dance("), "{told:?}");
    assert!(report.notes.iter().any(|note| note.why.contains("so it is cancelled")), "{:?}", report.notes);
    let board = live.core().board();
    assert!(board.entries().all(|(_, entry)| entry.step.action != "dance" && entry.step.args[0] != "bob"));
    let loaded = live.drain().into_iter().any(|event| matches!(event.kind, EventKind::Loaded { .. }));
    assert!(loaded, "the stream tells of it");
    // The game goes on with the edited story, and the names that it knows keep their numbers.
    let started = theatre.game.started.len();
    for _ in 0..900 {
        for input in theatre.look() {
            let (frames, _) = step(&mut live, &input);
            frames.iter().for_each(|frame| theatre.send(true, frame));
        }
    }
    assert!(theatre.game.started.len() > started);
    let (back, report) = load(&model, &live.save().to_bytes());
    assert!(!report.is_clean(), "the first story has what the edited one has not");
    assert_eq!(back.core().options().session, names_before.session);
}

/// How many bytes the longest message has in which a save is handed back.
fn longest_load(input: &Input) -> usize {
    let Input::Pump { frames, .. } = input else { return 0 };
    let is_load = |bytes: &&Vec<u8>| {
        let frame: Frame<ToDirector> = Codec::Binary.decode(bytes).expect("the executor speaks the protocol");
        matches!(frame.message, ToDirector::Load { .. } | ToDirector::LoadPiece { .. })
    };
    frames.iter().filter(is_load).map(Vec::len).max().unwrap_or(0)
}

/// A game asks for a save, plays on, and goes back: its executor to the checkpoint, the director to the save.
#[test]
fn a_game_goes_back_to_its_save() {
    let model = compile(STORY);
    let mut played = 0;
    for seed in 0..13 {
        let mut theatre = Theatre::new(seed);
        let Some(mut live) = middle(&model, &mut theatre, seed) else { continue };
        played += 1;
        let mut kept: Option<(Vec<u8>, Vec<u8>, i64)> = None;
        let mut loaded = false;
        theatre.executor.request_save();
        for look in 0..2_400 {
            for input in theatre.look() {
                assert!(seed % 2 == 0 || longest_load(&input) <= SMALL as usize, "seed {seed}");
                let mut frames = Vec::new();
                live.step(&input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
                let longest = frames.iter().map(Vec::len).max().unwrap_or(0);
                assert!(seed % 2 == 0 || longest <= SMALL as usize, "seed {seed}: {longest} bytes");
                frames.iter().for_each(|frame| theatre.send(true, frame));
                loaded |= live.drain().iter().any(|event| matches!(event.kind, EventKind::Loaded { .. }));
            }
            if let Some(data) = theatre.game.saved.take() {
                assert!(data.len() > 2 * SMALL as usize, "{} bytes", data.len());
                kept = Some((data, theatre.executor.checkpoint(), theatre.tick));
            }
            if look == 500 {
                let (data, checkpoint, tick) = kept.take().expect("the save came");
                let options = ExecutorOptions { first_call: 1_000, ..ExecutorOptions::default() };
                theatre.executor = Executor::restore(&checkpoint, options).expect("restored");
                theatre.tick = tick;
                theatre.executor.load(data);
            }
        }
        assert!(loaded, "seed {seed}");
        assert_eq!(theatre.game.faults, Vec::<String>::new(), "seed {seed}");
        let board = live.core().board();
        assert_eq!(board.entries().count(), 0, "seed {seed}: everything that was sent came to an end");
        assert_eq!((theatre.executor.waiting_count(), theatre.executor.running_count()), (0, 0), "seed {seed}");
    }
    assert!(played >= 6, "only {played} seeds came to the middle");
}

/// A game dies while it hands a save back in pieces, has forgotten everything, and hands it back under the same number.
#[test]
fn pieces_that_the_game_has_forgotten_are_forgotten() {
    let mut stage = Stage::new(compile(STORY), &script(1, 30));
    stage.director.set_message_bytes_max(SMALL);
    stage.until(30);
    let data = stage.director.save().to_bytes();
    assert_eq!(stage.executor.load(data.clone()), 1);
    let mut frames = Vec::new();
    stage.executor.poll(&mut |frame| frames.push(frame.to_vec()));
    frames.retain(|bytes| {
        let frame: Frame<ToDirector> = Codec::Binary.decode(bytes).expect("the executor speaks the protocol");
        !matches!(frame.message, ToDirector::Load { .. })
    });
    assert!(frames.len() > 1, "some pieces arrive");
    let now = stage.now();
    stage.step(&Input::Pump { now, frames });
    stage.executor = Executor::new(ExecutorOptions { first_call: 1_000, ..ExecutorOptions::default() });
    stage.frames.clear();
    stage.until(40);
    assert_eq!(stage.executor.load(data), 1);
    stage.until(60);
    let told = |kind: &EventKind| matches!(kind, EventKind::Loaded { .. } | EventKind::Fault { .. });
    let told: Vec<_> = stage.events.iter().map(|(_, kind)| kind).filter(|kind| told(kind)).collect();
    assert!(matches!(told.as_slice(), [EventKind::Loaded { .. }]), "{told:?}");
}

/// A game hands a save back, but its executor goes on as it was: nothing is waited for that is over, nothing runs twice.
#[test]
fn a_save_is_loaded_though_the_executor_was_not_restored() {
    let model = compile(STORY);
    let mut played = 0;
    for seed in 0..13 {
        let mut theatre = Theatre::new(seed);
        let Some(mut live) = middle(&model, &mut theatre, seed) else { continue };
        played += 1;
        let mut kept = None;
        // A hello tells of what runs; the save is made while it still does, and handed back when it is long over.
        theatre.executor.reconnect();
        theatre.executor.request_save();
        for look in 0..3_000 {
            for input in theatre.look() {
                let (frames, _) = step(&mut live, &input);
                frames.iter().for_each(|frame| theatre.send(true, frame));
            }
            kept = theatre.game.saved.take().or(kept);
            if look == 500 {
                theatre.executor.load(kept.take().expect("the save came"));
            }
            if look == 700 {
                // Without a further hello, which would make it good.
                let is_old = |start: i64| start + 100 < theatre.tick;
                let waits =
                    live.core().board().entries().filter(|(_, entry)| entry.is_locked() && is_old(entry.step.start));
                assert_eq!(waits.count(), 0, "seed {seed}: the director waits for what is long over");
            }
        }
        assert_eq!(theatre.game.faults, Vec::<String>::new(), "seed {seed}");
        let left: Vec<_> = live.core().board().entries().collect();
        assert!(left.is_empty(), "seed {seed}: {left:?}");
        assert_eq!((theatre.executor.waiting_count(), theatre.executor.running_count()), (0, 0), "seed {seed}");
    }
    assert!(played >= 6, "only {played} seeds came to the middle");
}

#[test]
fn what_is_no_save_is_refused_and_the_game_goes_on() {
    let model = compile(STORY);
    let mut theatre = Theatre::new(3);
    let mut live = in_the_middle(&model, &mut theatre, 3);
    theatre.executor.load(b"nonsense".to_vec());
    for _ in 0..200 {
        for input in theatre.look() {
            let (frames, _) = step(&mut live, &input);
            frames.iter().for_each(|frame| theatre.send(true, frame));
        }
    }
    assert_eq!(theatre.game.faults, ["this is no save of a session"]);
}

#[test]
fn what_is_no_save_is_said_to_be_none() {
    let model = compile(STORY);
    let bytes = director(&model, 1).save().to_bytes();
    let error = |bytes: &[u8]| SessionSave::from_bytes(bytes).expect_err("it is none").to_string();
    assert_eq!(error(b"hello"), "this is no save of a session");
    assert_eq!(error(b""), "this is no save of a session");
    let mut other = bytes.clone();
    other[15] = b'7';
    assert!(error(&other).contains("format 7"), "{}", error(&other));
    let mut damaged = bytes;
    *damaged.last_mut().expect("a byte") = b' ';
    assert_eq!(error(&damaged), "the save is damaged: its checksum is wrong");
}
