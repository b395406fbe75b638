//! `wrong-count`: too many or too few arguments.

use dramaturg_model::{Code, Diagnostic, Span};

/// Too many or too few arguments.
pub const CODE: Code = Code::error("wrong-count");

/// `name` takes another number of arguments.
pub fn diagnostic(span: Span, name: &str, wanted: usize, found: usize, declared: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    let written = match found {
        0 => "none is written".to_owned(),
        1 => "1 is written".to_owned(),
        _ => format!("{found} are written"),
    };
    let wanted_text = if wanted == 0 { "no".to_owned() } else { wanted.to_string() };
    Diagnostic::new(CODE, span, format!("`{name}` takes {wanted_text} argument{plural}, and {written}"))
        .label(declared, "declared here")
        .hint(if found < wanted { "say the missing ones" } else { "leave the surplus ones out" })
}

/// A pool or population without the one parameter that stands for each of its objects.
pub fn one_parameter(span: Span, name: &str, found: usize) -> Diagnostic {
    let written = if found == 0 { "no parameter".to_owned() } else { format!("{found} parameters") };
    Diagnostic::new(CODE, span, format!("`{name}` has {written}, and one is needed"))
        .hint("one parameter stands for each of them: `(m: Map)`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn fluents_events_tasks_and_functions() {
        check(
            r#"story "Counts"
             type Person { glad }
             object anna, bert: Person
             fluent friends(a: Person, b: Person)
             action meet(a: Person, b: Person) { then friends(a) } //! wrong-count
             action part(a: Person, b: Person) { then not friends(a, b), a.glad }
             task sing(p: Person) { offer "Sing."; method { do meet(p, anna); do sing } } //! wrong-count
             rule hum { after meet(_); then anna.glad } //! wrong-count
             rule howl { after meet; then anna.glad }
             goal friends //! wrong-count
             goal anna.glad and bert.glad and hypot(3) > 2 and min() < 3 //! wrong-count, wrong-count"#,
        );
    }

    #[test]
    fn the_declaration_is_shown() {
        expect![[r#"
            7 `friends(anna)`: wrong-count: `friends` takes 2 arguments, and 1 is written
              4 `friends`: declared here
              hint: say the missing ones
            8 `rain(anna)`: wrong-count: `rain` takes no arguments, and 1 is written
              5 `rain`: declared here
              hint: leave the surplus ones out
        "#]]
        .assert_eq(&told(
            r#"story "Counts"
             type Person
             object anna: Person
             fluent friends(a: Person, b: Person)
             fluent rain
             action meet(a: Person, b: Person) { then friends(a, b), rain }
             goal friends(anna)
             goal rain(anna)"#,
        ));
    }

    #[test]
    fn a_pool_has_one_parameter() {
        expect![[r#"
            3 `map`: wrong-count: `map` has 2 parameters, and one is needed
              hint: one parameter stands for each of them: `(m: Map)`
            4 `crowd`: wrong-count: `crowd` has no parameter, and one is needed
              hint: one parameter stands for each of them: `(m: Map)`
        "#]]
        .assert_eq(&told(
            r#"story "Maps"
             type Map { kind: sea | land }
             pool map(m: Map, n: Map) of 3 { anchors m.kind }
             population crowd() of 3 { }"#,
        ));
    }
}
