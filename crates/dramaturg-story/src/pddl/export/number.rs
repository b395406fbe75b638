//! Numbers and durations as PDDL writes them.

use dramaturg_model::{Domain, Duration, Expr, Fixed, FluentId, Function, Operator, Value};

use super::condition::{Read, numeral};
use super::form::Form;
use super::inline::inline;
use super::scope::Scope;
use super::tree::Pddl;
use super::{Cannot, Exporter};

impl Exporter<'_> {
    /// A number without fluents that mean something else.
    pub(super) fn number(&mut self, expr: &Expr, scope: &mut Scope, reads: &mut Vec<Read>) -> Result<Pddl, Cannot> {
        if let Expr::Value(Value::Number(number)) = expr {
            return Ok(numeral(*number));
        }
        if !self.is_temporal() {
            return Err(Cannot::because("classical PDDL has no numbers"));
        }
        match self.native_number(expr, scope, reads) {
            Err(cannot) => self.tabulated_number(expr, scope).ok_or(cannot),
            written => written,
        }
    }

    fn native_number(&mut self, expr: &Expr, scope: &mut Scope, reads: &mut Vec<Read>) -> Result<Pddl, Cannot> {
        let ticks_per_unit = Expr::int(self.ticks_per_unit());
        match expr {
            Expr::Fluent(fluent, args) => {
                if self.forms[*fluent] != Form::Function {
                    return Err(self.not_written(*fluent));
                }
                let args = self.texts(args, scope, reads)?;
                Ok(Pddl::fact(&self.names.fluents[*fluent], &args))
            }
            Expr::Arithmetic(Operator::Divide, time, by)
                if **by == ticks_per_unit && self.time(time, scope).is_some() =>
            {
                self.time(time, scope).ok_or_else(|| Cannot::because("it depends on the time"))
            }
            Expr::Arithmetic(sign, left, right) => {
                if *sign == Operator::Modulo {
                    return Err(Cannot::because("PDDL has no `mod`"));
                }
                let (left, right) = (self.number(left, scope, reads)?, self.number(right, scope, reads)?);
                Ok(Pddl::call(sign.sign(), [left, right]))
            }
            Expr::StepDuration | Expr::Now => {
                let time = self.time(expr, scope).ok_or_else(|| Cannot::because("it depends on the time"))?;
                Ok(match self.ticks_per_unit() {
                    1 => time,
                    many => Pddl::call("*", [time, Pddl::atom(many.to_string())]),
                })
            }
            Expr::Call(Function::RoundTicks, _) if unrounded(expr).is_some_and(|inner| self.is_whole_fluent(inner)) => {
                unrounded(expr).map_or(Ok(Pddl::atom("0")), |inner| self.number(inner, scope, reads))
            }
            Expr::TimeOfDay | Expr::DayNumber => Err(Cannot::because("it depends on the time")),
            Expr::Call(function, _) => {
                let name = match function {
                    Function::Floor => "floor",
                    Function::Abs => "abs",
                    Function::Min => "min",
                    Function::Max => "max",
                    Function::Hypot => "hypot",
                    Function::RoundTicks => "rounding",
                };
                Err(Cannot::because(format!("PDDL has no {name} of numbers that change")))
            }
            _ => Err(Cannot::because("it is no number")),
        }
    }

    /// A time in PDDL's own units, if it can be said here.
    fn time(&self, expr: &Expr, scope: &Scope) -> Option<Pddl> {
        match expr {
            Expr::StepDuration if scope.has_duration => Some(Pddl::atom("?duration")),
            Expr::Now if scope.is_metric => Some(Pddl::call("total-time", [])),
            _ => None,
        }
    }

    /// `(= ?duration …)`, or bounds; and whether the plan decides.
    pub(super) fn duration(&mut self, duration: &Duration, scope: &mut Scope) -> Result<Pddl, Cannot> {
        let variable = || Pddl::atom("?duration");
        match duration {
            Duration::Instant => Err(Cannot::because("it takes no time")),
            Duration::Fixed(ticks) | Duration::Contingent(_, ticks) => {
                let ticks = self.units(ticks, scope)?;
                Ok(Pddl::call("=", [variable(), ticks]))
            }
            Duration::Chosen(least, most) => {
                let mut parts = Vec::new();
                for (sign, bound, function) in [(">=", least, Function::Max), ("<=", most, Function::Min)] {
                    for bound in bound.iter().flat_map(|bound| bounds(bound, function)) {
                        parts.push(Pddl::call(sign, [variable(), self.units(bound, scope)?]));
                    }
                }
                Ok(if parts.is_empty() { Pddl::List(Vec::new()) } else { Pddl::all(parts) })
            }
        }
    }

    fn is_whole_fluent(&self, expr: &Expr) -> bool {
        let domain = |fluent: &FluentId| &self.model.fluents[*fluent].domain;
        matches!(expr, Expr::Fluent(fluent, _) if matches!(domain(fluent), Domain::Int(_) | Domain::Duration))
    }

    /// A time in ticks as PDDL's units.
    fn units(&mut self, ticks: &Expr, scope: &mut Scope) -> Result<Pddl, Cannot> {
        let ticks = inline(self.model, ticks, scope.len())?;
        let ticks_per_unit = self.ticks_per_unit();
        if let Expr::Value(Value::Number(number)) = &ticks {
            return Ok(numeral(number.divide(Fixed::from_int(ticks_per_unit))));
        }
        let mut reads = Vec::new();
        let is_pddl = self.model.pddl().is_some();
        let written = match (&ticks, unrounded(&ticks)) {
            // What came from PDDL was multiplied and rounded on the way in.
            (_, Some(Expr::Arithmetic(Operator::Multiply, units, by)))
                if is_pddl && **by == Expr::int(ticks_per_unit) =>
            {
                self.number(units, scope, &mut reads)
            }
            (_, Some(inner)) if is_pddl && ticks_per_unit == 1 => self.number(inner, scope, &mut reads),
            // What is declared as whole needs no rounding; what never changes is rounded when it is written out.
            (_, Some(inner)) if self.is_whole_fluent(inner) => self.number(inner, scope, &mut reads),
            (ticks, _) => {
                let written = self.number(ticks, scope, &mut reads);
                match ticks_per_unit {
                    1 => written,
                    many => written.map(|ticks| Pddl::call("/", [ticks, Pddl::atom(many.to_string())])),
                }
            }
        }?;
        match reads.is_empty() {
            true => Ok(written),
            false => Err(Cannot::because("its duration is read through another fluent")),
        }
    }
}

/// What is rounded to ticks.
fn unrounded(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Call(Function::RoundTicks, parts) => parts.first().map(|part| &**part),
        _ => None,
    }
}

/// Several lower bounds are read as their largest, several upper ones as their smallest.
fn bounds(bound: &Expr, function: Function) -> Vec<&Expr> {
    match bound {
        Expr::Call(found, parts) if *found == function => parts.iter().map(|part| &**part).collect(),
        other => vec![other],
    }
}
