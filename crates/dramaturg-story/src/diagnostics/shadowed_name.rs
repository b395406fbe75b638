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

/// `name` is built in.
pub fn built_in(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is built in and cannot be declared again"))
        .here("would hide what is built in")
        .hint("choose another name")
}

/// One of a fluent's values is called like something that is found first wherever the value is written.
pub fn value(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the value `{name}` is called like something else"))
        .here("would be hidden by the other one")
        .label(first, "the other one")
        .hint("choose another name for one of them")
}
