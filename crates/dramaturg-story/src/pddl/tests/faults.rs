//! What is said about faulty PDDL.

use expect_test::{Expect, expect};

use crate::pddl::testing::{check, diagnose, shown};

/// The whole report of a domain and a problem.
fn report(domain: &str, problem: Option<&str>, expected: Expect) {
    let (_, faults) = diagnose(domain, problem);
    expected.assert_eq(&shown(domain, problem, &faults));
}

#[test]
fn parentheses() {
    check("(define (domain d) ;! unclosed-brace\n  (:predicates (p))\n  (:action a :effect (p))");
    check(
        "(define (domain d)\n  (:predicates (p))\n  (:action a ;! unclosed-brace\n    :effect (p)\n  (:action b :effect (not (p))))",
    );
    check(
        "(define (domain d)\n  (:predicates (p))\n  (:action a\n    :effect (and ;! unclosed-brace\n      (p)\n  (:action b :effect (not (p))))",
    );
    check("(define (domain d) (:predicates (p))))  ;! expected");
}

#[test]
fn definitions() {
    check("(:predicates (p)) ;! expected pddl-no-definition");
    check("(define (domain d))\n(define (domain e)) ;! duplicate-name");
    check("(define (domain d) (:predicates (p))\n  (:predicates (q))) ;! duplicate-name");
    check("(define (domain d)\n  (:predicate (p))) ;! unknown-name");
    check("(define (domain d))\n(define (problem p) (:domain e)) ;! pddl-other-domain");
    check("(define (domain d)\n  nonsense) ;! expected");
}

#[test]
fn names_that_nothing_has() {
    report(
        "(define (domain d) (:types truck place) (:predicates (at ?t - truck ?p - place))
  (:action drive :parameters (?t - turck ?from ?to - place)
    :precondition (ta ?t ?form)
    :effect (and (at ?t ?to) (not (at ?t depot)))))",
        None,
        expect![[r#"
            domain:2:36: unknown-type: there is no type `turck`
              hint: did you mean `truck`?
            domain:3:20: unknown-name: there is no predicate `ta`
              hint: did you mean `at`?
            domain:4:42: unknown-name: there is no object `depot`
              hint: declare it in `(:objects …)`, or in `(:constants …)` of the domain
        "#]],
    );
}

#[test]
fn objects_and_variables() {
    check(
        "(define (domain d) (:types a b) (:constants k - a) (:predicates (p ?x - a))
          (:action go :parameters (?x - a ?x - a) ;! duplicate-name
            :precondition (and (p ?y) ;! unknown-name
              (p k)
              (p x)) ;! unknown-name
            :effect (not (p ?duration)))) ;! unknown-name
        (define (problem e) (:domain d)
          (:objects x - a
            x - b ;! duplicate-name
            k - a y - b)
          (:init (p x)
            (p y) ;! wrong-type
            (p x k) ;! wrong-count
            (p z)) ;! unknown-name
          (:goal (p x)))",
    );
}

#[test]
fn predicates_and_functions() {
    check(
        "(define (domain d) (:predicates (p)
            (p)) ;! duplicate-name
          (:functions (f) - number
            (f) - number ;! duplicate-name
            (g) - object) ;! pddl-unsupported
          (:action a :precondition (and (f) ;! unknown-name
              (= (p) 2) ;! unknown-name
              (< (f)) ;! wrong-count
              (not) ;! wrong-count
              p) ;! expected
            :effect (and (increase (p) 1) ;! unknown-name
              (increase (f)) ;! wrong-count
              (f) ;! unknown-name
              p))) ;! expected",
    );
}

