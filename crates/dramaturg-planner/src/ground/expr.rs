//! Ground expressions: no variables of the story are left, only places of a state.

use dramaturg_model::eval::compare;
use dramaturg_model::{Clock, Comparison, Domain, Fixed, Function, Operator, Table, Tick, Value};

use super::variable::{NumberId, Sets, ValueSet, Variable, VariableId};

/// An expression over a ground state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundExpr {
    /// A value.
    Value(Value),
    /// The value that a variable stands for.
    Variable(VariableId),
    /// Whether a variable's value is in a set.
    Is(VariableId, ValueSet),
    /// A number.
    Number(NumberId),
    /// All hold.
    And(Vec<GroundExpr>),
    /// One holds.
    Or(Vec<GroundExpr>),
    /// It does not hold.
    Not(Box<GroundExpr>),
    /// Two values compared.
    Compare(Comparison, Box<GroundExpr>, Box<GroundExpr>),
    /// Whether a value is one of these, in ascending order.
    Among(Box<GroundExpr>, Vec<Value>),
    /// Two numbers computed.
    Arithmetic(Operator, Box<GroundExpr>, Box<GroundExpr>),
    /// A function of numbers.
    Call(Function, Vec<GroundExpr>),
    /// A number cut off at the bounds of a domain.
    Cut(Domain, Box<GroundExpr>),
    /// What belongs to the value of the first, in ascending order of values; nothing if it is not listed.
    Switch(Box<GroundExpr>, Vec<(Value, GroundExpr)>),
    /// The tick now.
    Now,
    /// Ticks since midnight.
    TimeOfDay,
    /// Days since the story began.
    DayNumber,
    /// The duration of the step at hand.
    StepDuration,
}

/// What ground expressions are read against.
pub trait Ground {
    /// The value of a variable.
    fn variable(&self, variable: VariableId) -> u32;
    /// The value of a number.
    fn number(&self, number: NumberId) -> Option<Fixed>;
    /// The tick now.
    fn now(&self) -> Tick;
}

/// What gives the values of a ground state their meaning.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The variables.
    pub variables: &'a Table<VariableId, Variable>,
    /// Interned sets of values.
    pub sets: &'a Sets,
    /// How ticks relate to time.
    pub clock: &'a Clock,
}

impl GroundExpr {
    /// What is always true.
    pub const TRUE: Self = Self::Value(Value::Bool(true));
    /// What is never true.
    pub const FALSE: Self = Self::Value(Value::Bool(false));

    /// The number, if it is a plain one.
    pub fn as_number(&self) -> Option<Fixed> {
        match self {
            Self::Value(value) => value.as_number(),
            _ => None,
        }
    }

    /// Its value in a state.
    pub fn value<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G, duration: Option<Tick>) -> Value {
        let scope = Scope { frame, state, duration };
        scope.value(self)
    }

    /// Whether it holds in a state.
    pub fn holds<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G) -> bool {
        self.value(frame, state, None).is_true()
    }

    /// The expressions directly inside.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Value(_)
            | Self::Variable(_)
            | Self::Is(..)
            | Self::Number(_)
            | Self::Now
            | Self::TimeOfDay
            | Self::DayNumber
            | Self::StepDuration => Vec::new(),
            Self::And(parts) | Self::Or(parts) | Self::Call(_, parts) => parts.iter().collect(),
            Self::Not(inner) | Self::Among(inner, _) | Self::Cut(_, inner) => vec![inner],
            Self::Compare(_, left, right) | Self::Arithmetic(_, left, right) => vec![left, right],
            Self::Switch(on, cases) => std::iter::once(&**on).chain(cases.iter().map(|(_, case)| case)).collect(),
        }
    }

    /// Calls `visit` on this expression and everything inside it.
    pub fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Whether it depends on the time or on the duration of a step.
    pub fn depends_on_time(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| {
            found |= matches!(part, Self::Now | Self::TimeOfDay | Self::DayNumber | Self::StepDuration);
        });
        found
    }
}

struct Scope<'a, G: ?Sized> {
    frame: Frame<'a>,
    state: &'a G,
    duration: Option<Tick>,
}

impl<G: Ground + ?Sized> Scope<'_, G> {
    fn value(&self, expr: &GroundExpr) -> Value {
        match expr {
            GroundExpr::Value(value) => *value,
            GroundExpr::Variable(variable) => self.frame.variables[*variable].value(self.state.variable(*variable)),
            GroundExpr::Is(variable, set) => {
                Value::Bool(self.frame.sets.contains(*set, self.state.variable(*variable)))
            }
            GroundExpr::Number(number) => self.state.number(*number).map_or(Value::Nothing, Value::Number),
            GroundExpr::And(parts) => Value::Bool(parts.iter().all(|part| self.value(part).is_true())),
            GroundExpr::Or(parts) => Value::Bool(parts.iter().any(|part| self.value(part).is_true())),
            GroundExpr::Not(inner) => Value::Bool(!self.value(inner).is_true()),
            GroundExpr::Compare(sign, left, right) => Value::Bool(compare(*sign, self.value(left), self.value(right))),
            GroundExpr::Among(inner, values) => Value::Bool(values.binary_search(&self.value(inner)).is_ok()),
            GroundExpr::Switch(on, cases) => {
                let on = self.value(on);
                let case = cases.binary_search_by(|(value, _)| value.cmp(&on)).ok();
                case.and_then(|case| cases.get(case)).map_or(Value::Nothing, |(_, case)| self.value(case))
            }
            other => fold(other, self.frame.clock, self.state.now(), self.duration, |part| self.value(part)),
        }
    }
}

/// The value of an arithmetic expression, given those of its parts.
pub(crate) fn fold(
    expr: &GroundExpr,
    clock: &Clock,
    now: Tick,
    duration: Option<Tick>,
    value: impl Fn(&GroundExpr) -> Value,
) -> Value {
    let ticks = |ticks: i64| Value::Number(Fixed::from_int(ticks));
    match expr {
        GroundExpr::Arithmetic(sign, left, right) => match (value(left).as_number(), value(right).as_number()) {
            (Some(left), Some(right)) => Value::Number(sign.apply(left, right)),
            _ => Value::Nothing,
        },
        GroundExpr::Call(function, args) => {
            let numbers: Option<Vec<Fixed>> = args.iter().map(|arg| value(arg).as_number()).collect();
            numbers.and_then(|numbers| call(*function, &numbers)).map_or(Value::Nothing, Value::Number)
        }
        GroundExpr::Cut(domain, inner) => match value(inner) {
            Value::Number(number) => Value::Number(domain.clamp(number)),
            other => other,
        },
        GroundExpr::Now => ticks(now),
        GroundExpr::TimeOfDay => ticks(clock.time_of_day(now)),
        GroundExpr::DayNumber => ticks(clock.day_number(now)),
        GroundExpr::StepDuration => duration.map_or(Value::Nothing, ticks),
        _ => Value::Nothing,
    }
}

fn call(function: Function, numbers: &[Fixed]) -> Option<Fixed> {
    match (function, numbers) {
        (Function::Floor, [x]) => Some(x.floor()),
        (Function::Abs, [x]) => Some(x.abs()),
        (Function::RoundTicks, [x]) => Some(Fixed::from_int(x.round_half_up())),
        (Function::Hypot, [x, y]) => Some(x.hypot(*y)),
        (Function::Min, numbers) => numbers.iter().copied().min(),
        (Function::Max, numbers) => numbers.iter().copied().max(),
        _ => None,
    }
}
