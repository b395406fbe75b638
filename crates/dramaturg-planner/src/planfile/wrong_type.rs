//! `wrong-type`: an object that cannot stand there.

use dramaturg_model::{Code, Diagnostic, Span};

/// An object that cannot stand there.
pub const WRONG_TYPE: Code = Code::error("wrong-type");

pub(super) fn wrong(span: Span, name: &str, param: &str, wanted: &str, declared: Span) -> Diagnostic {
    let message = format!("`{name}` cannot be `{param}`, which is a {wanted}");
    Diagnostic::new(WRONG_TYPE, span, message).label(declared, "declared here")
}
