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
type Meadow
type Person { location: Room | Meadow | away }
object hall, attic: Room
object meadow: Meadow
character annaMaria: Person (location = hall) {
  goal attic.lit
  goal annaMaria.location == meadow
}
character bob: Person (location = away)
fluent sees(a: Person, b: Person) means a.location == b.location and a != b
action goTo(who: Person, from: Room | Meadow, to: Room | Meadow) by who {
  takes 3 ticks
  needs who.location == from and from != to
  then who.location = to
}
action lightUp(who: Person) by who {
  takes 1 tick
  needs who.location in Room and not who.location.lit
  then who.location.lit
}
action fetch(a: Person, b: Person) by a with b {
  takes 2 ticks
  needs not sees(a, b) and any r in (hall, attic) (a.location == r and not r.lit)
  then b.location = a.location
}
"#;

#[test]
fn choices_names_and_nested_reads() {
    check(
        &export_classical(&model(HOUSE)),
        expect![[r#"
            ; name goto = goTo
            ; name lightup = lightUp
            ; name annamaria = annaMaria
            (define (domain test)
              (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions :universal-preconditions :conditional-effects)
              (:types
                room meadow-type person name-value - anything
                anything - object)
              (:constants
                hall attic - room
                away - name-value)
              (:predicates
                (lit ?self - anything)
                (location ?self - person ?is - anything)
                (is-room-or-meadow ?x - anything))
              (:action goto
                :parameters (?who - person ?from - anything ?to - anything)
                :precondition (and (is-room-or-meadow ?from) (is-room-or-meadow ?to) (location ?who ?from) (not (= ?from ?to)))
                :effect (and (not (location ?who ?from)) (location ?who ?to)))
              (:action lightup
                :parameters (?who - person)
                :precondition (and
                    (exists (?value1 - room) (location ?who ?value1))
                    (not (exists (?value2 - anything) (and (location ?who ?value2) (lit ?value2)))))
                :effect (forall (?value3 - anything) (when (location ?who ?value3) (lit ?value3))))
              (:action fetch
                :parameters (?a - person ?b - person)
                :precondition (and
                    (not (= ?a ?b))
                    (not
                      (and
                        (exists (?value1 - anything) (and (location ?b ?value1) (location ?a ?value1)))
                        (not (= ?a ?b))))
                    (or (and (location ?a hall) (not (lit hall))) (and (location ?a attic) (not (lit attic)))))
                :effect (and
                    (forall
                      (?value2 - anything ?value3 - anything)
                      (when (and (location ?a ?value2) (location ?b ?value3)) (not (location ?b ?value3))))
                    (forall (?value2 - anything) (when (location ?a ?value2) (location ?b ?value2)))))
            )
            (define (problem test)
              (:domain test)
              (:objects
                meadow - meadow-type
                annamaria bob - person)
              (:init
                (location annamaria hall)
                (location bob away)
                (is-room-or-meadow hall)
                (is-room-or-meadow attic)
                (is-room-or-meadow meadow))
              (:goal (and (lit attic) (location annamaria meadow)))
            )
            left out the durations of actions: classical PDDL has no time; start and end of an action are one
        "#]],
    );
}

#[test]
fn one_character() {
    let model = model(HOUSE);
    let options = ExportOptions { character: model.find_object("bob"), ..ExportOptions::default() };
    check(
        &to_pddl(&model, &options),
        expect![[r#"
            ; name goto = goTo
            ; name lightup = lightUp
            ; name annamaria = annaMaria
            (define (domain test)
              (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions :universal-preconditions :conditional-effects)
              (:types
                room meadow-type person - anything
                only-bob - person
                name-value - anything
                anything - object)
              (:constants
                hall attic - room
                away - name-value)
              (:predicates
                (lit ?self - anything)
                (location ?self - person ?is - anything)
                (is-room-or-meadow ?x - anything))
              (:action goto
                :parameters (?who - only-bob ?from - anything ?to - anything)
                :precondition (and (is-room-or-meadow ?from) (is-room-or-meadow ?to) (location ?who ?from) (not (= ?from ?to)))
                :effect (and (not (location ?who ?from)) (location ?who ?to)))
              (:action lightup
                :parameters (?who - only-bob)
                :precondition (and
                    (exists (?value1 - room) (location ?who ?value1))
                    (not (exists (?value2 - anything) (and (location ?who ?value2) (lit ?value2)))))
                :effect (forall (?value3 - anything) (when (location ?who ?value3) (lit ?value3))))
              (:action fetch
                :parameters (?a - only-bob ?b - person)
                :precondition (and
                    (not (= ?a ?b))
                    (not
                      (and
                        (exists (?value1 - anything) (and (location ?b ?value1) (location ?a ?value1)))
                        (not (= ?a ?b))))
                    (or (and (location ?a hall) (not (lit hall))) (and (location ?a attic) (not (lit attic)))))
                :effect (and
                    (forall
                      (?value2 - anything ?value3 - anything)
                      (when (and (location ?a ?value2) (location ?b ?value3)) (not (location ?b ?value3))))
                    (forall (?value2 - anything) (when (location ?a ?value2) (location ?b ?value2)))))
            )
            (define (problem test-bob)
              (:domain test)
              (:objects
                meadow - meadow-type
                annamaria - person
                bob - only-bob)
              (:init
                (location annamaria hall)
                (location bob away)
                (is-room-or-meadow hall)
                (is-room-or-meadow attic)
                (is-room-or-meadow meadow))
              (:goal (and))
            )
            left out the durations of actions: classical PDDL has no time; start and end of an action are one
        "#]],
    );
}

const FIELD: &str = r#"story "Field" { ticks 1 per s }
type Farmer { energy: number 0..10 = 10; hands: actuator 2; feet: actuator; x: number = 0 }
type Plot { grown: int 0..3 = 0; at: number = 4; ripe }
object eva: Farmer
object plot: Plot
fluent rain
fluent far(f: Farmer, p: Plot) means f.x < p.at - 10
given rain at 30 ticks
action dig(f: Farmer, p: Plot) {
  takes (abs(p.at - f.x) + 1) * 1 s
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
    check(
        &export_temporal(&model(FIELD)),
        expect![[r#"
            (define (domain test)
              (:requirements :strips :typing :negative-preconditions :equality :conditional-effects :durative-actions :fluents :timed-initial-literals)
              (:types
                farmer plot-type - anything
                anything - object)
              (:predicates
                (ripe ?self - plot-type)
                (rain)
                (free-feet ?x - anything))
              (:functions
                (energy ?self - farmer) - number
                (x ?self - farmer) - number
                (grown ?self - plot-type) - number
                (at-fluent ?self - plot-type) - number
                (amount ?x1 - farmer ?x2 - plot-type) - number
                (left-hands ?x - anything) - number)
              (:durative-action dig
                :parameters (?f - farmer ?p - plot-type)
                :duration (= ?duration (amount ?f ?p))
                :condition (and
                    (at start (>= (energy ?f) 2))
                    (at start (not (< (x ?f) (- (at-fluent ?p) 10))))
                    (at start (>= (left-hands ?f) 1))
                    (at start (free-feet ?f)))
                :effect (and
                    (at start (decrease (left-hands ?f) 1))
                    (at start (not (free-feet ?f)))
                    (at end (when (> (+ (grown ?p) 1) 3) (assign (grown ?p) 3)))
                    (at end (when (<= (+ (grown ?p) 1) 3) (increase (grown ?p) 1)))
                    (at end (when (< (+ (energy ?f) (* -0.5 (amount ?f ?p))) 0) (assign (energy ?f) 0)))
                    (at end (when (> (+ (energy ?f) (* -0.5 (amount ?f ?p))) 10) (assign (energy ?f) 10)))
                    (at end
                      (when
                        (and
                          (>= (+ (energy ?f) (* -0.5 (amount ?f ?p))) 0)
                          (<= (+ (energy ?f) (* -0.5 (amount ?f ?p))) 10))
                        (increase (energy ?f) (* -0.5 (amount ?f ?p)))))
                    (at end (increase (left-hands ?f) 1))
                    (at end (free-feet ?f))))
              (:durative-action harvest
                :parameters (?f - farmer ?p - plot-type)
                :duration (= ?duration 5)
                :condition (and (at start (= (grown ?p) 3)) (at start (rain)))
                :effect (and (at end (ripe ?p))))
            )
            (define (problem test)
              (:domain test)
              (:objects
                eva - farmer
                plot - plot-type)
              (:init
                (= (energy eva) 10)
                (= (x eva) 0)
                (= (grown plot) 0)
                (= (at-fluent plot) 4)
                (at 30 (rain))
                (= (amount eva plot) 5)
                (= (left-hands eva) 2)
                (= (left-hands plot) 2)
                (free-feet eva)
                (free-feet plot))
              (:goal (ripe plot))
              (:metric minimize (energy eva))
            )
            left out the gradual changes of dig: what it changes over time is written as one change at its end
            left out the rule grows: PDDL has no rules
            left out the time of a goal: PDDL's goal holds at the end of the plan
        "#]],
    );
}

#[test]
fn classical_leaves_numbers_out() {
    check(
        &export_classical(&model(FIELD)),
        expect![[r#"
            (define (domain test)
              (:requirements :strips :typing)
              (:types
                farmer plot-type - anything
                anything - object)
              (:predicates
                (ripe ?self - plot-type)
                (rain))
            )
            (define (problem test)
              (:domain test)
              (:objects
                eva - farmer
                plot - plot-type)
              (:init)
              (:goal (ripe plot))
            )
            left out the number Farmer.energy: classical PDDL has no numbers
            left out the number Farmer.x: classical PDDL has no numbers; conditions that depend on it alone are written out as facts
            left out the number Plot.grown: classical PDDL has no numbers
            left out the number Plot.at: classical PDDL has no numbers; conditions that depend on it alone are written out as facts
            left out the action dig: classical PDDL has no numbers
            left out the action harvest: classical PDDL has no numbers
            left out the durations of actions: classical PDDL has no time; start and end of an action are one
            left out the rule grows: PDDL has no rules
            left out the time of a goal: PDDL's goal holds at the end of the plan
            left out what is preferred: classical PDDL has no numbers
            left out what is given for rain at a later time: classical PDDL has no time
        "#]],
    );
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
    check(
        &export_classical(&model),
        expect![[r#"
        (define (domain d)
          (:requirements :strips :typing :negative-preconditions)
          (:predicates
            (free)
            (lit)
            (done)
            (odd))
          (:action burn
            :parameters ()
            :precondition (free)
            :effect (and (not (lit)) (free) (done)))
        )
        (define (problem d)
          (:domain d)
          (:init)
          (:goal (and))
        )
        left out the action never: it needs at its end what it changes at its start
        left out the action twice: it changes one thing twice, the second time only on a condition
        left out the durations of actions: classical PDDL has no time; start and end of an action are one
    "#]],
    );
}

#[test]
fn costs_for_classical_planners() {
    let text = "(define (domain d) (:types t) (:predicates (p ?x - t)) (:functions (total-cost) (price ?x - t))
           (:action buy :parameters (?x - t) :effect (and (p ?x) (increase (total-cost) (price ?x))))
           (:action find :parameters (?x - t) :effect (and (p ?x) (increase (total-cost) 9))))
         (define (problem e) (:domain d) (:objects a - t) (:init (= (price a) 3)) (:goal (p a)) (:metric minimize (total-cost)))";
    let (model, _) = diagnose(text, Some(text));
    check(
        &export_classical(&model),
        expect![[r#"
        (define (domain d)
          (:requirements :strips :typing :equality :action-costs)
          (:types
            t - object)
          (:predicates
            (p ?x - t))
          (:functions
            (amount ?x1 - t) - number
            (total-cost) - number)
          (:action buy
            :parameters (?x - t)
            :precondition (and)
            :effect (and (p ?x) (increase (total-cost) (amount ?x))))
          (:action find
            :parameters (?x - t)
            :precondition (and)
            :effect (and (p ?x) (increase (total-cost) 9)))
        )
        (define (problem e)
          (:domain d)
          (:objects
            a - t)
          (:init
            (= (amount a) 3)
            (= (total-cost) 0))
          (:goal (p a))
          (:metric minimize (total-cost))
        )
        left out the number price: classical PDDL has no numbers; conditions that depend on it alone are written out as facts
    "#]],
    );
}
