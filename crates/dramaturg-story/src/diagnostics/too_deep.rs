//! `too-deep`: more nesting than anybody can read.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("too-deep");

/// How many levels of braces, parentheses and signs may lie within each other.
pub const LIMIT: u16 = 128;

/// What begins at `span` lies too deep.
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("more than {LIMIT} levels lie within each other here"))
        .hint("name a part of it: a fluent with `means` for a condition, a task of its own for a method")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn depth_is_bounded_in_every_direction() {
        let deep = |open: &str, close: &str, count: usize| {
            format!("story \"S\"\nfluent a\ngoal {}a{} //! too-deep\ngoal a", open.repeat(count), close.repeat(count))
        };
        for (open, close) in [("(", ")"), ("not ", ""), ("-", ""), ("", " + 1"), ("f(", ")"), ("any x: T (", ")")] {
            check_syntax(&deep(open, close, 200));
            check_syntax(&deep(open, close, 50).replace(" //! too-deep", ""));
            check_syntax(&deep(open, close, 20_000));
        }
    }

    #[test]
    fn braces_count_too() {
        let levels = format!("{}{}", "level l {".repeat(5_000), "}".repeat(5_000));
        let found = first_fault(&levels);
        assert_eq!(found.code, CODE);
        check_syntax(&format!("{levels} //! too-deep\ntype A"));
        check_syntax(&format!("{} //! too-deep", "level l {".repeat(5_000)));
    }
}
