//! `unknown-type`: a type that is declared nowhere.

use dramaturg_model::{Code, Diagnostic, Span};

/// A type that is declared nowhere.
pub const CODE: Code = Code::error("unknown-type");

/// There is no type `name`.
pub fn diagnostic(span: Span, name: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("there is no type `{name}`"));
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint(format!("declare it: `type {name}`")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn in_every_place_of_a_type() {
        check(
            r#"story "Types"
             type King: Persn //! unknown-type
             type Person { at: Plcae; friend: Person | nobody } //! unknown-type
             object anna: Person
             object rex: Dgo //! unknown-type
             character tom: Cta { goal tom.fed } //! unknown-type
             fluent near(a: Person, b: Hose) //! unknown-type
             action walk(p: Person, to: Hose) by p { then p.at = to, near(p, to) } //! unknown-type
             population crowd(c: Ctizen) of 3 { goal c.fed } //! unknown-type
             goal any d: Dgo (d.fed) //! unknown-type
             goal anna.friend in Kng //! unknown-type
             goal rex.fed"#,
        );
    }

    #[test]
    fn the_nearest_type() {
        expect![[r#"
            3 `Persn`: unknown-type: there is no type `Persn`
              hint: did you mean `Person`?
              fix: write `Person`
        "#]]
        .assert_eq(&told(
            r#"story "Kings"
             type Person { crowned }
             object anna: Persn
             action crown(p: Person) { then p.crowned }
             goal anna.crowned"#,
        ));
        let text = cured(
            r#"story "Kings"
             type Person { crowned }
             object anna: Persn
             action crown(p: Person) { then p.crowned }
             goal anna.crowned"#,
        );
        assert_eq!(text, "object anna: Person");
        expect![[r#"
            5 `Dragon`: unknown-type: there is no type `Dragon`
              hint: declare it: `type Dragon`
        "#]]
        .assert_eq(&told(
            r#"story "Kings"
             type Person { crowned }
             object anna: Person
             action crown(p: Person) { then p.crowned }
             goal any d: Dragon (d.crowned)"#,
        ));
    }

    #[test]
    fn types_need_not_come_first() {
        check(
            r#"story "Order"
             object anna: Person
             action crown(p: Person) { then p.crowned }
             goal anna.crowned
             type Person { crowned }"#,
        );
    }
}
