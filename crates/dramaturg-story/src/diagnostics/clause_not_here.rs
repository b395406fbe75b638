//! `clause-not-here`: a clause in a body that has none of its kind.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::syntax::place::Place;

/// The code.
pub const CODE: Code = Code::error("clause-not-here");

/// `word` begins a clause, but not in this place.
pub(crate) fn not_here(span: Span, word: &str, place: Place) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{word}` cannot stand in {}", place.name())).hint(super::may_stand(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, first};

    #[test]
    fn the_clause_is_read_and_left_out() {
        check("story \"S\"\nfluent a\nending e {\n  when a\n  takes 3 ticks .. 5 ticks //! clause-not-here\n  say \"x\"\n}");
        check("story \"S\"\nfluent a\naction go {\n  goal a by 3 ticks //! clause-not-here\n  prefer a weight 2\n  then a\n}");
        check("story \"S\"\nfluent a\nneeds a //! clause-not-here\ngoal a");
    }

    #[test]
    fn the_hint_lists_what_may_stand() {
        let found = first("futile f(c: Person) { say \"x\" }");
        assert_eq!(found.message, "`say` cannot stand in a futile goal");
        assert_eq!(found.hint.as_deref(), Some("in a futile goal may stand `goal` or `needs`"));
        assert_eq!(found.code, CODE);
    }
}
