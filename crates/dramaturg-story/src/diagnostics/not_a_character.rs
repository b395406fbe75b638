//! `not-a-character`: goals for something that does not plan.

use dramaturg_model::{Code, Diagnostic, Span};

/// Goals for something that does not plan.
pub const CODE: Code = Code::error("not-a-character");

/// Goals are given to an object that is no character.
///
/// `word` is the word `object` in front of it, if it stands there for this one alone.
pub fn diagnostic(span: Span, name: &str, declared: Span, word: Option<Span>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{name}` is no character, so nobody would pursue its goals"))
        .label(declared, "declared here")
        .hint(format!("declare it as `character {name}: …`"));
    match word {
        Some(word) => found.fix("write `character`", word, "character"),
        None => found,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn goals_are_for_characters() {
        expect![[r#"
            4 `tom`: not-a-character: `tom` is no character, so nobody would pursue its goals
              3 `tom`: declared here
              hint: declare it as `character tom: …`
              fix: write `character`
        "#]]
        .assert_eq(&told(
            r#"story "Cat"
             type Cat { fed }
             object tom "Tom": Cat
             character tom { goal tom.fed }
             action eat(c: Cat) by c { then c.fed }"#,
        ));
        let text = cured(
            r#"story "Cat"
             type Cat { fed }
             object tom "Tom": Cat
             character tom { goal tom.fed }
             action eat(c: Cat) by c { then c.fed }"#,
        );
        assert_eq!(text, r#"character tom "Tom": Cat"#);
    }

    #[test]
    fn injected_ones_too() {
        check(
            r#"story "Cat"
             type Cat { fed }
             object tom, tim: Cat
             character tam: Cat
             fluent noon
             action ring { then noon }
             action rest { then not noon }
             rule feed { when noon; inject tom { goal tom.fed } } //! not-a-character
             rule call { when noon; inject tam { goal tam.fed } }
             rule meow(c: Cat) { when noon; inject c { goal c.fed } }
             action eat(c: Cat) by c { then c.fed }"#,
        );
    }

    #[test]
    fn more_about_a_character() {
        check(
            r#"story "Cat"
             type Cat { fed; asleep }
             character tom: Cat { goal tom.fed }
             level one { character tom (asleep) { goal not tom.asleep } }
             action eat(c: Cat) by c { then c.fed, not c.asleep }"#,
        );
    }
}
