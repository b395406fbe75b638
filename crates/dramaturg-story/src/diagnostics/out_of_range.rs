//! `out-of-range`: a number outside the declared range.

use dramaturg_model::{Code, Diagnostic, Span};

/// A number outside the declared range.
pub const CODE: Code = Code::error("out-of-range");

/// A literal that its fluent can never hold.
pub fn diagnostic(span: Span, value: &str, range: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{value} is outside {range}"))
        .label(declared, format!("declared as {range} here"))
        .hint("choose a number inside, or widen the range")
}
