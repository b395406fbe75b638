//! `wrong-count`: too many or too few arguments.

use dramaturg_model::{Code, Diagnostic, Span};

/// Too many or too few arguments.
pub const CODE: Code = Code::error("wrong-count");

/// `name` takes another number of arguments.
pub fn diagnostic(span: Span, name: &str, wanted: usize, found: usize, declared: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    Diagnostic::new(CODE, span, format!("`{name}` takes {wanted} argument{plural}, and {found} are written"))
        .label(declared, "declared here")
        .hint(if found < wanted { "say the missing ones" } else { "leave the surplus ones out" })
}
