//! `unclosed-brace`: a `{` without its `}`.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("unclosed-brace");

/// The braces of a body; `next` is what begins before they are closed, if it is not the end of the file.
pub(crate) fn body(open: Span, what: &str, next: Option<(Span, &str)>) -> Diagnostic {
    let found = Diagnostic::new(CODE, open, format!("the braces of {what} are not closed")).here("opened here");
    match next {
        Some((place, text)) => {
            found.label(place, format!("`{text}` begins something new")).hint(format!("put `}}` before `{text}`"))
        }
        None => found.hint("put `}` at the end"),
    }
}

/// The braces of a slot in a text.
pub(crate) fn slot(open: Span) -> Diagnostic {
    Diagnostic::new(CODE, open, "the braces of this slot are not closed")
        .here("opened here")
        .hint("a slot is written `{name}`; a brace that is meant as a brace is written `\\{`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn the_next_declaration_is_not_lost() {
        check_syntax(
            "story \"S\"\nfluent a\nrule r { //! unclosed-brace\n  when a\n  say \"x\"\n\nrule s { when a; say \"y\" }",
        );
        check_syntax("story \"S\"\ntype A { //! unclosed-brace\n  x\n  y: number\nobject b: A\n");
        check_syntax("story \"S\" { options 3 //! unclosed-brace\ntype A\n");
    }

    #[test]
    fn indentation_tells_which_brace_is_missing() {
        check_syntax(
            "story \"S\"\nfluent a\ntask t {\n  method { //! unclosed-brace\n    then a\n  method { then not a }\n}\n",
        );
        check_syntax(
            "story \"S\"\nfluent a\ntask t {\n  method { //! unclosed-brace\n    then a\n}\ntask u { offer \"u\" }\n",
        );
    }

    #[test]
    fn a_slot_ends_in_its_text() {
        check_syntax("story \"S\"\nfluent a\nrule r { when a; say \"It is {a now.\" } //! unclosed-brace");
    }

    #[test]
    fn the_brace_is_the_place_of_the_fault() {
        let found = first_fault("level l {\n  goal a\n");
        assert_eq!((found.code, found.span().start), (CODE, 8));
    }
}
