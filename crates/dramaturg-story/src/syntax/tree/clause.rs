//! Bodies, clauses, wishes and effects.

use dramaturg_model::Span;

use super::expr::{Binder, Event, Expr, Path, Set};
use super::word::{Ident, Line, Number, Tag};

/// `body = "{" { clause } "}"`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The clauses in order.
    pub clauses: Vec<Clause>,
}

/// One clause with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which.
    pub kind: ClauseKind,
    /// The word it begins with, for messages.
    pub word: Span,
    /// The whole.
    pub span: Span,
}

/// Everything that may stand in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `goal`, `keep`, `prefer`
    Wish(Box<Wish>),
    /// `takes A [.. B]`
    Takes(Expr, Option<Expr>),
    /// `needs C [at anchor]`
    Needs(Expr, Option<Anchor>),
    /// `keeps C`
    Keeps(Expr),
    /// `uses …`
    Uses(Vec<Hold>),
    /// `then …`
    Then(Box<Effects>),
    /// `during …`
    During(Box<Effects>),
    /// `expect …`
    Expect(Box<Effects>),
    /// `otherwise …`
    Otherwise(Box<Effects>),
    /// `given …`
    Given(Box<Effects>),
    /// `when C [if D]`
    When(Expr, Option<Expr>),
    /// `while C`
    While(Expr),
    /// `after X [if D]`
    After(Event, Option<Expr>),
    /// `check every D`
    Check(Expr),
    /// `extend n times by D`
    Extend(Number, Expr),
    /// `reads x, y [every D]`
    Reads(Vec<Path>, Option<Expr>),
    /// `inject who { … } [if C]`
    Inject(Ident, Vec<Wish>, Option<Expr>),
    /// `say [who:] "…" or "…" [at anchor] [if C]`
    Say {
        /// Who speaks.
        speaker: Option<Ident>,
        /// The alternatives.
        lines: Vec<Line>,
        /// When.
        anchor: Option<Anchor>,
        /// On what condition.
        condition: Option<Expr>,
    },
    /// `ask player "…" …`
    Ask(Box<Ask>),
    /// `costs n` or `costs #tag times n`
    Costs(Option<Tag>, Expr),
    /// `late drop`, `late retime`, `late 5 ticks`
    Late(Late),
    /// `offer "…" [if C]`
    Offer(Line, Option<Expr>),
    /// `method [name] [if C] { … }`
    Method(Option<Ident>, Option<Expr>, Body),
    /// `do path`
    Do(Path),
    /// `fills`
    Fills,
    /// `anchors a, b`
    Anchors(Vec<Path>),
    /// `commit when C`
    Commit(Expr),
    /// `personality a 15 %, b`
    Personality(Vec<Share>),
    /// `next level [carrying …]`
    Next(Ident, Vec<Carried>),
}

/// A question to the player or the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Whether the game is asked instead of the player.
    pub game: bool,
    /// The question.
    pub line: Option<Line>,
    /// On what condition it is asked.
    pub condition: Option<Expr>,
    /// `yes "…", no "…"`
    pub answers: Vec<(Ident, Line)>,
    /// `within D else NAME`
    pub within: Option<(Expr, Ident)>,
}

/// What happens when an action cannot be sent in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late {
    /// `drop`
    Drop,
    /// `retime`
    Retime,
    /// A tolerance.
    UpTo(Expr),
}

/// `share = NAME [ NUMBER ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The personality.
    pub name: Ident,
    /// Its share.
    pub amount: Option<Number>,
}

/// `carried = TYPE "." NAME | NAME`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The type of an attribute.
    pub ty: Option<Ident>,
    /// The fluent or attribute.
    pub name: Ident,
}

/// `goal`, `keep` or `prefer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Which.
    pub kind: WishKind,
    /// `while C`
    pub condition: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// The kinds of wishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WishKind {
    /// `goal A then B salience n`
    Goal(Vec<Aim>, Option<Expr>),
    /// `keep C from T to T`
    Keep(Expr, Option<(Expr, Expr)>),
    /// `prefer … weight n`
    Prefer(Liking, Option<Expr>),
}

/// `aim = expr [ "at" sum | "by" sum | "from" sum "to" sum ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// What is wanted.
    pub condition: Expr,
    /// When.
    pub time: AimTime,
}

/// When an aim must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AimTime {
    /// At some time.
    Any,
    /// `at T`
    At(Expr),
    /// `by T`
    By(Expr),
    /// `from T to T`
    During(Expr, Expr),
}

/// `liking = ("more"|"less") sum [("up"|"down") "to" sum] | expr ["follows" point {"," point} "within" sum]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Liking {
    /// `more x up to n`
    More(Expr, Option<Expr>),
    /// `less x down to n`
    Less(Expr, Option<Expr>),
    /// A condition.
    Holds(Expr),
    /// `x follows v at t, … within w`: points are (value, time).
    Follows(Expr, Vec<(Expr, Expr)>, Expr),
}

/// `effects = effect { "," effect } [ "at" anchor ] [ "for" binder { "," binder } ] [ "if" expr ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// All at once.
    pub effects: Vec<Effect>,
    /// When.
    pub anchor: Option<Anchor>,
    /// For each of these.
    pub binders: Vec<Binder>,
    /// On what condition.
    pub condition: Option<Expr>,
    /// The whole list.
    pub span: Span,
}

/// `effect = "not" path | path [ ( "=" | "+=" | "-=" ) ( "random" set | expr [ "per" NAME ] ) ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What changes.
    pub target: Path,
    /// How.
    pub change: ChangeKind,
    /// The whole.
    pub span: Span,
}

/// How an effect changes its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Named alone: becomes true.
    Yes,
    /// `not`: becomes false.
    No,
    /// `= v`
    Set(Amount),
    /// `+= v`
    Add(Amount),
    /// `-= v`
    Subtract(Amount),
}

/// The right side of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// `random set`
    Random(Set),
    /// `expr [per unit]`; the unit is a NAME such as `tick`, `s`, `min`.
    Expr(Expr, Option<Ident>),
}

/// `anchor = "start" | "end" | sum`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At the start.
    Start(Span),
    /// At the end.
    End(Span),
    /// So long after the start (in `given`: that long after the story began).
    After(Expr),
}

/// `hold = [ NUMBER "of" ] path [ "from" anchor "to" anchor ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// How much of it.
    pub amount: Option<Number>,
    /// The actuator.
    pub path: Path,
    /// From when to when.
    pub window: Option<(Anchor, Anchor)>,
    /// The whole.
    pub span: Span,
}
