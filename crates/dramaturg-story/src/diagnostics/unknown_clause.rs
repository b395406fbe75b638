//! `unknown-clause`: a word that begins nothing.

use dramaturg_model::{Code, Diagnostic, Span};

use crate::syntax::place::Place;
use crate::syntax::word::Word;

/// The code.
pub const CODE: Code = Code::error("unknown-clause");

/// `text` stands where a clause, declaration, setting or step must begin.
pub(crate) fn unknown(span: Span, text: &str, place: Place, meant: Option<Word>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{text}` does not begin {}", place.thing()));
    match meant {
        Some(word) => found.hint(format!("did you mean `{}`?", word.text())).fix(
            format!("write `{}`", word.text()),
            span,
            word.text(),
        ),
        None => found.hint(super::may_stand(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_syntax, first_fault};

    #[test]
    fn a_misspelt_word_is_read_as_the_word() {
        check_syntax("story \"S\"\nfluent a\nacton go { //! unknown-clause\n  takes 3 ticks\n  then a\n}");
        check_syntax("story \"S\"\nfluent a\naction go {\n  neds not a //! unknown-clause\n  then a\n}");
        check_syntax("story \"S\" { opions 3 } //! unknown-clause");
        assert_eq!(first_fault("action go { neds a }").hint.as_deref(), Some("did you mean `needs`?"));
    }

    #[test]
    fn a_name_begins_no_clause() {
        check_syntax("story \"S\"\nfluent a\naction go {\n  a and not b //! unknown-clause\n  then a\n}");
        let found = first_fault("ending e { helen }");
        assert_eq!(found.hint.as_deref(), Some("in an ending may stand `then`, `when` or `say`"));
        assert_eq!(found.code, CODE);
    }
}
