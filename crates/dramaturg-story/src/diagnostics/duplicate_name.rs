//! `duplicate-name`: two declarations of one name.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two declarations of one name.
pub const CODE: Code = Code::error("duplicate-name");

/// `name` is declared a second time.
pub fn diagnostic(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is declared twice"))
        .here("declared again here")
        .label(first, "first declared here")
        .hint("give one of them another name")
}
