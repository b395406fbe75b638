//! `out-of-range`: a number outside the declared range.

use dramaturg_model::{Code, Diagnostic, Span};

/// A number outside the declared range.
pub const CODE: Code = Code::error("out-of-range");

/// A literal that its fluent can never hold.
pub fn diagnostic(span: Span, value: &str, range: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{value} is outside {range}"))
        .label(declared, format!("declared as {range} here"))
        .hint("choose a number inside, or widen the range")
}

/// A range that ends before it begins.
pub fn backwards(span: Span, least: &str, most: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the range begins at {least} and ends below it, at {most}"))
        .hint("write the smaller number first")
}

/// A number of a kind that cannot stand here.
pub fn not_a(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("only {wanted} can stand here"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn what_is_set_lies_in_the_range() {
        check(
            r#"story "Well"
             type Well { depth: int -3..3 }
             object well: Well (depth = -4) //! out-of-range
             fluent water: number 0..10 = 20 //! out-of-range
             fluent any-number: number
             given water = random 5..20 //! out-of-range
             given well.depth = random (1, 4) //! out-of-range
             action fill { then water = 10 }
             action flood { then water = 5 + 6 } //! out-of-range
             action dig(w: Well) { then w.depth -= 9, any-number = -1000000 }
             goal water == 30 and well.depth == 0 and any-number < 0"#,
        );
    }

    #[test]
    fn the_range_is_shown() {
        expect![[r#"
            3 `-1`: out-of-range: -1 is outside 0 or more
              2 `water`: declared as 0 or more here
              hint: choose a number inside, or widen the range
        "#]]
        .assert_eq(&told(
            r#"story "Well"
             fluent water: number 0.. = 1
             action drain { then water = -1 }
             goal water == 0"#,
        ));
    }

    #[test]
    fn ranges_begin_before_they_end() {
        expect![[r#"
            2 `0`: out-of-range: the range begins at 10 and ends below it, at 0
              hint: write the smaller number first
        "#]]
        .assert_eq(&told(
            r#"story "Well"
             fluent water: number 10..0
             action fill { then water = 10 }
             goal water == 10"#,
        ));
    }

    #[test]
    fn crowds_and_hands_are_whole() {
        expect![[r#"
            2 `0`: out-of-range: only a whole number from 1 on can stand here
            3 `0.5`: out-of-range: only a whole number up to 100000 can stand here
        "#]]
        .assert_eq(&told(
            r#"story "Well"
             type Person { wet; hands: actuator 0 }
             population crowd(p: Person) of 0.5 { goal p.wet }
             action splash(p: Person) by p { uses p.hands; then p.wet }"#,
        ));
        check(
            r#"story "Well"
             type Person { wet }
             population crowd(p: Person) of 9000000 { goal p.wet } //! out-of-range
             action splash(p: Person) by p { then p.wet }"#,
        );
    }
}
