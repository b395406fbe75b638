//! `clause-not-here`: a clause in a body that has none of its kind.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::syntax::place::Place;

/// The code.
pub const CODE: Code = Code::error("clause-not-here");

/// `word` begins a clause, but not in this place.
pub(crate) fn not_here(span: Span, word: &str, place: Place) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{word}` cannot stand in {}", place.name())).hint(super::may_stand(place))
}

/// `check`, `extend` or `otherwise` without something that is expected.
pub(crate) fn without_expect(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "this makes sense only where something is expected")
        .hint("add `expect …`, or leave this out")
}

/// `costs #tag times n` outside a personality.
pub(crate) fn scaled_cost(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "costs are scaled by tag in a personality only").hint("write `costs n`")
}

/// `costs n` in a personality.
pub(crate) fn unscaled_cost(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a personality scales the costs of actions with a tag")
        .hint("write `costs #tag times n`")
}

/// `prefer more …` in an action.
pub(crate) fn only_conditions(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "an action prefers only conditions")
        .hint("write `prefer C weight n`, without `more`, `less` or `follows`")
}

/// `then` and the like in a rule that has no moment at which it fires.
pub(crate) fn no_moment(span: Span, trigger: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "this rule has no moment at which something could happen at once")
        .label(trigger, "holds over time")
        .hint("use `when` or `after`, or `during` for a change over time")
}

/// `during` in a rule that fires at a moment and takes no time.
pub(crate) fn no_duration(span: Span, trigger: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "this rule takes no time during which something could change")
        .label(trigger, "fires at one moment")
        .hint("add `takes …`, use `while`, or `then` for a change at once")
}

/// `at` where everything happens at once.
pub(crate) fn no_time(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "nothing here takes time, so nothing can stand `at` a time").hint("leave `at …` out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn the_clause_is_read_and_left_out() {
        check_syntax(
            "story \"S\"\nfluent a\nending e {\n  when a\n  takes 3 ticks .. 5 ticks //! clause-not-here\n  say \"x\"\n}",
        );
        check_syntax(
            "story \"S\"\nfluent a\naction go {\n  goal a by 3 ticks //! clause-not-here\n  prefer a weight 2\n  then a\n}",
        );
        check_syntax("story \"S\"\nfluent a\nneeds a //! clause-not-here\ngoal a");
    }

    #[test]
    fn the_hint_lists_what_may_stand() {
        let found = first_fault("futile f(c: Person) { say \"x\" }");
        assert_eq!(found.message, "`say` cannot stand in a futile goal");
        assert_eq!(found.hint.as_deref(), Some("in a futile goal may stand `goal` or `needs`"));
        assert_eq!(found.code, CODE);
    }
}
