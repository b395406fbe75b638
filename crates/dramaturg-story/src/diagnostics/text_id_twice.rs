//! `text-id-twice`: one id for two texts.

use dramaturg_model::{Code, Diagnostic, Span};

/// One id for two texts.
pub const CODE: Code = Code::error("text-id-twice");

/// The id already belongs to another text.
pub fn diagnostic(span: Span, id: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`@{id}` already names another text"))
        .label(first, "this one")
        .hint("every text needs an id of its own")
}
