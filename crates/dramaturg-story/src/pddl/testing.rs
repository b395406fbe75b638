//! What the tests of PDDL share.

use dramaturg_model::{Diagnostic, FileId, Model};

use super::{PddlOptions, compile_pddl};

/// Compiles without faults.
pub(super) fn compile(domain: &str, problem: Option<&str>) -> Model {
    let (model, faults) = diagnose(domain, problem);
    assert!(faults.is_empty(), "{faults:#?}");
    model
}

/// Compiles with whatever faults.
pub(super) fn diagnose(domain: &str, problem: Option<&str>) -> (Model, Vec<Diagnostic>) {
    compile_pddl((FileId(0), domain), problem.map(|text| (FileId(1), text)), &PddlOptions::default())
}
