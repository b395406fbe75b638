//! `wrong-type`: values that can never meet.

use dramaturg_model::{Code, Diagnostic, Span};

/// Values that can never meet.
pub const CODE: Code = Code::error("wrong-type");

/// `found` stands where only `wanted` can.
pub fn diagnostic(span: Span, wanted: &str, found: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this is {found}, but {wanted} is needed here"))
        .here(format!("is {found}"))
        .label(declared, format!("{wanted} is wanted because of this"))
}

/// The same, where the place to show is that of what was found.
pub fn declared(span: Span, wanted: &str, found: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this is {found}, but {wanted} is needed here"))
        .here(format!("is {found}"))
        .label(declared, format!("declared as {found} here"))
}

/// Two sides of a comparison that are never equal.
pub fn never_equal(span: Span, left: &str, right: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{left} and {right} can never be equal"))
        .hint("compare values of the same kind")
}

/// Two sides of a comparison of which none can be the larger one.
pub fn never_ordered(span: Span, left: &str, right: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{left} cannot be compared with {right}"))
        .hint("compare values of the same kind")
}
