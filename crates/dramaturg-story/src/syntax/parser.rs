//! The parser's state and its smallest steps.
//!
//! The parser never fails: after a fault it is in a state in which no token fits ([`Parser::peek`] shows the end of the text),
//! so that all it was in the middle of ends quickly and says nothing more; the loop over the things of a body then finds a
//! place to go on ([`super::recovery`]).

use dramaturg_model::{Diagnostic, FileId, Span};
use smol_str::SmolStr;

use super::lexer::{DIAGNOSTICS_MAX, Lexed, lex};
use super::mark::Mark;
use super::place::{Place, SUFFIXES};
use super::token::{Comment, Token, TokenKind};
use super::tree::{Ident, Tag};
use super::word::Word;
use crate::diagnostics::{expected, too_deep};

/// A body whose braces are open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    pub(super) place: Place,
    /// The brace; empty for a whole file.
    pub(super) brace: Span,
    /// How far the line with the brace is indented.
    pub(super) indent: u16,
}

/// Reads tokens from left to right, one token ahead.
pub(crate) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) file: FileId,
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    pub(super) marks: Vec<Mark>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Index of the next token.
    pub(super) at: usize,
    /// Whether a fault has been reported from which the parser has not recovered.
    pub(super) failed: bool,
    /// How many braces, parentheses and signs are open.
    pub(super) depth: u16,
    /// How many parentheses are open in the expression being parsed.
    pub(super) parens: u16,
    /// How deep the expression parsed last is.
    pub(super) height: u16,
    /// The bodies around the next token, the innermost last.
    pub(super) open: Vec<Opened>,
    /// How far the line is indented on which the thing begins that is being parsed.
    pub(super) thing_indent: u16,
    /// A brace whose `}` stands further left than it should: the one to blame if a `}` is missing.
    pub(super) suspect: Option<Span>,
    /// The token before which a missing `}` was reported; the bodies around are not reported as well.
    pub(super) unclosed_before: Option<usize>,
    /// Whether the tokens are those of a slot in a text.
    pub(super) in_slot: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn new(file: FileId, source: &'s str) -> Self {
        let Lexed { tokens, comments, diagnostics } = lex(file, source, 0, source.len());
        let marks = vec![Mark::Plain; tokens.len()];
        Self {
            source,
            file,
            tokens,
            comments,
            marks,
            diagnostics,
            at: 0,
            failed: false,
            depth: 0,
            parens: 0,
            height: 0,
            open: Vec::new(),
            thing_indent: 0,
            suspect: None,
            unclosed_before: None,
            in_slot: false,
        }
    }

    /// What stands at an index; beyond the last token, the end of the text.
    pub(super) fn token_at(&self, index: usize) -> Token {
        match self.tokens.get(index).or(self.tokens.last()) {
            Some(token) => *token,
            None => self.nothing(),
        }
    }

    fn nothing(&self) -> Token {
        let end = self.source.len() as u32;
        Token {
            kind: TokenKind::End,
            word: Word::None,
            begins_line: false,
            after_stray: false,
            indent: 0,
            start: end,
            end,
        }
    }

    /// The next token, whatever has happened.
    pub(super) fn raw(&self) -> Token {
        self.token_at(self.at)
    }

    /// The next token, or the end of the text after a fault.
    pub(super) fn peek(&self) -> Token {
        if self.failed { self.nothing() } else { self.raw() }
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// Whether the next token is this word, be it reserved or not.
    pub(super) fn at_word(&self, word: Word) -> bool {
        self.peek().word == word
    }

    /// Steps over the next token.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.raw();
        if self.at < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.at(kind);
        if here {
            self.bump();
        }
        here
    }

    /// Steps over a word inside a clause or header.
    pub(super) fn eat_word(&mut self, word: Word) -> bool {
        let here = self.at_word(word);
        if here {
            self.bump();
        }
        here
    }

    /// Steps over a word that begins a part of a clause: a good place for a line break.
    pub(super) fn eat_part(&mut self, word: Word) -> bool {
        if self.at_word(word) {
            self.mark(Mark::Part);
        }
        self.eat_word(word)
    }

    /// Tells the formatter about the next token.
    pub(super) fn mark(&mut self, mark: Mark) {
        self.mark_at(self.at, mark);
    }

    pub(super) fn mark_at(&mut self, index: usize, mark: Mark) {
        if let Some(place) = self.marks.get_mut(index).filter(|_| !self.in_slot) {
            *place = mark;
        }
    }

    /// What stands in the source at a token.
    pub(super) fn text(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// From the token at `start` to the last one stepped over.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let first = self.token_at(start).start;
        let last = if self.at > start { self.token_at(self.at - 1).end } else { first };
        Span::new(self.file, first, last)
    }

    /// Says something and goes on as if nothing had happened.
    pub(super) fn note(&mut self, diagnostic: Diagnostic) {
        if !self.failed && self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Says something about the next token, and lets nothing fit until the parser has recovered.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) {
        // What is missing here is probably what was left out as a stray character.
        if !self.raw().after_stray {
            self.note(diagnostic);
        }
        self.failed = true;
    }

    /// How the next token is called in messages.
    pub(super) fn found(&self) -> String {
        let token = self.raw();
        match token.kind {
            TokenKind::End if self.in_slot => "the end of the slot".to_owned(),
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Text => "a text".to_owned(),
            _ => format!("`{}`", self.text(token)),
        }
    }

    /// Reports that something else must stand here, or, where a line ends, something more.
    pub(super) fn fail_expected(&mut self, wanted: &str) {
        if !self.failed {
            let diagnostic = self.expected(wanted);
            self.fail(diagnostic);
        }
    }

    fn expected(&self, wanted: &str) -> Diagnostic {
        let token = self.raw();
        let line_ends = token.begins_line || token.kind == TokenKind::End;
        match self.at.checked_sub(1).filter(|_| line_ends && !self.in_slot) {
            Some(before) => expected::missing(self.span(self.token_at(before)), wanted),
            None => expected::expected(self.span(token), &self.found(), wanted),
        }
    }

    /// Steps over a token that must stand here.
    pub(super) fn expect(&mut self, kind: TokenKind, wanted: &str) -> bool {
        if self.eat(kind) || self.behind_slipped_unit(|token| token.kind == kind) && self.eat(kind) {
            return true;
        }
        self.fail_expected(wanted);
        false
    }

    /// Steps over a word that must stand here.
    pub(super) fn expect_word(&mut self, word: Word) -> bool {
        if self.eat_word(word) {
            return true;
        }
        self.fail_expected(&format!("`{}`", word.text()));
        false
    }

    /// Steps over the `)` of the parenthesis at `open`.
    pub(super) fn close_paren(&mut self, open: Span, wanted: &str) {
        let closes = |token: Token| token.kind == TokenKind::CloseParen;
        if self.eat(TokenKind::CloseParen) || self.behind_slipped_unit(closes) && self.eat(TokenKind::CloseParen) {
            return;
        }
        if self.failed {
            return;
        }
        let diagnostic = self.expected(wanted).label(open, "opened here");
        self.fail(diagnostic);
    }

    /// A NAME.
    pub(super) fn name(&mut self, wanted: &str) -> Option<Ident> {
        self.ident(TokenKind::Name, wanted)
    }

    /// A TYPE.
    pub(super) fn type_name(&mut self) -> Option<Ident> {
        self.ident(TokenKind::Type, "a type, which begins with a capital")
    }

    fn ident(&mut self, kind: TokenKind, wanted: &str) -> Option<Ident> {
        let token = self.peek();
        if token.kind == kind {
            self.bump();
            return Some(Ident { text: SmolStr::new(self.text(token)), span: self.span(token) });
        }
        if token.kind == TokenKind::Reserved {
            self.fail(expected::reserved(self.span(token), self.text(token), wanted));
        } else {
            self.fail_expected(wanted);
        }
        None
    }

    /// `#romance`
    pub(super) fn tag(&mut self) -> Option<Tag> {
        let token = self.peek();
        if token.kind != TokenKind::Tag {
            self.fail_expected("a tag such as `#romance`");
            return None;
        }
        self.bump();
        let text = self.text(token).trim_start_matches('#');
        Some(Tag { name: Ident { text: SmolStr::new(text), span: self.span(token) } })
    }

    /// Reports that a path is missing where it would swallow the word of the next clause. A word may be a name, but not when a
    /// line begins with it and what follows could only belong to the clause.
    pub(super) fn check_next_clause(&mut self, wanted: &str) {
        let token = self.peek();
        if !token.begins_line || token.word == Word::None || self.in_slot {
            return;
        }
        let Some(words) = self.open.last().map(|opened| opened.place.words()).filter(|words| words.has(token.word))
        else {
            return;
        };
        let next = self.token_at(self.at + 1);
        let begins_clause = match next.kind {
            TokenKind::Name => !next.begins_line && !SUFFIXES.has(next.word) && !words.has(next.word),
            TokenKind::Number | TokenKind::Text | TokenKind::Type | TokenKind::Tag | TokenKind::Wildcard => true,
            TokenKind::Reserved => {
                matches!(next.word, Word::Not | Word::Any | Word::All | Word::Done | Word::True | Word::False)
            }
            _ => false,
        };
        if begins_clause {
            self.fail_expected(wanted);
        }
    }

    /// Goes one level deeper, unless that is too deep; `leave` must follow then.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= too_deep::LIMIT {
            let place = self.span(self.raw());
            self.note(too_deep::too_deep(place));
            self.failed = true;
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The hover text before the token at `index`: the lines after `///` between it and the token before.
    pub(super) fn doc_before(&self, index: usize) -> Option<SmolStr> {
        let end = self.token_at(index).start;
        let before = self.tokens.iter().take(index).rev().find(|token| token.kind != TokenKind::Semicolon);
        let start = before.map_or(0, |token| token.end);
        let first = self.comments.partition_point(|comment| comment.start < start);
        let lines: Vec<&str> = self
            .comments
            .iter()
            .skip(first)
            .take_while(|comment| comment.start < end)
            .filter(|comment| comment.doc && comment.begins_line)
            .map(|comment| {
                let text = self.source.get(comment.start as usize + 3..comment.end as usize).unwrap_or("");
                text.strip_prefix(' ').unwrap_or(text)
            })
            .collect();
        (!lines.is_empty()).then(|| SmolStr::new(lines.join("\n")))
    }
}
