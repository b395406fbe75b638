//! The clauses of bodies.

use dramaturg_model::Span;

use super::mark::Mark;
use super::parser::Parser;
use super::place::{CLAUSES, Place};
use super::token::TokenKind;
use super::tree::{Ask, Body, Carried, Clause, ClauseKind, Ident, Late, Share};
use super::word::Word;
use crate::diagnostics::clause_twice;

impl Parser<'_> {
    /// `body = "{" { clause [ ";" ] } "}"`
    pub(super) fn body(&mut self, place: Place) -> Body {
        let mut body = Body::default();
        let mut seen = Seen::default();
        self.braces(place, |parser| {
            let start = parser.at;
            let word_span = parser.span(parser.raw());
            let Some(word) = parser.thing_word(place) else { return };
            if !place.words().has(word) {
                parser.misplaced(word);
                return;
            }
            let repeated = parser.repeats(&mut seen, place, word);
            let kind = parser.clause(word);
            if let Some(kind) = kind.filter(|_| !repeated) {
                body.clauses.push(Clause { kind, word: word_span, span: parser.span_from(start) });
            }
        });
        body.clauses.shrink_to_fit();
        body
    }

    /// Whether the word at the next token stands here a second time although it must not; says so.
    pub(super) fn repeats(&mut self, seen: &mut Seen, place: Place, word: Word) -> bool {
        let Some(once) = place.once(word) else { return false };
        let here = self.span(self.raw());
        match seen.first.iter().find(|(known, ..)| *known == once) {
            Some((_, first, first_word)) => {
                let diagnostic = clause_twice::twice(here, word.text(), (*first, first_word.text()), place);
                self.note(diagnostic);
                true
            }
            None => {
                seen.first.push((once, here, word));
                false
            }
        }
    }

    /// Reads and drops a clause or declaration that stands where it must not; that has been said.
    pub(super) fn misplaced(&mut self, word: Word) {
        if CLAUSES.has(word) {
            self.clause(word);
        } else if self.enter() {
            self.declaration(word);
            self.leave();
        }
    }

    /// A clause, whose word has been seen; `None` if too little of it is there to stand for anything.
    pub(super) fn clause(&mut self, word: Word) -> Option<ClauseKind> {
        if matches!(word, Word::Goal | Word::Keep | Word::Prefer) {
            return Some(ClauseKind::Wish(Box::new(self.wish(word))));
        }
        self.bump();
        Some(match word {
            Word::Takes => {
                let least = self.sum();
                let most = self.at(TokenKind::DotDot).then(|| {
                    self.mark(Mark::WideRange);
                    self.bump();
                    self.sum()
                });
                ClauseKind::Takes(least, most)
            }
            Word::Needs => {
                let condition = self.expr();
                ClauseKind::Needs(condition, self.at_anchor())
            }
            Word::Keeps => ClauseKind::Keeps(self.expr()),
            Word::Uses => ClauseKind::Uses(self.holds()),
            Word::Then => ClauseKind::Then(Box::new(self.effects())),
            Word::During => ClauseKind::During(Box::new(self.effects())),
            Word::Expect => ClauseKind::Expect(Box::new(self.effects())),
            Word::Otherwise => ClauseKind::Otherwise(Box::new(self.effects())),
            Word::Given => ClauseKind::Given(Box::new(self.effects())),
            Word::When => {
                let condition = self.expr();
                ClauseKind::When(condition, self.condition(Word::If))
            }
            Word::While => ClauseKind::While(self.expr()),
            Word::After => {
                let event = self.event()?;
                ClauseKind::After(event, self.condition(Word::If))
            }
            Word::Check => {
                self.expect_word(Word::Every);
                ClauseKind::Check(self.sum())
            }
            Word::Extend => {
                let count = self.number()?;
                self.expect_word(Word::Times);
                self.expect_word(Word::By);
                ClauseKind::Extend(count, self.sum())
            }
            Word::Reads => {
                let paths = self.paths();
                ClauseKind::Reads(paths, self.eat_part(Word::Every).then(|| self.sum()))
            }
            Word::Inject => {
                let who = self.name("the name of a character");
                let wishes = self.wishes();
                ClauseKind::Inject(who?, wishes, self.condition(Word::If))
            }
            Word::Say => return self.say(),
            Word::Ask => return self.ask(),
            Word::Costs if self.at(TokenKind::Tag) => {
                let tag = self.tag();
                self.expect_word(Word::Times);
                ClauseKind::Costs(tag, self.sum())
            }
            Word::Costs => ClauseKind::Costs(None, self.sum()),
            Word::Late if self.eat_word(Word::Drop) => ClauseKind::Late(Late::Drop),
            Word::Late if self.eat_word(Word::Retime) => ClauseKind::Late(Late::Retime),
            Word::Late => ClauseKind::Late(Late::UpTo(self.sum())),
            Word::Offer => {
                let line = self.line()?;
                ClauseKind::Offer(line, self.condition(Word::If))
            }
            Word::Method => {
                let name = self.method_name();
                let condition = self.condition(Word::If);
                ClauseKind::Method(name, condition, self.body(Place::Method))
            }
            Word::Do => ClauseKind::Do(self.path()?),
            Word::Fills => ClauseKind::Fills,
            Word::Anchors => ClauseKind::Anchors(self.paths()),
            Word::Commit => {
                self.expect_word(Word::When);
                ClauseKind::Commit(self.expr())
            }
            Word::Personality => ClauseKind::Personality(self.shares()),
            Word::Next => {
                let level = self.name("the name of a level")?;
                ClauseKind::Next(level, if self.eat_part(Word::Carrying) { self.carried() } else { Vec::new() })
            }
            _ => return None,
        })
    }

    fn method_name(&mut self) -> Option<Ident> {
        if self.at_word(Word::If) {
            return None;
        }
        self.name_before_braces(Place::Method, "the name of the method")
    }

    /// `[ NAME ]` before the braces of a body; the first word of a body whose `{` is missing is no name.
    pub(super) fn name_before_braces(&mut self, place: Place, wanted: &str) -> Option<Ident> {
        let token = self.peek();
        let next = self.token_at(self.at + 1);
        let goes_on = next.kind == TokenKind::OpenBrace || next.word == Word::If;
        let named = token.kind == TokenKind::Name && (goes_on || !place.words().has(token.word));
        if named { self.name(wanted) } else { None }
    }

    /// `[ NAME ":" ] text { "or" text } [ "at" anchor ] [ "if" expr ]`
    fn say(&mut self) -> Option<ClauseKind> {
        let speaker = if self.at(TokenKind::Name) {
            let speaker = self.name("the speaker");
            self.expect(TokenKind::Colon, "`:` and a text");
            speaker
        } else {
            None
        };
        if !self.failed && !self.at(TokenKind::Text) {
            self.fail_expected("a text in quotes, or a speaker and `:`");
        }
        let mut lines = vec![self.line()?];
        while self.eat_part(Word::Or) {
            lines.extend(self.line());
        }
        let anchor = self.at_anchor();
        Some(ClauseKind::Say { speaker, lines, anchor, condition: self.condition(Word::If) })
    }

    /// `( "player" | "game" ) [ text ] [ "if" expr ] [ "answers" … ] [ "within" sum "else" NAME ]`
    fn ask(&mut self) -> Option<ClauseKind> {
        let game = self.eat_word(Word::Game);
        if !game && !self.eat_word(Word::Player) {
            self.fail_expected("`player` or `game`");
        }
        let line = if self.at(TokenKind::Text) { self.line() } else { None };
        let condition = self.condition(Word::If);
        let mut answers = Vec::new();
        if self.eat_part(Word::Answers) {
            loop {
                let name = self.name("the name of an answer")?;
                answers.push((name, self.line()?));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let within = if self.eat_part(Word::Within) {
            let time = self.sum();
            self.expect_word(Word::Else);
            self.name("the name of an answer").map(|answer| (time, answer))
        } else {
            None
        };
        Some(ClauseKind::Ask(Box::new(Ask { game, line, condition, answers, within })))
    }

    /// `share { "," share }`
    fn shares(&mut self) -> Vec<Share> {
        let mut shares = Vec::new();
        while let Some(name) = self.name("the name of a personality") {
            let amount = if self.at(TokenKind::Number) { self.number() } else { None };
            shares.push(Share { name, amount });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        shares
    }

    /// `carried { "," carried }`
    fn carried(&mut self) -> Vec<Carried> {
        let mut carried = Vec::new();
        loop {
            let ty = if self.at(TokenKind::Type) { self.type_name() } else { None };
            if ty.is_some() {
                self.expect(TokenKind::Dot, "`.` and an attribute of the type");
            }
            let Some(name) = self.name("the name of a fluent, or a type and its attribute") else { break };
            carried.push(Carried { ty, name });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        carried
    }
}

/// The words that stand at most once, and where they stood first.
#[derive(Default)]
pub(super) struct Seen {
    first: Vec<(Word, Span, Word)>,
}
