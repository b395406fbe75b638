//! `too-many-hands`: more held of an actuator than there is.

use dramaturg_model::{Code, Diagnostic, Span};

/// More held of an actuator than there is.
pub const CODE: Code = Code::error("too-many-hands");

/// More is held than the actuator has.
pub fn diagnostic(span: Span, name: &str, amount: i64, capacity: i64, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{amount} of `{name}` are held at once, but it does {capacity} at a time"))
        .label(declared, format!("declared with {capacity}"))
        .hint("hold fewer, or give it a larger number")
}
