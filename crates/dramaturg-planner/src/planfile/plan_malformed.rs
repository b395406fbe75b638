//! `plan-malformed`: a line that is no step, or a file that is no plan.

use dramaturg_model::{Code, Diagnostic, Span};

/// A line that is no step, or a file that is no plan.
pub const PLAN_MALFORMED: Code = Code::error("plan-malformed");

pub(super) fn line(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(PLAN_MALFORMED, span, format!("this is no step: {what}"))
        .hint("a step is written `(action object …)`, or with its time `0.001: (action object …) [duration]`")
}
