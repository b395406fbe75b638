//! Effects, anchors in time, and what actions hold.

use super::mark::Mark;
use super::parser::Parser;
use super::token::TokenKind;
use super::tree::{Amount, Anchor, ChangeKind, Effect, Effects, Expr, Hold, Path};
use super::word::Word;

impl Parser<'_> {
    /// `effects = effect { "," effect } [ "at" anchor ] [ "for" binder { "," binder } ] [ "if" expr ]`
    pub(super) fn effects(&mut self) -> Effects {
        let start = self.at;
        let effects = self.effect_list();
        let anchor = self.at_anchor();
        let binders = if self.eat_part(Word::For) { self.binders() } else { Vec::new() };
        let condition = self.condition(Word::If);
        Effects { effects, anchor, binders, condition, span: self.span_from(start) }
    }

    /// `effect { "," effect }`
    pub(super) fn effect_list(&mut self) -> Vec<Effect> {
        let mut effects = Vec::with_capacity(1);
        loop {
            effects.extend(self.effect());
            if !self.eat(TokenKind::Comma) {
                return effects;
            }
        }
    }

    /// `effect = "not" path | path [ ( "=" | "+=" | "-=" ) ( "random" set | expr [ "per" NAME ] ) ]`
    fn effect(&mut self) -> Option<Effect> {
        let start = self.at;
        let negated = self.eat_word(Word::Not);
        let target = self.path()?;
        let change = match self.peek().kind {
            _ if negated => ChangeKind::No,
            TokenKind::Assign => ChangeKind::Set(self.amount()?),
            TokenKind::PlusAssign => ChangeKind::Add(self.amount()?),
            TokenKind::MinusAssign => ChangeKind::Subtract(self.amount()?),
            _ => ChangeKind::Yes,
        };
        Some(Effect { target, change, span: self.span_from(start) })
    }

    fn amount(&mut self) -> Option<Amount> {
        self.bump();
        if self.eat_word(Word::Random) {
            return self.set().map(Amount::Random);
        }
        let expr = self.expr();
        let unit = if self.eat_word(Word::Per) { self.name("`tick`, `s` or another unit of time") } else { None };
        Some(Amount::Expr(expr, unit))
    }

    /// `[ "at" anchor ]`
    pub(super) fn at_anchor(&mut self) -> Option<Anchor> {
        self.eat_part(Word::At).then(|| self.anchor())
    }

    /// `anchor = "start" | "end" | sum`
    fn anchor(&mut self) -> Anchor {
        let token = self.peek();
        match token.word {
            Word::Start => {
                self.bump();
                Anchor::Start(self.span(token))
            }
            Word::End => {
                self.bump();
                Anchor::End(self.span(token))
            }
            _ => Anchor::After(self.sum()),
        }
    }

    /// `[ "if" expr ]` or `[ "while" expr ]`
    pub(super) fn condition(&mut self, word: Word) -> Option<Expr> {
        self.eat_part(word).then(|| self.expr())
    }

    /// `hold { "," hold }`
    pub(super) fn holds(&mut self) -> Vec<Hold> {
        let mut holds = Vec::with_capacity(1);
        loop {
            holds.extend(self.hold());
            if !self.eat(TokenKind::Comma) {
                return holds;
            }
        }
    }

    /// `hold = [ NUMBER "of" ] path [ "from" anchor "to" anchor ]`
    fn hold(&mut self) -> Option<Hold> {
        let start = self.at;
        let mut amount = None;
        if self.at(TokenKind::Number) {
            amount = self.number();
            self.expect_word(Word::Of);
        }
        let path = self.path()?;
        let window = self.eat_part(Word::From).then(|| {
            let from = self.anchor();
            self.expect_word(Word::To);
            (from, self.anchor())
        });
        Some(Hold { amount, path, window, span: self.span_from(start) })
    }

    /// `path { "," path }`
    pub(super) fn paths(&mut self) -> Vec<Path> {
        let mut paths = Vec::with_capacity(1);
        loop {
            paths.extend(self.path());
            if !self.eat(TokenKind::Comma) {
                return paths;
            }
        }
    }

    /// `"from" sum "to" sum`, of which `from` has been seen.
    pub(super) fn interval(&mut self) -> (Expr, Expr) {
        self.mark(Mark::Part);
        self.bump();
        let from = self.sum();
        self.expect_word(Word::To);
        (from, self.sum())
    }
}
