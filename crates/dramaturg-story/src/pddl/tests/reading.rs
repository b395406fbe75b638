//! What is read: one small domain a feature, shown as it is written again.

use dramaturg_model::{Action, AimTime, Duration, Expr, FluentSource, Model, Moment, Value, WishKind};
use expect_test::{Expect, expect};

use crate::pddl::testing::{compile, compile_text, export_temporal};

/// Domain and problem as they are written again.
#[track_caller]
fn again(text: &str, expected: Expect) -> Model {
    let model = compile_text(text);
    let export = export_temporal(&model);
    assert_eq!(export.left_out, []);
    let problem = if text.contains("(problem") { export.problem.as_str() } else { "" };
    expected.assert_eq(&format!("{}{problem}", export.domain));
    model
}

fn action<'m>(model: &'m Model, name: &str) -> &'m Action {
    &model.actions[model.find_action(name).expect("there is the action")]
}

#[test]
fn untyped_strips_in_any_case() {
    again(
        "(DEFINE (DOMAIN Lamps) (:REQUIREMENTS :STRIPS) ; a comment
           (:PREDICATES (Lit ?L) (Beside ?L ?M))
           (:ACTION Pass :PARAMETERS (?L ?M) :PRECONDITION (AND (LIT ?l) (beside ?l ?m)) :EFFECT (AND (lit ?m) (NOT (lit ?l)))))
         (define (problem Row) (:domain lamps) (:objects A B) (:init (Lit a) (beside a b)) (:goal (and (lit B))))",
        expect![[r#"
            (define (domain lamps)
              (:requirements :strips :typing :negative-preconditions)
              (:predicates
                (lit ?l - object)
                (beside ?l - object ?m - object))
              (:action pass
                :parameters (?l - object ?m - object)
                :precondition (and (lit ?l) (beside ?l ?m))
                :effect (and (not (lit ?l)) (lit ?m)))
            )
            (define (problem row)
              (:domain lamps)
              (:objects
                a b - object)
              (:init
                (lit a)
                (beside a b))
              (:goal (lit b))
            )
        "#]],
    );
}

#[test]
fn types_with_unlisted_parents_and_constants() {
    let model = again(
        "(define (domain d) (:types car bus - vehicle vehicle shore) (:constants home - shore)
           (:predicates (near ?v - vehicle ?s - shore))
           (:action ride :parameters (?v - vehicle) :effect (near ?v home)))
         (define (problem e) (:domain d) (:objects c - car home - shore) (:init) (:goal (near c home)))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing)
              (:types
                car bus - vehicle
                vehicle shore - object)
              (:constants
                home - shore)
              (:predicates
                (near ?v - vehicle ?s - shore))
              (:action ride
                :parameters (?v - vehicle)
                :precondition (and)
                :effect (near ?v home))
            )
            (define (problem e)
              (:domain d)
              (:objects
                c - car)
              (:init)
              (:goal (near c home))
            )
        "#]],
    );
    assert_eq!(model.objects.len(), 2);
}

#[test]
fn disjunctions_quantifiers_and_equality() {
    again(
        "(define (domain d) (:types t) (:predicates (p ?x - t) (q ?x ?y - t))
           (:action a :parameters (?x ?y - t)
             :precondition (and (not (= ?x ?y)) (or (p ?x) (p ?y)) (imply (p ?x) (q ?x ?y))
               (forall (?z - t) (exists (?w - t) (q ?z ?w))))
             :effect (and (p ?x))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions :universal-preconditions)
              (:types
                t - object)
              (:predicates
                (p ?x - t)
                (q ?x - t ?y - t))
              (:action a
                :parameters (?x - t ?y - t)
                :precondition (and
                    (not (= ?x ?y))
                    (or (p ?x) (p ?y))
                    (or (not (p ?x)) (q ?x ?y))
                    (forall (?z - t) (exists (?w - t) (q ?z ?w))))
                :effect (p ?x))
            )
        "#]],
    );
}

#[test]
fn nested_effects_are_flat_and_count_their_variables() {
    let model = again(
        "(define (domain d) (:types t) (:predicates (p ?x - t) (q ?x ?y - t))
           (:action a :parameters (?x - t)
             :effect (forall (?y - t) (when (exists (?z - t) (q ?y ?z))
               (and (p ?y) (forall (?w - t) (when (q ?y ?w) (not (q ?w ?x)))))))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :negative-preconditions :existential-preconditions :universal-preconditions :conditional-effects)
              (:types
                t - object)
              (:predicates
                (p ?x - t)
                (q ?x - t ?y - t))
              (:action a
                :parameters (?x - t)
                :precondition (and)
                :effect (and
                    (forall (?y - t ?w - t) (when (and (exists (?z - t) (q ?y ?z)) (q ?y ?w)) (not (q ?w ?x))))
                    (forall (?y - t) (when (exists (?z - t) (q ?y ?z)) (p ?y)))))
            )
        "#]],
    );
    let effect = &action(&model, "a").effects[0];
    assert_eq!(effect.binders.len(), 2, "deletes stand first, and this one is for two variables");
    // The variable of `exists` comes after both binders.
    let condition = format!("{:?}", effect.condition);
    assert!(condition.contains("[Var(Var(1)), Var(Var(3))]"), "{condition}");
}

