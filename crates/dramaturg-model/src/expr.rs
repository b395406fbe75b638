//! Expressions and conditions over fluents, parameters and time.

use serde::Serialize;
use smallvec::SmallVec;

use crate::fixed::Fixed;
use crate::fluent::FluentId;
use crate::object::Param;
use crate::value::Value;

/// A parameter or bound variable, counted from the outermost: an action's parameters first, then each binder around the place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Var(pub u16);

/// A typed expression. Conditions are expressions whose value is yes or no.
///
/// Nothing here can fail: where there is no value the result is [`Value::Nothing`], and comparisons with it are false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Expr {
    /// A value.
    Value(Value),
    /// A parameter or bound variable.
    Var(Var),
    /// A fluent of these arguments, which may themselves be read from fluents (`c.at.x`).
    Fluent(FluentId, Vec<Expr>),
    /// All hold; true when empty.
    And(Vec<Expr>),
    /// One holds; false when empty.
    Or(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// Two values compared.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// A value in a set.
    In(Box<Expr>, Set),
    /// Two numbers computed.
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    /// A function of numbers.
    Call(Function, SmallVec<[Box<Expr>; 2]>),
    /// Whether one or all of the objects do; the binders become the next variables.
    Quantified(Quantifier, Vec<Binder>, Box<Expr>),
    /// The tick now.
    Now,
    /// Ticks since midnight, by the story's clock.
    TimeOfDay,
    /// Days since the story began, by the story's clock.
    DayNumber,
    /// The duration of the step at hand, in ticks.
    StepDuration,
}

/// Comparison signs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
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

impl Comparison {
    /// Whether two numbers stand so.
    pub fn holds(self, left: Fixed, right: Fixed) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::More => left > right,
            Self::AtLeast => left >= right,
        }
    }

    /// The sign that holds exactly when this one does not (for numbers that exist).
    pub const fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
            Self::More => Self::AtMost,
            Self::AtLeast => Self::Less,
        }
    }

    /// The sign with left and right swapped.
    pub const fn swapped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::More => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    /// As written in a story.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// Arithmetic signs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
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

impl Operator {
    /// The result for two numbers.
    pub fn apply(self, left: Fixed, right: Fixed) -> Fixed {
        match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left.multiply(right),
            Self::Divide => left.divide(right),
            Self::Modulo => left.modulo(right),
        }
    }

    /// As written in a story.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "mod",
        }
    }
}

/// Functions of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Function {
    /// The largest whole number that is not greater.
    Floor,
    /// The size without the sign.
    Abs,
    /// The smallest of all.
    Min,
    /// The largest of all.
    Max,
    /// The hypotenuse over two sides.
    Hypot,
    /// A duration in whole ticks, a half upwards; the compiler adds it where the language says so.
    RoundTicks,
}

/// Whether one or all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Quantifier {
    /// There is one.
    Any,
    /// They all do.
    All,
}

/// A bound variable: `b: Character`, or `b in (x, y)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binder {
    /// Its name and the objects it may be.
    pub param: Param,
    /// Only these, in this order, if listed.
    pub among: Option<Vec<Expr>>,
}

/// A set that a value may be in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Set {
    /// One of these values.
    Among(Vec<Expr>),
    /// An object of one of these types, or one of these names.
    Choices(crate::object::Choices),
    /// From the first to the second, both inclusive.
    Range(Box<Expr>, Box<Expr>),
}

impl Expr {
    /// What is always true.
    pub const TRUE: Self = Self::Value(Value::Bool(true));
    /// What is never true.
    pub const FALSE: Self = Self::Value(Value::Bool(false));

    /// A whole number.
    pub fn int(value: i64) -> Self {
        Self::Value(Value::Number(Fixed::from_int(value)))
    }

    /// A number.
    pub fn number(value: Fixed) -> Self {
        Self::Value(Value::Number(value))
    }

    /// The opposite.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Value(Value::Bool(value)) => Self::Value(Value::Bool(!value)),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// All of these, flattened.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::And(inner) => flat.extend(inner),
                Self::Value(Value::Bool(true)) => {}
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::And(flat) }
    }

    /// Two values compared.
    pub fn compare(sign: Comparison, left: Self, right: Self) -> Self {
        Self::Compare(sign, Box::new(left), Box::new(right))
    }

    /// Two numbers computed.
    pub fn arithmetic(sign: Operator, left: Self, right: Self) -> Self {
        Self::Arithmetic(sign, Box::new(left), Box::new(right))
    }

    /// The expressions directly inside, in order of writing.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Value(_) | Self::Var(_) | Self::Now | Self::TimeOfDay | Self::DayNumber | Self::StepDuration => {
                Vec::new()
            }
            Self::Fluent(_, parts) | Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
            Self::Not(inner) => vec![inner],
            Self::Compare(_, left, right) | Self::Arithmetic(_, left, right) => vec![left, right],
            Self::In(value, set) => {
                let mut parts = vec![&**value];
                match set {
                    Set::Among(values) => parts.extend(values),
                    Set::Choices(_) => {}
                    Set::Range(least, most) => parts.extend([&**least, &**most]),
                }
                parts
            }
            Self::Call(_, parts) => parts.iter().map(|part| &**part).collect(),
            Self::Quantified(_, binders, inner) => {
                let mut parts: Vec<&Self> =
                    binders.iter().filter_map(|binder| binder.among.as_ref()).flatten().collect();
                parts.push(inner);
                parts
            }
        }
    }

    /// Calls `visit` on this expression and everything inside it, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Whether its value may change although no fluent does.
    pub fn depends_on_time(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Self::Now | Self::TimeOfDay | Self::DayNumber));
        found
    }
}
