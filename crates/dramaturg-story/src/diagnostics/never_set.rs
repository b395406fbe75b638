//! `never-set`: a fluent that is read, but that nothing ever sets.

use dramaturg_model::{Code, Diagnostic, FluentId, FluentSource, Model, Usage};
use rustc_hash::FxHashSet;

/// A fluent that is read, but that nothing ever sets.
pub const CODE: Code = Code::warning("never-set");

/// Reports fluents that are read although they can only ever have one value that nobody chose.
pub fn rule(model: &Model, usage: &Usage, explicit: impl Fn(FluentId) -> bool, diagnostics: &mut Vec<Diagnostic>) {
    let expected = expected(model);
    for (id, fluent) in model.fluents.iter() {
        let used = &usage.fluents[id];
        let stored = matches!(fluent.source, FluentSource::Stored);
        if !stored || !used.read || used.set || used.observed || used.given || explicit(id) {
            continue;
        }
        if expected.contains(&id) || super::never_read::is_made(model, id) {
            continue;
        }
        let set = model.fluents.iter().filter(|(other, _)| usage.fluents[*other].set || usage.fluents[*other].given);
        let near = crate::compile::names::nearest(&fluent.name, set.map(|(_, other)| other.name.as_str()));
        let found = Diagnostic::new(CODE, fluent.place, format!("`{}` is read, but nothing sets it", fluent.name));
        diagnostics.push(match near {
            Some(near) => found.hint(format!("a misspelling of `{near}`?")),
            None => found.hint("set it in an effect, `given` it, or observe it with `reads`"),
        });
    }
}

/// Fluents that somebody else is expected to change.
pub(crate) fn expected(model: &Model) -> FxHashSet<FluentId> {
    let actions = model.actions.values().filter_map(|action| action.expectation.as_ref());
    let rules = model.rules.values().filter_map(|rule| rule.expectation.as_ref());
    actions.chain(rules).flat_map(|expectation| &expectation.effects).map(|effect| effect.target.fluent).collect()
}
