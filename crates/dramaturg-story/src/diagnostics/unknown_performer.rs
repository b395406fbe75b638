//! `unknown-performer`: `by` or `with` something that is no parameter.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::compile::names::nearest;

/// `by` or `with` something that is no parameter.
pub const CODE: Code = Code::error("unknown-performer");

/// `by x` without a parameter x; `params` are the parameters there are.
pub fn diagnostic(span: Span, name: &str, params: &[&str]) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{name}` is no parameter of this action"));
    if let Some(near) = nearest(name, params.iter().copied()) {
        return found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near);
    }
    if params.is_empty() {
        return found.hint(format!("add a parameter: `({name}: …)`"));
    }
    let params: Vec<String> = params.iter().map(|param| format!("`{param}`")).collect();
    found.hint(format!("the performer and those who take part are among {}", params.join(", ")))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn performers_are_parameters() {
        check(
            r#"story "Chess"
             type Person { glad }
             object anna, bert: Person
             action hum(p: Person) by p { then p.glad }
             action play(p: Person, q: Person) by p with q { then p.glad, q.glad }
             action sing(p: Person) by anna { then p.glad } //! unknown-performer
             action talk(p: Person) by p with other { then p.glad } //! unknown-performer
             goal anna.glad and bert.glad"#,
        );
    }

    #[test]
    fn what_may_stand_there() {
        expect![[r#"
            4 `anna`: unknown-performer: `anna` is no parameter of this action
              hint: add a parameter: `(anna: …)`
            5 `anna`: unknown-performer: `anna` is no parameter of this action
              hint: the performer and those who take part are among `who`
            6 `hwo`: unknown-performer: `hwo` is no parameter of this action
              hint: did you mean `who`?
              fix: write `who`
        "#]]
        .assert_eq(&told(
            r#"story "Chess"
             type Person { glad }
             object anna: Person
             action sing by anna { then anna.glad }
             action talk(who: Person) by anna { then who.glad }
             action walk(who: Person) by hwo { then who.glad }
             goal anna.glad"#,
        ));
        let text = cured(
            r#"story "Chess"
             type Person { glad }
             object anna: Person
             action walk(who: Person) by hwo { then who.glad }
             goal anna.glad"#,
        );
        assert_eq!(text, "action walk(who: Person) by who { then who.glad }");
    }
}
