//! `unused-parameter`: a parameter that nothing uses.

use dramaturg_model::{Code, Diagnostic, Span};

/// A parameter that nothing uses.
pub const CODE: Code = Code::hint("unused-parameter");

/// Nothing in the body uses the parameter; `removal` is what to take out to be rid of it, if that can be told.
pub fn diagnostic(span: Span, name: &str, removal: Option<Span>) -> Diagnostic {
    let found =
        Diagnostic::new(CODE, span, format!("nothing uses `{name}`")).hint("remove it, or use it in a condition");
    match removal {
        Some(removal) => found.fix("remove it", removal, ""),
        None => found,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn parameters_and_binders() {
        check(
            r#"story "Idle"
             type Person { glad }
             object anna: Person
             fluent rain
             fluent wet(p: Person) means rain //! unused-parameter
             fluent friends(a: Person, b: Person)
             action pour(p: Person) { then rain } //! unused-parameter
             action meet(a: Person, b: Person) { then friends(a, b) for c: Person } //! unused-parameter
             action sigh(p: Person) by p { then not rain }
             action show(p: Person) { then rain; say "{p}" }
             rule dry(p: Person) { when rain; then anna.glad } //! unused-parameter
             task sing(p: Person) { offer "Sing."; method { then rain } } //! unused-parameter
             goal wet(anna) and friends(anna, anna) and any p: Person (anna.glad) //! unused-parameter"#,
        );
    }

    #[test]
    fn who_has_a_personality_or_is_idle_need_not_be_named() {
        check(
            r#"story "Idle"
             type Person { glad }
             character anna: Person { personality lazy; goal anna.glad }
             personality lazy(p: Person) { costs #sport times 2 }
             futile wait(p: Person) { goal anna.glad }
             futile look(p: Person, q: Person) { goal p.glad } //! unused-parameter
             action run(p: Person) by p #sport { then p.glad }"#,
        );
    }

    #[test]
    fn the_fix_takes_it_out() {
        expect![[r#"
            5 `q`: unused-parameter: nothing uses `q`
              hint: remove it, or use it in a condition
              fix: remove it
        "#]]
        .assert_eq(&told(
            r#"story "Idle"
             type Person
             object anna: Person
             fluent rain, wet(p: Person)
             action pour(p: Person, q: Person) { then rain, wet(p) }
             goal rain and wet(anna)"#,
        ));
        let text = cured(
            r#"story "Idle"
             type Person
             object anna: Person
             fluent rain, wet(p: Person)
             action pour(p: Person, q: Person) { then rain, wet(p) }
             goal rain and wet(anna)"#,
        );
        assert_eq!(text, "action pour(p: Person) { then rain, wet(p) }");
        let text = cured(
            r#"story "Idle"
             type Person
             object anna: Person
             fluent rain, wet(p: Person)
             action pour(q: Person, p: Person) { then rain, wet(p) }
             goal rain and wet(anna)"#,
        );
        assert_eq!(text, "action pour(p: Person) { then rain, wet(p) }");
        let text = cured(
            r#"story "Idle"
             type Person
             fluent rain
             action pour( p: Person ) { then rain }
             goal rain"#,
        );
        assert_eq!(text, "action pour { then rain }");
    }
}
