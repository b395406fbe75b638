//! Any text as a story: lexed, parsed, compiled and formatted without a panic, and formatting is idempotent.
#![no_main]

use dramaturg_story::{MemoryFiles, compile_plays, compile_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let compiled = compile_text("fuzz.story", &text);
    for found in &compiled.diagnostics {
        for label in &found.labels {
            assert!(label.span.start <= label.span.end);
        }
    }
    let once = dramaturg_story::format::format_story(&text);
    assert_eq!(dramaturg_story::format::format_story(&once), once);
    dramaturg_story::format::format_play(&text);
    let files = MemoryFiles::single("fuzz.story", &*text);
    compile_plays("fuzz.story", &files, &[("fuzz.play", &text)]);
});
