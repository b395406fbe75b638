//! `unknown-type`: a type that is declared nowhere.

use dramaturg_model::{Code, Diagnostic, Span};

/// A type that is declared nowhere.
pub const CODE: Code = Code::error("unknown-type");

/// There is no type `name`.
pub fn diagnostic(span: Span, name: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("there is no type `{name}`"));
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint(format!("declare it: `type {name}`")),
    }
}
