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
