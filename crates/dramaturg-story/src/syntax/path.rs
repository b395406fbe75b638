//! What expressions name: paths, events, types and binders.

use super::mark::Mark;
use super::parser::Parser;
use super::token::TokenKind;
use super::tree::{Binder, BinderRange, Event, EventKind, Expr, Ident, Path};
use super::word::Word;

impl Parser<'_> {
    /// `binder { "," binder }`
    pub(super) fn binders(&mut self) -> Vec<Binder> {
        let mut binders = Vec::with_capacity(1);
        while let Some(name) = self.name("a name for each object") {
            let range = if self.eat_word(Word::In) {
                BinderRange::Among(self.listed())
            } else if self.expect(TokenKind::Colon, "`:` and a type, or `in` and a list") {
                BinderRange::Types(self.types())
            } else {
                BinderRange::Types(Vec::new())
            };
            binders.push(Binder { name, range });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        binders
    }

    /// `types = TYPE { "|" TYPE }`
    pub(super) fn types(&mut self) -> Vec<Ident> {
        let mut types = Vec::with_capacity(1);
        loop {
            types.extend(self.type_name());
            if !self.eat(TokenKind::Bar) {
                return types;
            }
        }
    }

    /// `path = NAME [ arguments ] { "." NAME }`
    pub(super) fn path(&mut self) -> Option<Path> {
        let start = self.at;
        self.check_next_clause("a condition, value or name");
        let name = self.name("a name")?;
        let arguments = self.arguments();
        let mut attributes = Vec::new();
        while self.eat(TokenKind::Dot) {
            attributes.reserve_exact(1);
            attributes.extend(self.name("the name of an attribute"));
        }
        Some(Path { name, arguments, attributes, span: self.span_from(start) })
    }

    /// `event = TAG | NAME [ "." NAME ] [ arguments ]`
    pub(super) fn event(&mut self) -> Option<Event> {
        let start = self.at;
        let kind = if self.at(TokenKind::Tag) {
            EventKind::Tag(self.tag()?)
        } else {
            self.check_next_clause("an action, task or tag");
            let name = self.name("the name of an action, task, rule, milestone or ending, or a tag")?;
            let member = if self.eat(TokenKind::Dot) { self.name("the name of a method") } else { None };
            EventKind::Named { name, member, arguments: self.arguments() }
        };
        Some(Event { kind, span: self.span_from(start) })
    }

    /// `arguments = "(" [ expr { "," expr } ] ")"`
    fn arguments(&mut self) -> Option<Vec<Expr>> {
        if !self.at(TokenKind::OpenParen) {
            return None;
        }
        self.mark(Mark::Call);
        let open = self.bump();
        if self.eat(TokenKind::CloseParen) {
            return Some(Vec::new());
        }
        let arguments = self.listed_from(self.span(open));
        self.height = self.height.saturating_add(1);
        Some(arguments)
    }
}
