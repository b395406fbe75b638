//! `too-precise`: a number with more than six decimals.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("too-precise");

/// The digits at `span` have too many decimals; `rounded` is the nearest number that can be said.
pub(crate) fn too_precise(span: Span, digits: &str, rounded: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{digits}` has more than six decimals"))
        .hint("numbers are exact to the millionth, and no further")
        .fix(format!("write `{rounded}`"), span, rounded)
}

/// A share in percent, which is a hundredth, has too many decimals.
pub(crate) fn percent(span: Span, digits: &str, rounded: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{digits} %` has more than six decimals as a number"))
        .hint("a percentage has at most four decimals")
        .fix(format!("write `{rounded}`"), span, rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{apply_fix, check_syntax, first_fault};

    #[test]
    fn six_decimals_are_exact() {
        check_syntax("story \"S\"\nfluent x: number = 0.123456");
        check_syntax("story \"S\"\nfluent x: number = 0.1234567 //! too-precise");
    }

    #[test]
    fn the_fix_rounds() {
        assert_eq!(apply_fix("fluent x: number = 0.1234567"), "fluent x: number = 0.123457");
        assert_eq!(apply_fix("fluent x: number = 1.9999999 s"), "fluent x: number = 2 s");
        assert_eq!(apply_fix("fluent x: number = 1.23456 %"), "fluent x: number = 1.2346 %");
        assert_eq!(first_fault("fluent x: number = 0.0000001").code, CODE);
    }
}
