//! `dramaturg play`: stories told and played, by the real program.

mod common;

use std::path::Path;

use common::Stage;
use serde_json::Value;

fn story(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stories").join(name);
    path.canonicalize().expect("a story").to_string_lossy().into_owned()
}

/// The transcript of a story that is played with these options.
fn transcript(stage: &Stage, name: &str, options: &[&str]) -> Vec<Value> {
    let story = story(name);
    let run = stage.run(&[&["play", &story, "--transcript", "played.jsonl"], options].concat());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let text = stage.read("played.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}

fn written(event: &Value) -> String {
    let args: Vec<&str> = event["args"].as_array().expect("args").iter().filter_map(Value::as_str).collect();
    format!("{}({})", event["action"].as_str().expect("an action"), args.join(", "))
}

/// What somebody starts, in order.
fn started_by(events: &[Value], who: &str) -> Vec<String> {
    let own = events.iter().filter(|event| event["event"] == "starts" && event["performer"] == who);
    own.map(written).collect()
}

fn ending(events: &[Value]) -> Option<&str> {
    events.iter().find(|event| event["event"] == "ending").and_then(|event| event["name"].as_str())
}

const KILL: &str = "kill(achilles, hector, battlefield)";

#[test]
fn achilles_does_fifteen_things_and_both_are_buried() {
    let events = transcript(&Stage::new(), "troy-funeral.story", &["--choices", "yes"]);
    let deeds = [
        "pickUp(achilles, sword, achilles-tent)",
        "pickUp(achilles, shield, achilles-tent)",
        "wear(achilles, armor, achilles-tent)",
        "goTo(achilles, achilles-tent, battlefield)",
        "attack(achilles, hector, battlefield)",
        KILL,
        "liftBody(achilles, hector, battlefield)",
        "goTo(achilles, battlefield, greek-camp)",
        "layDown(achilles, hector, greek-camp)",
        "liftBody(achilles, patroclus, greek-camp)",
        "goTo(achilles, greek-camp, beach)",
        "prepareFuneral(greeks, achilles, patroclus, beach)",
        "performFuneral(achilles, patroclus, beach)",
        "goTo(achilles, beach, achilles-tent)",
        "allowToTake(achilles, priam, hector)",
    ];
    assert_eq!(started_by(&events, "achilles"), deeds);
    assert_eq!(ending(&events), Some("buried"));
    let answered: Vec<&Value> = events.iter().filter(|event| event["event"] == "answered").collect();
    assert_eq!(answered.len(), 1);
    assert_eq!((answered[0]["answer"].as_str(), answered[0]["by"].as_str()), (Some("yes"), Some("choices")));
    let ticks: Vec<i64> = events.iter().filter_map(|event| event["tick"].as_i64()).collect();
    assert_eq!(ticks.len(), events.len(), "every event has its tick");
}

#[test]
fn whoever_is_spared_lives() {
    let events = transcript(&Stage::new(), "troy-funeral.story", &["--choices", "no", "--auto"]);
    assert!(!started_by(&events, "achilles").contains(&KILL.to_owned()), "{events:?}");
    assert!(started_by(&events, "achilles").contains(&"performFuneral(achilles, patroclus, beach)".to_owned()));
    assert_eq!(ending(&events), None);
}

#[test]
fn later_asks_again() {
    let events = transcript(&Stage::new(), "troy-funeral.story", &["--choices", "later,yes"]);
    let asked: Vec<i64> =
        events.iter().filter(|event| event["event"] == "question").filter_map(|event| event["tick"].as_i64()).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1] > asked[0], "{asked:?}");
    assert!(started_by(&events, "achilles").contains(&KILL.to_owned()));
}

