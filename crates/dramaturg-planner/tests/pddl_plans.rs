//! Plans judged in PDDL's own sense, and plan files.

mod support;

use dramaturg_model::{FileId, Model, Plan};
use dramaturg_planner::planfile::{Format, read_plan, write_plan};
use dramaturg_planner::simulate::ViolationKind;
use dramaturg_planner::validate::{Mode, Report, ValidateOptions};
use support::*;

fn read(model: &Model, text: &str) -> Plan {
    let (plan, found) = read_plan(model, FileId(9), text);
    assert!(found.is_empty(), "{found:#?}");
    plan
}

fn verdict(model: &Model, text: &str) -> Report {
    judge(model, &read(model, text), &ValidateOptions::default())
}

fn kinds(report: &Report) -> Vec<ViolationKind> {
    report.violations.iter().map(|violation| violation.kind).collect()
}

/// A crane moves boxes between two shelves; classical.
fn shelves() -> Model {
    pddl(
        "(define (domain shelves) (:requirements :strips :typing :conditional-effects)
           (:types box shelf)
           (:predicates (on ?b - box ?s - shelf) (held ?b - box) (free) (dusty ?s - shelf) (clean ?b - box))
           (:action lift :parameters (?b - box ?s - shelf)
             :precondition (and (on ?b ?s) (free))
             :effect (and (held ?b) (not (on ?b ?s)) (not (free))))
           (:action put :parameters (?b - box ?s - shelf)
             :precondition (held ?b)
             :effect (and (on ?b ?s) (free) (not (held ?b)) (when (dusty ?s) (not (clean ?b)))))
           (:action swap :parameters (?s ?r - shelf)
             :effect (and (when (dusty ?s) (dusty ?r)) (when (not (dusty ?s)) (not (dusty ?r)))
                          (when (dusty ?r) (dusty ?s)) (when (not (dusty ?r)) (not (dusty ?s))))))",
        "(define (problem two) (:domain shelves) (:objects a b - box left right - shelf)
           (:init (on a left) (on b left) (free) (dusty left) (clean a) (clean b))
           (:goal (and (on a right) (on b right))))",
    )
}

#[test]
fn a_classical_plan_is_valid_or_says_why_not() {
    let model = shelves();
    let plan = "(lift a left)\n(put a right)\n(LIFT B left)\n(put b right)\n; cost = 4 (unit cost)\n";
    let report = verdict(&model, plan);
    assert_valid(&report);
    assert_eq!(read(&model, plan).cost.unwrap().to_string(), "4");
    let report = verdict(&model, "(lift a left)\n(lift b left)\n(put a right)\n(put b right)\n");
    assert_eq!(kinds(&report), [ViolationKind::StartCondition]);
    assert_eq!(report.violations[0].fluent.as_deref(), Some("free"));
    let report = verdict(&model, "(lift a left)\n(put a right)\n");
    assert_eq!(kinds(&report), [ViolationKind::GoalNotReached]);
    assert_eq!(report.violations[0].fluent.as_deref(), Some("on(b, right)"));
}

#[test]
fn conditional_effects_read_the_state_before() {
    let model = shelves();
    let report = verdict(
        &model,
        "0: (swap left right)\n1: (lift a left)\n2: (put a right)\n3: (lift b left)\n4: (put b right)\n",
    );
    assert_valid(&report);
    assert_eq!(value(&model, &report.state, "dusty(right)"), "true");
    assert_eq!(value(&model, &report.state, "dusty(left)"), "false");
    assert_eq!(value(&model, &report.state, "clean(a)"), "false");
}

/// Fuses are mended by the light of matches.
fn cellar() -> Model {
    pddl(
        "(define (domain cellar) (:requirements :typing :durative-actions)
           (:types match fuse)
           (:predicates (unused ?m - match) (light ?m - match) (mended ?f - fuse) (hand))
           (:durative-action strike :parameters (?m - match) :duration (= ?duration 5)
             :condition (at start (unused ?m))
             :effect (and (at start (not (unused ?m))) (at start (light ?m)) (at end (not (light ?m)))))
           (:durative-action mend :parameters (?f - fuse ?m - match) :duration (= ?duration 2)
             :condition (and (at start (hand)) (over all (light ?m)))
             :effect (and (at start (not (hand))) (at end (mended ?f)) (at end (hand)))))",
        "(define (problem dark) (:domain cellar) (:objects m n - match f g - fuse)
           (:init (hand) (unused m) (unused n)) (:goal (and (mended f) (mended g))))",
    )
}

