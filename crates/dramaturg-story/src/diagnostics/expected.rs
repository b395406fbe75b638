//! `expected`: another token must stand here.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("expected");

/// `wanted` says what may stand where `found` stands.
pub(crate) fn expected(span: Span, found: &str, wanted: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(CODE, span, format!("{found} cannot stand here")).here(format!("expected {wanted}"));
    if found == "`=`" {
        return diagnostic.hint("a comparison is written `==`").fix("write `==`", span, "==");
    }
    diagnostic
}

/// A word that is never a name stands where a name must.
pub(crate) fn reserved(span: Span, word: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{word}` is a word of the language and cannot be a name"))
        .here(format!("expected {wanted}"))
        .hint("choose another name")
}

/// The `)` that closes the parenthesis at `open` is missing.
pub(crate) fn closing(span: Span, found: &str, wanted: &str, open: Span) -> Diagnostic {
    expected(span, found, wanted).label(open, "opened here")
}

/// A `}` that closes nothing.
pub(crate) fn nothing_to_close(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, "this `}` closes nothing").here(format!("expected {wanted}")).fix("take it out", span, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, first};

    #[test]
    fn one_mistake_one_message() {
        check("story \"S\"\nfluent a, b\nrule r { when a ==; then b } //! expected\ngoal b");
        check("story \"S\"\ntype P\naction go(a P, b: P) { say \"x\" } //! expected\ntype Q");
        check("story \"S\"\nfluent a\ngoal a) //! expected\ngoal a");
        check("story \"S\"\nfluent a }  //! expected\ngoal a");
        check("story \"S\"\nrule r when a; then b }  //! expected\nfluent a, b");
    }

    #[test]
    fn a_clause_that_lost_its_end_leaves_the_next_alone() {
        check("story \"S\"\nfluent a\naction go {\n  needs\n  then a //! expected\n  say \"x\"\n}");
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        check("story \"S\"\nfluent done //! expected\n");
        assert_eq!(first("fluent in").message, "`in` is a word of the language and cannot be a name");
    }

    #[test]
    fn assignment_for_comparison_has_a_fix() {
        let found = first("fluent a: int\ngoal a = 3");
        assert_eq!(found.hint.as_deref(), Some("a comparison is written `==`"));
        assert_eq!(found.code, CODE);
    }
}
