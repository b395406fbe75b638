//! `milestone-without-next`: a milestone that leads nowhere.

use dramaturg_model::{Code, Diagnostic, Span};

/// A milestone that leads nowhere.
pub const CODE: Code = Code::error("milestone-without-next");

/// A milestone without `next`.
pub fn diagnostic(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the milestone `{name}` leads nowhere"))
        .hint("say which level is `next`, or make it an `ending`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_milestone_leads_somewhere() {
        expect![[r#"
            4 `up`: milestone-without-next: the milestone `up` leads nowhere
              hint: say which level is `next`, or make it an `ending`
        "#]]
        .assert_eq(&told(
            r#"story "Stairs"
             fluent climbed
             action climb { then climbed }
             level cellar { milestone up { when climbed } }"#,
        ));
        check(
            r#"story "Stairs"
             fluent climbed
             action climb { then climbed }
             level cellar { milestone up { when climbed; next attic } }
             level attic { ending view { when climbed; say "How far one sees." } }"#,
        );
    }

    #[test]
    fn a_misspelt_clause_is_one_fault() {
        check(
            r#"story "Stairs"
             fluent climbed
             action climb { then climbed }
             level cellar { milestone up { when climbed; onward attic } } //! unknown-clause
             level attic { goal climbed }"#,
        );
    }
}
