//! Plays.

use dramaturg_model::Span;

use super::clause::{Effect, Effects, Wish};
use super::expr::{Event, Expr};
use super::word::{Ident, Number, Text};

/// A whole `.play` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayFile {
    /// The plays in order.
    pub plays: Vec<Play>,
}

/// `"play" STRING steps`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// Its title.
    pub title: Text,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The whole.
    pub span: Span,
}

/// One step of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub kind: StepKind,
    /// The whole.
    pub span: Span,
}

/// The kinds of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// `given …`
    Given(Effects),
    /// `goals [who] { … }`
    Goals(Option<Ident>, Vec<Wish>),
    /// `level name`
    Level(Ident),
    /// `seed n`
    Seed(Number),
    /// `force`
    Force,
    /// `until T`
    Until(Expr),
    /// `wait D`
    Wait(Expr),
    /// `finish`
    Finish,
    /// `reload`
    Reload,
    /// `report E [from T to T]`
    Report(Vec<Effect>, Option<(Expr, Expr)>),
    /// `fail X [after D]`
    Fail(Event, Option<Expr>),
    /// `stretch X by D`
    Stretch(Event, Expr),
    /// `answer name`
    Answer(Ident),
    /// `choose X`
    Choose(Event),
    /// `do X`
    Do(Event),
    /// `see X [at|by|within T]`
    See(Sight, SightTime),
    /// `never X`
    Never(Sight),
    /// `check C`
    Check(Expr),
    /// `offered a, b`
    Offered(Vec<Event>),
    /// `only x { … }`
    Only(Ident, Vec<Step>),
    /// `unordered { … }`
    Unordered(Vec<Step>),
}

/// What a play looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Something happens.
    Event(Event),
    /// A text is shown; `*` stands for any words.
    Text(Text),
}

/// When a play looks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SightTime {
    /// At some time.
    Any,
    /// `at T`
    At(Expr),
    /// `by T`
    By(Expr),
    /// `within D`
    Within(Expr),
}
