//! Blanks between tokens, and where a line may be broken.

use crate::syntax::mark::Mark;
use crate::syntax::token::TokenKind;
use crate::syntax::word::Word;

/// What matters about a token beside another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) kind: TokenKind,
    pub(super) word: Word,
    pub(super) mark: Mark,
}

/// Whether a blank stands between two tokens on one line.
pub(super) fn blank_between(before: Neighbour, after: Neighbour) -> bool {
    use TokenKind::{CloseParen, Colon, Comma, Dot, DotDot, OpenParen};
    if matches!(after.kind, Comma | CloseParen | Colon | Dot)
        || matches!(before.kind, OpenParen | Dot)
        || before.mark == Mark::Sign
        || (before.mark == Mark::Open && after.mark == Mark::Close)
    {
        return false;
    }
    if after.kind == DotDot {
        return !matches!(after.mark, Mark::Range | Mark::RangeUp);
    }
    if before.kind == DotDot {
        return !matches!(before.mark, Mark::Range | Mark::RangeDown);
    }
    !(after.kind == OpenParen && after.mark == Mark::Call && before.kind == TokenKind::Name)
}

/// How good a place for a line break is: the fewer parentheses around it the better, then the smaller the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Break {
    parens: usize,
    rank: Rank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Part,
    Item,
    Operand,
    Side,
    Summand,
}

impl Break {
    /// The place between two tokens, if a line may be broken there.
    pub(super) fn between(before: Neighbour, after: Neighbour, parens: usize) -> Option<Self> {
        use TokenKind::{AtLeast, AtMost, Bar, Equal, Less, Minus, More, NotEqual, Plus, Slash, Star, Tag};
        let rank = match after.kind {
            _ if after.mark == Mark::Part => Rank::Part,
            _ if before.kind == TokenKind::Comma => Rank::Item,
            Tag => Rank::Item,
            TokenKind::Reserved if matches!(after.word, Word::And | Word::Or) => Rank::Operand,
            Equal | NotEqual | Less | AtMost | More | AtLeast | Bar => Rank::Side,
            TokenKind::Reserved if after.word == Word::In => Rank::Side,
            Plus | Star | Slash => Rank::Summand,
            Minus if after.mark != Mark::Sign => Rank::Summand,
            TokenKind::Reserved if after.word == Word::Mod => Rank::Summand,
            _ => return None,
        };
        Some(Self { parens, rank })
    }

    /// Whether a line break that the author put here stays.
    pub(super) fn is_kept(self) -> bool {
        self.parens == 0 && self.rank <= Rank::Operand
    }
}
