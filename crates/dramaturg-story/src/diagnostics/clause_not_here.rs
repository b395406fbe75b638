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
    use expect_test::expect;

    use super::*;
    use crate::testing::{check, check_syntax, first_fault, told};

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

    #[test]
    fn waiting_needs_something_expected() {
        check(
            r#"story "Guest"
             fluent arrived, seated
             action wait { takes 3 ticks; check every 1 tick; then arrived } //! clause-not-here
             action seat { takes 3 ticks; extend 2 times by 1 tick; otherwise not arrived; then seated } //! clause-not-here
             action greet { takes 3 ticks; check every 1 tick; expct arrived; then seated } //! unknown-clause
             goal arrived and seated"#,
        );
    }

    #[test]
    fn costs_are_scaled_in_personalities() {
        expect![[r#"
            4 `costs 3`: clause-not-here: a personality scales the costs of actions with a tag
              hint: write `costs #tag times n`
            5 `#sport`: clause-not-here: costs are scaled by tag in a personality only
              hint: write `costs n`
            6 `#sport`: clause-not-here: costs are scaled by tag in a personality only
              hint: write `costs n`
            7 `#sport`: clause-not-here: costs are scaled by tag in a personality only
              hint: write `costs n`
        "#]]
        .assert_eq(&told(
            r#"story "Run"
             type Person { fit }
             character anna: Person { personality lazy }
             personality lazy(p: Person) { prefer p.fit; costs 3 }
             action run(p: Person) by p #sport { costs #sport times 3; then p.fit }
             task race { offer "Race."; method { costs #sport times 2; then anna.fit } }
             pool medal(m: Medal) of 2 { anchors m.kind; costs #sport times 2 }
             type Medal { kind: gold | tin }
             goal any m: Medal (m.kind == tin)"#,
        ));
    }

    #[test]
    fn actions_prefer_conditions() {
        expect![[r#"
            3 `prefer more laps`: clause-not-here: an action prefers only conditions
              hint: write `prefer C weight n`, without `more`, `less` or `follows`
        "#]]
        .assert_eq(&told(
            r#"story "Run"
             fluent laps: int 0..9
             action run { prefer more laps; prefer laps > 3 weight 2; then laps += 1 }
             goal laps == 3"#,
        ));
    }

    #[test]
    fn a_rule_that_lasts_has_no_moment() {
        expect![[r#"
            6 `say`: clause-not-here: this rule has no moment at which something could happen at once
              6 `while`: holds over time
              hint: use `when` or `after`, or `during` for a change over time
            7 `takes`: clause-not-here: this rule has no moment at which something could happen at once
              hint: use `when` or `after`, or `during` for a change over time
            8 `during`: clause-not-here: this rule takes no time during which something could change
              8 `when`: fires at one moment
              hint: add `takes …`, use `while`, or `then` for a change at once
        "#]]
        .assert_eq(&told(
            r#"story "Bath"
             fluent wet
             fluent water: number 0..9
             action dip { then wet }
             action dry { then not wet }
             rule drip { while wet; say "Drip."; then not wet }
             rule soak { takes 3 ticks; during water += 1 per tick }
             rule splash { when wet; during water += 1 per tick }
             goal water > 3"#,
        ));
        check(
            r#"story "Bath"
             fluent wet, seen
             fluent water: number 0..9
             action dip { then wet }
             action dry { then not wet }
             rule drip { while wet; during water += 1 per tick; reads seen every 3 ticks }
             rule splash { when wet; takes 3 ticks; during water += 1 per tick; say "Splash."; then not wet }
             rule leak { reads seen; during water -= 1 per tick }
             rule sink { wenn wet; then not wet } //! unknown-clause
             goal water > 3 and seen"#,
        );
    }

    #[test]
    fn what_takes_no_time_has_no_at() {
        check(
            r#"story "Dance"
             type Person { glad }
             character anna: Person
             fluent danced
             task dance {
               offer "Dance."
               needs not danced at 3 ticks //! clause-not-here
               method {
                 then danced at end //! clause-not-here
                 say "La." at end //! clause-not-here
               }
             }
             futile hum(p: Person) { needs danced at end; goal p.glad } //! clause-not-here
             action cheer(p: Person) by p { needs danced at end; then p.glad at start; say "Oh." at end }
             ending home { when danced; say "Good night." at end } //! clause-not-here"#,
        );
    }
}
