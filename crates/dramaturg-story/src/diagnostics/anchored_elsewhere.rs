//! `anchored-elsewhere`: an effect on what a pool anchors.

use dramaturg_model::{Code, Diagnostic, Span};

/// An effect on what a pool anchors.
pub const CODE: Code = Code::error("anchored-elsewhere");

/// An effect sets an attribute that only anchoring may choose.
pub fn diagnostic(span: Span, attribute: &str, pool: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{attribute}` is chosen by anchoring and cannot be set otherwise"))
        .label(pool, "anchored here")
        .hint("anchor it again instead, while it is not committed")
}
