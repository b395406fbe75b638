//! `bad-slot`: a slot that names nothing.

use dramaturg_model::{Code, Diagnostic, Span};

/// A slot that names nothing.
pub const CODE: Code = Code::error("bad-slot");

/// A slot `{name}` with nothing of that name.
pub fn diagnostic(span: Span, name: &str, known: &[String], nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("the slot `{{{name}}}` names nothing here"));
    match (nearest, known) {
        (Some(near), _) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        (None, []) => found.hint("to show a brace, write `\\{`"),
        (None, known) => found.hint(format!("here you can show {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn the_nearest_name_in_scope() {
        expect![[r#"
            4 `whoo`: bad-slot: the slot `{whoo}` names nothing here
              hint: did you mean `who`?
              fix: write `who`
        "#]]
        .assert_eq(&told(
            r#"story "Soup"
             type Person { fed }
             object anna: Person
             action eat(who: Person) by who { then who.fed; say "{whoo} eats." }
             goal anna.fed"#,
        ));
        let text = cured(
            r#"story "Soup"
             type Person { fed }
             object anna: Person
             action eat(who: Person) by who { then who.fed; say "{whoo} eats." }
             goal anna.fed"#,
        );
        assert_eq!(text, r#"action eat(who: Person) by who { then who.fed; say "{who} eats." }"#);
    }

    #[test]
    fn what_can_be_shown() {
        expect![[r#"
            4 `somebody`: bad-slot: the slot `{somebody}` names nothing here
              hint: here you can show `{who}`
            4 `bowls`: bad-slot: the slot `{bowls}` names nothing here
              hint: here you can show `{who}`
            5 `place`: bad-slot: the slot `{place}` names nothing here
              hint: to show a brace, write `\{`
        "#]]
        .assert_eq(&told(
            r#"story "Soup"
             type Person { fed }
             object anna: Person
             action eat(who: Person) by who { then who.fed; say "{somebody} eats {bowls(who)} bowls." }
             task rest { offer "Rest in {place}."; method { then anna.fed } }
             goal anna.fed"#,
        ));
    }

    #[test]
    fn slots_hold_any_value() {
        check(
            r#"story "Soup"
             type Place
             type Person { at: Place; bowls: int 0..9 }
             object kitchen "the kitchen": Place
             object anna: Person (at = kitchen)
             fluent rain: number 0..9
             action eat(who: Person) by who {
               then who.bowls += 1, rain += 0.5
               say "{who} eats in {who.at}: {who.bowls} bowls, {who.bowls * 2} spoons, {rain} mm, {kitchen}. A brace: \{."
             }"#,
        );
    }

    #[test]
    fn other_faults_keep_their_codes() {
        check(
            r#"story "Soup"
             type Person { fed }
             object anna: Person
             action eat(who: Person) by who { then who.fed; say "{who.name} eats." } //! unknown-attribute
             action cook(who: Person) by who { then who.fed; say "{eat} is done." } //! wrong-type
             action wash(who: Person) by who { then who.fed; say "{pots, pans}" } //! expected
             goal anna.fed"#,
        );
    }
}
