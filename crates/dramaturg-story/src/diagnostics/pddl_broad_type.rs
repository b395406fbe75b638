//! `pddl-broad-type`: a variable that may be more than the predicate takes.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::warning("pddl-broad-type");

/// `name` is `found`, which is more than the `wanted` of the declaration.
pub(crate) fn broad_type(span: Span, name: &str, found: &str, wanted: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{name}` is of type {found}, and not always {wanted}"))
        .here("never true of the others")
        .label(declared, "declared here")
        .hint(format!("declare `{name}` as {wanted}, or the parameter as {found}"))
}
