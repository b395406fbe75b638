//! `too-large`: a number beyond what can be counted, or a file beyond what is read.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("too-large");

/// How many bytes a file may have.
pub const FILE_BYTES_MAX: usize = 16 << 20;

/// The number at `span` is beyond what can be counted.
pub(crate) fn number(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a number beyond what can be counted")
        .hint("numbers go up to 9223372036854, about nine million million")
}

/// The file is beyond what is read.
pub(crate) fn file(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this file is larger than {} MiB", FILE_BYTES_MAX >> 20))
        .hint("cut the story into several files and name them with `use`")
}

/// A meaning that is too large when everything in it is written out.
pub(crate) fn meaning(span: Span, name: &str, limit: u64) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("written out, the meaning of `{name}` has more than {limit} parts"))
        .hint("meanings are written out wherever they are used; keep the result in a fluent that a rule sets")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, check_syntax, first_fault};

    #[test]
    fn what_can_be_counted_is() {
        check_syntax("story \"S\"\nfluent x: number = 9223372036854.775807");
        check_syntax("story \"S\"\nfluent x: number = 9223372036854.775808 //! too-large");
        check_syntax("story \"S\"\nfluent x: number = 99999999999999999999999999999 //! too-large");
    }

    #[test]
    fn a_huge_file_is_not_read() {
        let found = first_fault(&" ".repeat(FILE_BYTES_MAX + 1));
        assert_eq!(found.code, CODE);
    }

    #[test]
    fn a_meaning_written_out() {
        check(
            r#"story "Echo"
             fluent heard
             fluent one means heard and heard and heard and heard and heard and heard and heard and heard and heard and heard
             fluent two means one and one and one and one and one and one and one and one and one and one
             fluent three means two and two and two and two and two and two and two and two and two and two
             fluent four means three and three and three and three and three and three and three and three and three and three
             fluent five means four and four and four and four and four and four and four and four and four and four //! too-large
             fluent six means five and five
             action call { then heard }
             goal six"#,
        );
    }

    #[test]
    fn a_time_beyond_counting() {
        check(
            r#"story "Echo" { ticks 60 per s }
             fluent heard
             action call { takes 9000000000000 h; then heard } //! too-large
             goal heard"#,
        );
    }
}
