//! `uncalled-task`: a task that is neither offered nor done.

use dramaturg_model::{Code, Diagnostic, MethodStep, Model, Table, TaskId};

/// A task that is neither offered nor done.
pub const CODE: Code = Code::warning("uncalled-task");

/// Reports tasks that can never run.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    let mut called: Table<TaskId, bool> = Table::filled(model.tasks.len(), false);
    for step in model.tasks.values().flat_map(|task| &task.methods).flat_map(|method| &method.steps) {
        if let MethodStep::DoTask(task, _, _) = step {
            called[*task] = true;
        }
    }
    for (id, task) in model.tasks.iter() {
        // One without methods is reported for that.
        if task.offers.is_empty() && !called[id] && !task.methods.is_empty() {
            diagnostics.push(
                Diagnostic::new(
                    CODE,
                    task.place,
                    format!("`{}` is neither offered nor done by another task", task.name),
                )
                .hint("add `offer \"…\"`, or `do` it in a method"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn offered_or_done() {
        expect![[r#"
            3 `dance`: uncalled-task: `dance` is neither offered nor done by another task
              hint: add `offer "…"`, or `do` it in a method
        "#]]
        .assert_eq(&told(
            r#"story "Dance"
             fluent danced
             task dance { method { then danced } }
             goal danced"#,
        ));
        check(
            r#"story "Dance"
             fluent danced
             task evening { offer "Go out."; method { do dance } }
             task dance { method { then danced } }
             task walk { } //! empty-task
             goal danced"#,
        );
    }
}
