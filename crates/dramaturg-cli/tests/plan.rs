//! `dramaturg plan`.

mod common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{LAMP_DOMAIN, LAMP_PROBLEM, Stage};
use expect_test::expect;

const TROY: &str = include_str!("../../../stories/troy-sparta.story");

/// A door that nobody can open from this side.
const DOOR: &str = "story \"Door\"\nfluent open\nfluent inside\nfluent outside = true\n\
                    action enter { needs open and outside; then inside; then not outside; say \"In.\" }\n\
                    action slam { needs open; then not open; say \"Bang.\" }\ngoal inside\n";

/// A gate that a porter opens some time after a knock: a search without time cannot see that.
const GATE: &str = "story \"Gate\"\nfluent knocked\nfluent open\nfluent inside\n\
                    action knock { takes 1 tick; then knocked }\n\
                    rule porter { when knocked; takes 10 ticks; then open }\n\
                    action enter { takes 1 tick; needs open; then inside }\ngoal inside\n";

#[test]
fn what_time_may_bring_is_not_ruled_out() {
    let stage = Stage::with(&[("gate.story", GATE)]);
    assert_eq!(stage.run(&["check", "gate.story"]).code, 0);
    let (code, json) = stage.json(&["plan", "gate.story"]);
    assert_eq!((code, &json["outcome"]), (11, &"none-found".into()), "{json}");
    let told = stage.run(&["plan", "gate.story"]).err;
    assert!(told.contains("waiting"), "{told}");
}

