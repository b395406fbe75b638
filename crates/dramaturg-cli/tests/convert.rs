//! `dramaturg convert`.

mod common;

use common::{BELL, LAMP_DOMAIN, LAMP_PROBLEM, Stage};
use expect_test::expect;

const LOGISTICS: &str = "(define (domain parcels) (:requirements :adl :fluents)
  (:types place thing - object truck parcel - thing)
  (:predicates (at ?x - thing ?p - place) (in ?x - parcel ?t - truck) (seen ?p - place))
  (:functions (fuel ?t - truck) (total-cost))
  (:action drive :parameters (?truck - truck ?from ?to - place)
    :precondition (and (at ?truck ?from) (not (= ?from ?to)) (>= (fuel ?truck) 2))
    :effect (and (not (at ?truck ?from)) (at ?truck ?to) (decrease (fuel ?truck) 2) (increase (total-cost) 3)
      (forall (?p - parcel) (when (in ?p ?truck) (seen ?to)))))
  (:action load :parameters (?p - parcel ?truck - truck ?l - place)
    :precondition (and (at ?p ?l) (at ?truck ?l) (or (seen ?l) (forall (?o - parcel) (not (in ?o ?truck)))))
    :effect (and (not (at ?p ?l)) (in ?p ?truck))))
";
const LOGISTICS_PROBLEM: &str = "(define (problem one) (:domain parcels)
  (:objects drive - truck box - parcel home away - place)
  (:init (at drive home) (at box home) (= (fuel drive) 10) (= (total-cost) 0))
  (:goal (and (in box drive) (at drive away))) (:metric minimize (total-cost)))
";

