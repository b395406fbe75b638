//! `dramaturg check`.

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use common::{BELL, FAULTY, LAMP_DOMAIN, LAMP_PROBLEM, Stage};
use expect_test::expect;

#[test]
fn faults_are_shown_with_place_cause_and_cure() {
    let stage = Stage::with(&[("kitchen.story", FAULTY)]);
    let run = stage.run(&["check", "kitchen.story"]);
    assert_eq!(run.code, 1);
    expect![[r#"
        [duplicate-name] error: `here` is declared twice
           ╭─[ kitchen.story:5:8 ]
           │
         4 │ fluent here: Place = kitchen
           │        ──┬─
           │          ╰─── first declared here
         5 │ fluent here: Place = hall
           │        ──┬─
           │          ╰─── declared again here
           │
           │ Help: give one of them another name
        ───╯

        [unknown-unit] error: `sec` is not a unit, or stands too far from its number
           ╭─[ kitchen.story:6:21 ]
           │
         6 │ action go { takes 5 sec; then here = hal }
           │                     ─┬─
           │                      ╰─── here
           │
           │ Help: write `s`; the units are `ticks`, `ms`, `s`, `min`, `h`, `days` and `%`
        ───╯

        [unknown-name] error: nothing here is called `hal`
           ╭─[ kitchen.story:6:38 ]
           │
         6 │ action go { takes 5 sec; then here = hal }
           │                                      ─┬─
           │                                       ╰─── expected Place
           │
           │ Help: did you mean `hall`?
        ───╯

        faulty kitchen.story: 3 errors (TIME)
    "#]]
    .assert_eq(&run.out);
}

#[test]
fn a_good_story_is_fine_and_its_plays_are_read() {
    let play = "play \"It rings\" { see ring by 10 s; check rung }\n";
    let stage = Stage::with(&[("bell/bell.story", BELL), ("bell/bell.play", play)]);
    let run = stage.run(&["check", "bell", "--hints"]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("fine bell/bell.story: no faults, 1 hint, 1 play"), "{}", run.out);
    let faulty = "play \"It rings\" { see rang by 10 s }\n";
    stage.write("bell/bell.play", faulty);
    let run = stage.run(&["check", "bell"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("bell/bell.play:1:23"), "{}", run.out);
}

#[test]
fn machines_get_places_and_fixes() {
    let stage = Stage::with(&[("kitchen.story", FAULTY)]);
    let (code, json) = stage.json(&["check", "kitchen.story"]);
    assert_eq!(code, 1);
    assert_eq!(json["ok"], false);
    let story = &json["stories"][0];
    assert_eq!((&story["errors"], &story["is_part"]), (&3.into(), &false.into()));
    let unit = &story["findings"][1];
    assert_eq!(unit["code"], "unknown-unit");
    assert_eq!(unit["severity"], "error");
    assert_eq!(unit["place"]["file"], "kitchen.story");
    assert_eq!((&unit["place"]["line"], &unit["place"]["column"]), (&6.into(), &21.into()));
    assert_eq!(story["findings"][2]["fix"]["edits"][0]["text"], "hall");
}

#[test]
fn a_folder_of_stories_is_checked_as_a_whole_and_parts_are_named() {
    let stage = Stage::with(&[
        ("all/bell.story", BELL),
        ("all/chime.story", BELL),
        ("all/cast.story", "type Person\nobject anna: Person\n"),
    ]);
    let run = stage.run(&["check", "all"]);
    assert_eq!(run.code, 0, "{}", run.out);
    expect![[r#"
          fine all/bell.story: no faults, 1 hint (see `--hints`) (TIME)
          fine all/chime.story: no faults, 1 hint (see `--hints`) (TIME)
          part all/cast.story: no syntax faults, a part of other stories: only its syntax was checked (TIME)
        3 stories checked in TIME: all fine
    "#]]
    .assert_eq(&run.out);
}

#[test]
fn warnings_are_denied_on_demand() {
    let story = "story \"Door\"\nfluent open, locked = true\naction enter { needs not locked; then open; say \"In.\" }\ngoal open\n";
    let stage = Stage::with(&[("door.story", story)]);
    assert_eq!(stage.run(&["check", "door.story"]).code, 0);
    let run = stage.run(&["check", "door.story", "--deny-warnings"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("impossible-action"), "{}", run.out);
}

#[test]
fn pddl_is_checked_with_the_domain_before_it() {
    let stage = Stage::with(&[("domain.pddl", LAMP_DOMAIN), ("dusk.pddl", LAMP_PROBLEM)]);
    assert_eq!(stage.run(&["check", "domain.pddl", "dusk.pddl"]).code, 0);
    assert_eq!(stage.run(&["check", "."]).code, 0);
    stage.write("dusk.pddl", LAMP_PROBLEM.replace("(lit)", "(lid)"));
    let run = stage.run(&["check", "domain.pddl", "dusk.pddl"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("dusk.pddl:1"), "{}", run.out);
}

#[test]
fn any_bytes_are_faults_and_never_more() {
    let stage = Stage::new();
    let mut seed = 88_172_645_463_325_252_u64;
    for length in [1, 7, 64, 333, 2_000] {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed as u8
        })
        .take(length)
        .collect();
        stage.write("noise.story", [b"\xFF\xC3", bytes.as_slice()].concat());
        let run = stage.run(&["check", "noise.story"]);
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("is not UTF-8 text"), "{}", run.out);
        stage.write("noise.pddl", [b"(define \xFF", bytes.as_slice()].concat());
        assert_eq!(stage.run(&["check", "noise.pddl"]).code, 1);
    }
}

#[test]
fn watching_checks_again_after_an_edit() {
    let stage = Stage::with(&[("bell.story", BELL)]);
    let mut child =
        stage.command(&["check", "--watch", "bell.story", "--json"]).stdout(Stdio::piped()).spawn().expect("runs");
    let out = child.stdout.take().expect("piped");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let next = || {
        let line = lines.recv_timeout(Duration::from_secs(60)).expect("it checks");
        let json: serde_json::Value = serde_json::from_str(&line).expect("one document a line");
        json["ok"].as_bool()
    };
    assert_eq!(next(), Some(true));
    stage.write("bell.story", BELL.replace("then rung", "then runk"));
    assert_eq!(next(), Some(false));
    // As editors do it: a new file is moved over the old one.
    stage.write("bell.story.new", BELL);
    std::fs::rename(stage.path("bell.story.new"), stage.path("bell.story")).expect("moved");
    assert_eq!(next(), Some(true));
    child.kill().expect("it was running");
    child.wait().expect("it has ended");
}
