//! `derived-set`: an effect on a fluent that only stands for something else.

use dramaturg_model::{Code, Diagnostic, Span};

/// An effect on a fluent that only stands for something else.
pub const CODE: Code = Code::error("derived-set");

/// `fluent` stands for an expression and cannot be set.
pub fn diagnostic(span: Span, fluent: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(
        CODE,
        span,
        format!("`{fluent}` only stands for something else: it can be neither set nor observed"),
    )
    .label(declared, "declared with `means` here")
    .hint("set or observe what it is made of")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn nothing_sets_a_meaning() {
        check(
            r#"story "Warm"
             fluent sunny, dry
             fluent fine means sunny and dry
             fluent joy: number 0..9
             fluent twice: number means joy * 2
             given fine //! derived-set
             action shine { then sunny, dry }
             action wish { then fine } //! derived-set
             action laugh { takes 3 ticks; during twice += 1 per tick; then joy += 1 } //! derived-set
             action look { reads fine; then sunny } //! derived-set
             goal fine and twice > 3"#,
        );
    }

    #[test]
    fn the_declaration_is_shown() {
        expect![[r#"
            5 `fine`: derived-set: `fine` only stands for something else: it can be neither set nor observed
              3 `fine`: declared with `means` here
              hint: set or observe what it is made of
        "#]]
        .assert_eq(&told(
            r#"story "Warm"
             fluent sunny, dry
             fluent fine means sunny and dry
             action shine { then sunny, dry }
             action wish { then not fine }
             goal fine"#,
        ));
    }
}
