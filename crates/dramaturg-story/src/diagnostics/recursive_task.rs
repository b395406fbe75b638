//! `recursive-task`: a task that may call itself.

use dramaturg_model::{Code, Diagnostic, MethodStep, Model, Table, TaskId};

/// A task that may call itself.
pub const CODE: Code = Code::warning("recursive-task");

/// Reports tasks that lead back to themselves.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for (id, task) in model.tasks.iter() {
        if let Some(circle) = circle(model, id) {
            let names: Vec<&str> = circle.iter().map(|task| model.tasks[*task].name.as_str()).collect();
            diagnostics.push(
                Diagnostic::new(CODE, task.place, format!("`{}` may call itself", task.name))
                    .here(names.join(" → "))
                    .hint("allowed to a depth of 8; see that a method without `do` applies in the end"),
            );
        }
    }
}

/// The shortest way from a task back to it, if it is the first task of that circle.
fn circle(model: &Model, from: TaskId) -> Option<Vec<TaskId>> {
    let mut paths: Vec<Vec<TaskId>> = vec![vec![from]];
    let mut seen: Table<TaskId, bool> = Table::filled(model.tasks.len(), false);
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        let Some(last) = path.last() else { continue };
        for step in model.tasks[*last].methods.iter().flat_map(|method| &method.steps) {
            let MethodStep::DoTask(task, _, _) = step else { continue };
            let mut longer = path.clone();
            longer.push(*task);
            if *task == from {
                return (path.iter().min() == Some(&from)).then_some(longer);
            }
            if !seen[*task] {
                seen[*task] = true;
                paths.push(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_task_that_calls_itself() {
        expect![[r#"
            3 `climb`: recursive-task: `climb` may call itself
              here: climb → rest → climb
              hint: allowed to a depth of 8; see that a method without `do` applies in the end
        "#]]
        .assert_eq(&told(
            r#"story "Climb"
             fluent top
             task climb { offer "Climb."; method if top { then not top }; method { then top; do rest } }
             task rest { method { do climb } }
             goal top"#,
        ));
        check(
            r#"story "Climb"
             fluent top
             task climb { offer "Climb."; method if top { then not top }; method { then top; do climb } } //! recursive-task
             goal top"#,
        );
    }

    #[test]
    fn two_ways_to_one_task_are_no_circle() {
        check(
            r#"story "Climb"
             fluent top
             task climb { offer "Climb."; method { do left; do right } }
             task left { method { do step } }
             task right { method { do step } }
             task step { method { then top } }
             goal top"#,
        );
    }
}