#[test]
fn a_character_tells_what_it_saw_and_nothing_else() {
    let story = story("troy-funeral.story");
    let run = Stage::new().run(&["play", &story, "--choices", "yes", "--from", "priam"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.out.contains("kills"), "{}", run.out);
    assert!(!run.out.contains("Achilles takes up"), "{}", run.out);
    assert!(run.out.contains("Priam puts on the beggar's cloak."), "{}", run.out);
    assert!(run.out.contains("Priam: “You have a father."), "{}", run.out);
    assert!(run.out.contains("Paris tells Priam that Hector is dead."), "{}", run.out);
    assert!(run.out.contains("Priam wants: asked(priam, achilles) (90)"), "{}", run.out);
    assert!(!run.out.contains("Achilles wants"), "{}", run.out);
    let world = Stage::new().run(&["play", &story, "--choices", "yes"]);
    assert!(world.out.contains("Hector kills Patroclus."), "{}", world.out);
    assert!(world.out.contains("Achilles takes up the sword."), "{}", world.out);
    assert!(world.out.lines().count() > run.out.lines().count());
}

#[test]
fn plans_goals_beliefs_and_perspectives_are_shown_on_demand() {
    let input = b"plan achilles\ngoals Achilles\nbeliefs hector\nplan nobody\nfly\nsee priam\nwait 2\n1\n";
    let run = Stage::new().run_with(&["play", &story("troy-funeral.story")], input);
    assert_eq!(run.code, 0, "{}", run.err);
    for wanted in [
        "1 yes Kill him.",
        "Achilles plans",
        "12 s  asked    kill(achilles, hector, battlefield)",
        "Achilles wants",
        "90  active   dead(hector)",
        "Hector believes",
        "hector.place = battlefield",
        "no character of this story is called `nobody`; its characters are achilles, odysseus",
        "`fly` is no answer and no command; `help` lists them",
        "from here on as Priam sees it",
        "The story has ended: buried.",
    ] {
        assert!(run.out.contains(wanted), "no `{wanted}` in {}", run.out);
    }
    let (_, after) = run.out.split_once("from here on as Priam").expect("switched");
    assert!(!after.contains("Achilles kills Hector."), "{after}");
    assert!(after.contains("Priam puts on"), "{after}");
}

#[test]
fn nobody_at_the_keyboard_takes_what_the_question_says() {
    let run = Stage::new().run(&["play", &story("troy-funeral.story")]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("nobody answers: yes"), "{}", run.out);
    assert!(run.out.contains("The story has ended: buried."), "{}", run.out);
}

#[test]
fn a_pause_asks_what_to_do_without_a_question() {
    let args = ["play", &story("troy-sparta.story"), "--pause", "3"];
    let run = Stage::new().run_with(&args, b"plan hector\n\nquit\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Hector plans"), "{}", run.out);
    assert!(run.out.contains("You have left the story."), "{}", run.out);
}

#[test]
fn sparta_comes_home() {
    let events = transcript(&Stage::new(), "troy-sparta.story", &["--auto"]);
    let levels: Vec<&str> =
        events.iter().filter(|event| event["event"] == "level").filter_map(|event| event["name"].as_str()).collect();
    assert!(levels.contains(&"homecoming"), "{levels:?}");
    assert!(events.iter().any(|event| event["event"] == "milestone" && event["name"] == "sailed"));
    assert_eq!(ending(&events), Some("welcomed"));
}

#[test]
fn the_same_seed_and_choices_give_the_same_transcript() {
    for (name, options) in [
        ("troy-funeral.story", &["--auto", "--seed", "5"][..]),
        ("troy-funeral.story", &["--choices", "later,yes", "--seed", "5"][..]),
        ("troy-sparta.story", &["--auto", "--seed", "7"][..]),
    ] {
        let (one, other) = (Stage::new(), Stage::new());
        transcript(&one, name, options);
        transcript(&other, name, options);
        assert_eq!(one.read("played.jsonl"), other.read("played.jsonl"), "{name} {options:?}");
    }
}

#[test]
fn chance_answers_where_there_is_a_seed() {
    let by = |options: &[&str]| -> Vec<String> {
        let events = transcript(&Stage::new(), "troy-funeral.story", options);
        let answered = events.iter().filter(|event| event["event"] == "answered");
        answered.filter_map(|event| event["by"].as_str()).map(str::to_owned).collect()
    };
    assert!(by(&["--auto", "--seed", "1"]).iter().all(|by| by == "chance"));
    assert_eq!(by(&["--auto"]), ["default"]);
}

