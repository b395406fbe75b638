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

/// A range that ends before it begins.
pub fn backwards(span: Span, least: &str, most: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the range begins at {least} and ends below it, at {most}"))
        .hint("write the smaller number first")
}

/// A number of a kind that cannot stand here.
pub fn not_a(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("only {wanted} can stand here"))
}