#[test]
fn concurrency_that_is_required() {
    let model = cellar();
    let good = "0.000: (strike m) [5.000]\n0.001: (mend f m) [2.000]\n2.002: (mend g m) [2.000]\n";
    assert_valid(&verdict(&model, good));
    // The light goes out inside the second mending.
    let late = "0.000: (strike m) [5.000]\n0.001: (mend f m) [2.000]\n3.500: (mend g m) [2.000]\n";
    let report = verdict(&model, late);
    assert_eq!(kinds(&report), [ViolationKind::ThroughoutCondition]);
    assert_eq!((report.violations[0].tick, report.violations[0].fluent.as_deref()), (5000, Some("light(m)")));
    // Without ε between the striking and the mending: the state before has no light, but only `over all` asks for it.
    assert_valid(&verdict(&model, "0: (strike m) [5]\n0: (mend f m) [2]\n2.001: (mend g m) [2]\n"));
    // The hand is given back and taken at the same moment.
    let touching = verdict(&model, "0: (strike m) [5]\n0.001: (mend f m) [2]\n2.001: (mend g m) [2]\n");
    assert_eq!(kinds(&touching), [ViolationKind::StartCondition, ViolationKind::Interference]);
    let wrong = verdict(&model, "0: (strike m) [5]\n0.001: (mend f m) [2.5]\n2.502: (mend g m) [2]\n");
    assert_eq!(kinds(&wrong), [ViolationKind::WrongDuration]);
}

/// Doors that open and close by the clock; conditions at the end; sums and derived facts.
fn office() -> Model {
    pddl(
        "(define (domain office) (:requirements :typing :durative-actions :fluents :timed-initial-literals
             :derived-predicates :negative-preconditions)
           (:types room)
           (:predicates (open) (at ?r - room) (door ?r ?s - room) (near ?r ?s - room) (signed) (lamp) (seen) (busy))
           (:functions (ink) (paper))
           (:derived (near ?r ?s - room) (or (door ?r ?s) (exists (?t - room) (and (door ?r ?t) (near ?t ?s)))))
           (:durative-action sign :parameters () :duration (= ?duration 3)
             :condition (and (at start (open)) (at end (lamp)) (at start (>= (ink) 1)))
             :effect (and (at start (decrease (ink) 1)) (at end (signed))))
           (:durative-action shine :parameters () :duration (and (>= ?duration 1) (<= ?duration 4))
             :effect (and (at start (lamp)) (at end (not (lamp)))))
           (:action refill :parameters () :effect (increase (ink) 2))
           (:action count :parameters () :effect (increase (paper) (ink)))
           (:action go :parameters (?r ?s - room) :precondition (and (at ?r) (near ?r ?s))
             :effect (and (at ?s) (not (at ?r))))
           (:action look :parameters () :precondition (open) :effect (seen)))",
        "(define (problem day) (:domain office) (:objects hall den loft - room)
           (:init (at hall) (door hall den) (door den loft) (= (ink) 1) (= (paper) 0)
                  (at 9 (open)) (at 17 (not (open))))
           (:goal (signed)) (:metric minimize (+ (ink) (* 2 (paper)))))",
    )
}

