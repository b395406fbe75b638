//! Text with slots and stable ids.

use serde::Serialize;
use smol_str::SmolStr;

use crate::effect::Moment;
use crate::expr::Expr;
use crate::source::Span;

crate::ids! {
    /// A text that a player may see.
    TextId,
}

/// A text that a player may see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// Its stable id, written or derived: `lala-land.goCinema.say.1`, `name.hector`.
    pub id: SmolStr,
    /// Whether the author wrote the id.
    pub pinned: bool,
    /// Words and slots in order; slots read the variables of where the text stands.
    pub pieces: Vec<Piece>,
    /// Where it is written.
    pub place: Span,
}

impl Text {
    /// Its id in a translation: dots are hyphens there, and names are terms.
    pub fn message(&self) -> String {
        let message = self.id.replace('.', "-");
        if self.id.starts_with("name.") { format!("-{message}") } else { message }
    }
}

/// The texts of a story in another language, as translators wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Translation {
    /// Its tag: `de`, `de-AT`.
    pub language: SmolStr,
    /// The translation itself, in the language of Fluent: a message for each text, a term for each name.
    pub messages: String,
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Piece {
    /// Words as shown.
    Words(SmolStr),
    /// A value to be shown: an object by its name for show, a number by its shortest decimal.
    Slot {
        /// The value.
        expr: Expr,
        /// The variable name for translators: `a`, `a-location`.
        name: SmolStr,
    },
}

/// Something said or told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Say {
    /// Who speaks; none: the narrator.
    pub speaker: Option<Expr>,
    /// One of these is shown, never the same twice running.
    pub lines: Vec<TextId>,
    /// When.
    pub moment: Moment,
    /// Only if this holds.
    pub condition: Option<Expr>,
    /// Where it is written.
    pub place: Span,
}
