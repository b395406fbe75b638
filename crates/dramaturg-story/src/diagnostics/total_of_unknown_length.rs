//! `total-of-unknown-length`: a total spread over a time that the world decides.

use dramaturg_model::{Code, Diagnostic, Span};

/// A total spread over a time that the world decides.
pub const CODE: Code = Code::error("total-of-unknown-length");

/// `during x += 15` with `takes A .. B`.
pub fn diagnostic(span: Span, takes: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a total cannot be spread over a time that nobody knows beforehand")
        .label(takes, "the world decides how long this takes")
        .hint("say how much `per tick` or `per s`")
}

/// A total in a rule that never ends.
pub fn without_end(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a total cannot be spread over a time without end")
        .hint("say how much `per tick` or `per s`")
}