#[test]
fn types() {
    check("(define (domain d) (:types a - b ;! circular-meaning\n  b - a))");
    check("(define (domain d) (:types a\n  a)) ;! duplicate-name");
    check("(define (domain d) (:types a b c - object a - b\n  a - c)) ;! duplicate-name");
    // As the competition's `storage` does.
    check(
        "(define (domain d) (:types a b - object c - a a - b) (:predicates (p ?x - b)) (:action go :parameters (?x - c) :effect (p ?x)))",
    );
    check("(define (domain d) (:types a -\n  )) ".replace("-\n", "- ;! expected\n").as_str());
    check("(define (domain d) (:types a - (b c))) ;! expected");
    check(
        "(define (domain d) (:types a b) (:predicates (p ?x - a))\n  (:action go :parameters (?x)\n  :effect (p ?x))) ;! pddl-broad-type",
    );
}

#[test]
fn actions() {
    check("(define (domain d)\n  (:action)) ;! expected");
    check("(define (domain d) (:action a)\n  (:action a)) ;! duplicate-name");
    check("(define (domain d) (:predicates (p)) (:action a :effect (p)\n  :effect (p))) ;! duplicate-name");
    check("(define (domain d) (:predicates (p)) (:action a\n  :results (p))) ;! expected expected");
    check("(define (domain d) (:action a\n  :parameters x)) ;! expected");
    check("(define (domain d)\n  (:durative-action a)) ;! expected");
    check(
        "(define (domain d) (:predicates (p)) (:durative-action a :duration (= ?duration 1)\n  :condition (p) ;! expected\n  :effect (p))) ;! expected",
    );
    check("(define (domain d) (:durative-action a\n  :duration (< ?duration 3))) ;! expected");
}

#[test]
fn what_cannot_be_read() {
    check(
        "(define (domain d)
          (:requirements :typing :preferences ;! pddl-unsupported
            :constraints) ;! pddl-unsupported
          (:predicates (p)) (:functions (f))
          (:constraints (always (p))) ;! pddl-unsupported
          (:process x) ;! pddl-unsupported
          (:event x) ;! pddl-unsupported
          (:task x) ;! pddl-unsupported
          (:action a :precondition (preference q (p))) ;! pddl-unsupported
          (:durative-action b :duration (= ?duration 2)
            :effect (and (increase (f) (* #t 2)) ;! expected pddl-unsupported
              (when (at start (p)) ;! pddl-unsupported
                (at end (not (p))))))
          (:durative-action c
            :duration (at end (<= ?duration (f))) ;! pddl-unsupported
            :effect (at end (p))))",
    );
}

#[test]
fn derived_predicates() {
    check(
        "(define (domain d) (:predicates (p) (q) (r ?x))
          (:derived (p) (not (q))) ;! pddl-negative-cycle
          (:derived (q) (p))
          (:derived (r) (p)) ;! wrong-count
          (:axiom (r ?x) (p)) ;! pddl-unsupported
          (:action a :effect (p))) ;! derived-set
        (define (problem e) (:domain d)
          (:init (q)) ;! derived-set
          (:goal (p)))",
    );
}

#[test]
fn numbers() {
    check(
        "(define (domain d) (:functions (f)))
        (define (problem e) (:domain d)
          (:init (= (f) 99999999999999999999) ;! too-large
            (= (f) (+ 1 2)) ;! expected
            (= (f) many)) ;! expected
          (:goal (> (f) total-time)) ;! expected
          (:metric maximise (f))) ;! expected",
    );
}

#[test]
fn places_and_cures() {
    report(
        "(define (domain d) (:types a b) (:predicates (p ?x - a))
  (:action go :parameters (?x - b) :precondition (p ?x) :effect (p ?x ?x)))",
        None,
        expect![[r#"
            domain:2:53: wrong-type: `?x` is of type `b`, and never `a`
              domain:2:53: expected `a`
              domain:1:46: declared here
              hint: check the order of the arguments, and the types of the declarations
            domain:2:65: wrong-count: `p` takes 1 argument, and 2 are written
              domain:1:46: declared here
              hint: leave the surplus ones out
        "#]],
    );
}