#[test]
fn hector_makes_peace_and_sails_home() {
    let stage = Stage::with(&[("troy.story", TROY)]);
    let run = stage.run(&["plan", "troy.story", "--character", "hector", "-o", "hector.plan"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    expect![[r#"
        0: (walk hector guest-room throne-room) [2]
        2: (talk hector menelaos throne-room) [1]
        3: (give hector menelaos hector-troy-gift throne-room) [1]
        4: (negotiatePeace hector menelaos throne-room) [4]
        8: (walk hector throne-room dock) [2]
        10: (board hector ships dock) [1]
        11: (travel hector dock troy ships sea) [20]
        ; cost = 7
    "#]]
    .assert_eq(&stage.read("hector.plan"));
    let judged = stage.run(&["validate", "troy.story", "hector.plan", "--goals", "hector"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let (code, json) = stage.json(&["plan", "troy.story", "--character", "paris"]);
    assert_eq!((code, &json["steps"], &json["outcome"]), (0, &11.into(), &"fine".into()), "{json}");
    let again = stage.json(&["plan", "troy.story", "--character", "paris"]).1;
    assert_eq!(json["plan"], again["plan"], "the same every time");
}

#[test]
fn pddl_is_planned_and_judged() {
    let stage = Stage::with(&[("domain.pddl", LAMP_DOMAIN), ("problem.pddl", LAMP_PROBLEM)]);
    let run = stage.run(&["plan", "domain.pddl", "problem.pddl", "--first", "-o", "plan.txt"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let judged = stage.run(&["validate", "domain.pddl", "problem.pddl", "plan.txt"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let shown = stage.run(&["plan", "domain.pddl", "problem.pddl", "--first"]);
    assert_eq!(shown.out, stage.read("plan.txt"));
}

#[test]
fn it_says_why_there_is_no_plan() {
    let stage = Stage::with(&[("door.story", DOOR), ("troy.story", TROY)]);
    let run = stage.run(&["plan", "door.story"]);
    assert_eq!(run.code, 10, "{}", run.err);
    assert!(run.err.contains("there is no plan"), "{}", run.err);
    let (code, json) = stage.json(&["plan", "door.story"]);
    assert_eq!((code, &json["outcome"]), (10, &"no-plan".into()), "{json}");
    let nobody = stage.run(&["plan", "troy.story", "--character", "ajax"]);
    assert_eq!(nobody.code, 2);
    assert!(nobody.err.contains("hector, paris"), "{}", nobody.err);
    let whose = stage.run(&["plan", "troy.story"]);
    assert_eq!(whose.code, 2);
    assert!(whose.err.contains("--character"), "{}", whose.err);
    assert_eq!(stage.run(&["plan", "troy.story", "--time", "soon"]).code, 2);
    let few = stage.run(&["plan", "troy.story", "--character", "paris", "--states-max", "2"]);
    assert_eq!(few.code, 11, "{}", few.err);
    let lost = stage.run(&["plan", "troy.story", "--character", "paris", "-o", "nowhere/paris.plan"]);
    assert_eq!(lost.code, 20, "{}", lost.err);
}

#[test]
fn goals_that_do_not_fit_are_given_up_with_a_reason() {
    let stage = Stage::with(&[("troy.story", TROY)]);
    let plan = |options: &[&str]| {
        let mut words = vec!["plan", "troy.story", "--character", "paris"];
        words.extend(options);
        stage.json(&words)
    };
    let (code, best) = plan(&["--available", "8"]);
    assert_eq!(
        (code, best["steps"].as_u64(), best["given_up"].as_array().map(Vec::len)),
        (0, Some(5), Some(2)),
        "{best}"
    );
    assert_eq!(best["given_up"][0]["reason"], "no_time");
    let (_, greedy) = plan(&["--available", "8", "--dropping", "greedy"]);
    assert_eq!(greedy["given_up"].as_array().map(Vec::len), Some(3), "{greedy}");
    for manner in ["--all-goals", "--goal-by-goal"] {
        let (code, all) = plan(&[manner]);
        assert_eq!((code, all["steps"].as_u64()), (0, Some(11)), "{all}");
    }
    let told = stage.run(&["plan", "troy.story", "--character", "hector", "--available", "30s"]);
    assert!(told.err.contains("given up goal hector.location == troy"), "{}", told.err);
    let wrong = stage.run(&["plan", "troy.story", "--character", "hector", "--available", "soon"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("such as 30s"), "{}", wrong.err);
}

#[test]
fn graphplan_plans_in_layers_and_proves_that_there_is_no_plan() {
    let stage = Stage::with(&[("troy.story", TROY), ("door.story", DOOR)]);
    let (code, paris) = stage.json(&["plan", "troy.story", "--character", "paris", "--planner", "graphplan"]);
    assert_eq!((code, paris["steps"].as_u64(), paris["layers"].as_u64()), (0, Some(11), Some(11)), "{paris}");
    let (code, lost) = stage.json(&["plan", "door.story", "--planner", "graphplan"]);
    assert_eq!((code, &lost["outcome"]), (10, &"no-plan".into()), "{lost}");
}

#[test]
fn why_and_why_not() {
    let stage =
        Stage::with(&[("troy.story", TROY), ("door.story", &DOOR.replace("fluent open\n", "fluent open = true\n"))]);
    let (code, why) = stage.json(&["why", "troy.story", "--character", "hector", "2"]);
    assert_eq!((code, &why["about"]), (0, &"talk(hector, menelaos, throne-room)".into()), "{why}");
    assert!(why["sentences"][1].as_str().is_some_and(|told| told.contains("goal peace salience 80")), "{why}");
    let by_name = stage.run(&["why", "troy.story", "--character", "hector", "board(hector,ships,dock)"]);
    assert!(by_name.out.contains("which `travel(hector, dock, troy, ships, sea)` needs"), "{}", by_name.out);
    let not = |action: &str| stage.run(&["why-not", "troy.story", "--character", "paris", action]).out;
    let kill = not("kill(paris, menelaos, spear, throne-room)");
    assert!(kill.contains("it needs `spear.holder == paris`, which never holds in this plan"), "{kill}");
    let never = not("negotiatePeace(paris, menelaos, throne-room)");
    assert!(never.contains("can never be done here") && never.contains("`paris.envoy` to be true"), "{never}");
    let elsewhere = stage.run(&["why-not", "troy.story", "--character", "paris", "fly(paris)"]);
    assert_eq!(elsewhere.code, 2);
    let slam = stage.run(&["why-not", "door.story", "slam"]).out;
    assert!(slam.contains("this is out of reach: `goal inside"), "{slam}");
}

/// Fuses are mended by the light of matches: nothing can be done one after another.
const CELLAR_DOMAIN: &str = "(define (domain cellar) (:requirements :typing :durative-actions)
  (:types match fuse)
  (:predicates (unused ?m - match) (light ?m - match) (mended ?f - fuse) (hand))
  (:durative-action strike :parameters (?m - match) :duration (= ?duration 5)
    :condition (at start (unused ?m))
    :effect (and (at start (not (unused ?m))) (at start (light ?m)) (at end (not (light ?m)))))
  (:durative-action mend :parameters (?f - fuse ?m - match) :duration (= ?duration 2)
    :condition (and (at start (hand)) (over all (light ?m)))
    :effect (and (at start (not (hand))) (at end (mended ?f)) (at end (hand)))))";

const CELLAR_PROBLEM: &str = "(define (problem dark) (:domain cellar) (:objects m n - match f g h - fuse)
  (:init (hand) (unused m) (unused n)) (:goal (and (mended f) (mended g) (mended h)))
  (:metric minimize (total-time)))";

#[test]
fn plans_in_time_get_better_until_the_time_is_over() {
    let stage = Stage::with(&[("domain.pddl", CELLAR_DOMAIN), ("problem.pddl", CELLAR_PROBLEM), ("door.story", DOOR)]);
    let plan = ["plan", "domain.pddl", "problem.pddl", "--planner", "repair"];
    let with = |more: &[&'static str]| [&plan[..], more].concat();
    let run = stage.run(&with(&["--time", "0.2s", "-o", "plan.txt"]));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.err.contains("cost 6.00"), "{}", run.err);
    let judged = stage.run(&["validate", "domain.pddl", "problem.pddl", "plan.txt"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let (code, json) = stage.json(&with(&["--first"]));
    let improvements = json["improvements"].as_array().unwrap();
    assert_eq!((code, improvements.len()), (0, 1), "{json}");
    let first = improvements[0]["makespan"].as_f64().unwrap();
    assert_eq!(improvements[0]["cost"].as_f64(), Some(first));
    let (_, json) = stage.json(&with(&["--time", "0.2"]));
    let ends: Vec<f64> =
        json["improvements"].as_array().unwrap().iter().map(|one| one["makespan"].as_f64().unwrap()).collect();
    assert!(ends[0] == first && ends.windows(2).all(|pair| pair[1] < pair[0]), "{ends:?}");
}

/// Rows of switches of which each turns its neighbours too: more states than anybody looks at, and no way to the goal that a search
/// would see within the time.
#[test]
fn a_search_without_a_plan_ends_when_the_time_is_over() {
    let domain =
        "(define (domain lights) (:requirements :typing :durative-actions :conditional-effects :negative-preconditions)
      (:types lamp) (:predicates (lit ?l - lamp) (beside ?l ?m - lamp))
      (:durative-action press :parameters (?l ?m ?n - lamp) :duration (= ?duration 1)
        :condition (and (at start (beside ?l ?m)) (at start (beside ?m ?n)) (at start (lit ?l)))
        :effect (and (at end (not (lit ?l))) (at end (lit ?m)) (at end (not (lit ?n))))))";
    let lamps: Vec<String> = (0..24).map(|number| format!("l{number}")).collect();
    let pairs = |one: &str, other: &str| format!("(beside {one} {other}) (beside {other} {one})");
    let beside: Vec<String> = lamps.windows(2).map(|pair| pairs(&pair[0], &pair[1])).collect();
    let lit: Vec<String> = lamps.iter().step_by(2).map(|lamp| format!("(lit {lamp})")).collect();
    let goal: Vec<String> = lamps.iter().map(|lamp| format!("(lit {lamp})")).collect();
    let problem = format!(
        "(define (problem all) (:domain lights) (:objects {} - lamp) (:init {} {}) (:goal (and {})))",
        lamps.join(" "),
        beside.join(" "),
        lit.join(" "),
        goal.join(" ")
    );
    let stage = Stage::with(&[("domain.pddl", domain), ("problem.pddl", &problem)]);
    for planner in ["repair", "forward"] {
        let run = stage.run(&["plan", "domain.pddl", "problem.pddl", "--planner", planner, "--time", "0.3s"]);
        assert_eq!(run.code, 11, "{planner}: {}{}", run.out, run.err);
        assert!(run.err.contains("the time is over"), "{planner}: {}", run.err);
    }
}

#[test]
fn a_story_repairs_a_plan_for_what_it_wants_itself() {
    let apple = include_str!("../../../stories/apple.story");
    let troy = include_str!("../../../stories/troy-sparta.story");
    let stage = Stage::with(&[("apple.story", apple), ("troy.story", troy)]);
    let run = stage.run(&["plan", "apple.story", "--planner", "repair", "-o", "apple.plan"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let plan = stage.read("apple.plan");
    assert!(plan.contains("takeApple") || plan.contains("take"), "{plan}");
    let judged = stage.run(&["validate", "apple.story", "apple.plan"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    // Nobody's goals are the story's own there, and characters do not plan so.
    let characters = stage.run(&["plan", "troy.story", "--planner", "repair"]);
    assert_eq!(characters.code, 2, "{}", characters.err);
    let hector = stage.run(&["plan", "troy.story", "--planner", "repair", "--character", "hector"]);
    assert_eq!(hector.code, 2, "{}", hector.err);
}

#[test]
fn whoever_ends_it_early_has_the_best_plan_so_far() {
    let princess = include_str!("../../../stories/princess.story");
    let stage = Stage::with(&[("princess.story", princess)]);
    let plan = ["plan", "princess.story", "--planner", "repair", "--time", "600s", "-o", "best.plan"];
    let mut child = stage.command(&plan).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program runs");
    let is_written = || {
        let kept = stage.path("best.plan").exists();
        kept && stage.run(&["validate", "princess.story", "best.plan"]).code == 0
    };
    let begun = Instant::now();
    let mut written = is_written();
    while !written && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(50));
        written = is_written();
    }
    let still_runs = child.try_wait().expect("it can be asked").is_none();
    child.kill().expect("it can be ended");
    child.wait().expect("it ends");
    assert!(written && still_runs, "{written} {still_runs}");
}
