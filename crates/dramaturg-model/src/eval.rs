//! The value of an expression in a state.

use smallvec::SmallVec;

use crate::expr::{Binder, Comparison, Expr, Function, Quantifier, Set};
use crate::fixed::Fixed;
use crate::fluent::{FluentId, FluentSource};
use crate::level::LevelId;
use crate::model::Model;
use crate::object::Choices;
use crate::tick::Tick;
use crate::value::{Args, Value};

/// What an expression is read against.
pub trait Facts {
    /// The stored (or derived) value of a fluent; [`Value::Nothing`] if it has none. Never asked for fluents that `means` something.
    fn value(&self, fluent: FluentId, args: &[Value]) -> Value;
    /// The tick now.
    fn now(&self) -> Tick;
    /// The level whose objects exist.
    fn level(&self) -> Option<LevelId>;
}

/// Reads expressions: a model, facts, the variables bound so far and the duration of the step at hand.
///
/// ```
/// use dramaturg_model::{Comparison, Evaluator, Expr, Model, State};
/// let model = Model::default();
/// let state = State::empty(&model);
/// let condition = Expr::compare(Comparison::Less, Expr::int(2), Expr::int(3));
/// assert!(Evaluator::new(&model, &state).holds(&condition));
/// ```
pub struct Evaluator<'a, F: ?Sized> {
    model: &'a Model,
    facts: &'a F,
    variables: SmallVec<[Value; 8]>,
    duration: Option<Tick>,
}

impl<'a, F: Facts + ?Sized> Evaluator<'a, F> {
    /// With no variables bound.
    pub fn new(model: &'a Model, facts: &'a F) -> Self {
        Self { model, facts, variables: SmallVec::new(), duration: None }
    }

    /// With these arguments as the first variables.
    pub fn with(model: &'a Model, facts: &'a F, arguments: &[Value]) -> Self {
        Self { model, facts, variables: SmallVec::from_slice(arguments), duration: None }
    }

    /// With the duration of the step at hand.
    #[must_use]
    pub fn lasting(mut self, duration: Tick) -> Self {
        self.duration = Some(duration);
        self
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, condition: &Expr) -> bool {
        self.value(condition).is_true()
    }

