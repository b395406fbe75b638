//! `not-linear`: a product or quotient of two changing numbers.

use dramaturg_model::{Code, Diagnostic, Span};

/// A product or quotient of two changing numbers.
pub const CODE: Code = Code::error("not-linear");

/// Both sides change while the story runs.
pub fn diagnostic(span: Span, operation: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{operation} of two numbers that both change"))
        .hint("one of them must stay what it was given; keep the result in a fluent of its own if you need it")
}
