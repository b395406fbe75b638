//! What `means` something is written out.

use dramaturg_model::{Domain, Expr, FluentSource, Function, Model, Range, Set, Var};
use smallvec::SmallVec;

use super::Cannot;

/// How many parts an expression may have when written out.
const PARTS_MAX: usize = 100_000;

/// The expression without fluents that mean something else; `depth` variables are in reach where it stands.
pub(super) fn inline(model: &Model, expr: &Expr, depth: usize) -> Result<Expr, Cannot> {
    let mut inliner = Inliner { model, parts_left: PARTS_MAX };
    inliner.expr(expr, Place { meaning: None, depth })
}

/// Where an expression is put.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// What a meaning is read of, and how many variables are in reach there: the first variables of the meaning are these
    /// arguments, and its own are counted on from there. None: variables stay as they are.
    meaning: Option<(&'a [Expr], usize)>,
    /// How many variables are in reach at this point of the result.
    depth: usize,
}

struct Inliner<'m> {
    model: &'m Model,
    parts_left: usize,
}

impl Inliner<'_> {
    fn expr(&mut self, expr: &Expr, place: Place<'_>) -> Result<Expr, Cannot> {
        self.parts_left =
            self.parts_left.checked_sub(1).ok_or_else(|| Cannot::because("written out it is too large"))?;
        Ok(match expr {
            Expr::Var(Var(index)) => match place.meaning {
                None => expr.clone(),
                Some((args, base)) => match args.get(usize::from(*index)) {
                    Some(argument) => argument.clone(),
                    None => Expr::Var(Var((usize::from(*index) - args.len() + base) as u16)),
                },
            },
            Expr::Value(_) | Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => expr.clone(),
            Expr::Fluent(fluent, args) => {
                let args = self.all(args, place)?;
                let declared = &self.model.fluents[*fluent];
                match &declared.source {
                    FluentSource::Means(meaning) => {
                        let place = Place { meaning: Some((&args, place.depth)), depth: place.depth };
                        bounded(self.expr(meaning, place)?, &declared.domain)
                    }
                    _ => Expr::Fluent(*fluent, args),
                }
            }
            Expr::And(parts) => Expr::all(self.all(parts, place)?),
            Expr::Or(parts) => Expr::Or(self.all(parts, place)?),
            Expr::Not(inner) => self.expr(inner, place)?.negate(),
            Expr::Compare(sign, left, right) => Expr::compare(*sign, self.expr(left, place)?, self.expr(right, place)?),
            Expr::Arithmetic(sign, left, right) => {
                Expr::arithmetic(*sign, self.expr(left, place)?, self.expr(right, place)?)
            }
            Expr::In(value, set) => Expr::In(Box::new(self.expr(value, place)?), self.set(set, place)?),
            Expr::Call(function, parts) => {
                let parts: Result<SmallVec<[Box<Expr>; 2]>, Cannot> =
                    parts.iter().map(|part| Ok(Box::new(self.expr(part, place)?))).collect();
                Expr::Call(*function, parts?)
            }
            Expr::Quantified(quantifier, binders, inner) => {
                let mut place = place;
                let mut bound = binders.clone();
                for binder in &mut bound {
                    if let Some(among) = &binder.among {
                        binder.among = Some(self.all(among, place)?);
                    }
                    place.depth += 1;
                }
                Expr::Quantified(*quantifier, bound, Box::new(self.expr(inner, place)?))
            }
        })
    }

    fn all(&mut self, parts: &[Expr], place: Place<'_>) -> Result<Vec<Expr>, Cannot> {
        parts.iter().map(|part| self.expr(part, place)).collect()
    }

    fn set(&mut self, set: &Set, place: Place<'_>) -> Result<Set, Cannot> {
        Ok(match set {
            Set::Among(values) => Set::Among(self.all(values, place)?),
            Set::Choices(choices) => Set::Choices(choices.clone()),
            Set::Range(least, most) => {
                Set::Range(Box::new(self.expr(least, place)?), Box::new(self.expr(most, place)?))
            }
        })
    }
}

/// A meaning is cut off at the bounds of what it is declared to be.
fn bounded(value: Expr, domain: &Domain) -> Expr {
    let call = |function: Function, parts: Vec<Expr>| Expr::Call(function, parts.into_iter().map(Box::new).collect());
    let (value, range) = match domain {
        Domain::Bool | Domain::Choice(_) => return value,
        Domain::Number(range) => (value, *range),
        Domain::Int(range) => (call(Function::Floor, vec![value]), *range),
        Domain::Duration => (call(Function::RoundTicks, vec![value]), Range::default()),
    };
    let value = match range.least {
        Some(least) => call(Function::Max, vec![value, Expr::number(least)]),
        None => value,
    };
    match range.most {
        Some(most) => call(Function::Min, vec![value, Expr::number(most)]),
        None => value,
    }
}

/// The parts of a conjunction.
pub(super) fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::And(parts) => parts.into_iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}
