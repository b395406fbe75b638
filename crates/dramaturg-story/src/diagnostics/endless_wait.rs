//! `endless-wait`: an expectation without a time after which it is given up.

use dramaturg_model::{Code, Diagnostic, Span};

/// An expectation without a time after which it is given up.
pub const CODE: Code = Code::warning("endless-wait");

/// `expect` without `takes`.
pub fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "nobody says how long to wait for this")
        .hint("add `takes …`: after that, and all extensions, the wait is over")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn an_expectation_is_given_up_some_time() {
        expect![[r#"
            3 `expect arrived`: endless-wait: nobody says how long to wait for this
              hint: add `takes …`: after that, and all extensions, the wait is over
        "#]]
        .assert_eq(&told(
            r#"story "Guest"
             fluent arrived
             action wait { expect arrived; check every 1 tick }
             goal arrived"#,
        ));
        check(
            r#"story "Guest"
             fluent arrived, invited
             action invite { then invited }
             action forget { then not invited }
             rule comes { when invited; expect arrived; check every 1 tick } //! endless-wait
             action wait { takes 9 ticks; expect arrived; check every 1 tick; extend 2 times by 3 ticks }
             goal arrived"#,
        );
    }
}
