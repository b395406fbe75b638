//! `too-many-hands`: more held of an actuator than there is.

use dramaturg_model::{Code, Diagnostic, Span};

/// More held of an actuator than there is.
pub const CODE: Code = Code::error("too-many-hands");

/// More is held than the actuator has.
pub fn diagnostic(span: Span, name: &str, amount: i64, capacity: i64, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{amount} of `{name}` are held at once, but it does {capacity} at a time"))
        .label(declared, format!("declared with {capacity}"))
        .hint("hold fewer, or give it a larger number")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn no_more_than_there_is() {
        expect![[r#"
            4 `3 of p.hands`: too-many-hands: 3 of `hands` are held at once, but it does 2 at a time
              2 `hands`: declared with 2
              hint: hold fewer, or give it a larger number
        "#]]
        .assert_eq(&told(
            r#"story "Juggler"
             type Person { hands: actuator 2; glad }
             object anna: Person
             action juggle(p: Person) by p { uses 3 of p.hands; then p.glad }
             goal anna.glad"#,
        ));
        check(
            r#"story "Juggler"
             type Person { hands: actuator 2; voice: actuator; glad }
             object anna, bert: Person
             action hold(p: Person) by p { uses 2 of p.hands, p.voice; then p.glad }
             action juggle(p: Person) by p { uses p.hands, 2 of p.hands; then p.glad } //! too-many-hands
             action greet(p: Person, q: Person) by p with q { uses p.voice, q.voice; then p.glad }
             goal anna.glad and bert.glad"#,
        );
    }

    #[test]
    fn one_after_another_is_fine() {
        check(
            r#"story "Juggler"
             type Person { hands: actuator 2; glad }
             object anna: Person
             action juggle(p: Person) by p {
               takes 9 ticks
               uses 2 of p.hands from start to 3 ticks, 2 of p.hands from 3 ticks to end
               then p.glad
             }
             goal anna.glad"#,
        );
    }
}
