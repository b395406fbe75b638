//! `milestone-without-next`: a milestone that leads nowhere.

use dramaturg_model::{Code, Diagnostic, Span};

/// A milestone that leads nowhere.
pub const CODE: Code = Code::error("milestone-without-next");

/// A milestone without `next`.
pub fn diagnostic(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the milestone `{name}` leads nowhere"))
        .hint("say which level is `next`, or make it an `ending`")
}
