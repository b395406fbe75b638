//! Expressions of the story to ground expressions: variables filled in, quantifiers spread out, meanings put in, reads of reads
//! split by case, and whatever is constant computed.

use dramaturg_model::eval::compare;
use dramaturg_model::{
    Args, Binder, Comparison, Evaluator, Expr, FluentId, FluentSource, Operator, Quantifier, Set, Value,
};
use smallvec::SmallVec;

use super::expr::{GroundExpr, fold};
use super::options::Meter;
use super::places::Places;
use super::variable::{Place, ValueSet};

/// Fills in variables and finds places.
pub(crate) struct Lower<'p, 'a, 'm> {
    pub(crate) places: &'p Places<'a, 'm>,
    pub(crate) variables: SmallVec<[Value; 8]>,
    pub(crate) meter: &'p mut Meter,
}

impl<'p, 'a, 'm> Lower<'p, 'a, 'm> {
    pub(crate) fn new(places: &'p Places<'a, 'm>, variables: &[Value], meter: &'p mut Meter) -> Self {
        Self { places, variables: SmallVec::from_slice(variables), meter }
    }

    /// The ground form of an expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> GroundExpr {
        if !self.meter.spend(1) {
            return GroundExpr::FALSE;
        }
        match expr {
            Expr::Value(value) => GroundExpr::Value(*value),
            Expr::Var(var) => {
                GroundExpr::Value(self.variables.get(usize::from(var.0)).copied().unwrap_or(Value::Nothing))
            }
            Expr::Fluent(fluent, args) => self.fluent(*fluent, args),
            Expr::And(parts) => self.all(parts.iter(), true),
            Expr::Or(parts) => self.all(parts.iter(), false),
            Expr::Not(inner) => negate(self.expr(inner)),
            Expr::Compare(sign, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                compared(*sign, left, right)
            }
            Expr::In(value, set) => self.is_in(value, set),
            Expr::Arithmetic(sign, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.constant(GroundExpr::Arithmetic(*sign, Box::new(left), Box::new(right)))
            }
            Expr::Call(function, args) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.constant(GroundExpr::Call(*function, args))
            }
            Expr::Quantified(quantifier, binders, inner) => {
                let all = *quantifier == Quantifier::All;
                let mut parts = Vec::new();
                self.for_each(binders, GroundExpr::TRUE, &mut |scope, guard| {
                    let part = scope.expr(inner);
                    // A listed value that is read from the state counts in the case where it is that value.
                    let part = match (guard, all) {
                        (GroundExpr::Value(Value::Bool(true)), _) => part,
                        (guard, true) => any_of(vec![negate(guard), part]),
                        (guard, false) => all_of(vec![guard, part]),
                    };
                    let done = is_constant(&part, !all);
                    parts.push(part);
                    !done
                });
                if all { all_of(parts) } else { any_of(parts) }
            }
            Expr::Now => GroundExpr::Now,
            Expr::TimeOfDay => GroundExpr::TimeOfDay,
            Expr::DayNumber => GroundExpr::DayNumber,
            Expr::StepDuration => GroundExpr::StepDuration,
        }
    }

    fn all<'e>(&mut self, parts: impl Iterator<Item = &'e Expr>, all: bool) -> GroundExpr {
        let mut ground = Vec::new();
        for part in parts {
            let part = self.expr(part);
            if is_constant(&part, !all) {
                return if all { GroundExpr::FALSE } else { GroundExpr::TRUE };
            }
            ground.push(part);
        }
        if all { all_of(ground) } else { any_of(ground) }
    }

    /// Computes what has only constants inside.
    fn constant(&self, expr: GroundExpr) -> GroundExpr {
        let constant = expr.children().into_iter().all(|part| matches!(part, GroundExpr::Value(_)));
        if !constant {
            return expr;
        }
        let clock = &self.places.world.model.clock;
        GroundExpr::Value(fold(&expr, clock, 0, None, |part| match part {
            GroundExpr::Value(value) => *value,
            _ => Value::Nothing,
        }))
    }

    fn fluent(&mut self, fluent: FluentId, args: &[Expr]) -> GroundExpr {
        let plain: Option<Args> = args
            .iter()
            .map(|arg| match arg {
                Expr::Value(value) => Some(*value),
                Expr::Var(var) => Some(self.variables.get(usize::from(var.0)).copied().unwrap_or(Value::Nothing)),
                _ => None,
            })
            .collect();
        match plain {
            Some(args) => self.read(fluent, &args),
            None => {
                let args: Vec<GroundExpr> = args.iter().map(|arg| self.expr(arg)).collect();
                self.split(fluent, &args, Args::new())
            }
        }
    }

    /// A read whose arguments may be read themselves: one case for each value of the first that is.
    fn split(&mut self, fluent: FluentId, args: &[GroundExpr], known: Args) -> GroundExpr {
        let Some((first, rest)) = args.split_first() else { return self.read(fluent, &known) };
        if let GroundExpr::Value(value) = first {
            let mut known = known;
            known.push(*value);
            return self.split(fluent, rest, known);
        }
        let mut cases = Vec::new();
        for value in self.possible(first) {
            if !self.meter.spend(1) {
                return GroundExpr::Value(Value::Nothing);
            }
            let mut known = known.clone();
            known.push(value);
            let case = self.split(fluent, rest, known);
            if case != GroundExpr::Value(Value::Nothing) {
                cases.push((value, case));
            }
        }
        if cases.is_empty() {
            return GroundExpr::Value(Value::Nothing);
        }
        GroundExpr::Switch(Box::new(first.clone()), cases)
    }

    /// The values an argument can have, in ascending order.
    pub(crate) fn possible(&self, expr: &GroundExpr) -> Vec<Value> {
        let mut values = match expr {
            GroundExpr::Value(value) => vec![*value],
            GroundExpr::Variable(variable) => {
                let variable = &self.places.variables[*variable];
                (0..variable.size()).map(|index| variable.value(index)).collect()
            }
            GroundExpr::Switch(_, cases) => cases.iter().flat_map(|(_, case)| self.possible(case)).collect(),
            GroundExpr::Number(_)
            | GroundExpr::Arithmetic(..)
            | GroundExpr::Call(..)
            | GroundExpr::Cut(..)
            | GroundExpr::Now
            | GroundExpr::TimeOfDay
            | GroundExpr::DayNumber
            | GroundExpr::StepDuration => Vec::new(),
            GroundExpr::Is(..)
            | GroundExpr::And(_)
            | GroundExpr::Or(_)
            | GroundExpr::Not(_)
            | GroundExpr::Compare(..)
            | GroundExpr::Among(..) => vec![Value::Bool(false), Value::Bool(true)],
        };
        values.retain(|value| *value != Value::Nothing);
        values.sort_unstable();
        values.dedup();
        values
    }

    fn read(&mut self, fluent: FluentId, args: &Args) -> GroundExpr {
        if args.contains(&Value::Nothing) {
            return GroundExpr::Value(Value::Nothing);
        }
        let world = self.places.world;
        let declared = &world.model.fluents[fluent];
        if let FluentSource::Means(meaning) = &declared.source {
            let fits = args.iter().zip(&declared.params).all(|(arg, param)| world.model.is_among(*arg, &param.choices));
            if !fits {
                return GroundExpr::Value(Value::Nothing);
            }
            let mut inner = Lower::new(self.places, args, self.meter);
            let inner = inner.expr(meaning);
            return if declared.domain.is_numeric() {
                self.constant(GroundExpr::Cut(declared.domain.clone(), Box::new(inner)))
            } else {
                inner
            };
        }
        match self.places.place(fluent, args) {
            Place::Constant(value) => GroundExpr::Value(value),
            Place::Variable(variable) => GroundExpr::Variable(variable),
            Place::Member(variable, value) => GroundExpr::Is(variable, ValueSet::One(value)),
            Place::Number(number) => GroundExpr::Number(number),
        }
    }

    fn is_in(&mut self, value: &Expr, set: &Set) -> GroundExpr {
        let value = self.expr(value);
        match set {
            Set::Among(members) => {
                let members = members.iter().map(|member| self.expr(member));
                let members: Vec<GroundExpr> = members.collect();
                any_of(members.into_iter().map(|member| compared(Comparison::Equal, value.clone(), member)).collect())
            }
            Set::Choices(choices) => {
                let model = self.places.world.model;
                if let GroundExpr::Value(value) = value {
                    return GroundExpr::Value(Value::Bool(model.is_among(value, choices)));
                }
                let mut values = model.values_of(choices, None);
                values.extend(model.objects.ids().map(Value::Object).filter(|o| model.is_among(*o, choices)));
                values.sort_unstable();
                values.dedup();
                GroundExpr::Among(Box::new(value), values)
            }
            Set::Range(least, most) => {
                let (least, most) = (self.expr(least), self.expr(most));
                all_of(vec![
                    compared(Comparison::AtLeast, value.clone(), least),
                    compared(Comparison::AtMost, value, most),
                ])
            }
        }
    }

    /// Calls `visit` for each binding, with what must hold for the binding to count, until it returns false.
    pub(crate) fn for_each(
        &mut self,
        binders: &[Binder],
        guard: GroundExpr,
        visit: &mut dyn FnMut(&mut Self, GroundExpr) -> bool,
    ) -> bool {
        let Some((binder, rest)) = binders.split_first() else { return visit(self, guard) };
        let model = self.places.world.model;
        let values: Vec<(Value, GroundExpr)> = match &binder.among {
            None => {
                let values = model.values_of(&binder.param.choices, self.places.world.level);
                values.into_iter().map(|value| (value, GroundExpr::TRUE)).collect()
            }
            Some(among) => {
                let mut values = Vec::new();
                for member in among {
                    match self.expr(member) {
                        GroundExpr::Value(value) => values.push((value, GroundExpr::TRUE)),
                        member => {
                            for value in self.possible(&member) {
                                let is = compared(Comparison::Equal, member.clone(), GroundExpr::Value(value));
                                values.push((value, is));
                            }
                        }
                    }
                }
                values
            }
        };
        for (value, condition) in values {
            if self.meter.is_stopped() {
                return false;
            }
            let guard = all_of(vec![guard.clone(), condition]);
            self.variables.push(value);
            let go_on = self.for_each(rest, guard, visit);
            self.variables.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The value of an expression that never changes.
    pub(crate) fn fixed(&self, expr: &Expr) -> Value {
        Evaluator::with(self.places.world.model, self.places.world.state, &self.variables).value(expr)
    }
}

pub(crate) fn is_constant(expr: &GroundExpr, value: bool) -> bool {
    matches!(expr, GroundExpr::Value(found) if found.is_true() == value)
}

/// All of these, with constants taken out.
pub(crate) fn all_of(parts: Vec<GroundExpr>) -> GroundExpr {
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            GroundExpr::Value(value) if value.is_true() => {}
            GroundExpr::Value(_) => return GroundExpr::FALSE,
            GroundExpr::And(inner) => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.len() {
        0 => GroundExpr::TRUE,
        1 => kept.pop().unwrap_or(GroundExpr::TRUE),
        _ => GroundExpr::And(kept),
    }
}

/// One of these, with constants taken out.
pub(crate) fn any_of(parts: Vec<GroundExpr>) -> GroundExpr {
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            GroundExpr::Value(value) if value.is_true() => return GroundExpr::TRUE,
            GroundExpr::Value(_) => {}
            GroundExpr::Or(inner) => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.len() {
        0 => GroundExpr::FALSE,
        1 => kept.pop().unwrap_or(GroundExpr::FALSE),
        _ => GroundExpr::Or(kept),
    }
}

/// The opposite.
pub(crate) fn negate(expr: GroundExpr) -> GroundExpr {
    match expr {
        GroundExpr::Value(value) => GroundExpr::Value(Value::Bool(!value.is_true())),
        other => GroundExpr::Not(Box::new(other)),
    }
}

fn compared(sign: Comparison, left: GroundExpr, right: GroundExpr) -> GroundExpr {
    match (&left, &right) {
        (GroundExpr::Value(left), GroundExpr::Value(right)) => {
            GroundExpr::Value(Value::Bool(compare(sign, *left, *right)))
        }
        (GroundExpr::Value(Value::Nothing), _) | (_, GroundExpr::Value(Value::Nothing)) => GroundExpr::FALSE,
        _ => GroundExpr::Compare(sign, Box::new(left), Box::new(right)),
    }
}

/// A sum that is a constant where both parts are.
pub(crate) fn times(left: GroundExpr, right: GroundExpr) -> GroundExpr {
    match (left.as_number(), right.as_number()) {
        (Some(left), Some(right)) => GroundExpr::Value(Value::Number(left.multiply(right))),
        _ => GroundExpr::Arithmetic(Operator::Multiply, Box::new(left), Box::new(right)),
    }
}