    /// The number an expression comes to, if it does.
    pub fn number(&mut self, expr: &Expr) -> Option<Fixed> {
        self.value(expr).as_number()
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Value(value) => *value,
            Expr::Var(var) => self.variables.get(usize::from(var.0)).copied().unwrap_or(Value::Nothing),
            Expr::Fluent(fluent, args) => self.fluent(*fluent, args),
            Expr::And(parts) => Value::Bool(parts.iter().all(|part| self.holds(part))),
            Expr::Or(parts) => Value::Bool(parts.iter().any(|part| self.holds(part))),
            Expr::Not(inner) => Value::Bool(!self.holds(inner)),
            Expr::Compare(sign, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                Value::Bool(compare(*sign, left, right))
            }
            Expr::In(value, set) => {
                let value = self.value(value);
                Value::Bool(self.is_in(value, set))
            }
            Expr::Arithmetic(sign, left, right) => match (self.number(left), self.number(right)) {
                (Some(left), Some(right)) => Value::Number(sign.apply(left, right)),
                _ => Value::Nothing,
            },
            Expr::Call(function, args) => self.call(*function, args),
            Expr::Quantified(quantifier, binders, inner) => {
                let wanted = *quantifier == Quantifier::Any;
                let found = self.search(binders, &mut |scope| scope.holds(inner) == wanted);
                Value::Bool(found == wanted)
            }
            Expr::Now => Value::Number(Fixed::from_int(self.facts.now())),
            Expr::TimeOfDay => Value::Number(Fixed::from_int(self.model.clock.time_of_day(self.facts.now()))),
            Expr::DayNumber => Value::Number(Fixed::from_int(self.model.clock.day_number(self.facts.now()))),
            Expr::StepDuration => self.duration.map_or(Value::Nothing, |ticks| Value::Number(Fixed::from_int(ticks))),
        }
    }

    /// Calls `visit` once for each binding of the binders, in order.
    pub fn for_each(&mut self, binders: &[Binder], visit: &mut impl FnMut(&mut Self)) {
        self.search(binders, &mut |scope| {
            visit(scope);
            false
        });
    }

    /// Calls `visit` for each binding of the binders until it returns true; whether it did.
    pub fn search(&mut self, binders: &[Binder], visit: &mut dyn FnMut(&mut Self) -> bool) -> bool {
        let Some((binder, rest)) = binders.split_first() else { return visit(self) };
        let values = match &binder.among {
            Some(among) => among.iter().map(|value| self.value(value)).collect(),
            None => self.model.values_of(&binder.param.choices, self.facts.level()),
        };
        for value in values {
            self.variables.push(value);
            let found = self.search(rest, visit);
            self.variables.pop();
            if found {
                return true;
            }
        }
        false
    }

    /// The variables bound at this point, outermost first.
    pub fn variables(&self) -> &[Value] {
        &self.variables
    }

    /// All values of these choices in the level at hand.
    pub fn choices(&self, choices: &Choices) -> Vec<Value> {
        self.model.values_of(choices, self.facts.level())
    }

    /// The values of several expressions, as arguments.
    pub fn args(&mut self, args: &[Expr]) -> Args {
        args.iter().map(|arg| self.value(arg)).collect()
    }

    fn fluent(&mut self, fluent: FluentId, args: &[Expr]) -> Value {
        let args = self.args(args);
        if args.contains(&Value::Nothing) {
            return Value::Nothing;
        }
        let declared = &self.model.fluents[fluent];
        // An attribute read through a name that is no object of its type has no value.
        if args.iter().zip(&declared.params).any(|(arg, param)| !self.model.is_among(*arg, &param.choices)) {
            return Value::Nothing;
        }
        match &declared.source {
            FluentSource::Means(meaning) => {
                let mut inner = Evaluator::with(self.model, self.facts, &args);
                let value = inner.value(meaning);
                match value {
                    Value::Number(number) => Value::Number(declared.domain.clamp(number)),
                    other => other,
                }
            }
            FluentSource::Stored | FluentSource::Derived { .. } | FluentSource::Done(_) => {
                self.facts.value(fluent, &args)
            }
        }
    }

    fn is_in(&mut self, value: Value, set: &Set) -> bool {
        match set {
            Set::Among(values) => values.iter().any(|other| compare(Comparison::Equal, value, self.value(other))),
            Set::Choices(choices) => self.model.is_among(value, choices),
            Set::Range(least, most) => {
                let (least, most) = (self.value(least), self.value(most));
                compare(Comparison::AtLeast, value, least) && compare(Comparison::AtMost, value, most)
            }
        }
    }

    fn call(&mut self, function: Function, args: &[Box<Expr>]) -> Value {
        let mut numbers: SmallVec<[Fixed; 4]> = SmallVec::new();
        for arg in args {
            match self.number(arg) {
                Some(number) => numbers.push(number),
                None => return Value::Nothing,
            }
        }
        let result = match (function, numbers.as_slice()) {
            (Function::Floor, [x]) => Some(x.floor()),
            (Function::Abs, [x]) => Some(x.abs()),
            (Function::RoundTicks, [x]) => Some(Fixed::from_int(x.round_half_up())),
            (Function::Hypot, [x, y]) => Some(x.hypot(*y)),
            (Function::Min, numbers) => numbers.iter().copied().min(),
            (Function::Max, numbers) => numbers.iter().copied().max(),
            _ => None,
        };
        result.map_or(Value::Nothing, Value::Number)
    }
}

/// Compares two values. With no value on either side, or values of different kinds, only `!=` between kinds that exist is true.
pub fn compare(sign: Comparison, left: Value, right: Value) -> bool {
    match (left, right) {
        (Value::Nothing, _) | (_, Value::Nothing) => false,
        (Value::Number(left), Value::Number(right)) => sign.holds(left, right),
        (left, right) => match sign {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            _ => false,
        },
    }
}
