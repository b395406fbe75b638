//! Texts in quotes: words, escapes and slots.

use dramaturg_model::{Diagnostic, Span};
use smol_str::SmolStr;

use super::lexer::lex;
use super::parser::Parser;
use super::token::{Token, TokenKind};
use super::tree::{Expr, Ident, Line, Text, TextPiece};
use crate::diagnostics::{stray_character, unclosed_brace};

impl Parser<'_> {
    /// STRING
    pub(super) fn string(&mut self, wanted: &str) -> Option<Text> {
        let token = self.peek();
        if token.kind != TokenKind::Text {
            self.fail_expected(wanted);
            return None;
        }
        self.bump();
        Some(Text { pieces: self.pieces(token), span: self.span(token) })
    }

    /// A STRING if there is one here.
    pub(super) fn string_if_any(&mut self) -> Option<Text> {
        if self.at(TokenKind::Text) { self.string("a text") } else { None }
    }

    /// `text = STRING [ TEXTID ]`
    pub(super) fn line(&mut self) -> Option<Line> {
        let text = self.string("a text in quotes")?;
        let token = self.peek();
        let id = (token.kind == TokenKind::TextId).then(|| {
            self.bump();
            Ident { text: SmolStr::new(self.text(token).trim_start_matches('@')), span: self.span(token) }
        });
        Some(Line { text, id })
    }

    fn pieces(&mut self, token: Token) -> Vec<TextPiece> {
        let quoted = self.text(token);
        let inner = quoted.strip_prefix('"').unwrap_or(quoted);
        let inner = if quoted.len() > 1 { inner.strip_suffix('"').unwrap_or(inner) } else { inner };
        let offset = token.start as usize + 1;
        // Most texts are plain words.
        if !inner.contains(['\\', '{', '\n']) {
            let words = (!inner.is_empty()).then(|| TextPiece::Words(SmolStr::new(inner)));
            return words.into_iter().collect();
        }
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = inner;
        while let Some(at) = rest.find(['\\', '{', '\n']) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            words.push_str(before);
            let place = offset + inner.len() - from.len();
            rest = match from.as_bytes().first() {
                Some(b'\n') => line_break(&mut words, from),
                Some(b'\\') => self.escape(&mut words, from, place),
                _ => match from.find('}') {
                    Some(length) => {
                        if !words.is_empty() {
                            pieces.push(TextPiece::Words(SmolStr::new(&words)));
                            words.clear();
                        }
                        pieces.push(TextPiece::Slot(self.slot(place + 1, place + length)));
                        from.get(length + 1..).unwrap_or("")
                    }
                    None => {
                        // No `{` behind it is closed either, and one message will do.
                        self.note(unclosed_brace::slot(self.bytes(place, place + 1)));
                        words.push_str(from);
                        ""
                    }
                },
            };
        }
        words.push_str(rest);
        if !words.is_empty() {
            pieces.push(TextPiece::Words(SmolStr::new(&words)));
        }
        pieces
    }

    /// Resolves the escape with which `from` begins and returns what follows it.
    fn escape<'t>(&mut self, words: &mut String, from: &'t str, place: usize) -> &'t str {
        let behind = from.get(1..).unwrap_or("");
        match behind.chars().next() {
            Some(escaped @ ('"' | '\\' | '{')) => {
                words.push(escaped);
                behind.get(1..).unwrap_or("")
            }
            Some(other) => {
                self.note(stray_character::backslash(self.bytes(place, place + 1), other));
                behind
            }
            None => behind,
        }
    }

    /// The expression in `source[start..end]`, between the braces of a slot.
    fn slot(&mut self, start: usize, end: usize) -> Expr {
        let lexed = lex(self.file, self.source, start, end);
        let outer_tokens = std::mem::replace(&mut self.tokens, lexed.tokens);
        let outer = (self.at, self.failed, self.in_slot, self.parens);
        (self.at, self.failed, self.in_slot, self.parens) = (0, false, true, 0);
        for diagnostic in lexed.diagnostics {
            self.note(diagnostic);
        }
        let expr = self.expr();
        if !self.failed && !self.at(TokenKind::End) {
            self.fail_expected("`}`");
        }
        self.tokens = outer_tokens;
        (self.at, self.failed, self.in_slot, self.parens) = outer;
        expr
    }

    fn bytes(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }
}

/// Writes a line break and the blanks around it as one blank, or as a paragraph if a line between is empty; returns what
/// follows.
fn line_break<'t>(words: &mut String, from: &'t str) -> &'t str {
    words.truncate(words.trim_end_matches([' ', '\t', '\r']).len());
    let behind = from.trim_start_matches([' ', '\t', '\r', '\n']);
    let blanks = from.get(..from.len() - behind.len()).unwrap_or("");
    let breaks = blanks.bytes().filter(|byte| *byte == b'\n').count();
    words.push_str(if breaks > 1 { "\n\n" } else { " " });
    behind
}

/// Lexer diagnostics come before the parser's; places decide.
pub(super) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    dramaturg_model::sort_diagnostics(&mut diagnostics);
    diagnostics
}
