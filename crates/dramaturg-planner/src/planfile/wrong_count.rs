//! `wrong-count`: too many or too few arguments.

use dramaturg_model::{Code, Diagnostic, Span};

/// Too many or too few arguments.
pub const WRONG_COUNT: Code = Code::error("wrong-count");

pub(super) fn wrong(span: Span, name: &str, wanted: usize, found: usize, declared: Span) -> Diagnostic {
    let message = format!("`{name}` takes {wanted} arguments, not {found}");
    Diagnostic::new(WRONG_COUNT, span, message).label(declared, "declared here")
}
