//! `clause-twice`: a second clause of a kind that stands at most once.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::syntax::place::Place;

/// The code.
pub const CODE: Code = Code::error("clause-twice");

/// `word` at `span` repeats the one at `first`, whose word may be another when only one of several may stand.
pub(crate) fn twice(span: Span, word: &str, first: (Span, &str), place: Place) -> Diagnostic {
    let message = if word == first.1 {
        format!("`{word}` stands twice in {}", place.name())
    } else {
        format!("`{word}` cannot stand beside `{}` in {}", first.1, place.name())
    };
    Diagnostic::new(CODE, span, message).label(first.0, "the first stands here").hint("keep one of them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn what_may_be_repeated_is_left_alone() {
        check_syntax("story \"S\"\nfluent a, b\naction go {\n  needs a\n  needs b\n  then a\n  then b\n}");
        check_syntax(
            "story \"S\"\nfluent a\naction go {\n  takes 3 ticks\n  takes 5 ticks //! clause-twice\n  then a\n}",
        );
        check_syntax("story \"S\" { options 3; options 4 } //! clause-twice");
    }

    #[test]
    fn a_rule_has_one_trigger() {
        check_syntax("story \"S\"\nfluent a, b\nrule r {\n  when a\n  while b //! clause-twice\n  then not a\n}");
        let found = first_fault("rule r { when a; after b }");
        assert_eq!(found.message, "`after` cannot stand beside `when` in a rule");
        assert_eq!((found.labels[1].span.start, found.labels[1].span.end), (9, 13));
        assert_eq!(found.code, CODE);
    }
}
