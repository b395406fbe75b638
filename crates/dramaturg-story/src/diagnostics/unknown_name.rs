//! `unknown-name`: a name that nothing in reach is called.

use dramaturg_model::{Code, Diagnostic, Span};

/// A name that nothing in reach is called.
pub const CODE: Code = Code::error("unknown-name");

/// Nothing is called `name`; `wanted` says what could stand here.
pub fn diagnostic(span: Span, name: &str, wanted: &str, nearest: Option<&str>) -> Diagnostic {
    let found =
        Diagnostic::new(CODE, span, format!("nothing here is called `{name}`")).here(format!("expected {wanted}"));
    if let Some((left, right)) = subtraction(name) {
        let written = format!("{left} - {right}");
        return found.hint(format!("to subtract, write `{written}`")).fix(format!("write `{written}`"), span, written);
    }
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint("declare it, or check the spelling"),
    }
}

/// `_` outside a pattern.
pub fn wildcard(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "`_` stands for anything, but only in patterns, as in `after give(_, helen)`")
        .hint("name what is meant; for \"some object\" write `any x: T (…)`")
}

/// `x-1` is one name; whoever wrote it meant a subtraction.
fn subtraction(name: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('-').filter(|(left, right)| !left.is_empty() && digits(right))
}
