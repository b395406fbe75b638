//! `unpinned-text`: a derived id although translations exist.

use dramaturg_model::{Code, Diagnostic, Span};

/// A derived id although translations exist.
pub const CODE: Code = Code::hint("unpinned-text");

/// The id changes when texts before it are added or removed.
pub fn diagnostic(span: Span, id: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the id of this text, `{id}`, follows from its place and will change with it"))
        .fix(format!("write `@{id}`"), span.after(), format!(" @{id}"))
}
