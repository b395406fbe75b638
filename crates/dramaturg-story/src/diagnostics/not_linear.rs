//! `not-linear`: a product or quotient of two changing numbers.

use dramaturg_model::{Code, Diagnostic, Span};

/// A product or quotient of two changing numbers.
pub const CODE: Code = Code::error("not-linear");

/// Both sides of a product change while the story runs.
pub fn product(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a product of two numbers that both change")
        .hint("one of them must stay what it was given; keep the result in a fluent of its own if you need it")
}

/// A divisor changes while the story runs.
pub fn divisor(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a divisor that changes")
        .hint("the divisor must stay what it was given; keep the result in a fluent of its own if you need it")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn two_that_change() {
        check(
            r#"story "Farm"
             fluent fields: number 0..9 = 3
             fluent rain, corn: number 0..9
             fluent twice: number means rain * 2
             action wet { then rain += 1, corn = rain * fields }
             goal corn * fields > 3 and twice > 2
             goal corn * rain > 3 //! not-linear
             goal corn * twice > 3 //! not-linear
             goal fields * 2 * 3 * rain > 9
             goal now * rain > 9 ticks //! not-linear"#,
        );
    }

    #[test]
    fn a_divisor_stays() {
        expect![[r#"
            5 `corn * rain`: not-linear: a product of two numbers that both change
              hint: one of them must stay what it was given; keep the result in a fluent of its own if you need it
            6 `rain`: not-linear: a divisor that changes
              hint: the divisor must stay what it was given; keep the result in a fluent of its own if you need it
        "#]]
        .assert_eq(&told(
            r#"story "Farm"
             fluent rain: number 1..9
             fluent corn: number 0..9
             action wet { then rain += 1, corn += 1 }
             goal corn * rain > 3
             goal 3 / rain > 3"#,
        ));
        check(
            r#"story "Farm"
             fluent fields: number 1..9 = 3
             fluent corn: number 0..9
             action grow { then corn += 1 }
             goal corn / fields > 2"#,
        );
    }
}
