//! `pddl-no-definition`: a file without the definition it should hold.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("pddl-no-definition");

/// There is no definition of the `wanted` kind, `domain` or `problem`.
pub(crate) fn no_definition(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("there is no {wanted} here"))
        .hint(format!("a {wanted} file begins with `(define ({wanted} NAME)`"))
}
