//! Any two texts as PDDL domain and problem: read without a panic.
#![no_main]

use dramaturg_model::FileId;
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (domain, problem) = text.split_once("(define (problem").unwrap_or((&text, ""));
    let problem = format!("(define (problem{problem}");
    let options = PddlOptions::default();
    compile_pddl((FileId(0), domain), None, &options);
    compile_pddl((FileId(0), domain), Some((FileId(1), &problem)), &options);
});
