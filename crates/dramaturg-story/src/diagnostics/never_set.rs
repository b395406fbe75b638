//! `never-set`: a fluent that is read, but that nothing ever sets.

use dramaturg_model::{Code, Diagnostic, FluentId, FluentSource, Model, Usage};

/// A fluent that is read, but that nothing ever sets.
pub const CODE: Code = Code::warning("never-set");

/// Reports fluents that are read although they can only ever have one value that nobody chose.
pub fn rule(model: &Model, usage: &Usage, explicit: impl Fn(FluentId) -> bool, diagnostics: &mut Vec<Diagnostic>) {
    for (id, fluent) in model.fluents.iter() {
        let used = &usage.fluents[id];
        let stored = matches!(fluent.source, FluentSource::Stored);
        if !stored || !used.read || used.set || used.observed || used.given || explicit(id) {
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