#[test]
fn numbers_and_costs() {
    let model = again(
        "(define (domain d) (:types t) (:predicates (p ?x - t)) (:functions (fuel ?x - t) (total-cost) - number)
           (:action go :parameters (?x - t) :precondition (>= (fuel ?x) 2.5)
             :effect (and (p ?x) (decrease (fuel ?x) 2.5) (increase (total-cost) (fuel ?x))))
           (:action fill :parameters (?x - t)
             :effect (and (assign (fuel ?x) (+ 1 2 3)) (scale-up (fuel ?x) 2) (decrease (fuel ?x) (fuel ?x)))))
         (define (problem e) (:domain d) (:objects o - t) (:init (= (fuel o) 3) (= total-cost 0))
           (:goal (p o)) (:metric minimize (* 3 (total-cost))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :equality :fluents :action-costs)
              (:types
                t - object)
              (:predicates
                (p ?x - t))
              (:functions
                (fuel ?x - t) - number
                (total-cost) - number)
              (:action go
                :parameters (?x - t)
                :precondition (>= (fuel ?x) 2.5)
                :effect (and (p ?x) (decrease (fuel ?x) 2.5) (increase (total-cost) (fuel ?x))))
              (:action fill
                :parameters (?x - t)
                :precondition (and)
                :effect (and
                    (assign (fuel ?x) (+ (+ 1 2) 3))
                    (assign (fuel ?x) (* (fuel ?x) 2))
                    (decrease (fuel ?x) (fuel ?x))))
            )
            (define (problem e)
              (:domain d)
              (:objects
                o - t)
              (:init
                (= (fuel o) 3)
                (= (total-cost) 0))
              (:goal (p o))
              (:metric minimize (* 3 (total-cost)))
            )
        "#]],
    );
    assert!(matches!(action(&model, "go").cost, Some(Expr::Fluent(..))));
    assert_eq!(action(&model, "fill").cost, Some(Expr::int(0)));
}

#[test]
fn durative_actions() {
    let model = again(
        "(define (domain d) (:types t) (:predicates (p ?x - t) (at ?x - t)) (:functions (len ?x - t))
           (:durative-action a :parameters (?x - t) :duration (= ?duration (len ?x))
             :condition (and (at start (at ?x)) (over all (and (p ?x) (p ?x))) (at end (not (at ?x)))
               (forall (?y - t) (at start (p ?y))))
             :effect (and (at start (not (at ?x))) (at end (at ?x)) (at end (increase (len ?x) (* 2 ?duration)))
               (forall (?y - t) (at end (when (p ?y) (at ?y))))))
           (:durative-action b :parameters () :duration (and (at start (>= ?duration 1)) (<= ?duration 2.5) (>= ?duration 0.5))
             :condition () :effect ())
           (:durative-action c :duration () :effect (at end (forall (?x - t) (p ?x))))
           (:durative-action e :parameters (?x - t) :duration (= ?duration 1.2345)
             :effect (when (at end (p ?x)) (at end (at ?x)))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :negative-preconditions :equality :universal-preconditions :conditional-effects :durative-actions :fluents :duration-inequalities)
              (:types
                t - object)
              (:predicates
                (p ?x - t)
                (at ?x - t))
              (:functions
                (len ?x - t) - number)
              (:durative-action a
                :parameters (?x - t)
                :duration (= ?duration (len ?x))
                :condition (and
                    (at start (at ?x))
                    (over all (p ?x))
                    (over all (p ?x))
                    (at end (not (at ?x)))
                    (at start (forall (?y - t) (p ?y))))
                :effect (and
                    (at start (not (at ?x)))
                    (at end (at ?x))
                    (at end (increase (len ?x) (* 2 ?duration)))
                    (at end (forall (?y - t) (when (p ?y) (at ?y))))))
              (:durative-action b
                :parameters ()
                :duration (and (>= ?duration 1) (>= ?duration 0.5) (<= ?duration 2.5))
                :condition (and)
                :effect (and))
              (:durative-action c
                :parameters ()
                :duration ()
                :condition (and)
                :effect (and (at end (forall (?x - t) (p ?x)))))
              (:durative-action e
                :parameters (?x - t)
                :duration (= ?duration 1.235)
                :condition (and)
                :effect (and (at end (when (p ?x) (at ?x)))))
            )
        "#]],
    );
    assert_eq!(
        action(&model, "e").duration,
        Duration::Fixed(Expr::int(1235)),
        "a tick is a thousandth, a half rounds up"
    );
    assert_eq!(action(&model, "a").effects[0].moment, Moment::Start);
    assert_eq!(action(&model, "c").duration, Duration::Chosen(None, None));
    let origin = model.pddl().expect("it came from PDDL");
    assert_eq!((origin.ticks_per_unit, origin.epsilon, origin.temporal), (1000, 1, true));
}

