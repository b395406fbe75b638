//! `unknown-attribute`: an attribute that the type does not have.

use dramaturg_model::{Code, Diagnostic, Span};

/// An attribute that the type does not have.
pub const CODE: Code = Code::error("unknown-attribute");

/// Nothing of type `ty` has an attribute `name`.
pub fn diagnostic(span: Span, name: &str, ty: &str, declared: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("{ty} has no attribute `{name}`"))
        .label(declared, format!("{ty} is declared here"));
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint(format!("add `{name}` to the type")),
    }
}

/// Two types of a union have attributes of this name that are not the same one.
pub fn ambiguous(span: Span, name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is not one attribute of all these types"))
        .label(first, "one is declared here")
        .label(second, "another here")
        .hint("declare it once, in a type that they are all kinds of")
}

/// The thing before the dot has no attributes at all.
pub fn not_an_object(span: Span, name: &str, found: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`.{name}` needs an object before it, and this is {found}"))
        .hint("only objects have attributes")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn the_nearest_attribute() {
        expect![[r#"
            4 `locaton`: unknown-attribute: Person has no attribute `locaton`
              2 `Person`: Person is declared here
              hint: did you mean `location`?
              fix: write `location`
        "#]]
        .assert_eq(&told(
            r#"story "Walk"
             type Person { location: home | away }
             object anna: Person
             action leave(p: Person) by p { then p.locaton = away }
             goal anna.location == away"#,
        ));
        let text = cured(
            r#"story "Walk"
             type Person { location: home | away }
             object anna: Person
             action leave(p: Person) by p { then p.location = away }
             goal anna.loction == away"#,
        );
        assert_eq!(text, "goal anna.location == away");
    }

    #[test]
    fn inherited_attributes_are_known_and_those_of_kinds_are_not() {
        check(
            r#"story "Kinds"
             type Person { glad }
             type King: Person { crowned }
             object anna: Person
             object rex: King
             action cheer(k: King) { then k.glad, k.crowned }
             action crown(p: Person) { then p.crowned } //! unknown-attribute
             goal rex.glad and rex.crowned"#,
        );
    }

    #[test]
    fn a_union_shares_one_attribute() {
        check(
            r#"story "Pets"
             type Pet { fed }
             type Cat: Pet
             type Dog: Pet
             object tom: Cat
             object rex: Dog
             action feed(p: Cat | Dog) { then p.fed }
             goal tom.fed and rex.fed"#,
        );
        expect![[r#"
            6 `fed`: unknown-attribute: `fed` is not one attribute of all these types
              2 `fed`: one is declared here
              3 `fed`: another here
              hint: declare it once, in a type that they are all kinds of
        "#]]
        .assert_eq(&told(
            r#"story "Pets"
             type Cat { fed }
             type Dog { fed }
             object tom: Cat
             object rex: Dog
             action feed(p: Cat | Dog) { then p.fed }
             goal tom.fed and rex.fed"#,
        ));
    }

    #[test]
    fn only_objects_have_attributes() {
        expect![[r#"
            5 `years`: unknown-attribute: `.years` needs an object before it, and this is a number
              hint: only objects have attributes
            6 `colour`: unknown-attribute: `.colour` needs an object before it, and this is `glad` or `sad`
              hint: only objects have attributes
        "#]]
        .assert_eq(&told(
            r#"story "Ages"
             type Person { age: int 0..99; mood: glad | sad }
             object anna: Person
             action live(p: Person) { then p.age += 1, p.mood = sad }
             goal anna.age.years == 3
             goal anna.mood.colour == blue"#,
        ));
    }

    #[test]
    fn starting_values_and_carried_ones() {
        check(
            r#"story "Start"
             type Person { mood: glad | sad }
             object anna: Person (moood = sad) //! unknown-attribute
             action cheer(p: Person) { then p.mood = glad }
             level one { milestone over { when anna.mood == glad; next two carrying Person.mode } } //! unknown-attribute
             level two { goal anna.mood == glad }"#,
        );
    }
}
