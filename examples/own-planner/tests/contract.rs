//! The wanderer keeps the contract of all planners, and runs by its name.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use dramaturg_planner::host::Hosted;
use dramaturg_planner::planner::conformance::{Outcome, Subject, Trial, check};
use dramaturg_planner::planner::{Planner, PlannerSave};
use own_planner::Wanderer;

#[test]
fn it_keeps_the_contract() {
    let story = include_str!("../../../stories/apple.story");
    let compiled = dramaturg_story::compile_text("apple.story", story);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    let model = Arc::new(compiled.model);
    let make = |seed: u64| -> Box<dyn Planner> { Box::new(Hosted::<Wanderer>::new(Arc::clone(&model), seed)) };
    let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
        Ok(Box::new(Hosted::<Wanderer>::load(Arc::clone(&model), save)?))
    };
    let subject = Subject { model: &model, make: &make, load: &load, goals: &[], decides: true };
    let mut all = Outcome::default();
    for seed in 0..60 {
        let trial = Trial {
            seed,
            rounds: 40,
            units: 1 + (seed % 7) as u32 * 10,
            surprises: (seed % 3) as usize * 4,
            failures: (seed % 5) as usize * 3,
            whims: (seed % 2) as usize * 3,
        };
        all.add(&check(&subject, trial).unwrap_or_else(|why| panic!("seed {seed}: {why}")));
    }
    assert!(all.performed > 100 && all.judged > 100, "{} performed, {} judged", all.performed, all.judged);
}

#[test]
fn it_runs_by_its_name() {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stories/apple.story");
    let run = |planner: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_own-planner"));
        command.arg("run").arg(&story).args(["--planner", planner, "--lockstep", "--ticks", "900", "--json"]);
        command.output().expect("the program runs")
    };
    let output = run("wanderer");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("\"finished\": 2"), "{told}");
    let output = run("nobody");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("cast, repair, conductor, scripted, wanderer"), "{told}");
}
