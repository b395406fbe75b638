//! `may-divide-by-zero`: a divisor that may be 0.

use dramaturg_model::{Code, Diagnostic, Span};

/// A divisor that may be 0.
pub const CODE: Code = Code::warning("may-divide-by-zero");

/// The divisor's range holds 0; the value is then 0.
pub fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "this divisor may be 0, and the result is then 0")
        .hint("guard it: `max(1, …)`, or a range that begins above 0")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_divisor_whose_range_holds_zero() {
        check(
            r#"story "Cake"
             fluent guests: int 0..9 = 3
             fluent cooks: int 1..9 = 2
             fluent cake: number 0..9
             action bake { then cake += 1 }
             goal cake / cooks > 1
             goal cake / guests > 1 //! may-divide-by-zero
             goal floor(cake) mod guests == 1 //! may-divide-by-zero
             goal cake / 0 > 1 //! may-divide-by-zero
             goal cake / max(1, guests) > 1"#,
        );
    }

    #[test]
    fn the_hint_shows_a_guard() {
        expect![[r#"
            5 `guests`: may-divide-by-zero: this divisor may be 0, and the result is then 0
              hint: guard it: `max(1, …)`, or a range that begins above 0
        "#]]
        .assert_eq(&told(
            r#"story "Cake"
             fluent guests: int 0..9 = 3
             fluent cake: number 0..9
             action bake { then cake += 1 }
             goal cake / guests > 1"#,
        ));
    }
}
