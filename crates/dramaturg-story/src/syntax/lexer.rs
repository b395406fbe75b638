//! Source text to tokens.
//!
//! Blanks and line breaks separate tokens and mean nothing else; comments are kept beside the tokens for hover texts and for
//! the formatter. A text in quotes is one token here; [`super::text`] cuts it into words and slots.

use dramaturg_model::{Diagnostic, FileId, Span};
use logos::Logos;

use super::token::{Comment, Token, TokenKind};
use super::unit;
use super::word::Word;
use crate::diagnostics::{open_text, stray_character};

/// More messages about one file than this help nobody, and would cost time and memory.
pub(crate) const DIAGNOSTICS_MAX: usize = 500;

/// What `logos` recognises. A hyphen belongs to a name only between two letters or digits.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\u{feff}]+")]
#[logos(subpattern follow = r"[\p{L}\p{M}\p{Nd}]")]
enum Lexeme {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"_+")]
    #[regex(r"(_+(?&follow)|\p{L})(?&follow)*((-|_+)(?&follow)+)*_*")]
    Word,
    #[regex(r"[0-9]+(\.[0-9]+)?")]
    Number,
    #[token("\"")]
    Quote,
    #[regex(r"#[\p{L}_](?&follow)*((-|_+)(?&follow)+)*_*")]
    Tag,
    #[regex(r"@[\p{L}_](?&follow)*([-_]+(?&follow)+)*(\.(?&follow)+([-_]+(?&follow)+)*)*")]
    TextId,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("|")]
    Bar,
    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    AtMost,
    #[token(">")]
    More,
    #[token(">=")]
    AtLeast,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
}

/// Tokens and comments of a text or of a slot in one.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// In order, with [`TokenKind::End`] last.
    pub(crate) tokens: Vec<Token>,
    /// In order.
    pub(crate) comments: Vec<Comment>,
    /// What was wrong.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Lexes `source[start..end]`; places count from the beginning of `source`.
pub(crate) fn lex(file: FileId, source: &str, start: usize, end: usize) -> Lexed {
    let text = source.get(start..end).unwrap_or("");
    // A story has a token for about every five bytes.
    let lexed = Lexed { tokens: Vec::with_capacity(text.len() / 4 + 1), ..Lexed::default() };
    let mut lexer = Lexer {
        file,
        text,
        offset: start as u32,
        lexed,
        indent: 0,
        begins_line: true,
        comment_begins_line: true,
        stray: None,
        open_close: None,
    };
    lexer.run();
    lexer.lexed
}

