//! `endless-wait`: an expectation without a time after which it is given up.

use dramaturg_model::{Code, Diagnostic, Span};

/// An expectation without a time after which it is given up.
pub const CODE: Code = Code::warning("endless-wait");

/// `expect` without `takes`.
pub fn diagnostic(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "nobody says how long to wait for this")
        .hint("add `takes …`: after that, and all extensions, the wait is over")
}
