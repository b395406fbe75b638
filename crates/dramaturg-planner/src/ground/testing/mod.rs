//! What the tests of grounding and packed states share: a slow, plain reading of the lifted model to compare with.

mod exhaustive;
pub(crate) use exhaustive::by_looking_at_everything;
pub(crate) mod naive;
pub(crate) mod random;

use dramaturg_model::{FileId, Model};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use dramaturg_story::{MemoryFiles, compile};

/// The model of a PDDL domain and problem without faults.
pub(crate) fn pddl(domain: &str, problem: &str) -> Model {
    let options = PddlOptions { ticks_per_unit: 1, ..PddlOptions::default() };
    let (model, faults) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &options);
    assert!(faults.is_empty(), "{faults:?}\n{domain}\n{problem}");
    model
}

/// The model of a story without errors.
pub(crate) fn story(text: &str) -> Model {
    let compiled = compile("test.story", &MemoryFiles::single("test.story", text));
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    compiled.model
}
