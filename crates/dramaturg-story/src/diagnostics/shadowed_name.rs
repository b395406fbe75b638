//! `shadowed-name`: a parameter or binder named like something already known.

use dramaturg_model::{Code, Diagnostic, Span};

/// A parameter or binder named like something already known.
pub const CODE: Code = Code::error("shadowed-name");

/// `name` already means something here.
pub fn diagnostic(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` already means something here"))
        .here("would hide the other one")
        .label(first, "the other one")
        .hint("choose another name for the parameter")
}

/// `name` is built in.
pub fn built_in(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is built in and cannot be declared again"))
        .here("would hide what is built in")
        .hint("choose another name")
}

/// One of a fluent's values is called like something that is found first wherever the value is written.
pub fn value(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the value `{name}` is called like something else"))
        .here("would be hidden by the other one")
        .label(first, "the other one")
        .hint("choose another name for one of them")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn parameters_and_binders_hide_nothing() {
        check(
            r#"story "Shade"
             type Person { glad }
             object anna: Person
             action cheer(anna: Person) { then anna.glad } //! shadowed-name
             action sing(p: Person) { then p.glad for p: Person } //! shadowed-name
             fluent friends(a: Person, a: Person) //! shadowed-name
             rule meet(a: Person, b: Person) { when a.glad and b.glad; then friends(a, b), not a.glad }
             goal any anna: Person (anna.glad) //! shadowed-name
             goal all p: Person (any p: Person (p.glad)) //! shadowed-name"#,
        );
    }

    #[test]
    fn both_places_are_shown() {
        expect![[r#"
            4 `anna`: shadowed-name: `anna` already means something here
              here: would hide the other one
              3 `anna`: the other one
              hint: choose another name for the parameter
        "#]]
        .assert_eq(&told(
            r#"story "Shade"
             type Person { glad }
             object anna: Person
             action cheer(anna: Person) { then anna.glad }
             goal anna.glad"#,
        ));
    }

    #[test]
    fn names_of_another_level_are_not_hidden() {
        check(
            r#"story "Levels"
             type Person { glad }
             object anna: Person
             action cheer(p: Person) { then p.glad }
             level one { fluent p; action pass { then p }; milestone over { when p and anna.glad; next two } }
             level two { goal all q: Person (q.glad) and any q: Person (q.glad) }"#,
        );
    }

    #[test]
    fn what_is_built_in_stays() {
        expect![[r#"
            2 `now`: shadowed-name: `now` is built in and cannot be declared again
              here: would hide what is built in
              hint: choose another name
        "#]]
        .assert_eq(&told(
            r#"story "Clock"
             fluent now: int 0..9
             action tick { then now += 1 }
             goal now == 3"#,
        ));
        check(
            r#"story "Clock"
             type Place { now; max: int 0..9 }
             object hall: Place
             fluent floor(p: Place) //! shadowed-name
             action tick(timeOfDay: Place) { then timeOfDay.now, hall.max += 1 } //! shadowed-name
             goal hall.now and hall.max == 3"#,
        );
    }

    #[test]
    fn a_value_is_not_called_like_a_thing() {
        expect![[r#"
            2 `open`: shadowed-name: the value `open` is called like something else
              here: would be hidden by the other one
              3 `open`: the other one
              hint: choose another name for one of them
        "#]]
        .assert_eq(&told(
            r#"story "Door"
             fluent door: shut | open
             action open { needs door == shut; then door = open }
             goal door == open"#,
        ));
    }
}
