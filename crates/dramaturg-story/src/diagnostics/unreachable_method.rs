//! `unreachable-method`: a method that an earlier one always forestalls.

use dramaturg_model::{Code, Diagnostic, Expr, Model};

/// A method that an earlier one always forestalls.
pub const CODE: Code = Code::warning("unreachable-method");

/// Reports methods that can never be the first that applies.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for task in model.tasks.values() {
        for (index, method) in task.methods.iter().enumerate() {
            let earlier = task
                .methods
                .iter()
                .take(index)
                .find(|earlier| implies(method.condition.as_ref(), earlier.condition.as_ref()));
            if let Some(earlier) = earlier {
                diagnostics.push(
                    Diagnostic::new(CODE, method.place, format!("this method of `{}` is never reached", task.name))
                        .label(earlier.place, "whenever it would apply, this one applies first")
                        .hint("move it up, before the more general one"),
                );
            }
        }
    }
}

/// Whether the first condition holds only if the second does, as far as their parts show.
fn implies(condition: Option<&Expr>, other: Option<&Expr>) -> bool {
    let Some(other) = other else { return true };
    let Some(condition) = condition else { return false };
    parts(other).iter().all(|part| parts(condition).contains(part))
}

fn parts(condition: &Expr) -> Vec<&Expr> {
    match condition {
        Expr::And(parts) => parts.iter().collect(),
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn the_first_that_applies_runs() {
        expect![[r#"
            3 `method`: unreachable-method: this method of `tea` is never reached
              3 `method`: whenever it would apply, this one applies first
              hint: move it up, before the more general one
        "#]]
        .assert_eq(&told(
            r#"story "Tea"
             fluent hot, drunk
             task tea { offer "Tea."; method { then drunk, hot }; method cold if hot { then not hot } }
             goal drunk"#,
        ));
        check(
            r#"story "Tea"
             fluent hot, sweet, drunk
             task tea {
               offer "Tea."
               method if hot and sweet { then drunk }
               method if hot { then sweet }
               method if sweet and hot { then not hot } //! unreachable-method
               method if hot and not sweet { then drunk } //! unreachable-method
               method if sweet { then hot }
               method { then hot, not sweet }
             }
             goal drunk"#,
        );
    }
}
