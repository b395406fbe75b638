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
