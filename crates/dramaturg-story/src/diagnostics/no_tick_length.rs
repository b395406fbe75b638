//! `no-tick-length`: a time in seconds in a story that does not say how long a tick is.

use dramaturg_model::{Code, Diagnostic, Span};

/// A time in seconds in a story that does not say how long a tick is.
pub const CODE: Code = Code::error("no-tick-length");

/// A unit other than ticks without `ticks … per …` in the header.
pub fn diagnostic(span: Span, header: Option<(Span, bool)>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, "the story does not say how long a tick is")
        .hint("write `ticks 60 per s` in the header, or count in `ticks`");
    match header {
        Some((end, true)) => found.fix("add `ticks 60 per s`", end, " ticks 60 per s;"),
        Some((end, false)) => found.fix("add `ticks 60 per s`", end, " { ticks 60 per s }"),
        None => found,
    }
}

/// `days` without the length of a day.
pub fn no_day(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "the story does not say how long a day is").hint("write `day 24 h` in the header")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn seconds_need_it_and_ticks_do_not() {
        check(
            r#"story "Soup"
             fluent cooked
             action cook { takes 90 ticks; then cooked }
             goal cooked by 3 ticks"#,
        );
        check(
            r#"story "Soup"
             fluent warmth: number 0..9
             action cook { takes 9 ticks; during warmth += 1 per s } //! no-tick-length
             goal warmth > 3"#,
        );
    }

    #[test]
    fn it_is_said_once() {
        expect![[r#"
            3 `2 min`: no-tick-length: the story does not say how long a tick is
              hint: write `ticks 60 per s` in the header, or count in `ticks`
              fix: add `ticks 60 per s`
        "#]]
        .assert_eq(&told(
            r#"story "Soup"
             fluent cooked
             action cook { takes 2 min; then cooked }
             action wait { takes 3 s; then not cooked }
             goal cooked by 1 h"#,
        ));
    }

    #[test]
    fn the_fix_adds_it_to_the_header() {
        let text = cured(
            r#"story "Soup"
             fluent cooked
             action cook { takes 2 s; then cooked }
             goal cooked"#,
        );
        assert_eq!(text, r#"story "Soup" { ticks 60 per s }"#);
        let text = cured(
            r#"story "Soup"{options 3} // {
             fluent cooked
             action cook { takes 2 s; then cooked }
             goal cooked"#,
        );
        assert_eq!(text, r#"story "Soup"{ ticks 60 per s;options 3} // {"#);
        let text = cured(
            r#"story "Soup" // {
             {
               options 3
             }
             fluent cooked
             action cook { takes 2 s; then cooked }
             goal cooked"#,
        );
        assert_eq!(text, "{ ticks 60 per s;");
    }

    #[test]
    fn a_day_has_a_length_too() {
        expect![[r#"
            3 `1 day`: no-tick-length: the story does not say how long a day is
              hint: write `day 24 h` in the header
        "#]]
        .assert_eq(&told(
            r#"story "Soup"
             fluent cooked
             action cook { takes 1 day; then cooked }
             goal cooked by 2 days"#,
        ));
        check(
            r#"story "Soup" { day 20 ticks }
             fluent cooked
             action cook { takes 0.5 days; then cooked }
             goal cooked by 2 days"#,
        );
        check(
            r#"story "Soup" { day 24 h } //! no-tick-length
             fluent cooked
             action cook { takes 1 day; then cooked }
             goal cooked by 2 h"#,
        );
        check(
            r#"story "Soup" { ticks 1 per min }
             fluent warmth: number 0..9
             action cook { takes 1 day; during warmth += 1 per day }
             goal warmth > 0"#,
        );
    }

    #[test]
    fn a_wrong_length_is_not_a_missing_one() {
        check(
            r#"story "Soup" { ticks 5 per fortnight } //! unknown-unit
             fluent cooked
             action cook { takes 1 s; then cooked }
             goal cooked"#,
        );
        check(
            r#"story "Soup" { ticks 0 per s } //! out-of-range
             fluent cooked
             action cook { takes 1 s; then cooked }
             goal cooked"#,
        );
    }
}
