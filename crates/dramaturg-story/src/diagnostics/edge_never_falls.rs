//! `edge-never-falls`: a `when` that can fire only once.

use dramaturg_model::{Code, Diagnostic, Expr, FluentId, FluentSource, Model, Trigger, Usage};
use rustc_hash::FxHashSet;

/// A `when` that can fire only once.
pub const CODE: Code = Code::hint("edge-never-falls");

/// Reports rules whose condition, once true, nothing can make false again.
pub fn rule(model: &Model, usage: &Usage, diagnostics: &mut Vec<Diagnostic>) {
    if !model.levels.is_empty() {
        // A new level starts most fluents anew, so any edge may come again.
        return;
    }
    let expected = super::never_set::expected(model);
    for rule in model.rules.values() {
        if let Trigger::When(condition, _) = &rule.trigger
            && rule.commits.is_none()
            && stays(model, usage, &expected, condition, true)
        {
            diagnostics.push(
                Diagnostic::new(
                    CODE,
                    rule.place,
                    format!("`{}` can fire only once: nothing undoes its condition", rule.name),
                )
                .hint("fine if that is meant; otherwise something must make the condition false again"),
            );
        }
    }
}

/// Whether a condition that has this truth keeps it.
fn stays(model: &Model, usage: &Usage, expected: &FxHashSet<FluentId>, condition: &Expr, truth: bool) -> bool {
    match condition {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| stays(model, usage, expected, part, truth)),
        Expr::Not(inner) => stays(model, usage, expected, inner, !truth),
        Expr::Fluent(fluent, args) => {
            let used = &usage.fluents[*fluent];
            let stored = matches!(model.fluents[*fluent].source, FluentSource::Stored | FluentSource::Done(_));
            let undone = if truth { used.set_false } else { used.set_true };
            let plain = args.iter().all(|arg| matches!(arg, Expr::Value(_) | Expr::Var(_)));
            stored && plain && !used.observed && !expected.contains(fluent) && !undone && used.set
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn a_condition_that_nothing_undoes() {
        expect![[r#"
            4 `wake`: edge-never-falls: `wake` can fire only once: nothing undoes its condition
              hint: fine if that is meant; otherwise something must make the condition false again
        "#]]
        .assert_eq(&told(
            r#"story "Bell"
             fluent rung, awake
             action ring { then rung }
             rule wake { when rung; then awake }
             goal awake"#,
        ));
        check(
            r#"story "Bell"
             fluent rung, awake
             fluent asleep = true
             action ring { then rung }
             action rise { then not asleep }
             rule wake { when done ring and rung; then awake } //! edge-never-falls
             rule yawn { when not asleep; say "Ah." } //! edge-never-falls
             goal awake"#,
        );
    }

    #[test]
    fn what_may_fall_again() {
        check(
            r#"story "Bell"
             fluent rung, awake, seen, hoped
             fluent tolls: int 0..9
             action ring { then rung, tolls += 1 }
             action hush { then not rung }
             action hope { takes 3 ticks; expect hoped; check every 1 tick }
             action wish { then hoped, seen }
             rule watch { reads seen every 3 ticks }
             rule wake { when rung; then awake }
             rule count { when tolls > 3; then awake }
             rule look { when seen; then awake }
             rule dream { when hoped; then awake }
             rule dawn { when timeOfDay > 6 ticks; then awake }
             goal awake"#,
        );
    }

    #[test]
    fn levels_begin_anew() {
        check(
            r#"story "Bell"
             fluent rung, awake
             action ring { then rung }
             rule wake { when rung; then awake }
             level one { milestone over { when awake; next two } }
             level two { goal awake }"#,
        );
    }
}
