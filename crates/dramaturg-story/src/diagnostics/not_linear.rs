//! `not-linear`: a product or quotient of two changing numbers.

use dramaturg_model::{Code, Diagnostic, Span};

/// A product or quotient of two changing numbers.
pub const CODE: Code = Code::error("not-linear");

/// Both sides of a product change while the story runs.
pub fn product(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a product of two numbers that both change")
        .hint("one of them must stay what it was given; keep the result in a fluent of its own if you need it")
}

/// A divisor changes while the story runs.
pub fn divisor(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a divisor that changes")
        .hint("the divisor must stay what it was given; keep the result in a fluent of its own if you need it")
}
