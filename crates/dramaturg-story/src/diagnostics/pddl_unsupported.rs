//! `pddl-unsupported`: a part of PDDL that cannot be read.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("pddl-unsupported");

/// `what` is a part of PDDL that cannot be read; `cure` says what can be done instead.
pub(crate) fn unsupported(span: Span, what: &str, cure: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{what} cannot be read")).hint(cure)
}
