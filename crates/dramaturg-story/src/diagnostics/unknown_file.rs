//! `unknown-file`: `use` of a file that is not there.

use dramaturg_model::{Code, Diagnostic, Span};

/// `use` of a file that is not there.
pub const CODE: Code = Code::error("unknown-file");

/// There is no such file.
pub fn diagnostic(span: Span, path: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("there is no file `{path}`"));
    match nearest {
        Some(near) => {
            found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, format!("\"{near}\""))
        }
        None => found.hint("paths are relative to this file, with `/`, without `.story`"),
    }
}
