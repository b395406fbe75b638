//! Where a play and what happened part.

use std::fmt::Write;

use dramaturg::model::{Code, Diagnostic, Sources, Span, Tick};
use dramaturg::render::{JsonPlace, json_place};
use serde::Serialize;

use crate::style::{BAD, DIM, GOOD};

/// Where a play and what happened part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What kind of thing.
    pub code: Code,
    /// The step of the play that was not met.
    pub place: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What is to be said at the step itself.
    pub here: String,
    /// What to do.
    pub hint: Option<String>,
    /// When.
    pub tick: Tick,
    /// What was seen last before the step's turn came.
    pub before: Vec<(Tick, String)>,
    /// What was seen instead.
    pub instead: Vec<(Tick, String)>,
}

/// Something that a play wants to see did not come.
pub const NOT_SEEN: Code = Code::error("not-seen");
/// Something came at another time.
pub const OTHER_TIME: Code = Code::error("other-time");
/// Something came that must not come.
pub const SEEN_AFTER_ALL: Code = Code::error("seen-after-all");
/// Somebody did something else than exactly this.
pub const DONE_OTHERWISE: Code = Code::error("done-otherwise");
/// A condition does not hold.
pub const CHECK_FAILED: Code = Code::error("check-failed");
/// What the play does cannot be done.
pub const NOT_POSSIBLE: Code = Code::error("not-possible");
/// A second performance went otherwise.
pub const NOT_THE_SAME: Code = Code::error("not-the-same");

impl Difference {
    /// A difference at a step, at a tick.
    pub fn new(code: Code, place: Span, tick: Tick, message: impl Into<String>) -> Self {
        Self {
            code,
            place,
            message: message.into(),
            here: String::new(),
            hint: None,
            tick,
            before: Vec::new(),
            instead: Vec::new(),
        }
    }

    /// Says something at the step itself.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.here = text.into();
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// As a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let found = Diagnostic::new(self.code, self.place, &self.message).here(&self.here);
        match &self.hint {
            Some(hint) => found.hint(hint),
            None => found,
        }
    }

    /// What was wanted and what came, line against line.
    pub fn diff(&self, sources: &Sources) -> String {
        let mut text = String::new();
        if self.instead.is_empty() && self.code != NOT_SEEN {
            return text;
        }
        let mut line = |sign: &str, style: anstyle::Style, tick: Option<Tick>, what: &str| {
            let tick = tick.map_or_else(String::new, |tick| tick.to_string());
            let _ = writeln!(text, "  {style}{sign} {tick:>8}  {what}{style:#}");
        };
        self.before.iter().for_each(|(tick, what)| line(" ", DIM, Some(*tick), what));
        line("-", BAD, None, &self.wanted(sources));
        self.instead.iter().for_each(|(tick, what)| line("+", GOOD, Some(*tick), what));
        if self.instead.is_empty() {
            line("+", GOOD, Some(self.tick), "(nothing)");
        }
        text
    }

    /// The step as it is written, on one line.
    pub fn wanted(&self, sources: &Sources) -> String {
        sources.text(self.place).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// For machines.
    pub fn json<'s>(&'s self, sources: &'s Sources) -> JsonDifference<'s> {
        JsonDifference {
            code: self.code.name,
            message: &self.message,
            hint: self.hint.as_deref(),
            place: json_place(sources, self.place),
            tick: self.tick,
            wanted: self.wanted(sources),
            instead: self.instead.iter().map(|(tick, what)| JsonSeen { tick: *tick, what }).collect(),
        }
    }
}

/// A difference for machines.
#[derive(Debug, Serialize)]
pub struct JsonDifference<'s> {
    code: &'static str,
    message: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'s str>,
    place: Option<JsonPlace<'s>>,
    tick: Tick,
    wanted: String,
    instead: Vec<JsonSeen<'s>>,
}

/// Something that was seen, for machines.
#[derive(Debug, Serialize)]
pub struct JsonSeen<'s> {
    /// When.
    pub tick: Tick,
    /// What.
    pub what: &'s str,
}
