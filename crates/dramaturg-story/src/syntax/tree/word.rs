//! Names, numbers and texts.

use dramaturg_model::{Fixed, Span};
use smol_str::SmolStr;

use super::expr::Expr;

/// A name with its place: NAME or TYPE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// As written.
    pub text: SmolStr,
    /// Where.
    pub span: Span,
}

/// `#romance`, without the hash in `name.text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name after the hash; its span covers the hash too.
    pub name: Ident,
}

/// The unit written behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `tick`, `ticks`
    Ticks,
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
    /// `min`
    Minutes,
    /// `h`
    Hours,
    /// `day`, `days`
    Days,
    /// `%`; the value is already divided by 100 and the unit kept for the formatter's and checker's sake.
    Percent,
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The value as written (`25 %` is 0.25).
    pub value: Fixed,
    /// The unit, if one is written.
    pub unit: Option<Unit>,
    /// Where, with the unit.
    pub span: Span,
}

/// A text in quotes, cut into words and slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Literal stretches and slots in order. Escapes are resolved; a line break with the blanks around it is one blank, an
    /// empty line is `\n\n`.
    pub pieces: Vec<TextPiece>,
    /// With the quotes.
    pub span: Span,
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Words as shown.
    Words(SmolStr),
    /// `{expr}`
    Slot(Expr),
}

impl Text {
    /// The text without slots, for titles, file names and patterns.
    pub fn plain(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                TextPiece::Words(words) => words.as_str(),
                TextPiece::Slot(_) => "",
            })
            .collect()
    }
}

/// `text = STRING [ TEXTID ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The words.
    pub text: Text,
    /// `@cinema.truce`, without the `@` in its text.
    pub id: Option<Ident>,
}
