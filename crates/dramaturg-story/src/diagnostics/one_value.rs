//! `one-value`: a fluent with a single possible value.

use dramaturg_model::{Code, Diagnostic, Span};

/// A fluent with a single possible value.
pub const CODE: Code = Code::warning("one-value");

/// Only one value is possible.
pub fn diagnostic(span: Span, value: &str) -> Diagnostic {
    let near = ["number", "duration", "actuator", "int"]
        .into_iter()
        .find(|word| strsim::damerau_levenshtein(word, value) <= 2);
    let found = Diagnostic::new(CODE, span, format!("this can only ever be `{value}`"));
    match near {
        Some(word) => found.hint(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), span, word),
        None => found.hint("add other values with `|`, or leave the values out for yes or no"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn a_misspelt_domain() {
        expect![[r#"
            2 `nubmer`: one-value: this can only ever be `nubmer`
              hint: did you mean `number`?
              fix: write `number`
        "#]]
        .assert_eq(&told(
            r#"story "Well"
             fluent depth: nubmer
             action dig { then depth = nubmer }
             goal depth == nubmer"#,
        ));
        check(
            r#"story "Well"
             type Person { hands: actator; wet } //! one-value
             object anna: Person
             action splash(p: Person) by p { then p.wet }
             goal anna.wet"#,
        );
        let text = cured(
            r#"story "Well"
             type Person { hands: actator; wet }
             object anna: Person
             action splash(p: Person) by p { then p.wet }
             goal anna.wet"#,
        );
        assert_eq!(text, "type Person { hands: actuator; wet }");
    }

    #[test]
    fn two_values_or_a_type_are_a_choice() {
        check(
            r#"story "Well"
             type Place
             object well: Place
             fluent depth: deep | shallow
             fluent where: Place | nowhere
             fluent here: Place
             fluent colour: red | red //! one-value
             given here = well
             action dig { then depth = shallow, where = well, here = well, colour = red }
             goal depth == shallow and where == here and colour == red"#,
        );
    }
}
