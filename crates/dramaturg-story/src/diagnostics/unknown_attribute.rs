//! `unknown-attribute`: an attribute that the type does not have.

use dramaturg_model::{Code, Diagnostic, Span};

/// An attribute that the type does not have.
pub const CODE: Code = Code::error("unknown-attribute");

/// Nothing of type `ty` has an attribute `name`.
pub fn diagnostic(span: Span, name: &str, ty: &str, declared: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("{ty} has no attribute `{name}`"))
        .label(declared, format!("{ty} is declared here"));
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint(format!("add `{name}` to the type")),
    }
}

/// Two types of a union have attributes of this name that are not the same one.
pub fn ambiguous(span: Span, name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is not one attribute of all these types"))
        .label(first, "one is declared here")
        .label(second, "another here")
        .hint("declare it once, in a type that they are all kinds of")
}

/// The thing before the dot has no attributes at all.
pub fn not_an_object(span: Span, name: &str, found: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`.{name}` needs an object before it, and this is {found}"))
        .hint("only objects have attributes")
}
