//! `uneven-time`: a time that is not a whole number of ticks.

use dramaturg_model::{Code, Diagnostic, Span};

/// A time that is not a whole number of ticks.
pub const CODE: Code = Code::warning("uneven-time");

/// The time is rounded.
pub fn diagnostic(span: Span, ticks: i64) -> Diagnostic {
    let unit = if ticks == 1 { "tick" } else { "ticks" };
    Diagnostic::new(CODE, span, format!("this is not a whole number of ticks; it counts as {ticks} {unit}")).fix(
        format!("write `{ticks} {unit}`"),
        span,
        format!("{ticks} {unit}"),
    )
}
