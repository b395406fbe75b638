//! `no-value`: an object without a starting value for a fluent that has no default.

use dramaturg_model::{Code, Diagnostic, Span};

/// An object without a starting value for a fluent that has no default.
pub const CODE: Code = Code::error("no-value");

/// `fluent` has no value when the story begins.
pub fn diagnostic(object: Span, fluent: &str, attribute: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, object, format!("`{fluent}` has no value when the story begins"))
        .label(declared, "no default here")
        .hint(format!("give it one (`{attribute} = …`), or add a name for its absence to the values (`| nowhere`)"))
}
