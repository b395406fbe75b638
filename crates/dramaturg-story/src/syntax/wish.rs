//! Goals, keeps and preferences.

use super::parser::Parser;
use super::place::Place;
use super::token::TokenKind;
use super::tree::{Aim, AimTime, Expr, Liking, Wish, WishKind};
use super::word::Word;

impl Parser<'_> {
    /// A wish, whose word has been seen.
    pub(super) fn wish(&mut self, word: Word) -> Wish {
        let start = self.at;
        self.bump();
        let kind = match word {
            Word::Goal => self.goal(),
            Word::Keep => {
                let condition = self.expr();
                let interval = self.at_word(Word::From).then(|| self.interval());
                WishKind::Keep(condition, interval)
            }
            _ => {
                let liking = self.liking();
                WishKind::Prefer(liking, self.amount_behind(Word::Weight))
            }
        };
        let condition = self.condition(Word::While);
        Wish { kind, condition, span: self.span_from(start) }
    }

    /// `"{" { wish [ ";" ] } "}"`
    pub(super) fn wishes(&mut self) -> Vec<Wish> {
        let mut wishes = Vec::new();
        self.braces(Place::Wishes, |parser| match parser.thing_word(Place::Wishes) {
            Some(word) if Place::Wishes.words().has(word) => wishes.push(parser.wish(word)),
            Some(word) => parser.misplaced(word),
            None => {}
        });
        wishes
    }

    /// `aim { "then" aim } [ "salience" sum ]`
    fn goal(&mut self) -> WishKind {
        let mut aims = vec![self.aim()];
        while self.eat_part(Word::Then) {
            aims.push(self.aim());
        }
        WishKind::Goal(aims, self.amount_behind(Word::Salience))
    }

    /// `aim = expr [ "at" sum | "by" sum | "from" sum "to" sum ]`
    fn aim(&mut self) -> Aim {
        let condition = self.expr();
        let time = match self.peek().word {
            Word::At if self.eat_part(Word::At) => AimTime::At(self.sum()),
            Word::By if self.eat_part(Word::By) => AimTime::By(self.sum()),
            Word::From => {
                let (from, to) = self.interval();
                AimTime::During(from, to)
            }
            _ => AimTime::Any,
        };
        Aim { condition, time }
    }

    /// `liking = ( "more" | "less" ) sum [ ( "up" | "down" ) "to" sum ] | expr [ "follows" … ]`
    fn liking(&mut self) -> Liking {
        if self.eat_word(Word::More) {
            let amount = self.sum();
            return Liking::More(amount, self.bound());
        }
        if self.eat_word(Word::Less) {
            let amount = self.sum();
            return Liking::Less(amount, self.bound());
        }
        let expr = self.expr();
        if !self.eat_part(Word::Follows) {
            return Liking::Holds(expr);
        }
        let mut points = Vec::new();
        loop {
            let value = self.sum();
            self.expect_word(Word::At);
            points.push((value, self.sum()));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.at_word(Word::Within) {
            self.eat_part(Word::Within);
        } else {
            self.fail_expected("`,` and another point, or `within`");
        }
        Liking::Follows(expr, points, self.sum())
    }

    /// `[ ( "up" | "down" ) "to" sum ]`
    fn bound(&mut self) -> Option<Expr> {
        (self.eat_part(Word::Up) || self.eat_part(Word::Down)).then(|| {
            self.expect_word(Word::To);
            self.sum()
        })
    }

    fn amount_behind(&mut self, word: Word) -> Option<Expr> {
        self.eat_part(word).then(|| self.sum())
    }
}
