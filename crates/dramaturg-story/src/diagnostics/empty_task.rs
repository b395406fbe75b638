//! `empty-task`: a task without a method.

use dramaturg_model::{Code, Diagnostic, Model};

/// A task without a method.
pub const CODE: Code = Code::warning("empty-task");

/// Reports tasks without methods.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for task in model.tasks.values().filter(|task| task.methods.is_empty()) {
        diagnostics.push(
            Diagnostic::new(CODE, task.place, format!("`{}` has no method, so it can never be done", task.name))
                .hint("add `method { … }`"),
        );
    }
}
