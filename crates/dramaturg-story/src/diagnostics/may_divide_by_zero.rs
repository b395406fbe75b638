//! `may-divide-by-zero`: a divisor that may be 0.

use dramaturg_model::{Code, Diagnostic, Span};

/// A divisor that may be 0.
pub const CODE: Code = Code::warning("may-divide-by-zero");

/// The divisor's range holds 0; the value is then 0.
pub fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "this divisor may be 0, and the result is then 0")
        .hint("guard it: `max(1, …)`, or a range that begins above 0")
}
