//! `untranslated`: a text that a translation lacks.

use dramaturg_model::{Code, Diagnostic, Span};

/// A text that a translation lacks.
pub const CODE: Code = Code::hint("untranslated");

/// A language lacks a text.
pub fn diagnostic(span: Span, id: &str, file: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{file}` has no text for `{id}`")).hint("add it there, with the same slots")
}
