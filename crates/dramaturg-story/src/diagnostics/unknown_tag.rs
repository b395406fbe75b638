//! `unknown-tag`: a tag that no action, rule or task carries.

use dramaturg_model::{Code, Diagnostic, Span};

/// A tag that no action, rule or task carries.
pub const CODE: Code = Code::error("unknown-tag");

/// Nothing carries the tag.
pub fn diagnostic(span: Span, name: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("no action, rule or task carries `#{name}`"));
    match nearest {
        Some(near) => {
            found.hint(format!("did you mean `#{near}`?")).fix(format!("write `#{near}`"), span, format!("#{near}"))
        }
        None => found.hint("add the tag behind the head of an action or task"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn tags_are_made_where_they_are_attached() {
        check(
            r#"story "Games"
             type Person { fit; glad }
             character anna: Person { personality lazy }
             personality lazy(p: Person) { prefer p.glad; costs #sport times 2; costs #chess times 3 } //! unknown-tag
             action run(p: Person) by p #sport { then p.fit, p.glad }
             goal done #sport then anna.fit
             goal done #sprot //! unknown-tag
             rule cheer { after #dance; say "Bravo." } //! unknown-tag"#,
        );
    }

    #[test]
    fn the_nearest_tag() {
        expect![[r#"
            4 `#sprot`: unknown-tag: no action, rule or task carries `#sprot`
              hint: did you mean `#sport`?
              fix: write `#sport`
        "#]]
        .assert_eq(&told(
            r#"story "Games"
             fluent fit
             action run #sport { then fit }
             goal fit and done #sprot"#,
        ));
        let text = cured(
            r#"story "Games"
             fluent fit
             action run #sport { then fit }
             goal fit and done #sprot"#,
        );
        assert_eq!(text, "goal fit and done #sport");
        expect![[r#"
            4 `#sport`: unknown-tag: no action, rule or task carries `#sport`
              hint: add the tag behind the head of an action or task
        "#]]
        .assert_eq(&told(
            r#"story "Games"
             fluent fit
             action run { then fit }
             goal fit and done #sport"#,
        ));
    }
}
