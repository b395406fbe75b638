//! `unknown-tag`: a tag that no action, rule or task carries.

use dramaturg_model::{Code, Diagnostic, Span};

/// A tag that no action, rule or task carries.
pub const CODE: Code = Code::error("unknown-tag");

/// Nothing carries the tag.
pub fn diagnostic(span: Span, name: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("no action, rule or task carries `#{name}`"));
    match nearest {
        Some(near) => {
            found.hint(format!("did you mean `#{near}`?")).fix(format!("write `#{near}`"), span, format!("#{near}"))
        }
        None => found.hint("add the tag behind the head of an action or task"),
    }
}
