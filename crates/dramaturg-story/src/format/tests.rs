//! The formatter as a whole.

use super::*;
use crate::testing::samples;

fn format_file(name: &str, text: &str) -> String {
    if name.ends_with(".play") { format_play(text) } else { format_story(text) }
}

#[test]
fn samples_are_formatted() {
    for (name, text) in samples() {
        let formatted = format_file(&name, &text);
        for (index, (before, after)) in text.lines().zip(formatted.lines()).enumerate() {
            assert_eq!(before, after, "{name}:{}", index + 1);
        }
        assert_eq!(text, formatted, "{name}");
    }
}
