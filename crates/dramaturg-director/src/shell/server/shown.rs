//! Texts that games and strangers chose, as a log shows them.

use std::fmt::Write;

/// So many characters of a text are shown.
pub const SHOWN_CHARS_MAX: usize = 200;
/// So many characters of a name are shown.
pub const SHOWN_NAME_CHARS_MAX: usize = 64;

/// A text that somebody else chose: cut, and without characters that a terminal would obey.
pub(super) fn shown(text: &str) -> String {
    cut(text, SHOWN_CHARS_MAX)
}

/// The same of a name.
pub(super) fn shown_name(name: &str) -> String {
    cut(name, SHOWN_NAME_CHARS_MAX)
}

fn cut(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (at, (offset, character)) in text.char_indices().enumerate() {
        if at == most {
            // Writing to memory does not fail.
            let _ = write!(shown, "… ({} bytes more)", text.len() - offset);
            break;
        }
        if obeyed(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters move a cursor or end a line; those of direction and of zero width make a line read otherwise than
/// it is.
fn obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_cut_and_cannot_write_lines_of_their_own() {
        assert_eq!(shown("Orchard 1.2, édition"), "Orchard 1.2, édition");
        assert_eq!(shown("a\n2026 ERROR b\x1b[2J"), "a\\u{a}2026 ERROR b\\u{1b}[2J");
        assert_eq!(shown("\u{202e}gpj.exe"), "\\u{202e}gpj.exe");
        let long = shown_name(&"é".repeat(1000));
        assert_eq!(long, format!("{}… (1872 bytes more)", "é".repeat(64)));
    }

    proptest! {
        #[test]
        fn whatever_was_chosen_is_one_short_line(text in any::<String>(), most in 0_usize..50) {
            let shown = cut(&text, most);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert!(shown.chars().count() <= most * 10 + 40, "{}", shown);
        }
    }
}
