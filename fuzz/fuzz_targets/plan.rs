//! Any text as a plan of a small story: read and judged without a panic.
#![no_main]

use dramaturg_model::{FileId, State};
use dramaturg_planner::planfile::read_plan;
use dramaturg_planner::validate::{ValidateOptions, validate};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static STORY: LazyLock<dramaturg_model::Model> =
    LazyLock::new(|| dramaturg_story::compile_text("apple.story", include_str!("../../stories/apple.story")).model);

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (plan, _) = read_plan(&STORY, FileId(0), &text);
    validate(&STORY, &State::initial(&STORY, 0), &plan, &ValidateOptions::default());
});
