//! `circular-meaning`: a meaning that needs itself.

use dramaturg_model::{Code, Diagnostic, Span};

/// A meaning that needs itself.
pub const CODE: Code = Code::error("circular-meaning");

/// A `means` that leads back to itself.
pub fn diagnostic(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the meaning of `{}` needs itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("a meaning may use other meanings, but not in a circle")
}

/// A type that is a kind of itself.
pub fn of_type(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would be a kind of itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("leave one of the parents out")
}

/// A layer that is above itself.
pub fn of_layer(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would be above itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("the lowest layer is above nothing; leave one `above` out")
}

/// A personality that includes itself.
pub fn of_personality(span: Span, names: &[String]) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{}` would include itself", names.first().map_or("", |name| name)))
        .here(names.join(" → "))
        .hint("a personality may include others, but not in a circle")
}
