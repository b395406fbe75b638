//! Types, their attributes, and the values these may take.

use super::mark::Mark;
use super::parser::Parser;
use super::place::Place;
use super::token::TokenKind;
use super::tree::{Bounds, Domain, DomainKind, Ident, Member, Number, TypeDecl};
use super::word::Word;

impl Parser<'_> {
    /// `type = "type" TYPE [ ":" TYPE ] [ "{" { member [ ";" ] } "}" ]`
    pub(super) fn type_decl(&mut self) -> Option<TypeDecl> {
        let name = self.type_name();
        let parent = if self.eat(TokenKind::Colon) { self.type_name() } else { None };
        let mut members = Vec::new();
        if self.at(TokenKind::OpenBrace) || self.failed {
            self.braces(Place::Type, |parser| members.extend(parser.member()));
        }
        Some(TypeDecl { name: name?, parent, members })
    }

    /// `member = NAME [ ":" domain ] [ "=" expr ]`
    fn member(&mut self) -> Option<Member> {
        let start = self.at;
        let doc = self.doc_before(start);
        let name = self.name("the name of an attribute, or `}`")?;
        let domain = if self.eat(TokenKind::Colon) { self.domain() } else { None };
        let default = self.eat(TokenKind::Assign).then(|| self.expr());
        Some(Member { name, domain, default, doc, span: self.span_from(start) })
    }

    /// `domain = ( "number" | "int" ) [ range ] | "duration" | "actuator" [ NUMBER ] | choice { "|" choice }`
    pub(super) fn domain(&mut self) -> Option<Domain> {
        let start = self.at;
        let kind = match self.peek().word {
            Word::Number if self.eat_word(Word::Number) => DomainKind::Number(self.range()),
            Word::Int if self.eat_word(Word::Int) => DomainKind::Int(self.range()),
            Word::Duration if self.eat_word(Word::Duration) => DomainKind::Duration,
            Word::Actuator if self.eat_word(Word::Actuator) => {
                DomainKind::Actuator(if self.at(TokenKind::Number) { self.number() } else { None })
            }
            _ => DomainKind::Choice(self.choices()?),
        };
        Some(Domain { kind, span: self.span_from(start) })
    }

    /// `choice { "|" choice }`, `choice = TYPE | NAME`
    fn choices(&mut self) -> Option<Vec<Ident>> {
        let mut choices = Vec::new();
        loop {
            let choice = if self.at(TokenKind::Type) {
                self.type_name()
            } else {
                self.name("`number`, `int`, `duration`, `actuator`, a type or the name of a value")
            };
            choices.push(choice?);
            if !self.eat(TokenKind::Bar) {
                return Some(choices);
            }
        }
    }

    /// `range = bound ".." [ bound ] | ".." bound`
    fn range(&mut self) -> Option<Bounds> {
        if !matches!(self.peek().kind, TokenKind::Minus | TokenKind::Number | TokenKind::DotDot) {
            return None;
        }
        let least = if self.at(TokenKind::DotDot) { None } else { Some(self.bound_number()?) };
        let dots = self.at;
        if !self.expect(TokenKind::DotDot, "`..`") {
            return None;
        }
        let open_ended = least.is_some() && !matches!(self.peek().kind, TokenKind::Minus | TokenKind::Number);
        let most = if open_ended { None } else { Some(self.bound_number()?) };
        match (&least, &most) {
            (Some(_), Some(_)) => self.mark_range(dots),
            (Some(_), None) => self.mark_at(dots, Mark::RangeUp),
            _ => self.mark_at(dots, Mark::RangeDown),
        }
        Some(Bounds { least, most })
    }

    /// `bound = [ "-" ] NUMBER`; the sign goes into the number.
    fn bound_number(&mut self) -> Option<Number> {
        let start = self.at;
        let negative = self.at(TokenKind::Minus);
        if negative {
            self.mark(Mark::Sign);
            self.bump();
        }
        let mut number = self.number()?;
        if negative {
            number.value = -number.value;
        }
        number.span = self.span_from(start);
        Some(number)
    }
}
