//! Conditions, numbers and changes in the words of a story.

use dramaturg_model::{
    AimTime, Binder, Change, Choices, Comparison, Expr, Fixed, FluentRef, Function, Model, Operator, Param, Quantifier,
    Set, Value,
};

use super::names::Names;
use super::{Printer, as_bool};

/// Why something cannot be said in a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cannot(pub(super) String);

/// Where an expression stands: the names of the variables around it, and how long the step at hand takes.
pub(super) struct Scope<'p> {
    model: &'p Model,
    names: &'p Names,
    variables: Vec<String>,
    /// The duration of the action at hand, if it is fixed.
    pub(super) duration: Option<&'p Expr>,
}

impl Printer<'_> {
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { model: self.model, names: &self.names, variables: Vec::new(), duration: None }
    }
}

impl Scope<'_> {
    /// Names parameters and writes them with their types.
    pub(super) fn params(&mut self, params: &[Param]) -> Vec<String> {
        params
            .iter()
            .map(|param| {
                let name = self.bind(param);
                format!("{name}: {}", self.types(&param.choices))
            })
            .collect()
    }

    fn bind(&mut self, param: &Param) -> String {
        let name = self.names.variable(&param.name, &self.variables);
        self.variables.push(name.clone());
        name
    }

    fn types(&self, choices: &Choices) -> String {
        let types: Vec<&str> = choices.types.iter().map(|ty| self.names.ty(*ty)).collect();
        types.join(" | ")
    }

    /// Calls with binders named and written, and forgets them again.
    pub(super) fn within<R>(
        &mut self,
        binders: &[Binder],
        write: impl FnOnce(&mut Self, Vec<String>) -> Result<R, Cannot>,
    ) -> Result<R, Cannot> {
        let outer = self.variables.len();
        let mut texts = Vec::new();
        for binder in binders {
            if binder.among.is_some() {
                return Err(Cannot("a list of values does not come from PDDL".to_owned()));
            }
            let name = self.bind(&binder.param);
            texts.push(format!("{name}: {}", self.types(&binder.param.choices)));
        }
        let result = write(self, texts);
        self.variables.truncate(outer);
        result
    }

    /// A condition as it may stand alone.
    pub(super) fn condition(&mut self, expr: &Expr) -> Result<String, Cannot> {
        Ok(match expr {
            Expr::And(parts) => self.joined(parts, " and ", "true")?,
            Expr::Or(parts) => self.joined(parts, " or ", "false")?,
            Expr::Not(inner) => match &**inner {
                Expr::Compare(sign, left, right) => self.comparison(sign.negated(), left, right)?,
                inner => format!("not {}", self.operand(inner)?),
            },
            Expr::Compare(sign, left, right) => self.comparison(*sign, left, right)?,
            Expr::Quantified(quantifier, binders, body) => {
                let word = if *quantifier == Quantifier::Any { "any" } else { "all" };
                self.within(binders, |scope, binders| {
                    Ok(format!("{word} {} ({})", binders.join(", "), scope.condition(body)?))
                })?
            }
            Expr::In(value, Set::Choices(choices)) => format!("{} in {}", self.number(value)?, self.types(choices)),
            Expr::Value(Value::Bool(value)) => value.to_string(),
            other => self.number(other)?,
        })
    }

    fn comparison(&mut self, sign: Comparison, left: &Expr, right: &Expr) -> Result<String, Cannot> {
        Ok(format!("{} {} {}", self.number(left)?, sign.sign(), self.number(right)?))
    }

    fn joined(&mut self, parts: &[Expr], word: &str, empty: &str) -> Result<String, Cannot> {
        match parts {
            [] => Ok(empty.to_owned()),
            [only] => self.condition(only),
            parts => {
                let parts: Result<Vec<String>, Cannot> = parts.iter().map(|part| self.operand(part)).collect();
                Ok(parts?.join(word))
            }
        }
    }

    /// A condition as it may stand beside `and`, `or` and `not`.
    fn operand(&mut self, expr: &Expr) -> Result<String, Cannot> {
        let text = self.condition(expr)?;
        // Comparisons bind tighter than `and` and `or`.
        let is_loose = matches!(expr, Expr::And(parts) | Expr::Or(parts) if parts.len() != 1);
        Ok(if is_loose { format!("({text})") } else { text })
    }

    /// A number, an object, or a fluent.
    pub(super) fn number(&mut self, expr: &Expr) -> Result<String, Cannot> {
        Ok(match expr {
            Expr::Value(value) => self.value(*value)?,
            Expr::Var(var) => self.variables.get(usize::from(var.0)).cloned().unwrap_or_default(),
            Expr::Fluent(fluent, args) => self.fluent(&FluentRef { fluent: *fluent, args: args.clone() })?,
            Expr::Arithmetic(Operator::Subtract, zero, inner) if **zero == Expr::int(0) => {
                format!("-{}", self.factor(inner)?)
            }
            Expr::Arithmetic(Operator::Divide, left, right) if self.is_duration(left) => {
                // A duration divided by a duration is a number.
                let ticks = match &**right {
                    Expr::Value(Value::Number(ticks)) => format!("{ticks} ticks"),
                    _ => return Err(Cannot("a time that is computed with".to_owned())),
                };
                match self.duration(left)? {
                    whole if whole.contains(' ') => format!("({whole}) / {ticks}"),
                    name => format!("{name} / {ticks}"),
                }
            }
            Expr::Arithmetic(sign, left, right) => {
                let loose = matches!(sign, Operator::Add);
                let left = if loose { self.number(left)? } else { self.factor(left)? };
                format!("{left} {} {}", sign.sign(), self.factor(right)?)
            }
            Expr::Call(Function::RoundTicks, _) | Expr::Now | Expr::StepDuration => self.duration(expr)?,
            Expr::Call(function, parts) => {
                let parts: Result<Vec<String>, Cannot> = parts.iter().map(|part| self.number(part)).collect();
                format!("{}({})", function_name(*function), parts?.join(", "))
            }
            Expr::TimeOfDay | Expr::DayNumber => return Err(Cannot("clocks do not come from PDDL".to_owned())),
            other => format!("({})", self.condition(other)?),
        })
    }

    fn is_duration(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::StepDuration | Expr::Now | Expr::Call(Function::RoundTicks, _))
    }

    fn factor(&mut self, expr: &Expr) -> Result<String, Cannot> {
        let text = self.number(expr)?;
        let is_sum = matches!(expr, Expr::Arithmetic(..));
        Ok(if is_sum { format!("({text})") } else { text })
    }

    fn value(&self, value: Value) -> Result<String, Cannot> {
        match value {
            Value::Object(object) => Ok(self.names.object(object).to_owned()),
            Value::Number(number) => Ok(number.to_string()),
            Value::Bool(value) => Ok(value.to_string()),
            Value::Symbol(_) | Value::Nothing => Err(Cannot("names as values do not come from PDDL".to_owned())),
        }
    }

    /// A duration in ticks: a literal, or a number times a tick.
    pub(super) fn duration(&mut self, expr: &Expr) -> Result<String, Cannot> {
        match expr {
            Expr::Value(Value::Number(ticks)) if *ticks == Fixed::ONE => Ok("1 tick".to_owned()),
            Expr::Value(Value::Number(ticks)) => Ok(format!("{ticks} ticks")),
            Expr::Now => Ok("now".to_owned()),
            Expr::StepDuration => match self.duration {
                Some(duration) => self.duration(duration),
                None => Err(Cannot("a duration that the planner chooses".to_owned())),
            },
            Expr::Call(Function::RoundTicks, parts) => match parts.as_slice() {
                [part] => self.duration(part),
                _ => Err(Cannot("a strange duration".to_owned())),
            },
            Expr::Arithmetic(Operator::Multiply, units, ticks) => match &**ticks {
                Expr::Value(Value::Number(ticks)) => Ok(format!("{} * {ticks} ticks", self.factor(units)?)),
                _ => Err(Cannot("a duration that is computed from two changing numbers".to_owned())),
            },
            Expr::Call(function @ (Function::Min | Function::Max), parts) => {
                let parts: Result<Vec<String>, Cannot> = parts.iter().map(|part| self.duration(part)).collect();
                Ok(format!("{}({})", function_name(*function), parts?.join(", ")))
            }
            other => Ok(format!("{} * 1 tick", self.factor(other)?)),
        }
    }

    pub(super) fn aim_time(&mut self, time: &AimTime) -> Result<String, Cannot> {
        Ok(match time {
            AimTime::Eventually => String::new(),
            AimTime::At(time) => format!(" at {}", self.duration(time)?),
            AimTime::By(time) => format!(" by {}", self.duration(time)?),
            AimTime::During(from, to) => format!(" from {} to {}", self.duration(from)?, self.duration(to)?),
        })
    }

    /// A fluent with its arguments.
    pub(super) fn fluent(&mut self, target: &FluentRef) -> Result<String, Cannot> {
        let name = self.names.fluent(target.fluent);
        if self.model.fluents[target.fluent].params.is_empty() {
            return Ok(name.to_owned());
        }
        let args: Result<Vec<String>, Cannot> = target.args.iter().map(|arg| self.number(arg)).collect();
        Ok(format!("{name}({})", args?.join(", ")))
    }

    /// A change of a fluent.
    pub(super) fn change(&mut self, target: &FluentRef, change: &Change) -> Result<String, Cannot> {
        let name = self.fluent(target)?;
        match (as_bool(change), change) {
            (Some(true), _) => Ok(name),
            (Some(false), _) => Ok(format!("not {name}")),
            (None, Change::Set(value)) => Ok(format!("{name} = {}", self.number(value)?)),
            (None, Change::Add(Expr::Value(Value::Number(amount)))) if *amount < Fixed::ZERO => {
                Ok(format!("{name} -= {}", amount.abs()))
            }
            (None, Change::Add(Expr::Arithmetic(Operator::Subtract, zero, amount))) if **zero == Expr::int(0) => {
                Ok(format!("{name} -= {}", self.number(amount)?))
            }
            (None, Change::Add(amount)) => Ok(format!("{name} += {}", self.number(amount)?)),
            (None, Change::Random(_)) => Err(Cannot("chance does not come from PDDL".to_owned())),
        }
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Floor => "floor",
        Function::Abs => "abs",
        Function::Min => "min",
        Function::Max => "max",
        Function::Hypot => "hypot",
        Function::RoundTicks => "",
    }
}
