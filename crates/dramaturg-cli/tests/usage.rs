//! Exit codes, help, colour, pipes, completions.

mod common;

use std::io::Read;
use std::process::Stdio;

use common::{BELL, FAULTY, Stage};
use expect_test::expect;

#[test]
fn every_outcome_has_its_code() {
    let stage = Stage::with(&[
        ("bell.story", BELL),
        ("kitchen.story", FAULTY),
        ("part.story", "type Person\n"),
        ("a/b.txt", ""),
    ]);
    for (code, args) in [
        (0, &["check", "bell.story"][..]),
        (0, &["--version"]),
        (0, &["check", "part.story"]),
        (1, &["check", "kitchen.story"]),
        (1, &["ground", "kitchen.story"]),
        (1, &["simulate", "part.story"]),
        (2, &[]),
        (2, &["check", "--sideways"]),
        (2, &["plot"]),
        (2, &["simulate", "bell.story", "--seed", "many"]),
        (2, &["ground", "bell.story", "--level", "nowhere"]),
        (2, &["simulate", "."]),
        (20, &["check", "missing.story"]),
        (20, &["ground", "a"]),
        (20, &["convert", "bell.story", "--to", "json", "-o", "bell.story/x.json"]),
    ] {
        let run = stage.run(args);
        assert_eq!(run.code, code, "{args:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn trouble_names_the_thing_and_the_cure() {
    let stage = Stage::with(&[("bell.story", BELL)]);
    let run = stage.run(&["check", "bel.story"]);
    expect![[r#"
        error: there is no file or folder `bel.story`
          help: did you mean `bell.story`?
    "#]]
    .assert_eq(&run.err);
    let (code, json) = stage.json(&["check", "bel.story"]);
    assert_eq!((code, &json["error"]["kind"], &json["error"]["exit"]), (20, &"trouble".into(), &20.into()));
    assert_eq!(json["ok"], false);
    let (code, json) = stage.json(&["ground", "bell.story", "--character", "quasimodo"]);
    assert_eq!((code, &json["error"]["kind"]), (2, &"usage".into()));
}

#[test]
fn colour_is_for_those_who_see_it() {
    let stage = Stage::with(&[("kitchen.story", FAULTY)]);
    assert!(!stage.run(&["check", "kitchen.story"]).out.contains('\u{1b}'));
    assert!(stage.run(&["check", "kitchen.story", "--color", "always"]).out.contains('\u{1b}'));
    assert!(!stage.run(&["check", "kitchen.story", "--color", "never"]).out.contains('\u{1b}'));
    let forced = stage.command(&["check", "kitchen.story"]).env("NO_COLOR", "1").output().expect("runs");
    assert!(!forced.stdout.contains(&0x1b));
}

#[test]
fn help_of_every_command_has_an_example() {
    let stage = Stage::new();
    let commands = ["new", "check", "fmt", "convert", "ground", "simulate", "validate", "demo", "bench", "completions"];
    for command in commands {
        for flag in ["-h", "--help"] {
            let run = stage.run(&[command, flag]);
            assert_eq!(run.code, 0);
            assert!(run.out.contains("Examples:\n  dramaturg "), "{command}: {}", run.out);
            assert!(run.out.contains("--json"), "{command}");
        }
    }
    let help = stage.run(&["--help"]).out;
    for command in commands {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is not in {help}");
    }
    assert!(help.contains("Exit codes: 0 fine"));
}

#[test]
fn completions_exist_for_common_shells() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = stage.run(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains("validate") && run.out.contains("deny-warnings"), "{shell}");
    }
    let (code, json) = stage.json(&["completions", "bash"]);
    assert_eq!((code, &json["shell"]), (0, &"bash".into()));
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    let stage = Stage::with(&[("bell.story", BELL)]);
    let mut child = stage
        .command(&["convert", "bell.story", "--to", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let mut told = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut told).expect("read");
    assert_eq!(told, "");
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}
