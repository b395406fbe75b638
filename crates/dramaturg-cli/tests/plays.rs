//! `dramaturg test`: the plays of stories, run by the real program.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Stage, normal};
use expect_test::expect;
use serde_json::Value;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with every file of `stories/`.
fn stories() -> Stage {
    let stage = Stage::new();
    for entry in fs::read_dir(repository().join("stories")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        stage.write(name, fs::read(&path).expect("read"));
    }
    stage
}

const BELL: &str = "story \"Bell\" { ticks 10 per s }
type Person { hands: actuator }
object mara \"Mara\", pavel \"Pavel\": Person
fluent rung, wind
fluent loudness: int 0..9
action ring(who: Person) { takes 2 s; uses who.hands; needs not wind; then rung, loudness += 3; say \"{who} rings.\" }
action ask { ask player \"Again?\" answers yes \"Yes.\", no \"No.\" within 2 s else no; then loudness += 1 }
rule air { reads wind }
rule answer { when rung; say who: \"Who rang?\" }
goal rung by 10 s
";

fn bell(plays: &str) -> Stage {
    let story = BELL.replace("say who:", "say mara:");
    Stage::with(&[("bell.story", &story), ("bell.play", plays), ("bell.plan", "4: (ring mara) [20]\n")])
}

fn count(report: &Value, key: &str) -> u64 {
    report[key].as_u64().unwrap_or_else(|| panic!("{key} in {report}"))
}

#[test]
fn every_play_of_the_sample_stories_passes_or_says_what_it_needs_over_every_link() {
    let stage = stories();
    let mut transcripts = Vec::new();
    for link in ["inline", "threads", "tcp", "websocket"] {
        let (code, report) = stage.json(&["test", "--link", link, "--transcript"]);
        assert_eq!((code, count(&report, "failed")), (0, 0), "{link}: {report}");
        assert!(count(&report, "passed") >= 14, "{link}: {report}");
        for play in report["plays"].as_array().expect("plays") {
            match play["outcome"].as_str().expect("an outcome") {
                "passed" => assert!(!play["transcript"].as_array().expect("a transcript").is_empty(), "{play}"),
                "skipped" => assert!(!play["needs"].as_array().expect("needs").is_empty(), "{play}"),
                other => panic!("{other}: {play}"),
            }
        }
        transcripts.push(report["plays"].clone());
    }
    assert!(transcripts.iter().all(|other| *other == transcripts[0]));
    let (code, report) = stage.json(&["test", "--lockstep"]);
    assert_eq!((code, count(&report, "failed")), (0, 0), "{report}");
    assert_eq!(report["links"].as_array().map(Vec::len), Some(4));
}

#[test]
fn new_stories_have_plays_that_do_not_fail() {
    for (template, passed) in [("adventure", 2), ("cast", 2), ("tasks", 2)] {
        let stage = Stage::new();
        stage.run(&["new", "mine", "--template", template]);
        let (code, report) = stage.json(&["test", "mine"]);
        assert_eq!((code, count(&report, "failed"), count(&report, "passed")), (0, 0, passed), "{template}: {report}");
    }
}

#[test]
fn what_is_not_met_is_shown_against_what_came() {
    let stage = bell(
        "play \"Pavel rings\" {
  see ring(pavel) by 5 s
}
play \"It is quiet\" {
  never \"*rings.\"
  until 5 s
}
play \"Too early\" { see ring(_) at 3 ticks }
play \"Louder\" { see answer; check loudness > 3 and rung }
play \"Only this\" { only mara { see ask } }
",
    );
    let run = stage.run(&["test", "bell.story"]);
    assert_eq!(run.code, 1);
    expect![[r#"
        bell.play
           failed  Pavel rings

        [not-seen] error: this did not come
           ╭─[ bell.play:2:3 ]
           │
         2 │   see ring(pavel) by 5 s
           │   ───────────┬──────────
           │              ╰──────────── not seen by tick 50
        ───╯

          -           see ring(pavel) by 5 s
          +        4  ring(mara) starts
          +        4  "Mara rings."
          +       24  rule answer
          +       24  mara: "Who rang?"

           failed  It is quiet

        [seen-after-all] error: at tick 4 it happened after all: "Mara rings."
           ╭─[ bell.play:5:3 ]
           │
         5 │   never "*rings."
           │   ───────┬───────
           │          ╰───────── from here on this must not happen
        ───╯

          -           never "*rings."
          +        4  "Mara rings."
    "#]]
    .assert_eq(run.out.split("\n   failed  Too early").next().expect("a part"));
    for (title, code, tick) in
        [("early", "other-time", 4), ("Louder", "check-failed", 24), ("Only", "done-otherwise", 4)]
    {
        let (_, report) = stage.json(&["test", "bell.story", "--filter", title]);
        let difference = &report["plays"][0]["difference"];
        assert_eq!((difference["code"].as_str(), difference["tick"].as_i64()), (Some(code), Some(tick)), "{report}");
        assert_eq!(difference["place"]["file"], "bell.play");
    }
}

#[test]
fn questions_failures_delays_and_what_nobody_asked_for() {
    let stage = bell(
        "play \"Nobody answers\" { do ask; see \"Again?\"; wait 3 s; check loudness == 3; never ask }
play \"Somebody does\" { do ask; answer yes; see ask; wait 1 s; check loudness == 1 }
play \"Yes or no\" { do ask; answer perhaps }
play \"Nothing was asked\" { answer yes }
play \"Wind\" { report wind; never ring(_); until 5 s; check not rung }
play \"It cannot be done\" { report wind; do ring(pavel) }
play \"Slow\" { stretch ring(mara) by 1 s; see ring(_) at 4 ticks; see answer at 34 ticks }
play \"Again\" { fail ring(mara) after 1 s; see ring(mara); see ring(mara) within 2 s; see answer }
play \"Saved\" { see ring(mara); wait 1 s; reload; see answer at 24 ticks; check loudness == 3 }
",
    );
    let (_, report) = stage.json(&["test", "--link", "all"]);
    let outcomes: Vec<String> = report["plays"]
        .as_array()
        .expect("plays")
        .iter()
        .map(|play| {
            let code = play["difference"]["code"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
            format!(
                "{}: {}{code}",
                play["title"].as_str().unwrap_or_default(),
                play["outcome"].as_str().unwrap_or_default()
            )
        })
        .collect();
    expect![[r#"
        Nobody answers: passed
        Somebody does: passed
        Yes or no: failed not-possible
        Nothing was asked: failed not-possible
        Wind: passed
        It cannot be done: failed not-possible
        Slow: passed
        Again: passed
        Saved: passed"#]]
    .assert_eq(&outcomes.join("\n"));
}

#[test]
fn a_play_that_needs_a_planner_is_skipped_and_strict_minds() {
    let plays = "play \"A plan\" { see ring(_) }\nplay \"Another beginning\" { given wind; never ring(_) }\n";
    let story =
        format!("{}task call {{ offer \"Ring.\"; method {{ then rung }} }}\n", BELL.replace("say who:", "say mara:"));
    let stage = Stage::with(&[("bell.story", &story), ("bell.play", plays), ("bell.plan", "4: (ring mara) [20]\n")]);
    let run = stage.run(&["test", "bell.play"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("skipped  Another beginning: needs the narrative planner"), "{}", run.out);
    assert!(run.out.contains("2 plays: 1 passed, 0 failed, 1 skipped (TIME)"), "{}", run.out);
    let (code, report) = stage.json(&["test", "bell.play", "--strict"]);
    assert_eq!((code, report["ok"].as_bool(), count(&report, "skipped")), (1, Some(false), 1), "{report}");
    assert_eq!(report["plays"][1]["needs"], serde_json::json!(["narrative"]));
    fs::remove_file(stage.path("bell.plan")).expect("removed");
    let (code, report) = stage.json(&["test", "bell.play"]);
    assert_eq!((code, count(&report, "passed"), count(&report, "skipped")), (0, 0, 2), "{report}");
}

#[test]
fn a_bad_play_file_is_told_with_its_place() {
    let stage = bell("play \"Misspelt\" { see rin(mara) }\n");
    let run = stage.run(&["test", "bell.story"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("bell.play:1:23") && run.out.contains("did you mean `ring`?"), "{}", run.out);
    assert!(run.out.contains("1 file cannot be read"), "{}", run.out);
    let (code, report) = stage.json(&["test", "bell.story"]);
    assert_eq!((code, report["findings"][0]["code"].as_str()), (1, Some("unknown-name")), "{report}");
    stage.write("bell.play", "play \"Fine\" { see ring(mara) }\n");
    stage.write("bell.plan", "(rin mara)\n");
    let run = stage.run(&["test", "bell.story"]);
    assert!(run.code == 1 && run.out.contains("bell.plan:1"), "{}", run.out);
}

#[test]
fn what_is_not_there_is_said() {
    let stage = Stage::with(&[("lone.story", common::BELL)]);
    let none = stage.run(&["test", "lone.story"]);
    assert_eq!(none.code, 20);
    assert!(none.err.contains("`lone.story` has no plays: there is no `lone.play`"), "{}", none.err);
    assert_eq!(stage.run(&["test", "gone.play"]).code, 20);
    assert_eq!(stage.run(&["test"]).code, 20);
    let stage = bell("play \"A\" { see ring(_) }\n");
    let filtered = stage.run(&["test", "--filter", "zebra"]);
    assert_eq!(filtered.code, 2, "{}", filtered.err);
    let written = stage.run(&["test", "--transcript=all.txt"]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(stage.read("all.txt").contains("ring(mara) starts"));
}

/// The blocks of a document that are files, and those that are typed.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, body)), None) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (None, None) => {}
        }
    }
    found
}

#[test]
fn the_guide_to_plays_tells_the_truth() {
    let stage = stories();
    let text = fs::read_to_string(repository().join("docs/plays.md")).expect("the guide");
    for (info, body) in blocks(&text) {
        if let Some((_, file)) = info.split_once("file=") {
            stage.write(file, body);
            continue;
        }
        assert_eq!(info, "console");
        let (command, shown) = body.split_once('\n').expect("a command and its output");
        let mut commands: Vec<&str> = command.trim_start_matches("$ ").split("; ").collect();
        let typed = commands.pop().expect("a command");
        for copy in commands {
            let words: Vec<&str> = copy.split(' ').collect();
            stage.write(words[2], stage.read(words[1]));
        }
        let args: Vec<&str> = typed.split(' ').skip(1).collect();
        let run = stage.run(&args);
        assert_eq!(run.out.trim_end(), normal(shown).trim_end(), "{command}");
    }
}