#[test]
fn a_story_becomes_pddl_that_other_tools_can_use() {
    let stage = Stage::with(&[("bell.story", BELL), ("plan.txt", "(ring)\n")]);
    let run = stage.run(&["convert", "bell.story", "--to", "pddl", "-o", "out"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("rule answer"), "what is left out is listed: {}", run.err);
    assert!(stage.read("out/domain.pddl").contains("(:action ring"));
    assert_eq!(stage.run(&["check", "out/domain.pddl", "out/problem.pddl"]).code, 0);
    let judged = stage.run(&["validate", "out/domain.pddl", "out/problem.pddl", "plan.txt"]);
    assert_eq!(judged.code, 0, "{}{}", judged.out, judged.err);
    assert_eq!(stage.run(&["validate", "out", "plan.txt"]).code, 0, "a folder will do");
    let both = stage.run(&["convert", "bell.story", "--to", "pddl"]);
    assert!(both.out.contains(";; --- problem.pddl ---"), "{}", both.out);
    let (code, json) = stage.json(&["convert", "bell.story", "--to", "pddl", "--level", "temporal"]);
    assert_eq!((code, &json["files"][0]["name"]), (0, &"domain.pddl".into()));
    assert!(json["files"][0]["text"].as_str().is_some_and(|text| text.contains(":durative-action")), "{json}");
}

#[test]
fn pddl_becomes_a_story() {
    let stage = Stage::with(&[("domain.pddl", LOGISTICS), ("one.pddl", LOGISTICS_PROBLEM)]);
    let run = stage.run(&["convert", "domain.pddl", "one.pddl", "--to", "story"]);
    assert_eq!(run.code, 0, "{}", run.err);
    expect![[r#"
        story "parcels: one"

        type Object
        type Place: Object
        type Thing: Object
        type Truck: Thing
        type Parcel: Thing

        object home, away: Place
        object drive: Truck
        object box: Parcel

        fluent at(x: Thing, p: Place)
        fluent is-in(x: Parcel, t: Truck)
        fluent seen(p: Place)
        fluent fuel(t: Truck): number
        fluent total-cost: number

        given at(drive, home), at(box, home)
        given fuel(drive) = 10
        given total-cost = 0

        action do-drive(truck: Truck, from: Place, to: Place) {
          needs at(truck, from) and from != to and fuel(truck) >= 2
          then not at(truck, from), at(truck, to), fuel(truck) -= 2, total-cost += 3
          then seen(to) for p: Parcel if is-in(p, truck)
          costs 3
        }

        action load(p: Parcel, truck: Truck, l: Place) {
          needs at(p, l) and at(truck, l) and (seen(l) or all o: Parcel (not is-in(o, truck)))
          then not at(p, l), is-in(p, truck)
          costs 0
        }

        goal is-in(box, drive) and at(drive, away)
        prefer less total-cost
    "#]]
    .assert_eq(&run.out);
    stage.write("parcels.story", &run.out);
    let (code, json) = stage.json(&["check", "parcels.story"]);
    assert_eq!((code, &json["stories"][0]["errors"]), (0, &0.into()), "{json}");
    let count = |args: &[&str]| stage.json(args).1["reached_operators"].clone();
    assert_eq!(count(&["ground", "domain.pddl", "one.pddl"]), count(&["ground", "parcels.story"]));
    stage.write("plan.txt", "(load box drive home)\n(drive drive home away)\n");
    assert_eq!(stage.run(&["validate", "domain.pddl", "one.pddl", "plan.txt"]).code, 0);
    // A story has one namespace: the truck is called `drive`, so the action is not.
    stage.write("story.txt", stage.read("plan.txt").replace("(drive", "(do-drive"));
    let judged = stage.run(&["validate", "parcels.story", "story.txt"]);
    assert_eq!(judged.code, 0, "{}{}", judged.out, judged.err);
}

#[test]
fn durations_are_written_in_ticks() {
    let domain = "(define (domain match) (:requirements :durative-actions)
      (:types fuse) (:predicates (light) (mended ?f - fuse) (handfree)) (:functions (length ?f - fuse))
      (:durative-action mend :parameters (?f - fuse) :duration (= ?duration (length ?f))
        :condition (and (at start (handfree)) (over all (light)) (at end (light)))
        :effect (and (at start (not (handfree))) (at end (mended ?f)) (at end (handfree)))))";
    let problem = "(define (problem m) (:domain match) (:objects f - fuse) (:init (light) (handfree) (= (length f) 2))
      (:goal (mended f)) (:metric minimize (total-time)))";
    let stage = Stage::with(&[("domain.pddl", domain), ("m.pddl", problem)]);
    let run = stage.run(&["convert", "domain.pddl", "m.pddl", "--to", "story"]);
    expect![[r#"
        story "match: m"

        type Object
        type Fuse: Object

        object f: Fuse

        fluent light
        fluent mended(the-f: Fuse)
        fluent handfree
        fluent length(the-f: Fuse): number

        given light
        given handfree
        given length(f) = 2

        action mend(the-f: Fuse) {
          takes length(the-f) * 1000 ticks
          needs handfree
          keeps light
          needs light at end
          then not handfree at start
          then mended(the-f), handfree
        }

        goal mended(f)
        prefer less now / 1000 ticks
    "#]]
    .assert_eq(&run.out);
    stage.write("match.story", &run.out);
    assert_eq!(stage.run(&["check", "match.story"]).code, 0);
}

#[test]
fn a_model_becomes_json_and_a_story_stays_one() {
    let stage = Stage::with(&[("bell.story", BELL), ("domain.pddl", LAMP_DOMAIN), ("dusk.pddl", LAMP_PROBLEM)]);
    let run = stage.run(&["convert", "bell.story", "--to", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["title"], "Bell");
    let same = stage.run(&["convert", "bell.story", "--to", "story"]);
    assert_eq!(same.code, 2, "{}", same.out);
    let lamp = stage.run(&["convert", "domain.pddl", "dusk.pddl", "--to", "story", "-o", "made/lamp.story"]);
    assert_eq!(lamp.code, 0, "{}", lamp.err);
    assert_eq!(stage.run(&["check", "made/lamp.story"]).code, 0);
}
