//! Expressions, paths and events.

use dramaturg_model::Span;

use super::word::{Ident, Number, Tag};

/// `binder = NAME ( ":" types | "in" "(" expr { "," expr } ")" )`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The name bound.
    pub name: Ident,
    /// Over what.
    pub range: BinderRange,
}

/// What a binder runs over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinderRange {
    /// `: A | B`
    Types(Vec<Ident>),
    /// `in (a, b)`
    Among(Vec<Expr>),
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// What a syntax error left out.
    Missing,
    /// `12`, `2 s`
    Number(Number),
    /// `true`, `false`
    Bool(bool),
    /// `_`
    Wildcard,
    /// `( e )`, kept for the formatter and for `and-or-mixed`.
    Group(Box<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `not e`
    Not(Box<Expr>),
    /// `a == b`
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a in set`
    In(Box<Expr>, Set),
    /// `a + b`
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    /// `- e`
    Negate(Box<Expr>),
    /// `any x: T (e)`
    Any(Vec<Binder>, Box<Expr>),
    /// `all x: T (e)`
    All(Vec<Binder>, Box<Expr>),
    /// `done X`
    Done(Box<Event>),
    /// `a.b`, `f(x).y`
    Path(Box<Path>),
}

/// Comparison signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// Arithmetic signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `mod`
    Modulo,
}

/// `set = "(" expr { "," expr } ")" | types | sum ".." sum`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// `(a, b)`
    Among(Vec<Expr>, Span),
    /// `A | B`
    Types(Vec<Ident>),
    /// `a .. b`
    Range(Box<Expr>, Box<Expr>),
}

/// `path = NAME [ arguments ] { "." NAME }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The first name.
    pub name: Ident,
    /// Its arguments; `None` without parentheses.
    pub arguments: Option<Vec<Expr>>,
    /// The attributes behind it.
    pub attributes: Vec<Ident>,
    /// The whole.
    pub span: Span,
}

/// `event = TAG | NAME [ "." NAME ] [ arguments ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// A tag or a name.
    pub kind: EventKind,
    /// The whole.
    pub span: Span,
}

/// What an event names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// `#romance`
    Tag(Tag),
    /// `kill(_, x)`, `goCinema.miaComes`, `map.anchor(map-1, castle)`
    Named {
        /// Action, task, rule, pool, milestone, ending.
        name: Ident,
        /// Method, or `anchor`, `reanchor`, `commit` of a pool.
        member: Option<Ident>,
        /// The arguments; `None` without parentheses.
        arguments: Option<Vec<Expr>>,
    },
}
