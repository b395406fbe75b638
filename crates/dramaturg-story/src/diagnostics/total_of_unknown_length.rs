//! `total-of-unknown-length`: a total spread over a time that the world decides.

use dramaturg_model::{Code, Diagnostic, Span};

/// A total spread over a time that the world decides.
pub const CODE: Code = Code::error("total-of-unknown-length");

/// `during x += 15` with `takes A .. B`.
pub fn diagnostic(span: Span, takes: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a total cannot be spread over a time that nobody knows beforehand")
        .label(takes, "the world decides how long this takes")
        .hint("say how much `per tick` or `per s`")
}

/// A total in a rule that never ends.
pub fn without_end(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a total cannot be spread over a time without end")
        .hint("say how much `per tick` or `per s`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_total_needs_a_known_length() {
        expect![[r#"
            3 `water += 15`: total-of-unknown-length: a total cannot be spread over a time that nobody knows beforehand
              3 `takes 3 ticks .. 5 ticks`: the world decides how long this takes
              hint: say how much `per tick` or `per s`
        "#]]
        .assert_eq(&told(
            r#"story "Bath"
             fluent water: number 0..99
             action fill { takes 3 ticks .. 5 ticks; during water += 15 }
             goal water > 9"#,
        ));
        check(
            r#"story "Bath"
             fluent water: number 0..99
             action fill { takes 5 ticks; during water += 15 }
             action drip { takes 3 ticks .. 5 ticks; during water += 1 per tick }
             goal water > 9"#,
        );
    }

    #[test]
    fn a_rule_without_end_has_no_total() {
        expect![[r#"
            3 `water += 15`: total-of-unknown-length: a total cannot be spread over a time without end
              hint: say how much `per tick` or `per s`
        "#]]
        .assert_eq(&told(
            r#"story "Bath"
             fluent water: number 0..99
             rule drip { during water += 15 }
             goal water > 9"#,
        ));
        check(
            r#"story "Bath"
             fluent water: number 0..99
             fluent running
             action open { then running }
             action shut { then not running }
             rule run { while running; during water += 15 } //! total-of-unknown-length
             rule drip { while running; during water += 15 per tick }
             rule splash { when running; takes 3 ticks; during water += 15 }
             rule gush { when running; takes 3 ticks .. 4 ticks; during water += 15 } //! total-of-unknown-length
             goal water > 9"#,
        );
    }
}
