//! `circular-meaning`: a meaning that needs itself.

use dramaturg_model::{Code, Diagnostic, Span};

/// A meaning that needs itself.
pub const CODE: Code = Code::error("circular-meaning");

/// A `means` that leads back to itself.
pub fn diagnostic(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the meaning of `{}` needs itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("a meaning may use other meanings, but not in a circle")
}

/// A type that is a kind of itself.
pub fn of_type(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would be a kind of itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("leave one of the parents out")
}

/// A layer that is above itself.
pub fn of_layer(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would be above itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("the lowest layer is above nothing; leave one `above` out")
}

/// A personality that includes itself.
pub fn of_personality(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would include itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("a personality may include others, but not in a circle")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_meaning_that_needs_itself() {
        expect![[r#"
            4 `hen`: circular-meaning: the meaning of `hen` needs itself
              here: hen → egg → hen
              hint: a meaning may use other meanings, but not in a circle
        "#]]
        .assert_eq(&told(
            r#"story "Egg"
             fluent laid
             fluent farm means hen or egg
             fluent hen means egg or laid
             fluent egg means hen
             action lay { then laid }
             goal farm"#,
        ));
        check(
            r#"story "Chain"
             fluent first
             fluent second means first
             fluent third means second and first
             action begin { then first }
             goal third"#,
        );
        check(
            r#"story "Mirror"
             fluent seen
             fluent mirror means mirror and seen //! circular-meaning
             action look { then seen }
             goal mirror"#,
        );
    }

    #[test]
    fn through_arguments_too() {
        check(
            r#"story "Friends"
             type Person { friend: Person }
             object anna: Person (friend = bert)
             object bert: Person (friend = anna)
             fluent nice(p: Person) means nice(p.friend) //! circular-meaning
             goal nice(anna)"#,
        );
    }

    #[test]
    fn types() {
        expect![[r#"
            4 `Plant`: circular-meaning: `Oak` would be a kind of itself
              here: Oak → Plant → Tree → Oak
              hint: leave one of the parents out
        "#]]
        .assert_eq(&told(
            r#"story "Kinds"
             type Plant: Tree
             type Tree: Oak
             type Oak: Plant
             object oak: Oak
             fluent green(p: Plant)
             action grow(p: Plant) { then green(p) }
             goal green(oak)"#,
        ));
        check(
            r#"story "Kinds"
             type Tree: Tree //! circular-meaning
             object oak: Tree
             fluent green(t: Tree)
             action grow(t: Tree) { then green(t) }
             goal green(oak)"#,
        );
    }

    #[test]
    fn layers() {
        expect![[r#"
            4 `hour`: circular-meaning: `day` would be above itself
              here: day → hour → street → day
              hint: the lowest layer is above nothing; leave one `above` out
        "#]]
        .assert_eq(&told(
            r#"story "Layers"
             layer street above day
             layer hour above street
             layer day above hour
             fluent walked
             action walk in street { then walked }
             goal walked"#,
        ));
    }

    #[test]
    fn personalities() {
        expect![[r#"
            3 `calm`: circular-meaning: `calm` would include itself
              here: calm → kind → calm
              hint: a personality may include others, but not in a circle
        "#]]
        .assert_eq(&told(
            r#"story "Moods"
             type Person { glad }
             personality calm(p: Person) { personality kind }
             personality kind(p: Person) { personality calm; prefer p.glad }
             character anna: Person { personality calm }
             action cheer(p: Person) by p { then p.glad }"#,
        ));
    }
}
