//! `and-or-mixed`: `and` beside `or` without parentheses.

use dramaturg_model::{Code, Diagnostic, Edit, Span};

/// The code.
pub const CODE: Code = Code::error("and-or-mixed");

/// The condition at `span` holds both; `parts` are its stretches joined by `and`.
pub(crate) fn mixed(span: Span, parts: &[Span]) -> Diagnostic {
    let edits = parts.iter().flat_map(|part| {
        [(part.before(), "("), (part.after(), ")")].map(|(span, sign)| Edit { span, text: sign.to_owned() })
    });
    Diagnostic::new(CODE, span, "`and` and `or` stand side by side, and readers guess differently what is meant")
        .hint("put parentheses around one of them")
        .fix_all("put parentheses around the `and` part", edits.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{apply_fix, check_syntax, first_fault};

    #[test]
    fn parentheses_make_it_clear() {
        check_syntax(
            "story \"S\"\nfluent a, b, c\ngoal a and b or c //! and-or-mixed\ngoal (a and b) or c\ngoal a and (b or c)",
        );
    }

    #[test]
    fn the_fix_groups_what_stands_with_and() {
        assert_eq!(apply_fix("goal a or b and c.d or e and not f(x)"), "goal a or (b and c.d) or (e and not f(x))");
        assert_eq!(apply_fix("goal (a) and b or c"), "goal ((a) and b) or c");
        assert_eq!(first_fault("goal a and b or c").code, CODE);
    }
}
