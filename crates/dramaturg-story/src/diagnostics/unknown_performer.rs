//! `unknown-performer`: `by` or `with` something that is no parameter.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::compile::names::nearest;

/// `by` or `with` something that is no parameter.
pub const CODE: Code = Code::error("unknown-performer");

/// `by x` without a parameter x; `params` are the parameters there are.
pub fn diagnostic(span: Span, name: &str, params: &[&str]) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{name}` is no parameter of this action"));
    if let Some(near) = nearest(name, params.iter().copied()) {
        return found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near);
    }
    if params.is_empty() {
        return found.hint(format!("add a parameter: `({name}: …)`"));
    }
    let params: Vec<String> = params.iter().map(|param| format!("`{param}`")).collect();
    found.hint(format!("the performer and those who take part are among {}", params.join(", ")))
}
