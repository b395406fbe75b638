//! The types of expressions while they are checked.

use dramaturg_model::{Choices, Domain, Model, SymbolId, TypeId};
use smallvec::SmallVec;

/// What kind of value an expression has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// An error was reported; nothing more is said about it.
    Unknown,
    Bool,
    Int,
    Number,
    Duration,
    Choice(Choices),
}

impl Ty {
    /// The type of a fluent's value.
    pub(crate) fn of_domain(domain: &Domain) -> Self {
        match domain {
            Domain::Bool => Self::Bool,
            Domain::Choice(choices) => Self::of_choices(choices),
            Domain::Number(_) => Self::Number,
            Domain::Int(_) => Self::Int,
            Domain::Duration => Self::Duration,
        }
    }

    /// The type of a value among choices; unknown where a type of them is, which leaves none.
    pub(crate) fn of_choices(choices: &Choices) -> Self {
        let unknown = choices.types.is_empty() && choices.symbols.is_empty();
        if unknown { Self::Unknown } else { Self::Choice(choices.clone()) }
    }

    /// The type of an object of a kind.
    pub(crate) fn object(ty: TypeId) -> Self {
        Self::Choice(Choices::of_type(ty))
    }

    /// The type of one name that is a value.
    pub(crate) fn symbol(symbol: SymbolId) -> Self {
        Self::Choice(Choices { types: SmallVec::new(), symbols: SmallVec::from_slice(&[symbol]) })
    }

    pub(crate) fn is_plain_number(&self) -> bool {
        matches!(self, Self::Int | Self::Number)
    }

    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self, Self::Int | Self::Number | Self::Duration)
    }

    /// For messages: "a number", "one of Place or `away`".
    pub(crate) fn describe(&self, model: &Model) -> String {
        match self {
            Self::Unknown => "something unknown".to_owned(),
            Self::Bool => "yes or no".to_owned(),
            Self::Int => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Duration => "a duration".to_owned(),
            Self::Choice(choices) => describe_choices(model, choices),
        }
    }

    /// The same for what was found: that a number is whole is worth saying only where it must be.
    pub(crate) fn describe_found(&self, model: &Model) -> String {
        if *self == Self::Int { Self::Number.describe(model) } else { self.describe(model) }
    }

    /// Whether a value of one type may equal a value of the other.
    pub(crate) fn can_meet(&self, other: &Self, model: &Model) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Choice(left), Self::Choice(right)) => choices_meet(model, left, right),
            (left, right) if left.is_plain_number() && right.is_plain_number() => true,
            (left, right) => left == right,
        }
    }
}

/// Whether two sets of choices share a possible value.
pub(crate) fn choices_meet(model: &Model, left: &Choices, right: &Choices) -> bool {
    let types = left.types.iter().any(|a| right.types.iter().any(|b| types_meet(model, *a, *b)));
    types || left.symbols.iter().any(|symbol| right.symbols.contains(symbol))
}

/// Whether an object may be of both types.
pub(crate) fn types_meet(model: &Model, left: TypeId, right: TypeId) -> bool {
    model.is_subtype(left, right) || model.is_subtype(right, left)
}

/// Whether every value of one set is in the other.
pub(crate) fn choices_within(model: &Model, inner: &Choices, outer: &Choices) -> bool {
    inner.types.iter().all(|a| outer.types.iter().any(|b| model.is_subtype(*a, *b)))
        && inner.symbols.iter().all(|symbol| outer.symbols.contains(symbol))
}

/// For messages: "Place, Fleet or `away`".
pub(crate) fn describe_choices(model: &Model, choices: &Choices) -> String {
    let mut parts: Vec<String> = choices.types.iter().map(|ty| model.types[*ty].name.to_string()).collect();
    parts.extend(choices.symbols.iter().map(|symbol| format!("`{}`", model.symbols[*symbol])));
    match parts.as_slice() {
        [] => "nothing at all".to_owned(),
        [one] => one.clone(),
        [firsts @ .., last] => format!("{} or {last}", firsts.join(", ")),
    }
}
