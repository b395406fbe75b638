//! `no-tick-length`: a time in seconds in a story that does not say how long a tick is.

use dramaturg_model::{Code, Diagnostic, Span};

/// A time in seconds in a story that does not say how long a tick is.
pub const CODE: Code = Code::error("no-tick-length");

/// A unit other than ticks without `ticks … per …` in the header.
pub fn diagnostic(span: Span, header: Option<(Span, bool)>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, "the story does not say how long a tick is")
        .hint("write `ticks 60 per s` in the header, or count in `ticks`");
    match header {
        Some((end, true)) => found.fix("add `ticks 60 per s`", end, " ticks 60 per s;"),
        Some((end, false)) => found.fix("add `ticks 60 per s`", end, " { ticks 60 per s }"),
        None => found,
    }
}

/// `days` without the length of a day.
pub fn no_day(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "the story does not say how long a day is").hint("write `day 24 h` in the header")
}