#[test]
fn programs_get_one_document() {
    let story = story("troy-funeral.story");
    let (code, report) = Stage::new().json(&["play", &story, "--choices", "yes", "--from", "priam"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!((report["ok"].as_bool(), report["ending"].as_str()), (Some(true), Some("buried")));
    let events = report["events"].as_array().expect("events");
    assert!(!events.is_empty());
    let is_his = |event: &Value| event["seen_by"].as_array().is_some_and(|all| all.iter().any(|who| who == "priam"));
    assert!(events.iter().all(is_his), "{report}");
}

#[test]
fn what_cannot_be_played_says_what_it_lacks() {
    let bell = "story \"Bell\" { ticks 1 per s }\nfluent rung\naction ring { takes 1 tick; then rung }\n";
    let stage = Stage::with(&[
        ("bell.story", bell),
        ("task.story", &format!("{bell}task call {{ offer \"Ring.\"; method {{ then rung }} }}\ngoal rung\n")),
    ]);
    let run = stage.run(&["play", "bell.story"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("`bell.story` cannot be played: it has no characters"), "{}", run.err);
    assert!(run.err.contains("help: add one that plans"), "{}", run.err);
    let run = stage.run(&["play", "task.story"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("it needs the narrative planner, which is not there yet"), "{}", run.err);
}

#[test]
fn wrong_names_and_answers_are_wrong_usage() {
    let story = story("troy-funeral.story");
    let run = Stage::new().run(&["play", &story, "--from", "zeus"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("its characters are achilles, odysseus"), "{}", run.err);
    let run = Stage::new().run(&["play", &story, "--choices", "maybe"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`maybe` is no answer to “Hector is on one knee."), "{}", run.err);
    assert!(run.err.contains("its answers are yes, no, later"), "{}", run.err);
    let run = Stage::new().run(&["play", &story, "--auto", "--transcript", "no/such/folder.jsonl"]);
    assert_eq!(run.code, 20, "{}", run.err);
}

#[test]
fn help_and_completions_know_it() {
    let stage = Stage::new();
    assert!(stage.run(&["--help"]).out.contains("\n  play "), "{}", stage.run(&["--help"]).out);
    assert!(stage.run(&["completions", "bash"]).out.contains("--transcript"));
    assert!(stage.run(&["completions", "fish"]).out.contains("-a \"play\""));
}

#[test]
fn a_question_to_the_game_is_answered_by_its_policy_and_never_put_to_the_player() {
    let text = std::fs::read_to_string(story("troy-funeral.story")).expect("a story");
    let text = text.replace("ask player \"{b} is on one knee. {a} looks, for some reason, at you.\"", "ask game");
    let stage = Stage::with(&[("funeral.story", &text)]);
    for (policy, dies) in [("yes", true), ("no", false), ("default", true)] {
        let run = stage.run(&["play", "funeral.story", "--system", policy, "--transcript", "played.jsonl"]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let text = stage.read("played.jsonl");
        let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let answered = events.iter().find(|event| event["event"] == "answered").expect("an answer");
        assert_eq!(answered["by"], "system", "{policy}: {answered}");
        assert_eq!(started_by(&events, "achilles").iter().any(|deed| deed == KILL), dies, "{policy}");
    }
}

const LANTERN: &str = "story \"Lantern\" { ticks 1 per s }
type Place
type Person { at: Place }
type Thing { at: Place | Person | unknown }
object hall, cellar, attic: Place
object lantern: Thing (at = attic)
character ida: Person (at = hall) { goal lantern.at == ida }
action go(a: Person, to: Place) by a { takes 2 ticks; needs a.at != to; then a.at = to }
action take(a: Person, t: Thing, p: Place) by a { takes 1 tick; needs a.at == p and t.at == p; then t.at = a }
action search(a: Person, t: Thing, p: Place) by a { takes 1 tick .. 3 ticks; needs a.at == p; expect t.at = p; check every 1 tick }
";

#[test]
fn what_a_character_has_not_perceived_it_does_not_know() {
    let stage = Stage::with(&[("lantern.story", LANTERN)]);
    let run =
        stage.run_with(&["play", "lantern.story", "--pause", "1"], b"beliefs ida\nwait 10\nbeliefs ida\nwait 30\n");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let (before, after) = (run.out.find("lantern.at = unknown"), run.out.find("lantern.at = attic"));
    assert!(before.is_some() && before < after, "{}", run.out);
}

/// DG-8: which deed gives whom how many goals, counted when they become active.
#[test]
fn deeds_give_goals_to_those_whom_they_concern() {
    let events = transcript(&Stage::new(), "troy-funeral.story", &["--choices", "yes"]);
    let active = |owner: &str| -> Vec<&str> {
        let own = events.iter().filter(|event| event["event"] == "goal" && event["owner"] == owner);
        own.filter(|event| event["standing"] == "active").filter_map(|event| event["goal"].as_str()).collect()
    };
    assert_eq!(active("hector"), ["dead(patroclus)"]);
    assert_eq!(
        active("odysseus"),
        [
            // The death of Patroclus.
            "patroclus.place == greek-camp",
            "knows(achilles, death-of-patroclus)",
            // Achilles has been told.
            "odysseus.place == battlefield",
            // The death of Hector.
            "odysseus.place == greek-camp",
            // The first pyre.
            "attended(odysseus, patroclus)",
        ]
    );
    assert_eq!(
        active("achilles"),
        [
            // He has been told: four goals at once, two of them with a condition, and a fifth for when all is done.
            "sword.place == achilles and shield.place == achilles and achilles.wearing == armor",
            "dead(hector)",
            "funeral(patroclus)",
            "hector.place == greek-camp",
            "achilles.place == achilles-tent",
            // He has been asked.
            "permitted(priam)",
        ]
    );
    assert_eq!(active("paris"), ["knows(priam, death-of-hector)", "attended(paris, hector)"]);
    assert_eq!(
        active("priam"),
        ["asked(priam, achilles)", "hector.place == priam and priam.place == troy-palace", "funeral(hector)"]
    );
    let reached = events.iter().filter(|event| event["event"] == "goal" && event["standing"] == "reached").count();
    assert_eq!(reached, 17, "everything that was wanted came about");
}
