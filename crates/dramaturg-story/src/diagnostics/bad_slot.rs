//! `bad-slot`: a slot that names nothing.

use dramaturg_model::{Code, Diagnostic, Span};

/// A slot that names nothing.
pub const CODE: Code = Code::error("bad-slot");

/// A slot `{name}` with nothing of that name.
pub fn diagnostic(span: Span, name: &str, known: &[String], nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("the slot `{{{name}}}` names nothing here"));
    match (nearest, known) {
        (Some(near), _) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        (None, []) => found.hint("to show a brace, write `\\{`"),
        (None, known) => found.hint(format!("here you can show {}", known.join(", "))),
    }
}