struct Lexer<'s> {
    file: FileId,
    text: &'s str,
    offset: u32,
    lexed: Lexed,
    indent: u16,
    /// Whether a line break has come since the last token.
    begins_line: bool,
    /// Whether a line break has come since the last token other than `;`, which may go without leaving a trace.
    comment_begins_line: bool,
    /// Characters left out since the last token.
    stray: Option<(usize, usize)>,
    /// Where the search for the end of an open text ended. Every quote before it is escaped, so texts that begin there are
    /// open as well, and need no search of their own: this keeps the time linear.
    open_close: Option<usize>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut logos = Lexeme::lexer(self.text);
        let mut before = 0;
        while let Some(found) = logos.next() {
            let range = logos.span();
            self.pass_blanks(before, range.start);
            before = range.end;
            let (kind, word) = match found {
                Err(()) => {
                    self.stray = Some((self.stray.map_or(range.start, |(first, _)| first), range.end));
                    continue;
                }
                Ok(Lexeme::Comment) => {
                    self.comment(range.start, range.end);
                    continue;
                }
                Ok(Lexeme::Word) => word_kind(logos.slice()),
                Ok(Lexeme::Number) => {
                    let unit = unit::length_behind_number(logos.remainder());
                    logos.bump(unit);
                    before += unit;
                    (TokenKind::Number, Word::None)
                }
                Ok(Lexeme::Quote) => {
                    before = self.text_end(range.start);
                    logos.bump(before.saturating_sub(range.end));
                    (TokenKind::Text, Word::None)
                }
                Ok(lexeme) => (sign_kind(lexeme), Word::None),
            };
            self.token(kind, word, range.start, before);
        }
        self.pass_blanks(before, self.text.len());
        self.token(TokenKind::End, Word::None, self.text.len(), self.text.len());
    }

    /// Notes whether the next token begins a line, and how far that line is indented.
    fn pass_blanks(&mut self, from: usize, to: usize) {
        let gap = self.text.as_bytes().get(from..to).unwrap_or(&[]);
        if let Some(at) = gap.iter().rposition(|byte| *byte == b'\n') {
            self.begins_line = true;
            self.comment_begins_line = true;
            self.indent = u16::try_from(gap.len() - at - 1).unwrap_or(u16::MAX);
        } else if from == 0 {
            self.indent = u16::try_from(gap.len()).unwrap_or(u16::MAX);
        }
    }

    fn token(&mut self, kind: TokenKind, word: Word, start: usize, end: usize) {
        let stray = self.stray.take();
        if let Some((from, to)) = stray {
            let characters = self.text.get(from..to).unwrap_or("");
            let diagnostic = stray_character::stray(self.span(from, to), characters);
            self.report(diagnostic);
        }
        self.lexed.tokens.push(Token {
            kind,
            word,
            begins_line: self.begins_line,
            after_stray: stray.is_some(),
            indent: self.indent,
            start: self.offset + start as u32,
            end: self.offset + end as u32,
        });
        self.begins_line = false;
        self.comment_begins_line &= kind == TokenKind::Semicolon;
    }

    fn comment(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or("");
        self.lexed.comments.push(Comment {
            start: self.offset + start as u32,
            end: self.offset + (start + text.trim_end().len()) as u32,
            doc: text.starts_with("///") && !text.starts_with("////"),
            begins_line: self.comment_begins_line,
        });
    }

    /// The byte after the text that begins with the quote at `start`.
    ///
    /// A forgotten quote would turn all that follows inside out, so the end of a text of several lines is looked at twice: a
    /// quote with a blank before it and a letter behind it rather begins a text than ends one.
    fn text_end(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut line_end = None;
        let mut at = start + 1;
        let close = loop {
            if line_end.is_some() && self.open_close.is_some_and(|known| at < known) {
                break None;
            }
            match bytes.get(at) {
                None => {
                    self.open_close = Some(usize::MAX);
                    break None;
                }
                Some(b'\\') => at += 1,
                Some(b'\n') => line_end = line_end.or(Some(at)),
                Some(b'"') => break Some(at),
                Some(_) => {}
            }
            at += 1;
        };
        match close {
            Some(close) if line_end.is_none() || !self.seems_to_open(close) => close + 1,
            close => {
                self.open_close = self.open_close.max(close);
                let line = self.text.get(start..line_end.unwrap_or(bytes.len())).unwrap_or("");
                let end = start + line.trim_end().len();
                self.report(open_text::open(self.span(start, end)));
                end
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.lexed.diagnostics.len() < DIAGNOSTICS_MAX {
            self.lexed.diagnostics.push(diagnostic);
        }
    }

    fn seems_to_open(&self, quote: usize) -> bool {
        let before = self.text.get(..quote).and_then(|text| text.chars().next_back());
        let after = self.text.get(quote + 1..).and_then(|text| text.chars().next());
        before.is_some_and(char::is_whitespace)
            && after.is_some_and(|next| next.is_alphanumeric() || "{*".contains(next))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.offset + start as u32, self.offset + end as u32)
    }
}

fn word_kind(text: &str) -> (TokenKind, Word) {
    if text == "_" {
        return (TokenKind::Wildcard, Word::None);
    }
    let word = Word::of(text);
    let kind = if word.is_reserved() {
        TokenKind::Reserved
    } else if text.chars().next().is_some_and(char::is_uppercase) {
        TokenKind::Type
    } else {
        TokenKind::Name
    };
    (kind, word)
}

