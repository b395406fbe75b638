//! `pddl-negative-cycle`: a derived predicate that needs its own opposite.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("pddl-negative-cycle");

/// `name` needs that `through` does not hold, and `through` (derived at `other`) needs `name`.
pub(crate) fn negative_cycle(span: Span, name: &str, through: &str, other: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is derived from what `{name}` is not"))
        .here(format!("needs that `{through}` does not hold"))
        .label(other, format!("and `{through}` in turn needs `{name}`"))
        .hint("take the `not` out of the circle: derive the positive part first, and negate it from outside")
}
