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
