//! `plain-yes`: `x = true` where `x` says the same.

use dramaturg_model::{Code, Diagnostic, Span};

/// `x = true` where `x` says the same.
pub const CODE: Code = Code::hint("plain-yes");

/// `x = true` or `x = false`.
pub fn diagnostic(span: Span, written: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{written}` says the same")).fix(format!("write `{written}`"), span, written)
}
