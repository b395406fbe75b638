//! `unknown-name`: an action or object that the model does not have.

use dramaturg_model::{Code, Diagnostic, Span};

/// An action or object that the model does not have.
pub const UNKNOWN_NAME: Code = Code::error("unknown-name");

/// Names further apart than this are not meant.
const SIMILARITY_MIN: f64 = 0.7;
/// Comparing more names than this takes too long.
const NAMES_MAX: usize = 10_000;

/// Says that nothing is called so, and what may have been meant.
pub(super) fn unknown<'a>(span: Span, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let lower = name.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    if name.len() <= 200 {
        for candidate in known.take(NAMES_MAX) {
            let similarity = strsim::jaro_winkler(&lower, &candidate.to_lowercase());
            if similarity >= SIMILARITY_MIN && best.is_none_or(|(least, _)| similarity > least) {
                best = Some((similarity, candidate));
            }
        }
    }
    let shown: String = name.chars().take(80).collect();
    let diagnostic = Diagnostic::new(UNKNOWN_NAME, span, format!("there is no {what} called `{shown}`"));
    match best {
        Some((_, candidate)) => {
            diagnostic.hint(format!("did you mean `{candidate}`?")).fix(format!("write `{candidate}`"), span, candidate)
        }
        None => diagnostic,
    }
}
