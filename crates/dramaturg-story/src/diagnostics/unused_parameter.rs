//! `unused-parameter`: a parameter that nothing uses.

use dramaturg_model::{Code, Diagnostic, Span};

/// A parameter that nothing uses.
pub const CODE: Code = Code::hint("unused-parameter");

/// Nothing in the body uses the parameter; `removal` is what to take out to be rid of it, if that can be told.
pub fn diagnostic(span: Span, name: &str, removal: Option<Span>) -> Diagnostic {
    let found =
        Diagnostic::new(CODE, span, format!("nothing uses `{name}`")).hint("remove it, or use it in a condition");
    match removal {
        Some(removal) => found.fix("remove it", removal, ""),
        None => found,
    }
}
