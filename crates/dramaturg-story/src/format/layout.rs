//! The tokens of a file as things within bodies within things.

use crate::syntax::Marked;
use crate::syntax::mark::Mark;
use crate::syntax::token::TokenKind;

/// A declaration, clause, step or the like.
#[derive(Debug, Default)]
pub(super) struct Thing {
    /// In order; the first is a token.
    pub(super) elements: Vec<Element>,
}

/// A part of a thing.
#[derive(Debug)]
pub(super) enum Element {
    /// The index of a token.
    Token(usize),
    /// Braces with things in them.
    Body(Body),
}

/// Braces with things in them.
#[derive(Debug)]
pub(super) struct Body {
    /// The index of `{`.
    pub(super) open: usize,
    /// What stands between.
    pub(super) things: Vec<Thing>,
    /// The index of `}`.
    pub(super) close: usize,
}

impl Thing {
    /// The index of its first token.
    pub(super) fn first(&self) -> Option<usize> {
        self.elements.first().map(|element| match element {
            Element::Token(index) => *index,
            Element::Body(body) => body.open,
        })
    }

    /// The index of its last token.
    pub(super) fn last(&self) -> Option<usize> {
        self.elements.last().map(|element| match element {
            Element::Token(index) => *index,
            Element::Body(body) => body.close,
        })
    }
}

/// The things of a file without faults.
pub(super) fn things(marked: &Marked) -> Vec<Thing> {
    Builder { marked, at: 0 }.things()
}

struct Builder<'m> {
    marked: &'m Marked,
    at: usize,
}

impl Builder<'_> {
    /// The things up to the `}` of the body they stand in. The parser has bounded how deep bodies lie.
    fn things(&mut self) -> Vec<Thing> {
        let mut things: Vec<Thing> = Vec::new();
        while let (Some(token), Some(mark)) = (self.marked.tokens.get(self.at), self.marked.marks.get(self.at)) {
            if token.kind == TokenKind::End || *mark == Mark::Close {
                break;
            }
            let index = self.at;
            self.at += 1;
            if token.kind == TokenKind::Semicolon {
                continue;
            }
            if *mark == Mark::Begin || things.is_empty() {
                things.push(Thing::default());
            }
            let element = if *mark == Mark::Open {
                let inner = self.things();
                let close = self.at;
                self.at += 1;
                Element::Body(Body { open: index, things: inner, close })
            } else {
                Element::Token(index)
            };
            if let Some(thing) = things.last_mut() {
                thing.elements.push(element);
            }
        }
        things
    }
}