/// A durative action that takes no time starts and ends at once.
#[test]
fn durative_actions_that_take_no_time() {
    let model = compile_text(
        "(define (domain doors) (:requirements :durative-actions) (:predicates (open) (ajar) (seen))
           (:durative-action look :parameters () :duration (= ?duration 0)
             :condition (and (at start (open)) (over all (ajar)))
             :effect (and (at start (not (ajar))) (at end (seen)))))",
    );
    let look = action(&model, "look");
    assert_eq!((&look.duration, look.conditions.len(), look.effects.len()), (&Duration::Instant, 2, 2));
    assert!(look.effects.iter().all(|effect| effect.moment == Moment::End));
    assert_eq!(model.pddl().expect("it is PDDL").momentary, ["look"]);
}

#[test]
fn timed_facts_and_a_predicate_called_at() {
    let model = again(
        "(define (domain d) (:types t) (:predicates (at ?x ?y - t) (open)) (:functions (f))
           (:action a :precondition (open) :effect (increase (f) 1)))
         (define (problem e) (:domain d) (:objects x y - t)
           (:init (at x y) (at 2.5 (open)) (at 4 (not (open))) (at 5 (= (f) 3)) (= (f) 1))
           (:goal (at y x)) (:metric maximize (- (f) (total-time))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :negative-preconditions :equality :fluents :timed-initial-literals)
              (:types
                t - object)
              (:predicates
                (at ?x - t ?y - t)
                (open))
              (:functions
                (f) - number)
              (:action a
                :parameters ()
                :precondition (open)
                :effect (increase (f) 1))
            )
            (define (problem e)
              (:domain d)
              (:objects
                x y - t)
              (:init
                (at x y)
                (= (f) 1)
                (at 2.5 (open))
                (at 4 (not (open)))
                (at 5 (= (f) 3)))
              (:goal (at y x))
              (:metric maximize (- (f) (total-time)))
            )
        "#]],
    );
    let ticks: Vec<_> = model.initial.iter().filter_map(|given| given.at.clone()).collect();
    assert_eq!(ticks, [Expr::int(2500), Expr::int(4000), Expr::int(5000)]);
}

#[test]
fn derived_predicates_in_strata() {
    let model = again(
        "(define (domain d) (:types t) (:predicates (on ?x ?y - t) (above ?x ?y - t) (low ?x - t))
           (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z - t) (and (on ?x ?z) (above ?z ?y)))))
           (:derived (low ?x) (not (exists (?y - t) (above ?x ?y)))))",
        expect![[r#"
            (define (domain d)
              (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :existential-preconditions :derived-predicates)
              (:types
                t - object)
              (:predicates
                (on ?x - t ?y - t)
                (above ?x - t ?y - t)
                (low ?x - t))
              (:derived (above ?x - t ?y - t) (or (on ?x ?y) (exists (?z - t) (and (on ?x ?z) (above ?z ?y)))))
              (:derived (low ?x - t) (not (exists (?y - t) (above ?x ?y))))
            )
        "#]],
    );
    let strata: Vec<_> = model
        .fluents
        .values()
        .filter_map(|fluent| match &fluent.source {
            FluentSource::Derived { stratum, .. } => Some((fluent.name.as_str(), *stratum)),
            _ => None,
        })
        .collect();
    assert_eq!(strata, [("above", 0), ("low", 1)]);
}

#[test]
fn goal_and_defaults() {
    let model = compile(
        "(define (domain d) (:predicates (p)) (:functions (f) (total-cost)) (:action a :effect (p)))",
        Some("(define (problem e) (:domain d) (:init) (:goal (p)))"),
    );
    let defaults: Vec<_> = model.fluents.values().map(|fluent| fluent.default).collect();
    assert_eq!(defaults, [Some(Value::Bool(false)), None, Some(Value::Number(dramaturg_model::Fixed::ZERO))]);
    let wish = model.wishes.values().next().expect("there is the goal");
    let WishKind::Goal { aims, salience } = &wish.kind else { unreachable!("the goal comes first: {wish:?}") };
    assert_eq!((aims.len(), &aims[0].time, salience), (1, &AimTime::Eventually, &Expr::int(50)));
    let action = action(&model, "a");
    assert_eq!((&action.duration, &action.effects[0].moment), (&Duration::Instant, &Moment::End));
}

#[test]
fn a_domain_alone() {
    let model = compile("(define (domain d) (:constants k) (:predicates (p ?x)) (:action a :effect (p k)))", None);
    assert_eq!((model.objects.len(), model.wishes.len(), model.title.as_str()), (1, 0, "d"));
}