fn sign_kind(lexeme: Lexeme) -> TokenKind {
    match lexeme {
        Lexeme::Comment | Lexeme::Word => TokenKind::Name,
        Lexeme::Number => TokenKind::Number,
        Lexeme::Quote => TokenKind::Text,
        Lexeme::Tag => TokenKind::Tag,
        Lexeme::TextId => TokenKind::TextId,
        Lexeme::OpenBrace => TokenKind::OpenBrace,
        Lexeme::CloseBrace => TokenKind::CloseBrace,
        Lexeme::OpenParen => TokenKind::OpenParen,
        Lexeme::CloseParen => TokenKind::CloseParen,
        Lexeme::Comma => TokenKind::Comma,
        Lexeme::Semicolon => TokenKind::Semicolon,
        Lexeme::Colon => TokenKind::Colon,
        Lexeme::Dot => TokenKind::Dot,
        Lexeme::DotDot => TokenKind::DotDot,
        Lexeme::Bar => TokenKind::Bar,
        Lexeme::Assign => TokenKind::Assign,
        Lexeme::PlusAssign => TokenKind::PlusAssign,
        Lexeme::MinusAssign => TokenKind::MinusAssign,
        Lexeme::Equal => TokenKind::Equal,
        Lexeme::NotEqual => TokenKind::NotEqual,
        Lexeme::Less => TokenKind::Less,
        Lexeme::AtMost => TokenKind::AtMost,
        Lexeme::More => TokenKind::More,
        Lexeme::AtLeast => TokenKind::AtLeast,
        Lexeme::Plus => TokenKind::Plus,
        Lexeme::Minus => TokenKind::Minus,
        Lexeme::Star => TokenKind::Star,
        Lexeme::Slash => TokenKind::Slash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let lexed = lex(FileId(0), text, 0, text.len());
        let shown = lexed.tokens.iter().filter(|token| token.kind != TokenKind::End).map(|token| {
            let kind = match token.kind {
                TokenKind::Name => "name ",
                TokenKind::Type => "type ",
                TokenKind::Reserved => "reserved ",
                TokenKind::Number => "number ",
                TokenKind::Text => "text ",
                TokenKind::Tag => "tag ",
                TokenKind::TextId => "id ",
                TokenKind::Wildcard => "wildcard ",
                _ => "",
            };
            format!("{kind}{}", &text[token.start as usize..token.end as usize])
        });
        let codes = lexed.diagnostics.iter().map(|diagnostic| format!("! {}", diagnostic.code.name));
        shown.chain(codes).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_hyphen_joins_only_letters_and_digits() {
        assert_eq!(tokens("throne-room"), "name throne-room");
        assert_eq!(tokens("a - b a -b a- b"), "name a, -, name b, name a, -, name b, name a, -, name b");
        assert_eq!(tokens("map-1.kind x-1-y"), "name map-1, ., name kind, name x-1-y");
        assert_eq!(tokens("a_-b a--b"), "name a_, -, name b, name a, -, -, name b");
        assert_eq!(tokens("5-3"), "number 5, -, number 3");
    }

    #[test]
    fn names_are_of_any_script() {
        assert_eq!(tokens("größe Ärger Ελένη 王 नमस्ते _x _ __"), {
            "name größe, type Ärger, type Ελένη, name 王, name नमस्ते, name _x, wildcard _, name __"
        });
        assert_eq!(tokens("not nothing In in"), "reserved not, name nothing, type In, reserved in");
    }

    #[test]
    fn number_and_unit_are_one_token() {
        assert_eq!(tokens("5 s 5s 5  s 2.5 min 25 % 25%"), {
            "number 5 s, number 5s, number 5, name s, number 2.5 min, number 25 %, number 25%"
        });
        assert_eq!(tokens("5 salience 1 day 3 days 2 daily 7 ticks 7 tick-tock"), {
            "number 5, name salience, number 1 day, number 3 days, number 2, name daily, number 7 ticks, number 7, \
             name tick-tock"
        });
        assert_eq!(tokens("0..100 0.. 1.5..2"), "number 0, .., number 100, number 0, .., number 1.5, .., number 2");
        assert_eq!(tokens("5\ns"), "number 5, name s");
    }

    #[test]
    fn tags_and_text_ids() {
        assert_eq!(tokens("#romance #day-1 @cinema.truce @lala-land.goCinema.say.1 ."), {
            "tag #romance, tag #day-1, id @cinema.truce, id @lala-land.goCinema.say.1, ."
        });
        assert_eq!(tokens("# a @ b"), "name a, name b, ! stray-character, ! stray-character");
    }

    #[test]
    fn an_open_text_ends_with_its_line() {
        assert_eq!(tokens("say \"a\n  then b\n  say \"c\"\n"), {
            "name say, text \"a, name then, name b, name say, text \"c\", ! open-text"
        });
        assert_eq!(tokens("\"a\n  b\" c"), "text \"a\n  b\", name c");
        assert_eq!(tokens(r#""a \" b" c"#), r#"text "a \" b", name c"#);
        assert_eq!(tokens("a \"b"), "name a, text \"b, ! open-text");
        assert_eq!(tokens("\"\\"), "text \"\\, ! open-text");
    }

    #[test]
    fn comments_stand_beside_the_tokens() {
        let lexed = lex(FileId(0), "/// hover\na // why \n//// no hover", 0, 31);
        let shown: Vec<_> = lexed.comments.iter().map(|it| (it.start, it.end, it.doc, it.begins_line)).collect();
        assert_eq!(shown, [(0, 9, true, true), (12, 18, false, false), (20, 31, false, true)]);
    }
}
