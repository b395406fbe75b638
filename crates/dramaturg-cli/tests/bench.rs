//! `dramaturg bench runtime`: that it measures what it says, not how fast this machine is.

mod common;

use common::Stage;
use serde_json::Value;

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn names(report: &Value) -> Vec<&str> {
    let claims = report["claims"].as_array().map(Vec::as_slice).unwrap_or_default();
    claims.iter().filter_map(|claim| claim["name"].as_str()).collect()
}

#[test]
fn nothing_is_lost_in_any_part() {
    let (code, report) = Stage::new().json(&[
        "bench",
        "runtime",
        "--seconds",
        "2",
        "--ahead",
        "1",
        "--starts",
        "200",
        "--sessions",
        "20",
    ]);
    assert_eq!((code, &report["what"], &report["ok"]), (0, &"runtime".into(), &true.into()), "{report:#}");
    assert!(number(&report, "/machine/cores") >= 1.0);
    // One game: every task whose time came has started, and about a second's worth of them waits.
    let ticks = &report["ticks"];
    assert_eq!(number(ticks, "/not_started"), 0.0, "{ticks:#}");
    let started = number(ticks, "/on_time") + number(ticks, "/late") + number(ticks, "/in_skipped_ticks");
    assert_eq!(started, number(ticks, "/tasks"), "{ticks:#}");
    assert!((100.0..400.0).contains(&number(ticks, "/waiting_mean")), "{ticks:#}");
    assert!(number(ticks, "/tick/p50") > 0.0 && number(ticks, "/tick/p50") <= number(ticks, "/frame/p50"), "{ticks:#}");
    // Ways of sending: each row accounts for all of its tasks.
    let rows = report["policies"]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 5, "{rows:#?}");
    for row in rows {
        let sum = number(row, "/on_time") + number(row, "/late") + number(row, "/lost");
        assert_eq!(sum, number(row, "/tasks"), "{row:#}");
    }
    assert!(number(&report, "/policies/lead_ratio_virtual") >= 10.0, "{report:#}");
    assert!(number(&report, "/policies/reaction_ratio_virtual") >= 10.0, "{report:#}");
    // Hand-over.
    assert!(number(&report, "/hand_over/hand_over/runs") > 0.0, "{report:#}");
    assert!(number(&report, "/hand_over/round_trip/runs") > 0.0, "{report:#}");
    // Sessions, with their games in another process.
    let sessions = &report["sessions"];
    assert_eq!(number(sessions, "/sessions"), 20.0, "{sessions:#}");
    assert_eq!((number(sessions, "/lost"), number(sessions, "/tasks")), (0.0, 200.0), "{sessions:#}");
    assert!(number(&report, "/idle/allocated_bytes") > 1_000.0, "{report:#}");
    assert_eq!(names(&report).len(), 11, "{:?}", names(&report));
}

#[test]
fn parts_can_be_chosen() {
    let stage = Stage::new();
    let run = stage.run(&["bench", "runtime", "--only", "hand-over", "--seconds", "1"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("load before") && run.out.contains("bare round trip"), "{}", run.out);
    assert!(!run.out.contains("Ways of sending"), "{}", run.out);
    assert_eq!(stage.run(&["bench", "runtime", "--only", "everything"]).code, 2);
    assert_eq!(stage.run(&["bench", "runtime", "--seconds", "0"]).code, 2);
}

#[test]
fn the_process_of_games_wants_an_order() {
    let run = Stage::new().run_with(&["bench", "games"], b"play!\n");
    assert_eq!(run.code, 20, "{}", run.out);
    assert!(run.err.contains("must be an order"), "{}", run.err);
}
