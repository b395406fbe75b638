//! `pddl-other-domain`: a problem for another domain.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::warning("pddl-other-domain");

/// The problem names `found` as its domain, and is read with `wanted`.
pub(crate) fn other_domain(span: Span, wanted: &str, found: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this problem is for the domain `{found}`, and is read with `{wanted}`"))
        .hint("read it with its own domain, or correct the name")
        .fix(format!("write `{wanted}`"), span, wanted)
}
