//! `never-read`: a fluent that is set, but that nothing depends on.

use dramaturg_model::{Code, Diagnostic, FluentId, FluentSource, Model, Usage};

/// A fluent that is set, but that nothing depends on.
pub const CODE: Code = Code::hint("never-read");

/// Reports fluents that are set in vain.
pub fn rule(model: &Model, usage: &Usage, diagnostics: &mut Vec<Diagnostic>) {
    for (id, fluent) in model.fluents.iter() {
        let used = &usage.fluents[id];
        if matches!(fluent.source, FluentSource::Stored)
            && !used.read
            && (used.set || used.observed)
            && !is_made(model, id)
        {
            diagnostics.push(
                Diagnostic::new(CODE, fluent.place, format!("`{}` is set, but nothing depends on it", fluent.name))
                    .hint("leave it out, unless the game looks at it"),
            );
        }
    }
}

/// Whether a pool made the fluent.
pub(crate) fn is_made(model: &Model, fluent: FluentId) -> bool {
    model.pools.values().any(|pool| pool.anchored == fluent || pool.committed == fluent)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn set_but_never_read() {
        expect![[r#"
            2 `rainbow`: never-read: `rainbow` is set, but nothing depends on it
              hint: leave it out, unless the game looks at it
        "#]]
        .assert_eq(&told(
            r#"story "Rain"
             fluent wet, rainbow
             action pour { then wet, rainbow }
             goal wet"#,
        ));
    }

    #[test]
    fn every_way_to_read_it() {
        check(
            r#"story "Rain"
             fluent wet, cold, late, loud, kept, liked, carried
             fluent depth, cost: number 0..9
             action pour { needs not cold; costs cost; then wet, cold, late, loud, kept, liked, carried, depth += 1, cost += 1 }
             rule freeze { when wet if late; say "{depth} inches." }
             task shout { offer "Shout." if loud; method { say "Hey!" } }
             keep not kept
             prefer liked
             level one { milestone over { when done shout; next two carrying carried } }
             level two { goal wet }"#,
        );
    }

    #[test]
    fn given_alone_is_no_fault() {
        check(
            r#"story "Rain"
             fluent wet, cold
             given cold
             action pour { then wet }
             goal wet"#,
        );
    }
}
