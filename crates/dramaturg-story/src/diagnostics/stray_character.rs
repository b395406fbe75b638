//! `stray-character`: a character that begins no token.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("stray-character");

/// Characters that people bring along from elsewhere, and what is written here.
const CUSTOMS: [(&str, &str); 16] = [
    ("&&", "and"),
    ("&", "and"),
    ("||", "or"),
    ("!", "not "),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("–", "-"),
    ("—", "-"),
    ("−", "-"),
    ("×", "*"),
    ("“", "\""),
    ("”", "\""),
    ("„", "\""),
    ("…", ".."),
    ("\u{a0}", " "),
];

/// Characters outside texts that mean nothing.
pub(crate) fn stray(span: Span, characters: &str) -> Diagnostic {
    // A long run of strange characters is shown by its beginning.
    let shown: String = characters.chars().take(12).collect();
    let found = Diagnostic::new(CODE, span, format!("`{shown}` means nothing here"));
    match CUSTOMS.iter().find(|(custom, _)| *custom == characters) {
        Some((_, instead)) => found.hint(format!("this is written `{}`", instead.trim_end())).fix(
            format!("write `{}`", instead.trim_end()),
            span,
            *instead,
        ),
        None if characters.contains('\'') => found.hint("texts stand in `\"`"),
        None => found,
    }
}

/// A backslash in a text before a character that needs none.
pub(crate) fn backslash(span: Span, escaped: char) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`\\` before `{escaped}` means nothing"))
        .hint("in a text, `\\\"` is a quote, `\\\\` a backslash and `\\{` a brace; a line break is written as it is")
        .fix("take the backslash out", span, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn a_sign_of_no_use_is_reported_once() {
        check_syntax("story \"S\"\nfluent a, b\ngoal a && b //! stray-character\ngoal b");
        check_syntax("story \"S\"\nfluent a\ngoal $$ a //! stray-character");
        check_syntax("story \"S\" $%$ //! stray-character\nfluent a");
    }

    #[test]
    fn a_backslash_escapes_three_characters() {
        check_syntax(r#"story "A \"quoted\" \{ and \\""#);
        check_syntax("story \"a\\nb\" //! stray-character");
    }

    #[test]
    fn customs_of_other_languages_are_translated() {
        let found = first_fault("goal a && b");
        assert_eq!(found.hint.as_deref(), Some("this is written `and`"));
        assert_eq!(found.fix.map(|fix| fix.edits[0].text.clone()).as_deref(), Some("and"));
        assert_eq!(found.code, CODE);
    }
}
