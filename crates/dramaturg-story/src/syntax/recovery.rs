//! Loops over the things of a body, and where they go on after a fault.

use super::mark::Mark;
use super::parser::{Opened, Parser};
use super::place::{CLAUSES, Place};
use super::token::{Token, TokenKind};
use super::word::{DECLARATIONS, Word};
use crate::diagnostics::{clause_not_here, expected, too_deep, unclosed_brace, unknown_clause};

impl Parser<'_> {
    /// A whole file of things.
    pub(super) fn file_of(&mut self, place: Place, mut thing: impl FnMut(&mut Self)) {
        let brace = self.span(self.raw()).before();
        self.open.push(Opened { place, brace, indent: 0 });
        loop {
            while self.eat(TokenKind::Semicolon) {}
            let token = self.raw();
            match token.kind {
                TokenKind::End => break,
                TokenKind::CloseBrace => {
                    if !token.after_stray {
                        self.note(expected::nothing_to_close(self.span(token), place.thing()));
                    }
                    self.bump();
                }
                _ => {
                    // Blame for a missing brace never reaches beyond a declaration that begins in column one.
                    if token.in_column_one() {
                        self.suspect = None;
                    }
                    self.one(place, &mut thing);
                }
            }
        }
        self.open.pop();
    }

    /// `{`, things, `}`. Goes on inside when only the `{` is missing, and after a fault before it looks for it.
    pub(super) fn braces(&mut self, place: Place, mut thing: impl FnMut(&mut Self)) {
        if !self.open_brace(place) {
            return;
        }
        if self.depth >= too_deep::LIMIT {
            let here = self.span(self.raw());
            self.note(too_deep::too_deep(here));
            self.skip_body();
            return;
        }
        self.depth += 1;
        loop {
            while self.eat(TokenKind::Semicolon) {}
            let token = self.raw();
            if token.kind == TokenKind::CloseBrace {
                self.close_brace();
                break;
            }
            if token.kind == TokenKind::End || self.ends_before(place, token) {
                self.report_unclosed(token);
                break;
            }
            self.one(place, &mut thing);
        }
        self.open.pop();
        self.depth -= 1;
    }

    /// One thing, and the way to the next if there was a fault in it.
    fn one(&mut self, place: Place, thing: &mut impl FnMut(&mut Self)) {
        let start = self.at;
        self.thing_indent = self.raw().indent;
        self.mark(Mark::Begin);
        thing(self);
        if self.failed {
            self.failed = false;
            if self.at == start {
                self.skip_one();
            }
            self.skip_to_next(place);
        } else if self.at == start {
            self.bump();
        }
    }

    /// Steps to the first thing of a body; false if there is no body.
    fn open_brace(&mut self, place: Place) -> bool {
        let indent = self.thing_indent;
        let is_open = self.at(TokenKind::OpenBrace) || self.slipped_unit() && self.at(TokenKind::OpenBrace);
        if !self.failed && !is_open {
            self.fail_expected("`{`");
            // Only the brace is missing: the body itself is there.
            self.failed = !place.words().has(self.raw().word);
        }
        if self.failed && !self.skip_to_body(place) {
            return false;
        }
        self.failed = false;
        let token = self.raw();
        let mut brace = self.span(token).before();
        if token.kind == TokenKind::OpenBrace {
            self.mark(Mark::Open);
            self.bump();
            brace = self.span(token);
        }
        self.open.push(Opened { place, brace, indent });
        true
    }

    fn close_brace(&mut self) {
        self.mark(Mark::Close);
        let token = self.bump();
        if let Some(opened) = self.open.last() {
            let dedented = token.begins_line && token.indent < opened.indent;
            if dedented && self.suspect.is_none() && opened.brace.start != opened.brace.end {
                self.suspect = Some(opened.brace);
            }
        }
    }

    /// Whether a token at which a thing should begin belongs to what comes after this body, whose `}` is missing.
    fn ends_before(&self, place: Place, token: Token) -> bool {
        if !token.begins_line || token.kind != TokenKind::Name {
            return false;
        }
        if place.words().has(token.word) {
            // `personality` is a clause of these bodies, but not with parameters.
            return token.word == Word::Personality && self.token_at(self.at + 2).kind == TokenKind::OpenParen;
        }
        let [.., outer, opened] = self.open.as_slice() else { return false };
        if place == Place::Type {
            // Any name may be an attribute; a declaration goes on behind its word.
            let next = self.token_at(self.at + 1);
            return outer.place.words().has(token.word)
                && token.indent <= opened.indent
                && !next.begins_line
                && matches!(next.kind, TokenKind::Name | TokenKind::Type | TokenKind::Text);
        }
        let declares = outer.place.declarations().has(token.word) && token.in_column_one();
        declares || outer.place.words().has(token.word) && token.indent <= opened.indent
    }

    fn report_unclosed(&mut self, next: Token) {
        // One missing brace leaves all bodies around open.
        if self.unclosed_before == Some(self.at) {
            return;
        }
        self.unclosed_before = Some(self.at);
        let Some(opened) = self.open.last().copied() else { return };
        let brace = self.suspect.filter(|suspect| suspect.start > opened.brace.start).unwrap_or(opened.brace);
        let what = if brace == opened.brace { opened.place.name() } else { "this body" };
        let next = (next.kind != TokenKind::End).then(|| (self.span(next), self.text(next)));
        self.note(unclosed_brace::body(brace, what, next));
    }

    /// Skips what stands before the `{` of a body after a fault; false if there is no body to be found.
    fn skip_to_body(&mut self, place: Place) -> bool {
        let outer = self.open.last().map_or(place, |opened| opened.place);
        loop {
            let token = self.raw();
            match token.kind {
                TokenKind::OpenBrace => return true,
                TokenKind::End | TokenKind::CloseBrace | TokenKind::Semicolon => return false,
                TokenKind::Name if token.begins_line && outer.words().has(token.word) => return false,
                TokenKind::Name if token.in_column_one() && outer.declarations().has(token.word) => return false,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips to the next thing of this place that begins a line or follows `;`, `{` or `}`, to the closing brace, or to a
    /// declaration in column one. Braces within are skipped as a whole.
    fn skip_to_next(&mut self, place: Place) {
        let mut depth = 0_usize;
        let is_file = matches!(place, Place::StoryFile | Place::PlayFile);
        loop {
            let token = self.raw();
            let before = self.token_at(self.at.saturating_sub(1)).kind;
            let begins = token.begins_line
                || matches!(before, TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace);
            match token.kind {
                TokenKind::End => return,
                TokenKind::CloseBrace if depth == 0 && !is_file => return,
                TokenKind::CloseBrace => depth = depth.saturating_sub(1),
                TokenKind::OpenBrace => depth += 1,
                TokenKind::Semicolon if depth == 0 && place == Place::Type => return,
                TokenKind::Name if token.in_column_one() && place.declarations().has(token.word) => return,
                TokenKind::Name if depth == 0 && begins && place.words().has(token.word) => return,
                TokenKind::Name if depth == 0 && token.begins_line && place == Place::Type => return,
                TokenKind::Name if depth == 0 && self.ends_before(place, token) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips one token, or a body as a whole.
    fn skip_one(&mut self) {
        if self.bump().kind == TokenKind::OpenBrace {
            self.skip_body();
        }
    }

    /// Skips to behind the `}` of a body whose `{` has been stepped over, or to a declaration in column one.
    pub(super) fn skip_body(&mut self) {
        let declarations = self.open.last().map_or(Place::StoryFile, |opened| opened.place).declarations();
        let mut depth = 1_usize;
        while depth > 0 {
            let token = self.raw();
            match token.kind {
                TokenKind::End => {
                    self.unclosed_before = Some(self.at);
                    return;
                }
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace => depth -= 1,
                TokenKind::Name if token.in_column_one() && declarations.has(token.word) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// The word with which a thing begins, one that fits this place or at least exists; `None` after a fault. A misspelt word
    /// is reported and counts as the one that is meant.
    pub(super) fn thing_word(&mut self, place: Place) -> Option<Word> {
        let token = self.raw();
        let words = place.words();
        if token.kind == TokenKind::Name && words.has(token.word) {
            return Some(token.word);
        }
        if self.slipped_unit() {
            let next = self.raw();
            let begins = matches!(next.kind, TokenKind::Semicolon | TokenKind::CloseBrace | TokenKind::End);
            self.failed = !begins && !next.begins_line;
            return None;
        }
        if !matches!(token.kind, TokenKind::Name | TokenKind::Type) {
            let wanted = format!("{} ({})", place.thing(), place.choices());
            self.fail(expected::expected(self.span(token), &self.found(), &wanted));
            return None;
        }
        let (span, text) = (self.span(token), self.text(token));
        let in_clauses = !matches!(place, Place::Header | Place::Layer | Place::PlayFile | Place::Steps);
        if in_clauses && token.kind == TokenKind::Name {
            let declares = place.declarations().has(token.word) && token.begins_line && self.may_follow(token.word);
            if CLAUSES.has(token.word) || declares {
                self.note(clause_not_here::not_here(span, text, place));
                return Some(token.word);
            }
        }
        let meant = words.nearest(text).filter(|word| self.may_follow(*word));
        let diagnostic = unknown_clause::unknown(span, text, place, meant);
        match meant {
            Some(_) => self.note(diagnostic),
            None => self.fail(diagnostic),
        }
        meant
    }

    /// Whether what stands behind the next token could stand behind this word, were the token the word.
    fn may_follow(&self, word: Word) -> bool {
        let next = self.token_at(self.at + 1);
        if next.begins_line {
            return false;
        }
        match word {
            Word::Story | Word::Use | Word::Offer | Word::Language | Word::Play => next.kind == TokenKind::Text,
            Word::Type => next.kind == TokenKind::Type,
            Word::Key => next.word == Word::Task,
            Word::Commit => next.word == Word::When,
            Word::Ask => matches!(next.word, Word::Player | Word::Game),
            Word::Ticks | Word::Day | Word::Begins | Word::Options | Word::Extend | Word::Seed => {
                next.kind == TokenKind::Number
            }
            Word::Horizon | Word::Steps | Word::Beam | Word::Elites | Word::Tolerance => next.kind == TokenKind::Number,
            Word::Say | Word::See | Word::Never => matches!(next.kind, TokenKind::Text | TokenKind::Name),
            Word::Method | Word::Goals => matches!(next.kind, TokenKind::Name | TokenKind::OpenBrace),
            Word::Unordered => next.kind == TokenKind::OpenBrace,
            Word::Force | Word::Finish | Word::Reload | Word::Fills => {
                matches!(next.kind, TokenKind::Semicolon | TokenKind::CloseBrace | TokenKind::Name)
            }
            Word::Given | Word::Goal | Word::Keep | Word::Prefer => {
                matches!(next.kind, TokenKind::Name | TokenKind::Reserved)
            }
            _ if DECLARATIONS.has(word) => next.kind == TokenKind::Name,
            _ => matches!(next.kind, TokenKind::Name | TokenKind::Number | TokenKind::Reserved | TokenKind::Tag),
        }
    }
}
