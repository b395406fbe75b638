//! `dramaturg bench runtime`, `realtime` and `classical`: that it measures what it says, not how fast this machine is.

mod common;

use common::{LAMP_DOMAIN, LAMP_PROBLEM, Stage};
use serde_json::Value;

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn names(report: &Value) -> Vec<&str> {
    let claims = report["claims"].as_array().map(Vec::as_slice).unwrap_or_default();
    claims.iter().filter_map(|claim| claim["name"].as_str()).collect()
}

/// Measures one part for a moment.
fn measured(part: &str) -> Value {
    let options = ["--seconds", "2", "--ahead", "1", "--starts", "200", "--sessions", "20"];
    let (code, report) = Stage::new().json(&[&["bench", "runtime", "--only", part], &options[..]].concat());
    assert_eq!((code, &report["what"], &report["ok"]), (0, &"runtime".into(), &true.into()), "{report:#}");
    assert!(number(&report, "/machine/cores") >= 1.0);
    report
}

#[test]
fn realtime_plans_while_it_performs() {
    let stage = Stage::new();
    let (code, report) = stage.json(&["bench", "realtime", "--only", "ft06", "--seeds", "1", "--units", "40"]);
    assert_eq!((code, &report["what"], &report["ok"]), (0, &Value::from("realtime"), &Value::from(true)));
    let piece = &report["pieces"][0];
    assert_eq!((&piece["name"], &piece["optimum"]), (&Value::from("ft06"), &Value::from(55)));
    assert_eq!((&piece["calm_tally"]["sent"], &piece["calm_tally"]["on_time"]), (&Value::from(36), &Value::from(36)));
    assert!(piece["calm"]["mean"].as_f64() >= Some(55.0), "{piece}");
    assert!(piece["disturbed"].as_u64() > Some(0) && piece["breaches"] == 0, "{piece}");
    let claimed = report["claims"].as_array().unwrap();
    assert!(claimed.iter().any(|claim| claim["name"] == "ft06: re-planned by only shifted"), "{claimed:?}");
    assert_eq!(stage.run(&["bench", "realtime", "--only", "everything"]).code, 2);
}

#[test]
fn every_task_whose_time_came_has_started() {
    let report = measured("ticks");
    let ticks = &report["ticks"];
    assert_eq!(number(ticks, "/not_started"), 0.0, "{ticks:#}");
    let started = number(ticks, "/on_time") + number(ticks, "/late") + number(ticks, "/in_skipped_ticks");
    assert_eq!(started, number(ticks, "/tasks"), "{ticks:#}");
    // About a second's worth of them waits.
    assert!((100.0..400.0).contains(&number(ticks, "/waiting_mean")), "{ticks:#}");
    assert!(number(ticks, "/tick/p50") > 0.0 && number(ticks, "/tick/p50") <= number(ticks, "/frame/p50"), "{ticks:#}");
    assert_eq!(names(&report).len(), 4, "{:?}", names(&report));
}

#[test]
fn every_way_of_sending_accounts_for_all_of_its_tasks() {
    let report = measured("policies");
    let rows = report["policies"]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 5, "{rows:#?}");
    for row in rows {
        let sum = number(row, "/on_time") + number(row, "/late") + number(row, "/lost");
        assert_eq!(sum, number(row, "/tasks"), "{row:#}");
    }
    assert!(number(&report, "/policies/lead_ratio_virtual") >= 10.0, "{report:#}");
    assert!(number(&report, "/policies/reaction_ratio_virtual") >= 10.0, "{report:#}");
    assert_eq!(names(&report).len(), 4, "{:?}", names(&report));
}

#[test]
fn no_session_loses_a_task_to_its_game_in_another_process() {
    let report = measured("sessions");
    let sessions = &report["sessions"];
    assert_eq!(number(sessions, "/sessions"), 20.0, "{sessions:#}");
    assert_eq!((number(sessions, "/lost"), number(sessions, "/tasks")), (0.0, 200.0), "{sessions:#}");
    assert!(number(&report, "/idle/allocated_bytes") > 1_000.0, "{report:#}");
    assert_eq!(names(&report).len(), 3, "{:?}", names(&report));
}

#[test]
fn sessions_are_measured_again_beside_a_load() {
    let options = ["--only", "sessions", "--seconds", "2", "--sessions", "20", "--beside-load", "1"];
    let (code, report) = Stage::new().json(&[&["bench", "runtime"], &options[..]].concat());
    assert_eq!((code, &report["ok"]), (0, &true.into()), "{report:#}");
    let beside = &report["beside_load"];
    assert_eq!((number(beside, "/processes"), number(beside, "/sessions/tasks")), (1.0, 200.0), "{beside:#}");
    for sessions in [&report["sessions"], &beside["sessions"]] {
        let fates = &sessions["fates"];
        let all = ["ahead", "short", "absent"].map(|row| number(&fates[row], "/tasks"));
        assert_eq!(all.iter().sum::<f64>(), 200.0, "{fates:#}");
        for row in ["ahead", "short", "absent"].map(|row| &fates[row]) {
            let sum = number(row, "/on_time") + number(row, "/late") + number(row, "/never");
            assert_eq!(sum, number(row, "/tasks"), "{row:#}");
        }
        assert_eq!(number(fates, "/unsaid"), 0.0, "{fates:#}");
        assert!(number(sessions, "/director_waits/wake/runs") > 0.0, "{sessions:#}");
        assert!(number(sessions, "/games_waits/wake/runs") > 0.0, "{sessions:#}");
    }
    assert_eq!(names(&report).len(), 8, "{:?}", names(&report));
    let usage = Stage::new().run(&["bench", "runtime", "--only", "ticks", "--beside-load"]);
    assert!(usage.code == 2 && usage.err.contains("`sessions`"), "{}", usage.err);
}

#[test]
fn parts_can_be_chosen() {
    let stage = Stage::new();
    let run = stage.run(&["bench", "runtime", "--only", "hand-over", "--seconds", "1"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("load before") && run.out.contains("0 were lost"), "{}", run.out);
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

#[test]
fn plans_are_measured_as_whole_commands_also_without_a_peer() {
    // The same lamp, but broken.
    let dark = LAMP_PROBLEM.replace("(:init)", "(:init (broken))");
    let stage = Stage::with(&[
        ("problems/lamp/domain.pddl", LAMP_DOMAIN),
        ("problems/lamp/p01.pddl", LAMP_PROBLEM),
        ("problems/dark/domain.pddl", LAMP_DOMAIN),
        ("problems/dark/p01.pddl", &dark),
    ]);
    let args = ["bench", "classical", "problems", "--python", "no-such-python", "--limit", "60"];
    let (code, report) = stage.json(&args);
    assert_eq!((code, &report["what"], &report["ok"]), (0, &"classical".into(), &true.into()), "{report:#}");
    assert_eq!((&report["solved"], &report["peer_solved"]), (&1.into(), &Value::Null), "{report:#}");
    assert_eq!(report["problems"][0]["ours"]["solved"], false, "{report:#}");
    assert!(number(&report, "/problems/1/ours/steps") >= 1.0 && number(&report, "/problems/1/ours/seconds") > 0.0);
    let run = stage.run(&args);
    assert!(run.out.contains("1 of 2") && run.out.contains("pip install up-fast-downward"), "{}", run.out);
    let run = stage.run(&["bench", "classical", "problems", "--downward", "nowhere.py"]);
    assert_eq!(run.code, 20, "{}", run.err);
    assert!(run.err.contains("is not Fast Downward"), "{}", run.err);
}