#[test]
fn conditions_at_the_end_and_windows_of_time() {
    let model = office();
    assert_valid(&verdict(&model, "10: (sign) [3]\n12: (shine) [2]\n"));
    // The lamp is lit and put out too early, or lit exactly at the end.
    assert_eq!(kinds(&verdict(&model, "10: (sign) [3]\n11: (shine) [1.5]\n")), [ViolationKind::EndCondition]);
    let at_once = verdict(&model, "10: (sign) [3]\n13: (shine) [2]\n");
    assert_eq!(kinds(&at_once), [ViolationKind::EndCondition, ViolationKind::Interference]);
    // Before the door opens, exactly when it does, and after it has closed.
    assert_eq!(kinds(&verdict(&model, "8: (sign) [3]\n10: (shine) [2]\n"))[0], ViolationKind::StartCondition);
    let exactly = kinds(&verdict(&model, "9: (sign) [3]\n11: (shine) [2]\n"));
    assert_eq!(exactly, [ViolationKind::StartCondition, ViolationKind::Interference]);
    assert_valid(&verdict(&model, "9.001: (sign) [3]\n11: (shine) [2]\n"));
    assert_valid(&verdict(&model, "16.9: (sign) [3]\n18: (shine) [2]\n"));
    assert_eq!(kinds(&verdict(&model, "17.5: (sign) [3]\n18: (shine) [3]\n"))[0], ViolationKind::StartCondition);
    // A duration the planner may choose, and one beyond its bounds.
    assert_eq!(kinds(&verdict(&model, "10: (sign) [3]\n12: (shine) [5]\n")), [ViolationKind::WrongDuration]);
}

#[test]
fn numbers_may_be_added_to_at_once_but_not_read() {
    let model = office();
    let rest = "10: (sign) [3]\n12: (shine) [2]\n";
    let report = verdict(&model, &format!("1: (refill)\n1: (refill)\n{rest}"));
    assert_valid(&report);
    assert_eq!(value(&model, &report.state, "ink"), "4");
    assert_eq!(report.metric.to_string(), "4");
    let report = verdict(&model, &format!("1: (refill)\n1: (count)\n{rest}"));
    assert_eq!(kinds(&report), [ViolationKind::Interference]);
    assert_valid(&verdict(&model, &format!("1: (refill)\n1.001: (count)\n{rest}")));
    // Two signatures need two drops.
    let report = verdict(&model, "10: (sign) [3]\n10.5: (sign) [3]\n12: (shine) [4]\n");
    assert_eq!(kinds(&report), [ViolationKind::StartCondition]);
    assert_eq!((report.violations[0].wanted.as_str(), report.violations[0].found.as_str()), (">= 1", "0"));
}

#[test]
fn derived_facts_follow_what_they_are_derived_from() {
    let model = office();
    assert_valid(&verdict(&model, "1: (go hall loft)\n10: (sign) [3]\n12: (shine) [2]\n"));
    let report = verdict(&model, "1: (go hall loft)\n2: (go loft hall)\n10: (sign) [3]\n12: (shine) [2]\n");
    assert_eq!(report.violations[0].fluent.as_deref(), Some("near(loft, hall)"));
}

#[test]
fn ends_that_exclude_each_other_may_not_meet() {
    let model = pddl(
        "(define (domain ends) (:requirements :durative-actions)
           (:predicates (p) (q))
           (:durative-action raise :parameters () :duration (= ?duration 2) :effect (at end (p)))
           (:durative-action lower :parameters () :duration (= ?duration 3) :effect (and (at end (not (p))) (at end (q)))))",
        "(define (problem meet) (:domain ends) (:init) (:goal (q)))",
    );
    assert_eq!(kinds(&verdict(&model, "1: (raise) [2]\n0: (lower) [3]\n")), [ViolationKind::Interference]);
    assert_valid(&verdict(&model, "1.001: (raise) [2]\n0: (lower) [3]\n"));
}

#[test]
fn the_mode_can_be_chosen() {
    // In ticks a step that ends at a tick enables one that starts there.
    let model = cellar();
    let plan = read(&model, "0: (strike m) [5]\n0.001: (mend f m) [2]\n2.001: (mend g m) [2]\n");
    let ticks = ValidateOptions { mode: Some(Mode::Ticks), ..ValidateOptions::default() };
    assert_valid(&judge(&model, &plan, &ticks));
    assert!(!judge(&model, &plan, &ValidateOptions::default()).valid);
}

