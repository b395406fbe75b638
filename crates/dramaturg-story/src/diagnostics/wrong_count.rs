//! `wrong-count`: too many or too few arguments.

use dramaturg_model::{Code, Diagnostic, Span};

/// Too many or too few arguments.
pub const CODE: Code = Code::error("wrong-count");

/// `name` takes another number of arguments.
pub fn diagnostic(span: Span, name: &str, wanted: usize, found: usize, declared: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    let written = match found {
        0 => "none is written".to_owned(),
        1 => "1 is written".to_owned(),
        _ => format!("{found} are written"),
    };
    let wanted_text = if wanted == 0 { "no".to_owned() } else { wanted.to_string() };
    Diagnostic::new(CODE, span, format!("`{name}` takes {wanted_text} argument{plural}, and {written}"))
        .label(declared, "declared here")
        .hint(if found < wanted { "say the missing ones" } else { "leave the surplus ones out" })
}

/// A pool or population without the one parameter that stands for each of its objects.
pub fn one_parameter(span: Span, name: &str, found: usize) -> Diagnostic {
    let written = if found == 0 { "no parameter".to_owned() } else { format!("{found} parameters") };
    Diagnostic::new(CODE, span, format!("`{name}` has {written}, and one is needed"))
        .hint("one parameter stands for each of them: `(m: Map)`")
}
