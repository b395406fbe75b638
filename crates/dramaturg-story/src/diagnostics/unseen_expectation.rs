//! `unseen-expectation`: an expectation that nothing could confirm.

use dramaturg_model::{Code, Diagnostic, Model, Usage};

/// An expectation that nothing could confirm.
pub const CODE: Code = Code::warning("unseen-expectation");

/// Reports expectations on fluents that nothing else sets and nothing observes.
pub fn rule(model: &Model, usage: &Usage, diagnostics: &mut Vec<Diagnostic>) {
    let actions = model.actions.values().map(|action| (&action.expectation, &action.reads));
    let rules = model.rules.values().map(|rule| (&rule.expectation, &rule.reads));
    for (expectation, reads) in actions.chain(rules) {
        let Some(expectation) = expectation else { continue };
        if expectation.check_every.is_some() {
            continue;
        }
        for effect in &expectation.effects {
            let fluent = effect.target.fluent;
            let own = reads.iter().flat_map(|reads| &reads.fluents).any(|read| read.fluent == fluent);
            let other = usage.fluents[fluent].set || usage.fluents[fluent].observed;
            if !own && !other {
                let name = &model.fluents[fluent].name;
                let message = format!("nothing could confirm that `{name}` changes as expected");
                diagnostics.push(
                    Diagnostic::new(CODE, effect.place, message)
                        .hint("say how often to look (`check every …`), or observe it (`reads …`)"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn something_must_confirm_it() {
        expect![[r#"
            3 `arrived`: unseen-expectation: nothing could confirm that `arrived` changes as expected
              hint: say how often to look (`check every …`), or observe it (`reads …`)
        "#]]
        .assert_eq(&told(
            r#"story "Guest"
             fluent arrived
             action wait { takes 9 ticks; expect arrived }
             goal arrived"#,
        ));
    }

    #[test]
    fn looking_reading_or_doing_confirms() {
        check(
            r#"story "Guest"
             fluent arrived, seated, fed, gone
             action wait { takes 9 ticks; expect arrived; check every 1 tick }
             action seat { takes 9 ticks; expect seated; reads seated }
             action cook { takes 9 ticks; expect fed }
             action serve { then fed }
             action hope { takes 9 ticks; expect gone }
             rule watch { reads gone every 3 ticks }
             goal arrived and seated and fed and gone"#,
        );
    }
}
