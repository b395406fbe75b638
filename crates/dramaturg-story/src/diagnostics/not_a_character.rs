//! `not-a-character`: goals for something that does not plan.

use dramaturg_model::{Code, Diagnostic, Span};

/// Goals for something that does not plan.
pub const CODE: Code = Code::error("not-a-character");

/// Goals are given to an object that is no character.
///
/// `word` is the word `object` in front of it, if it stands there for this one alone.
pub fn diagnostic(span: Span, name: &str, declared: Span, word: Option<Span>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{name}` is no character, so nobody would pursue its goals"))
        .label(declared, "declared here")
        .hint(format!("declare it as `character {name}: …`"));
    match word {
        Some(word) => found.fix("write `character`", word, "character"),
        None => found,
    }
}
