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
