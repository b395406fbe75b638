//! `expected`: another token must stand here.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("expected");

/// `wanted` says what may stand where `found` stands.
pub(crate) fn expected(span: Span, found: &str, wanted: &str) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(CODE, span, format!("{found} cannot stand here")).here(format!("expected {wanted}"));
    if found == "`=`" {
        return diagnostic.hint("a comparison is written `==`").fix("write `==`", span, "==");
    }
    diagnostic
}

/// A line ends, or the file, where something more must stand.
pub(crate) fn missing(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{wanted} is missing")).here("behind this")
}

/// A word that is never a name stands where a name must.
pub(crate) fn reserved(span: Span, word: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{word}` is a word of the language and cannot be a name"))
        .here(format!("expected {wanted}"))
        .hint("choose another name")
}

/// A `}` that closes nothing.
pub(crate) fn nothing_to_close(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, "this `}` closes nothing").here(format!("expected {wanted}")).fix(
        "take it out",
        span,
        "",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn one_mistake_one_message() {
        check_syntax("story \"S\"\nfluent a, b\nrule r { when a ==; then b } //! expected\ngoal b");
        check_syntax("story \"S\"\ntype P\naction go(a P, b: P) { say \"x\" } //! expected\ntype Q");
        check_syntax("story \"S\"\nfluent a\ngoal a) //! expected\ngoal a");
        check_syntax("story \"S\"\nfluent a }  //! expected\ngoal a");
        check_syntax("story \"S\"\nrule r when a; then b }  //! expected\nfluent a, b");
    }

    #[test]
    fn a_clause_that_lost_its_end_leaves_the_next_alone() {
        check_syntax("story \"S\"\nfluent a\naction go {\n  needs //! expected\n  then a\n  say \"x\"\n}");
    }

    #[test]
    fn what_is_missing_at_the_end_of_a_line_is_missed_there() {
        check_syntax("story \"S\"\ngoal (a //! expected\n\n\ngoal b");
        check_syntax("story \"S\"\ngoal (a //! expected\n\n");
        let found = first_fault("goal (a\n");
        assert_eq!((found.message.as_str(), found.span().end), ("`)` is missing", 7));
        assert_eq!((found.labels[1].text.as_str(), found.labels[1].span.start), ("opened here", 5));
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        check_syntax("story \"S\"\nfluent done //! expected\n");
        assert_eq!(first_fault("fluent in").message, "`in` is a word of the language and cannot be a name");
    }

    #[test]
    fn assignment_for_comparison_has_a_fix() {
        let found = first_fault("fluent a: int\ngoal a = 3");
        assert_eq!(found.hint.as_deref(), Some("a comparison is written `==`"));
        assert_eq!(found.code, CODE);
    }
}
