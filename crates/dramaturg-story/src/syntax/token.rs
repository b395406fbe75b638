//! Tokens: stretches of source with a kind.

use super::word::Word;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// The end of the text.
    End,
    /// A name that does not begin with a capital.
    Name,
    /// A name that begins with a capital.
    Type,
    /// One of the words that are never names.
    Reserved,
    /// A number, with its unit if there is one.
    Number,
    /// A text with its quotes.
    Text,
    /// `#romance`
    Tag,
    /// `@cinema.truce`
    TextId,
    /// `_`
    Wildcard,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `..`
    DotDot,
    /// `|`
    Bar,
    /// `=`
    Assign,
    /// `+=`
    PlusAssign,
    /// `-=`
    MinusAssign,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
}

/// A stretch of source. Small, because a story has very many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Which word of the grammar a name or reserved word is.
    pub(crate) word: Word,
    /// Whether it is the first on its line.
    pub(crate) begins_line: bool,
    /// Whether something before it was left out because it begins no token; that has been reported.
    pub(crate) after_stray: bool,
    /// How many blanks the line it stands on begins with.
    pub(crate) indent: u16,
    /// The first byte.
    pub(crate) start: u32,
    /// The byte after the last.
    pub(crate) end: u32,
}

impl Token {
    /// Whether it is the first on a line that is not indented.
    pub(crate) const fn in_column_one(&self) -> bool {
        self.begins_line && self.indent == 0
    }
}

/// A comment, kept beside the tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    /// The first slash.
    pub(crate) start: u32,
    /// The byte after the last, without blanks at the end.
    pub(crate) end: u32,
    /// Whether it is hover text: exactly three slashes.
    pub(crate) doc: bool,
    /// Whether it is the first on its line.
    pub(crate) begins_line: bool,
}
