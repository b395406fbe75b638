//! What is said about a source: a code, a message, labelled places, a hint, a fix.

use serde::Serialize;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The story cannot be used as it stands.
    Error,
    /// The story works, but hardly as meant.
    Warning,
    /// It could be said better.
    Hint,
}

/// The stable name of a kind of diagnostic; each has a page in `docs/diagnostics/`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Code {
    /// For example `unknown-name`.
    pub name: &'static str,
    /// How bad this kind is.
    pub severity: Severity,
}

impl Code {
    /// A code whose presence stops the story from being used.
    pub const fn error(name: &'static str) -> Self {
        Self { name, severity: Severity::Error }
    }

    /// A code that warns.
    pub const fn warning(name: &'static str) -> Self {
        Self { name, severity: Severity::Warning }
    }

    /// A code that hints.
    pub const fn hint(name: &'static str) -> Self {
        Self { name, severity: Severity::Hint }
    }
}

/// A place and what is to be said about it there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What, in a few words; may be empty.
    pub text: String,
}

/// A change of the source that cures the fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Fix {
    /// What the change does, as an order: "write `s`".
    pub title: String,
    /// Stretches and what takes their place; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One stretch of source replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Edit {
    /// What is taken out (empty to insert).
    pub span: Span,
    /// What is put there.
    pub text: String,
}

/// One thing said about a source.
///
/// ```
/// use dramaturg_model::{Code, Diagnostic, FileId, Span};
/// const UNKNOWN_NAME: Code = Code::error("unknown-name");
/// let place = Span::new(FileId(0), 10, 16);
/// let found = Diagnostic::new(UNKNOWN_NAME, place, "nothing is called `helan`").hint("did you mean `helen`?");
/// assert_eq!(found.span(), place);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Diagnostic {
    /// What kind of thing.
    pub code: Code,
    /// What is wrong, in one sentence that names names.
    pub message: String,
    /// The place of the fault first, then others that explain it.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
    /// A change that does it.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A diagnostic at one place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), labels: vec![Label { span, text: String::new() }], hint: None, fix: None }
    }

    /// Says something at the place of the fault itself.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Shows another place; places outside all files are left out.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        if span != Span::NONE {
            self.labels.push(Label { span, text: text.into() });
        }
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Offers a change that replaces one stretch.
    #[must_use]
    pub fn fix(self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        self.fix_all(title, vec![Edit { span, text: text.into() }])
    }

    /// Offers a change of several stretches.
    #[must_use]
    pub fn fix_all(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { title: title.into(), edits });
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.severity
    }

    /// Whether it stops the story from being used.
    pub fn is_error(&self) -> bool {
        self.code.severity == Severity::Error
    }

    /// The place of the fault.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::NONE, |label| label.span)
    }
}

/// Puts diagnostics in order of place, then severity, then code, and drops exact repetitions.
pub fn sort_diagnostics(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (a.span(), a.severity(), a.code.name, &a.message).cmp(&(b.span(), b.severity(), b.code.name, &b.message))
    });
    diagnostics.dedup();
}
