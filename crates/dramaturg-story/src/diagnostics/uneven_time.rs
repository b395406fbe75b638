//! `uneven-time`: a time that is not a whole number of ticks.

use dramaturg_model::{Code, Diagnostic, Span};

/// A time that is not a whole number of ticks.
pub const CODE: Code = Code::warning("uneven-time");

/// The time is rounded.
pub fn diagnostic(span: Span, ticks: i64) -> Diagnostic {
    let unit = if ticks == 1 { "tick" } else { "ticks" };
    Diagnostic::new(CODE, span, format!("this is not a whole number of ticks; it counts as {ticks} {unit}")).fix(
        format!("write `{ticks} {unit}`"),
        span,
        format!("{ticks} {unit}"),
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn times_are_whole_ticks() {
        check(
            r#"story "Song" { ticks 4 per s }
             fluent sung
             action hum { takes 500 ms; then sung }
             action sing { takes 600 ms; then sung } //! uneven-time
             action shout { takes 1.5 ticks; then sung } //! uneven-time
             goal sung by 0.25 s"#,
        );
    }

    #[test]
    fn the_rounded_time_is_offered() {
        expect![[r#"
            3 `500 ms`: uneven-time: this is not a whole number of ticks; it counts as 2 ticks
              fix: write `2 ticks`
        "#]]
        .assert_eq(&told(
            r#"story "Song" { ticks 3 per s }
             fluent sung
             action sing { takes 500 ms; then sung }
             goal sung"#,
        ));
        let text = cured(
            r#"story "Song" { ticks 3 per s }
             fluent sung
             action sing { takes 500 ms; then sung }
             goal sung"#,
        );
        assert_eq!(text, "action sing { takes 2 ticks; then sung }");
        let text = cured(
            r#"story "Song" { ticks 3 per s; day 24 h; begins 400 ms }
             fluent sung
             action sing { takes 1 s; then sung }
             goal sung"#,
        );
        assert_eq!(text, r#"story "Song" { ticks 3 per s; day 24 h; begins 1 tick }"#);
    }
}
