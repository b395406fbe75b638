//! `story-twice`: two headers in one story.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two headers in one story.
pub const CODE: Code = Code::error("story-twice");

/// A second `story` header.
pub fn diagnostic(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a story has one header, and this is the second")
        .label(first, "the first one")
        .hint("a part of a story has no header; leave this one out")
}
