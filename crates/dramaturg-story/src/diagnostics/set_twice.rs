//! `set-twice`: two `given` that disagree.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two `given` that disagree.
pub const CODE: Code = Code::error("set-twice");

/// The same fluent is given two values.
pub fn diagnostic(span: Span, fluent: &str, value: &str, first: Span, other: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{fluent}` is given two values: {other} and {value}"))
        .here(format!("{value} here"))
        .label(first, format!("{other} here"))
        .hint("keep one of them")
}
