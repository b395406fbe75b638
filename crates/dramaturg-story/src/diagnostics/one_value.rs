//! `one-value`: a fluent with a single possible value.

use dramaturg_model::{Code, Diagnostic, Span};

/// A fluent with a single possible value.
pub const CODE: Code = Code::warning("one-value");

/// Only one value is possible.
pub fn diagnostic(span: Span, value: &str) -> Diagnostic {
    let near = ["number", "duration", "actuator", "int"]
        .into_iter()
        .find(|word| strsim::damerau_levenshtein(word, value) <= 2);
    let found = Diagnostic::new(CODE, span, format!("this can only ever be `{value}`"));
    match near {
        Some(word) => found.hint(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), span, word),
        None => found.hint("add other values with `|`, or leave the values out for yes or no"),
    }
}
