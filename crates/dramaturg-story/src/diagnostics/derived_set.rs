//! `derived-set`: an effect on a fluent that only stands for something else.

use dramaturg_model::{Code, Diagnostic, Span};

/// An effect on a fluent that only stands for something else.
pub const CODE: Code = Code::error("derived-set");

/// `fluent` stands for an expression and cannot be set.
pub fn diagnostic(span: Span, fluent: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(
        CODE,
        span,
        format!("`{fluent}` only stands for something else: it can be neither set nor observed"),
    )
    .label(declared, "declared with `means` here")
    .hint("set or observe what it is made of")
}
