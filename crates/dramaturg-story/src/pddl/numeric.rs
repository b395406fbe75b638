//! Numbers computed from functions.

use dramaturg_model::{Expr, FluentId, Operator, Value};

use super::fault;
use super::number;
use super::reader::{Kind, Reader};
use super::scope::Scope;
use super::sexpr::Sexpr;

impl Reader {
    /// Whether this can only be a number: a list, a numeral, `?duration`, or a function that is no object.
    pub(super) fn is_numeric(&self, sexpr: &Sexpr) -> bool {
        let Some(atom) = sexpr.atom() else { return true };
        let is_function = || self.functions.contains_key(atom) && !self.objects.contains_key(atom);
        atom == "?duration" || atom == "#t" || number::parse(atom).is_some() || is_function()
    }

    /// A number. What cannot be read counts as nought.
    pub(super) fn number(&mut self, sexpr: &Sexpr, scope: &mut Scope) -> Expr {
        let Some(items) = sexpr.list() else { return self.plain_number(sexpr, scope) };
        let Some((head, args)) = items.split_first() else {
            self.expected(sexpr, "a number");
            return Expr::int(0);
        };
        let Some(name) = self.name(head, "a function, `+`, `-`, `*` or `/`") else { return Expr::int(0) };
        let sign = match name.as_str() {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "total-time" if scope.is_metric => return self.in_units(Expr::Now),
            "is-violated" => {
                let cure = "leave the preferences and their metric out";
                self.report(fault::unsupported(sexpr.span, "a count of violated preferences", cure));
                return Expr::int(0);
            }
            _ => {
                let Some(fluent) = self.fluent(Kind::Function, name, head.span) else { return Expr::int(0) };
                return self.function(sexpr, fluent, args, scope);
            }
        };
        if args.is_empty() || (args.len() > 2 && matches!(sign, Operator::Subtract | Operator::Divide)) {
            self.count(sexpr, args, 2);
            return Expr::int(0);
        }
        let mut parts: Vec<Expr> = args.iter().map(|arg| self.number(arg, scope)).collect();
        match (sign, parts.len()) {
            (Operator::Subtract, 1) => negative(parts.remove(0)),
            (_, 1) => {
                self.count(sexpr, args, 2);
                Expr::int(0)
            }
            _ => balanced(sign, parts),
        }
    }

    fn plain_number(&mut self, sexpr: &Sexpr, scope: &mut Scope) -> Expr {
        let Some(atom) = sexpr.atom() else { return Expr::int(0) };
        match atom.as_str() {
            "?duration" if scope.has_duration => return self.in_units(Expr::StepDuration),
            "total-time" if scope.is_metric => return self.in_units(Expr::Now),
            "#t" => {
                let cure = "add what accumulates at the end; a story can change numbers `during` an action";
                self.report(fault::unsupported(sexpr.span, "the continuous effect `#t`", cure));
                return Expr::int(0);
            }
            _ => {}
        }
        match number::parse(atom) {
            Some(Ok(number)) => Expr::number(number),
            Some(Err(number::TooLarge)) => {
                self.report(fault::number_too_large(sexpr.span));
                Expr::int(0)
            }
            // A function without parameters may be written without parentheses.
            None if self.functions.contains_key(atom) => match self.fluent(Kind::Function, atom, sexpr.span) {
                Some(fluent) => self.function(sexpr, fluent, &[], scope),
                None => Expr::int(0),
            },
            None => {
                self.expected(sexpr, "a number or `(function …)`");
                Expr::int(0)
            }
        }
    }

    fn function(&mut self, sexpr: &Sexpr, fluent: FluentId, args: &[Sexpr], scope: &Scope) -> Expr {
        match self.arguments(sexpr, fluent, args, scope) {
            Some((args, _)) => Expr::Fluent(fluent, args),
            None => Expr::int(0),
        }
    }

    /// A time in ticks as units of PDDL's time.
    fn in_units(&self, ticks: Expr) -> Expr {
        match self.options.ticks_per_unit {
            1 => ticks,
            ticks_per_unit => Expr::arithmetic(Operator::Divide, ticks, Expr::int(ticks_per_unit)),
        }
    }
}

/// The number with the other sign.
pub(super) fn negative(number: Expr) -> Expr {
    match number {
        Expr::Value(Value::Number(number)) => Expr::number(-number),
        other => Expr::arithmetic(Operator::Subtract, Expr::int(0), other),
    }
}

/// Many summands or factors as a tree whose depth is the logarithm of their number: a chain could exhaust the stack.
pub(super) fn balanced(sign: Operator, mut parts: Vec<Expr>) -> Expr {
    if parts.len() <= 1 {
        return parts.pop().unwrap_or(Expr::int(0));
    }
    // The left half is the larger one, so that three parts group from the left as people read them.
    let right = parts.split_off(parts.len().div_ceil(2));
    Expr::arithmetic(sign, balanced(sign, parts), balanced(sign, right))
}
