//! `open-text`: a text without its closing quote.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("open-text");

/// A text that begins at `span` and has no end; `span` is what stands on its first line.
pub(crate) fn open(span: Span) -> Diagnostic {
    let quote = Span::new(span.file, span.start, span.start + 1);
    Diagnostic::new(CODE, quote, "this text has no closing `\"`")
        .here("opened here")
        .hint("close it with `\"`; inside a text a quote is written `\\\"`")
        .fix("close the text at the end of the line", span.after(), "\"")
}

#[cfg(test)]
mod tests {
    use crate::testing::check_syntax;

    #[test]
    fn the_rest_of_the_story_is_read_as_usual() {
        check_syntax(
            "story \"S\"
            fluent a, b
            rule r {
              when a
              say \"The door opens.   //! open-text
              then b
            }
            rule s { when b; say \"And shuts.\" }",
        );
    }

    #[test]
    fn the_last_text_of_a_file_may_be_open() {
        check_syntax("story \"S\"\nending e { when true; say \"Fin. } //! open-text\n}");
    }
}
