//! `unknown-performer`: `by` or `with` something that is no parameter.

use dramaturg_model::{Code, Diagnostic, Span};

/// `by` or `with` something that is no parameter.
pub const CODE: Code = Code::error("unknown-performer");

/// `by x` without a parameter x.
pub fn diagnostic(span: Span, name: &str, params: &[String]) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{name}` is no parameter of this action"));
    if params.is_empty() {
        return found.hint(format!("add a parameter: `({name}: …)`"));
    }
    found.hint(format!("the performer and those who take part are among {}", params.join(", ")))
}
