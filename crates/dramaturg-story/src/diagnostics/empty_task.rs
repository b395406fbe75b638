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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::told;

    #[test]
    fn a_task_has_a_method() {
        expect![[r#"
            3 `dance`: empty-task: `dance` has no method, so it can never be done
              hint: add `method { … }`
        "#]]
        .assert_eq(&told(
            r#"story "Dance"
             fluent danced
             task dance { offer "Dance." }
             task walk { offer "Walk."; method { then danced } }
             goal danced"#,
        ));
    }
}
