//! `duplicate-name`: two declarations of one name.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two declarations of one name.
pub const CODE: Code = Code::error("duplicate-name");

/// `name` is declared a second time.
pub fn diagnostic(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is declared twice"))
        .here("declared again here")
        .label(first, "first declared here")
        .hint("give one of them another name")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn one_namespace_for_everything() {
        check(
            r#"story "Twice"
             type Person { glad; glad: int } //! duplicate-name
             type King: Person { glad } //! duplicate-name
             type Person //! duplicate-name
             object anna, anna: King //! duplicate-name
             character anna: King { goal anna.glad } //! duplicate-name
             fluent anna //! duplicate-name
             action cheer(k: King) { then k.glad }
             action cheer(k: King) { then not k.glad } //! duplicate-name
             task sing { offer "Sing."; method low { say "La." }; method low { say "Lo." } } //! duplicate-name
             task sing { offer "Sing."; method { say "Li." } } //! duplicate-name
             rule anna { when anna.glad; say "Oh." } //! duplicate-name
             level anna { goal anna.glad } //! duplicate-name"#,
        );
    }

    #[test]
    fn both_places_are_shown() {
        expect![[r#"
            4 `bell`: duplicate-name: `bell` is declared twice
              here: declared again here
              2 `bell`: first declared here
              hint: give one of them another name
        "#]]
        .assert_eq(&told(
            r#"story "Bell"
             fluent bell
             action ring { then bell }
             action bell { say "Dong." }
             goal bell"#,
        ));
    }

    #[test]
    fn levels_may_use_a_name_again_but_not_one_of_the_story() {
        check(
            r#"story "Rooms"
             fluent ready
             action prepare { then ready }
             level one { fluent found; action search { then found }; milestone over { when found and ready; next two } }
             level two { fluent found; action search { then found }; goal found }
             level three { fluent ready; level inner { fluent found } } //! duplicate-name"#,
        );
    }

    #[test]
    fn an_attribute_may_be_called_like_anything() {
        check(
            r#"story "Places"
             type Place { open }
             fluent open
             object hall: Place
             action unlock(p: Place) { then p.open, open }
             goal hall.open and open"#,
        );
    }

    #[test]
    fn a_pool_makes_names_too() {
        check(
            r#"story "Maps"
             type Map { kind: sea | land }
             object map-2: Map
             pool map(m: Map) of 3 { anchors m.kind } //! duplicate-name
             goal any m: Map (m.kind == land)"#,
        );
    }
}
