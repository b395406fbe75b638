//! `text-id-twice`: one id for two texts.

use dramaturg_model::{Code, Diagnostic, Span};

/// One id for two texts.
pub const CODE: Code = Code::error("text-id-twice");

/// The id already belongs to another text.
pub fn diagnostic(span: Span, id: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`@{id}` already names another text"))
        .label(first, "this one")
        .hint("every text needs an id of its own")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn an_id_names_one_text() {
        expect![[r#"
            3 `@song.first`: text-id-twice: `@song.first` already names another text
              3 `@song.first`: this one
              hint: every text needs an id of its own
        "#]]
        .assert_eq(&told(
            r#"story "Song"
             fluent sung
             action sing { then sung; say "La." @song.first; say "Lo." @song.first }
             goal sung"#,
        ));
    }

    #[test]
    fn derived_ids_and_names_count() {
        check(
            r#"story "Song"
             type Person { glad }
             object anna: Person
             action sing(p: Person) { then p.glad; say "La."; say "Lo." @test.sing.say.1 } //! text-id-twice
             action hum(p: Person) { then p.glad; say "Hm." @test.hum.say.2 or "Hm, hm." } //! text-id-twice
             action call(p: Person) { then p.glad; say "Anna!" @name.anna } //! text-id-twice
             goal anna.glad"#,
        );
    }

    #[test]
    fn levels_may_use_names_again() {
        check(
            r#"story "Song"
             level one { fluent sung; action sing { then sung; say "La." }; milestone over { when sung; next two } }
             level two { fluent sung; action sing { then sung; say "Lo." }; goal sung }"#,
        );
    }
}
