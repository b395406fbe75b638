//! `does-nothing`: an action without effect, reading or text.

use dramaturg_model::{Code, Diagnostic, Model};

/// An action without effect, reading or text.
pub const CODE: Code = Code::warning("does-nothing");

/// Reports actions that would change nothing and say nothing.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for action in model.actions.values() {
        let silent = action.effects.is_empty() && action.contributions.is_empty() && action.says.is_empty();
        if silent && action.expectation.is_none() && action.reads.is_none() && action.question.is_none() {
            diagnostics.push(
                Diagnostic::new(CODE, action.place, format!("`{}` changes nothing and says nothing", action.name))
                    .hint("add `then …`, `during …`, `reads …` or `say …`"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn an_action_changes_or_says_something() {
        expect![[r#"
            3 `sit`: does-nothing: `sit` changes nothing and says nothing
              hint: add `then …`, `during …`, `reads …` or `say …`
        "#]]
        .assert_eq(&told(
            r#"story "Chair"
             fluent tired
             action sit { needs tired }
             action run { then tired }
             goal tired"#,
        ));
    }

    #[test]
    fn a_text_a_reading_a_question_or_done() {
        check(
            r#"story "Chair"
             fluent tired, seen
             action run { then tired }
             action hum { say "Hm." }
             action look { reads seen }
             action ask { ask player "Shall we?" }
             action sit { needs tired }
             action burn { takes 3 ticks; expect seen; check every 1 tick }
             goal seen and done sit"#,
        );
    }
}
