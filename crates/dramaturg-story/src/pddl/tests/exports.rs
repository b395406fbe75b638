//! What is written of stories.

use expect_test::{Expect, expect};

use crate::pddl::testing::{diagnose, export_classical, export_temporal};
use crate::pddl::{Export, ExportOptions, to_pddl};

#[track_caller]
fn model(story: &str) -> dramaturg_model::Model {
    let compiled = crate::compile_text("test.story", story);
    assert!(compiled.is_usable(), "{:#?}", compiled.diagnostics);
    compiled.model
}

/// What is written, and what is left out; and that it can be read again.
#[track_caller]
fn check(export: &Export, expected: Expect) {
    let mut text = format!("{}{}", export.domain, export.problem);
    for left_out in &export.left_out {
        text += &format!("left out {}: {}\n", left_out.what, left_out.why);
    }
    expected.assert_eq(&text);
    let (_, faults) = diagnose(&export.domain, Some(&export.problem));
    assert!(faults.is_empty(), "{faults:#?}");
}

const HOUSE: &str = r#"story "House"
type Room { lit }
type Person { location: Room | garden; holds: Lamp | nothing = nothing }
type Lamp { place: Room }
object hall: Room, attic: Room
object lamp: Lamp (place = hall)
character Anna: Person (location = hall) { goal attic.lit; goal Anna.location == garden }
character bob: Person (location = garden)
fluent sees(a: Person, b: Person) means a.location == b.location and a != b
action goTo(who: Person, from: Room | garden, to: Room | garden) by who {
  takes 3 ticks
  needs who.location == from and from != to
  then who.location = to
}
action lightUp(who: Person) by who {
  takes 1 tick
  needs who.location in Room and not who.location.lit
  then who.location.lit
}
action greet(a: Person, b: Person) by a with b {
  takes 2 ticks
  needs sees(a, b)
  then b.location = a.location
}
"#;

#[test]
fn choices_names_and_nested_reads() {
    check(&export_classical(&model(HOUSE)), expect![[""]]);
}

#[test]
fn one_character() {
    let model = model(HOUSE);
    let options = ExportOptions { character: model.find_object("bob"), ..ExportOptions::default() };
    check(&to_pddl(&model, &options), expect![[""]]);
}

const FIELD: &str = r#"story "Field" { ticks 1 per s }
type Farmer { energy: number 0..10 = 10; hands: actuator 2; feet: actuator; x: number = 0 }
type Plot { grown: int 0..3 = 0; at: number = 4; ripe }
object eva: Farmer
object plot: Plot
fluent rain
fluent far(f: Farmer, p: Plot) means f.x < p.at - 10
given rain = true at 30 ticks
action dig(f: Farmer, p: Plot) {
  takes abs(p.at - f.x) + 1
  needs f.energy >= 2 and not far(f, p)
  uses f.hands, f.feet
  during f.energy -= 0.5 per tick
  then p.grown += 1
}
action harvest(f: Farmer, p: Plot) {
  takes 5 ticks
  needs p.grown == 3 and rain
  then p.ripe
}
rule grows { when rain; then plot.ripe }
goal plot.ripe by 100 ticks
prefer less eva.energy
"#;

#[test]
fn numbers_time_and_actuators() {
    check(&export_temporal(&model(FIELD)), expect![[""]]);
}

#[test]
fn classical_leaves_numbers_out() {
    check(&export_classical(&model(FIELD)), expect![[""]]);
}

#[test]
fn start_and_end_become_one() {
    let (model, faults) = diagnose(
        "(define (domain d) (:predicates (free) (lit) (done) (odd))
           (:durative-action burn :duration (= ?duration 5) :condition (and (at start (free)) (over all (lit)))
             :effect (and (at start (not (free))) (at start (lit)) (at end (free)) (at end (not (lit))) (at end (done))))
           (:durative-action never :duration (= ?duration 5) :condition (over all (lit)) :effect (at start (not (lit))))
           (:durative-action twice :duration (= ?duration 5)
             :effect (and (at start (odd)) (at end (when (done) (not (odd)))))))",
        None,
    );
    assert!(faults.is_empty(), "{faults:#?}");
    check(&export_classical(&model), expect![[""]]);
}

#[test]
fn costs_for_classical_planners() {
    let text = "(define (domain d) (:types t) (:predicates (p ?x - t)) (:functions (total-cost) (price ?x - t))
           (:action buy :parameters (?x - t) :effect (and (p ?x) (increase (total-cost) (price ?x))))
           (:action find :parameters (?x - t) :effect (and (p ?x) (increase (total-cost) 9))))
         (define (problem e) (:domain d) (:objects a - t) (:init (= (price a) 3)) (:goal (p a)) (:metric minimize (total-cost)))";
    let (model, _) = diagnose(text, Some(text));
    check(&export_classical(&model), expect![[""]]);
}
