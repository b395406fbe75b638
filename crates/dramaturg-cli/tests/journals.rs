//! Commands about sessions that were written down: replay, save-check.

mod common;

use std::fs;
use std::sync::Arc;

use common::{BELL, Stage};
use dramaturg::model::Plan;
use dramaturg::planner::planner::Workers;
use dramaturg::planner::scripted::{ScriptOptions, Scripted};
use dramaturg_director::journal::Notice;
use dramaturg_director::{Core, Director, DirectorOptions, Input, Journal, JournalOptions};

/// A folder with a story, the journal of a session of it, and a save.
fn played() -> Stage {
    played_in(JournalOptions::default().segment_bytes)
}

/// The same with segments of so many bytes.
fn played_in(segment_bytes: u64) -> Stage {
    let stage = Stage::with(&[("bell.story", BELL)]);
    let opened = dramaturg::open::open(&stage.path("bell.story"), None).expect("it opens");
    let model = Arc::new(opened.model);
    let mut plan = Plan::default();
    plan.add("ring", Vec::<&str>::new(), 40, 20);
    let planner = Scripted::performing(Arc::clone(&model), &plan, ScriptOptions::default());
    let mut director =
        Director::new(Core::new(model, DirectorOptions::default()), Box::new(planner), dramaturg_planners::loader());
    let story = Some(stage.path("bell.story").display().to_string());
    let options = JournalOptions { story, hash_every: 10, segment_bytes, keep: 0, ..JournalOptions::default() };
    let mut journal = Journal::create(&stage.path("journal"), options, &mut director).expect("begun");
    for now in (0..50).map(|tick| tick * 16_667) {
        for input in [Input::Pump { now, frames: Vec::new() }, Input::Begin { now }, Input::End { now, units: 9 }] {
            assert_eq!(journal.append(&input, &director), None);
            director.step(&input, &Workers::single(), &mut |_| {});
            assert!(matches!(journal.settle(&mut director), None | Some(Notice::Rotated { .. })));
        }
    }
    assert_eq!(journal.end(&mut director, "the run is over"), None);
    stage.write("evening.save", director.save().to_bytes());
    stage
}

#[test]
fn a_journal_is_replayed_and_an_altered_byte_is_named() {
    let stage = played();
    let run = stage.run(&["replay", "journal", "--events", "events.jsonl"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.starts_with("150 inputs, 0 ticks, identical"), "{}", run.out);
    assert!(stage.read("events.jsonl").lines().count() >= 50);
    let (code, json) = stage.json(&["replay", "journal", "--story", "bell.story"]);
    assert_eq!((code, &json["identical"], &json["inputs"]), (0, &true.into(), &150.into()), "{json}");
    let path = stage.path("journal/00000001.journal");
    let mut bytes = fs::read(&path).expect("read");
    let place = bytes.len() - 60;
    bytes[place] ^= 4;
    fs::write(&path, bytes).expect("written");
    let run = stage.run(&["replay", "journal"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("parts at tick 0, input 14"), "{}", run.out);
    assert_eq!(stage.run(&["replay", "nowhere"]).code, 20);
}

#[test]
fn a_segment_that_is_missing_or_swapped_is_named() {
    let stage = played_in(600);
    let segment = |number: u64| stage.path(&format!("journal/{number:08}.journal"));
    let run = stage.run(&["replay", "journal"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(segment(5).exists());
    let third = fs::read(segment(3)).expect("read");
    fs::remove_file(segment(3)).expect("removed");
    let run = stage.run(&["replay", "journal"]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let told = "`journal/00000003.journal` is missing: segment 4 follows it; the ";
    assert!(run.out.contains(told) && run.out.contains("not replayed"), "{}", run.out);
    fs::write(segment(3), fs::read(segment(4)).expect("read")).expect("written");
    fs::write(segment(4), &third).expect("written");
    let (code, json) = stage.json(&["replay", "journal"]);
    assert_eq!((code, &json["identical"], &json["damage"]["kind"]), (1, &false.into(), &"segment".into()), "{json}");
    let problem = json["damage"]["problem"].as_str().expect("a problem");
    assert!(problem.starts_with("its header says that it is segment 4"), "{problem}");
    // One segment alone can be replayed, and says nothing of others.
    fs::write(segment(3), third).expect("written");
    let run = stage.run(&["replay", "journal/00000003.journal"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    // Without its end nobody knows whether that is all.
    for number in (4..).take_while(|number| segment(*number).exists()) {
        fs::remove_file(segment(number)).expect("removed");
    }
    let run = stage.run(&["replay", "journal"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.err.contains("the journal has no end"), "{}", run.err);
}

/// Whoever opens a pipe waits for its other end.
#[cfg(unix)]
#[test]
fn a_pipe_is_refused_where_a_journal_should_be() {
    let stage = Stage::with(&[("drill.story", common::serving::DRILL)]);
    assert!(std::process::Command::new("mkfifo").arg(stage.path("pipe")).status().expect("mkfifo runs").success());
    for args in [
        &["replay", "pipe"][..],
        &["run", "drill.story", "--journal", "pipe"],
        &["serve", "drill.story", "--listen", "127.0.0.1:0", "--journal", "pipe"],
    ] {
        let run = stage.run(args);
        assert_eq!(run.code, 20, "{args:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("it is a pipe"), "{args:?}: {}", run.err);
    }
}

/// Whatever the link, and wherever the planner works.
#[test]
fn every_run_can_be_replayed_from_its_journal() {
    let stage = Stage::with(&[("drill.story", common::serving::DRILL)]);
    for (number, how) in
        [&["inline"][..], &["threads"], &["tcp"], &["websocket"], &["tcp", "--lockstep"]].iter().enumerate()
    {
        let args = ["run", "drill.story", "--tasks", "20", "--fail", "5", "--journal", "journals", "--link"];
        let (code, report) = stage.json(&[&args[..], how].concat());
        assert_eq!(code, 0, "{how:?}: {report}");
        let journal = format!("journals/run-{}", number + 1);
        assert_eq!(report["journal"], journal, "{how:?}");
        let (code, told) = stage.json(&["replay", &journal]);
        assert_eq!((code, &told["identical"], &told["ended"]), (0, &true.into(), &true.into()), "{how:?}: {told}");
        assert!(told["ticks"].as_i64() > Some(100) && told["inputs"].as_i64() > Some(100), "{how:?}: {told}");
    }
}

#[test]
fn a_save_is_checked_against_an_edited_story() {
    let stage = played();
    let run = stage.run(&["save-check", "evening.save", "bell.story", "--strict"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("everything can be taken over"), "{}", run.out);
    stage.write("edited.story", BELL.replace("action ring", "action toll"));
    let run = stage.run(&["save-check", "evening.save", "edited.story"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("there is no action `ring` any more"), "{}", run.out);
    let (code, json) = stage.json(&["save-check", "evening.save", "edited.story", "--strict"]);
    assert_eq!((code, &json["ok"], &json["same_story"]), (1, &false.into(), &false.into()), "{json}");
    stage.write("none.save", "nonsense");
    assert_eq!(stage.run(&["save-check", "none.save", "bell.story"]).code, 1);
}