#[test]
fn faults_of_a_plan_file_have_places() {
    let model = shelves();
    let text =
        "(lift a left)\n(lft b left)\n  (put a)\n(put a c)\n(put left a)\nnonsense\n(put a right\n0.x: (put a right)\n";
    let (plan, found) = read_plan(&model, FileId(3), text);
    assert_eq!(plan.steps.len(), 1);
    let codes: Vec<_> = found.iter().map(|found| found.code.name).collect();
    let expected = [
        "unknown-name",
        "wrong-count",
        "unknown-name",
        "wrong-type",
        "wrong-type",
        "plan-malformed",
        "plan-malformed",
        "plan-malformed",
    ];
    assert_eq!(codes, expected);
    let first = &found[0];
    assert_eq!(&text[first.span().start as usize..first.span().end as usize], "lft");
    assert_eq!(first.hint.as_deref(), Some("did you mean `lift`?"));
    assert_eq!(found[2].message, "there is no object called `c`");
}

#[test]
fn what_is_written_is_read_again() {
    let model = cellar();
    let plan = read(&model, "0.001: (mend f m) [2.000]\n0: (strike m) [5.000]\n2.002: (mend g m) [2.000]\n");
    let text = write_plan(&model, &plan, Format::Ipc);
    assert_eq!(text, "0.000: (strike m) [5.000]\n0.001: (mend f m) [2.000]\n2.002: (mend g m) [2.000]\n");
    let again = read(&model, &text);
    assert_eq!(write_plan(&model, &again, Format::Ipc), text);
    let json = write_plan(&model, &plan, Format::Json);
    assert_eq!(read(&model, &json), plan);
    let classical = shelves();
    let text = "(lift a left)\n(put a right)\n";
    assert_eq!(write_plan(&classical, &read(&classical, text), Format::Ipc), text);
}

#[test]
fn a_story_without_times_is_laid_out_by_its_durations() {
    let model = story("apple");
    let (plan, found) = read_plan(&model, FileId(0), "(take Anna apple)\n(eat anna apple)\n");
    assert!(found.is_empty(), "{found:#?}");
    let times: Vec<_> = plan.steps.iter().map(|step| (step.start, step.duration)).collect();
    assert_eq!(times, [(0, 5), (5, 20)]);
    let model = story("troy-sparta");
    let (plan, found) = read_plan(
        &model,
        FileId(0),
        "(walk hector guest-room throne-room)\n(ASKTOGIVE hector menelaos wine throne-room)",
    );
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(plan.steps[1].action, "askToGive");
    assert_eq!((plan.steps[1].start, plan.steps[1].duration), (2, 1));
}

#[test]
fn other_ways_of_writing_times() {
    let model = cellar();
    let text = "; Version LPG\n   0.0:   (STRIKE M) [D:5.0000; C:0.1000] ; lit\n0.001: (mend f m) [2.0]) ; one\n";
    let plan = read(&model, text);
    assert_eq!((plan.steps[0].duration, plan.steps[1].start), (5000, 1));
    let (plan, found) = read_plan(&model, FileId(0), "0.0003: (strike m) [5]\n0.0006: (mend f m) [2]\n");
    assert_eq!(plan.steps.len(), 2);
    let codes: Vec<_> = found.iter().map(|found| (found.code.name, found.is_error())).collect();
    assert_eq!(codes, [("uneven-time", false)]);
    assert!(found[0].message.starts_with("2 times"), "{}", found[0].message);
}

#[test]
fn bad_json_says_where() {
    let model = shelves();
    let (plan, found) = read_plan(&model, FileId(0), "{\n  \"steps\": [ { \"id\": 1, \"action\": 7 } ]\n}");
    assert!(plan.steps.is_empty());
    assert_eq!(found[0].code.name, "plan-malformed");
    assert!(found[0].span().start > 10);
    let text = r#"{"steps":[{"id":0,"action":"lft","args":["a","left"],"start":0,"duration":0}]}"#;
    let (_, found) = read_plan(&model, FileId(0), text);
    assert_eq!(found[0].hint.as_deref(), Some("did you mean `lift`?"));
}
