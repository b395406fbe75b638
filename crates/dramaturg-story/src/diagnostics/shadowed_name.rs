//! `shadowed-name`: a parameter or binder named like something already known.

use dramaturg_model::{Code, Diagnostic, Span};

/// A parameter or binder named like something already known.
pub const CODE: Code = Code::error("shadowed-name");

/// `name` already means something here.
pub fn diagnostic(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` already means something here"))
        .here("would hide the other one")
        .label(first, "the other one")
        .hint("choose another name for the parameter")
}
