//! `unused-parameter`: a parameter that nothing uses.

use dramaturg_model::{Code, Diagnostic, Span};

/// A parameter that nothing uses.
pub const CODE: Code = Code::hint("unused-parameter");

/// Nothing in the body uses the parameter.
pub fn diagnostic(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("nothing uses `{name}`")).hint("remove it, or use it in a condition")
}
