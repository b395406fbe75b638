//! PDDL text to tokens.
//!
//! PDDL has three tokens: two parentheses, and everything else that stands together without blanks. What an atom is (a name, a
//! variable, a number, a keyword) is decided where it stands.

use logos::Logos;

/// One token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\f\u{feff}]+")]
#[logos(skip(r";[^\n]*", allow_greedy = true))]
pub(super) enum Lexeme {
    /// `(`
    #[token("(")]
    Open,
    /// `)`
    #[token(")")]
    Close,
    /// Anything else without blanks. A question mark begins a new one: `truck?t` is how some domains write `truck ?t`. A hyphen before
    /// anything but a number is one of its own: some write `?t -truck`.
    #[regex(r"\??[^ \t\r\n\x0B\f\u{feff}();?\-][^ \t\r\n\x0B\f\u{feff}();?]*")]
    #[regex(r"-[0-9.][^ \t\r\n\x0B\f\u{feff}();?]*")]
    #[token("?")]
    #[token("-")]
    Atom,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_atoms_and_lines_end_comments() {
        let text = "(at?x;why not\n-1.5)";
        let found: Vec<_> = Lexeme::lexer(text).spanned().map(|(token, range)| (token, &text[range])).collect();
        let atom = Ok(Lexeme::Atom);
        let wanted = [(Ok(Lexeme::Open), "("), (atom, "at"), (atom, "?x"), (atom, "-1.5"), (Ok(Lexeme::Close), ")")];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_hyphen_before_a_name_stands_alone() {
        let text = "?g-1 -goods - 3 -.5 --x a--b";
        let found: Vec<_> = Lexeme::lexer(text).spanned().map(|(token, range)| (token.is_ok(), &text[range])).collect();
        let wanted = ["?g-1", "-", "goods", "-", "3", "-.5", "-", "-", "x", "a--b"];
        assert_eq!(found, wanted.map(|atom| (true, atom)));
    }
}
