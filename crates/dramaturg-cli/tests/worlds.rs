//! Commands that run worlds: new, simulate, validate, ground, demo.

mod common;

use common::{BELL, LAMP_DOMAIN, LAMP_PROBLEM, Stage};
use expect_test::expect;

#[test]
fn new_stories_check_clean_and_their_plans_hold() {
    for template in ["adventure", "cast", "tasks"] {
        let stage = Stage::new();
        let run = stage.run(&["new", "old-mill", "--template", template]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(stage.read("old-mill/old-mill.story").contains("story \"Old mill\""));
        let (code, json) = stage.json(&["check", "old-mill", "--deny-warnings"]);
        assert_eq!(code, 0, "{template}: {json}");
        assert_eq!(json["stories"][0]["hints"], 0, "{template}: {json}");
        assert_eq!(stage.run(&["fmt", "--check", "old-mill"]).code, 0, "{template} is in the one layout");
        if stage.path("old-mill/old-mill.plan").exists() {
            let run = stage.run(&["validate", "old-mill", "old-mill/old-mill.plan"]);
            assert_eq!(run.code, 0, "{template}: {}{}", run.out, run.err);
            assert_eq!(stage.run(&["simulate", "old-mill", "old-mill/old-mill.plan"]).code, 0);
        } else {
            assert_eq!(stage.run(&["simulate", "old-mill"]).code, 0);
        }
        let again = stage.run(&["new", "old-mill"]);
        assert_eq!(again.code, 20, "nothing is overwritten");
    }
    let bad = Stage::new().run(&["new", "My Story!"]);
    assert_eq!(bad.code, 2);
    assert!(bad.err.contains("dramaturg new my-story"), "{}", bad.err);
}

#[test]
fn a_transcript_goes_by_ticks() {
    let stage = Stage::with(&[("bell.story", BELL), ("bell.plan", "(ring)\n")]);
    let run = stage.run(&["simulate", "bell.story", "bell.plan", "--trace"]);
    assert_eq!(run.code, 0);
    expect![[r#"
        Bell

                0 s  takes up goal rung by 10 s
                     ring until 2 s
                     It rings.
                2 s    rung: false → true by ring
                     ring ends
                     rule answer
                     Somebody opens a window.
                     reached goal rung by 10 s

        Left at 10 s, after 8 events.
        Goals
           reached  goal rung by 10 s at 2 s
    "#]]
    .assert_eq(&run.out);
    let (code, json) = stage.json(&["simulate", "bell.story", "bell.plan", "--until", "5s"]);
    assert_eq!((code, &json["until"]), (0, &50.into()));
    assert_eq!(json["goals"][0]["status"], "reached");
    let kinds: Vec<&str> =
        json["events"].as_array().expect("events").iter().filter_map(|e| e["kind"].as_str()).collect();
    assert!(kinds.contains(&"step-started") && kinds.contains(&"said") && kinds.contains(&"rule-fired"), "{kinds:?}");
    let late = stage.run(&["simulate", "bell.story", "--until", "5 parsecs"]);
    assert_eq!(late.code, 2);
}

#[test]
fn an_invalid_plan_is_explained() {
    let stage = Stage::with(&[("bell.story", BELL), ("twice.plan", "0: (ring) [20]\n30: (ring) [20]\n")]);
    let run = stage.run(&["validate", "bell.story", "twice.plan"]);
    assert_eq!(run.code, 1);
    expect![[r#"
                3 s  ring: step 1 wants `rung` to be false when it starts, but it is true
                     rung: wanted false, found true
                     bell.story:3:26
        Goals
           reached  goal rung by 10 s at 2 s
        invalid: 1 unmet condition (2 steps, ends at 5 s, cost 2; judged in TIME)
    "#]]
    .assert_eq(&run.out);
    let (code, json) = stage.json(&["validate", "bell.story", "twice.plan"]);
    assert_eq!((code, &json["valid"]), (1, &false.into()));
    let violation = &json["violations"][0];
    assert_eq!((&violation["tick"], &violation["fluent"]), (&30.into(), &"rung".into()));
    assert_eq!(violation["place"]["line"], 3);
    assert_eq!(stage.run(&["validate", "bell.story", "twice.plan", "--goals", "nobody-here"]).code, 2);
}

#[test]
fn a_plan_with_unknown_names_is_a_fault_with_a_place() {
    let stage = Stage::with(&[("bell.story", BELL), ("bad.plan", "(rign)\n")]);
    let run = stage.run(&["validate", "bell.story", "bad.plan"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("bad.plan:1:2") && run.err.contains("`ring`"), "{}", run.err);
    assert_eq!(stage.run(&["validate", "bell.story", "no.plan"]).code, 20);
}

#[test]
fn pddl_is_grounded_and_its_plans_are_judged() {
    let stage = Stage::with(&[
        ("domain.pddl", LAMP_DOMAIN),
        ("dusk.pddl", LAMP_PROBLEM),
        ("plan.txt", "(LIGHT)\n"),
        ("none.txt", ""),
    ]);
    let (code, json) = stage.json(&["ground", "domain.pddl", "dusk.pddl"]);
    assert_eq!((code, &json["operators"], &json["limit"]), (0, &1.into(), &serde_json::Value::Null));
    assert_eq!(json["operators_by_action"]["light"], 1);
    assert_eq!(stage.run(&["validate", "domain.pddl", "dusk.pddl", "plan.txt"]).code, 0);
    assert_eq!(stage.run(&["validate", "domain.pddl", "dusk.pddl", "none.txt"]).code, 1);
    let limited = stage.run(&["ground", "domain.pddl", "dusk.pddl", "--max-operators", "0"]);
    assert_eq!(limited.code, 0);
    assert!(limited.out.contains("grounding stopped after 0"), "{}", limited.out);
}

#[test]
fn the_demo_needs_nothing_and_ends_well() {
    let stage = Stage::new();
    let run = stage.run(&["demo"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("did you mean `onTable`"), "{}", run.out);
    assert!(run.out.contains("found the plan valid"), "{}", run.out);
    assert!(run.out.contains("and then the walls of Troy"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "no colour where nobody sees it");
    let (code, json) = stage.json(&["demo"]);
    assert_eq!((code, &json["stories"][1]["steps"]), (0, &7.into()));
}

#[test]
fn figures_are_measured() {
    let stage = Stage::with(&[("lamp/domain.pddl", LAMP_DOMAIN), ("lamp/dusk.pddl", LAMP_PROBLEM)]);
    let (code, json) = stage.json(&["bench", "compile", "--lines", "300", "--repeat", "2"]);
    assert_eq!((code, &json["compile"]["runs"]), (0, &2.into()));
    assert!(json["peak_bytes"].as_u64().is_some_and(|bytes| bytes > 10_000), "{json}");
    let (code, json) = stage.json(&["bench", "validate", "--steps", "60", "--repeat", "2"]);
    assert_eq!((code, &json["valid"], &json["steps"]), (0, &true.into(), &60.into()));
    let (code, json) = stage.json(&["bench", "ground", ".", "--repeat", "2", "--python", "no-such-python"]);
    assert_eq!((code, &json["problems"][0]["operators"]), (0, &1.into()));
    assert_eq!(stage.run(&["bench", "ground", "nowhere"]).code, 20);
}
