//! `uneven-time`: a time that is no whole number of ticks.

use dramaturg_model::{Code, Diagnostic, Span};

/// A time that is no whole number of ticks.
pub const UNEVEN_TIME: Code = Code::warning("uneven-time");

pub(super) fn uneven(span: Span, message: String) -> Diagnostic {
    Diagnostic::new(UNEVEN_TIME, span, message).hint("read the domain with more ticks a unit of time")
}
