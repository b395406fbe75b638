//! Any bytes: diagnostics, never a panic, never unbounded work.

use dramaturg_model::FileId;
use proptest::prelude::*;

use crate::pddl::testing::{diagnose, export_classical, export_temporal};
use crate::pddl::{PddlOptions, compile_pddl};

/// Words that lead deep into the reader.
fn word() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "define",
        "domain",
        "problem",
        "d",
        "p",
        "?x",
        "?y",
        "-",
        "either",
        "t",
        "object",
        ":types",
        ":constants",
        ":objects",
        ":predicates",
        ":functions",
        ":action",
        ":durative-action",
        ":derived",
        ":parameters",
        ":precondition",
        ":condition",
        ":effect",
        ":duration",
        ":init",
        ":goal",
        ":metric",
        "minimize",
        "and",
        "or",
        "not",
        "imply",
        "forall",
        "exists",
        "when",
        "at",
        "start",
        "end",
        "over",
        "all",
        "=",
        "<=",
        "increase",
        "assign",
        "+",
        "*",
        "/",
        "?duration",
        "1",
        "-2.5",
        "1e9",
        "total-time",
        "#t",
        ";",
        "\n",
    ]);
    prop_oneof![20 => words.prop_map(str::to_owned), 1 => "\\PC{0,4}"]
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC*", problem in prop::option::of("\\PC*")) {
        let (model, _) = diagnose(&text, problem.as_deref());
        export_classical(&model);
    }

    #[test]
    fn any_words_are_read(words in prop::collection::vec(word(), 0..200)) {
        let body = words.join(" ");
        let domain = format!("(define (domain d) {body}");
        let problem = format!("(define (problem p) (:domain d) {body}");
        let (model, _) = diagnose(&domain, Some(&problem));
        export_classical(&model);
        export_temporal(&model);
    }
}

/// A word and the brackets around it.
const VALID: &str = "(define (domain d) (:types a b - object c - (either a b)) (:constants k - a)
 (:predicates (p ?x - a) (q ?x ?y - object) (r ?x - object)) (:functions (f ?x - a) (total-cost))
 (:derived (r ?x) (exists (?y) (or (q ?x ?y) (and (q ?y ?x) (r ?y)))))
 (:action go :parameters (?x - a ?y - b) :precondition (and (p ?x) (not (q ?x ?y)) (>= (f ?x) 2))
  :effect (and (not (p ?x)) (forall (?z - b) (when (q ?x ?z) (not (q ?x ?z)))) (increase (total-cost) 2)))
 (:durative-action wait :parameters (?x - a) :duration (and (>= ?duration 1) (<= ?duration (f ?x)))
  :condition (and (at start (p ?x)) (over all (p k))) :effect (and (at start (not (p ?x))) (at end (p ?x)))))
(define (problem e) (:domain d) (:objects x - a y - b) (:init (p x) (= (f x) 3) (at 5 (q x y)))
 (:goal (and (q x y) (forall (?z - a) (p ?z)))) (:metric minimize (+ (total-cost) (* 2 (total-time)))))";

#[test]
fn every_token_may_be_missing_or_doubled() {
    let spaced = VALID.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let (_, faults) = diagnose(VALID, Some(VALID));
    assert!(faults.is_empty(), "{faults:?}");
    for position in 0..tokens.len() {
        for count in [0, 2] {
            let mut changed = tokens.clone();
            changed.splice(position..=position, std::iter::repeat_n(tokens[position], count));
            let text = changed.join(" ");
            let (model, _) = diagnose(&text, Some(&text));
            export_temporal(&model);
            export_classical(&model);
        }
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = format!("(define (domain d) (:action a :precondition {}", "(not ".repeat(1_000_000));
    let (_, faults) = diagnose(&deep, None);
    assert!(faults.iter().any(|fault| fault.code.name == "too-deep"));

    let options = PddlOptions { file_bytes_max: 10, ..PddlOptions::default() };
    let (_, faults) = compile_pddl((FileId(0), "(define (domain d))"), None, &options);
    let large = faults.iter().find(|fault| fault.code.name == "too-large").expect("the limit is told");
    assert!(large.hint.as_deref().is_some_and(|hint| hint.contains("file_bytes_max")));

    let wide =
        format!("(define (domain d) (:functions (f)) (:action a :effect (assign (f) (+ {}))))", "1 ".repeat(300_000));
    let (model, faults) = diagnose(&wide, None);
    assert!(faults.is_empty());
    drop(model);

    let chain: String = (0..5_000).map(|number| format!("t{} - t{number} ", number + 1)).collect();
    let (_, faults) = diagnose(&format!("(define (domain d) (:types {chain}))"), None);
    assert!(faults.iter().all(|fault| fault.code.name == "too-deep") && !faults.is_empty());

    let many = format!(
        "(define (domain d) (:action a :parameters ({})))",
        (0..2_000).map(|n| format!("?x{n} ")).collect::<String>()
    );
    let (_, faults) = diagnose(&many, None);
    assert_eq!(faults[0].code.name, "too-large");
}

#[test]
fn copies_of_conditions_are_bounded() {
    let condition = format!("(and {})", "(p) ".repeat(3_000));
    let effects = "(p) ".repeat(3_000);
    let text = format!("(define (domain d) (:predicates (p)) (:action a :effect (when {condition} (and {effects}))))");
    let (_, faults) = diagnose(&text, None);
    assert!(faults.iter().any(|fault| fault.code.name == "too-large"));
}

#[test]
fn faults_are_counted_only_so_far() {
    let text = format!("(define (domain d) (:action a :effect (and {})))", "(p) ".repeat(100_000));
    let (_, faults) = diagnose(&text, None);
    assert_eq!(faults.len(), 1000);
}
