//! Conditions and values in the words of a story, for messages.

use dramaturg_model::{
    Aim, AimTime, Binder, Choices, Expr, Function, Liking, Model, Quantifier, Set, Value, Wish, WishKind,
};

/// Deeper parts of an expression are left out.
const DEPTH_MAX: usize = 12;

/// An expression as a story would write it, with these values for its first variables.
pub fn expr(model: &Model, expr: &Expr, variables: &[Value]) -> String {
    let names = variables.iter().map(|value| model.value_name(*value).to_string()).collect();
    Writer { model, names }.write(expr, 0)
}

/// A wish as a story would write it, with the names of its parameters.
pub fn wish(model: &Model, wish: &Wish) -> String {
    let names = wish.params.iter().map(|param| param.name.to_string()).collect();
    let mut writer = Writer { model, names };
    let mut words = match &wish.kind {
        WishKind::Goal { aims, salience } => {
            let aims: Vec<String> = aims.iter().map(|aim| writer.aim(aim)).collect();
            format!("goal {} salience {}", aims.join(" then "), writer.write(salience, 0))
        }
        WishKind::Keep { condition, window } => {
            let mut words = format!("keep {}", writer.write(condition, 0));
            if let Some((from, to)) = window {
                words += &format!(" from {} to {}", writer.write(from, 0), writer.write(to, 0));
            }
            words
        }
        WishKind::Prefer { liking, weight } => {
            let weight = writer.write(weight, 0);
            let liking = match liking {
                Liking::Holds(condition) => writer.write(condition, 0),
                Liking::More(value, _) => format!("more {}", writer.write(value, 0)),
                Liking::Less(value, _) => format!("less {}", writer.write(value, 0)),
                Liking::Follows(curve) => format!("{} follows a curve", writer.write(&curve.value, 0)),
            };
            format!("prefer {liking} weight {weight}")
        }
    };
    if let Some(condition) = &wish.condition {
        words += &format!(" while {}", writer.write(condition, 0));
    }
    words
}

struct Writer<'a> {
    model: &'a Model,
    /// What stands for each variable.
    names: Vec<String>,
}

impl Writer<'_> {
    fn aim(&mut self, aim: &Aim) -> String {
        let condition = self.write(&aim.condition, 0);
        match &aim.time {
            AimTime::Eventually => condition,
            AimTime::At(at) => format!("{condition} at {}", self.write(at, 0)),
            AimTime::By(by) => format!("{condition} by {}", self.write(by, 0)),
            AimTime::During(from, to) => format!("{condition} from {} to {}", self.write(from, 0), self.write(to, 0)),
        }
    }

    fn write(&mut self, expr: &Expr, depth: usize) -> String {
        if depth > DEPTH_MAX {
            return "…".to_owned();
        }
        let inner = depth + 1;
        match expr {
            Expr::Value(value) => self.model.value_name(*value).to_string(),
            Expr::Var(var) => self.names.get(usize::from(var.0)).cloned().unwrap_or_else(|| "_".to_owned()),
            Expr::Fluent(fluent, args) => {
                let declared = &self.model.fluents[*fluent];
                let args: Vec<String> = args.iter().map(|arg| self.write(arg, inner)).collect();
                match args.as_slice() {
                    [] => declared.name.to_string(),
                    [owner] if declared.attribute_of.is_some() => format!("{owner}.{}", declared.name),
                    args => format!("{}({})", declared.name, args.join(", ")),
                }
            }
            Expr::And(parts) => self.join(parts, " and ", "true", inner),
            Expr::Or(parts) => self.join(parts, " or ", "false", inner),
            Expr::Not(part) => format!("not {}", self.write(part, inner)),
            Expr::Compare(sign, left, right) => {
                format!("{} {} {}", self.write(left, inner), sign.sign(), self.write(right, inner))
            }
            Expr::In(value, set) => format!("{} in {}", self.write(value, inner), self.set(set, inner)),
            Expr::Arithmetic(sign, left, right) => {
                format!("({} {} {})", self.write(left, inner), sign.sign(), self.write(right, inner))
            }
            Expr::Call(function, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.write(arg, inner)).collect();
                match function {
                    Function::RoundTicks => args.join(", "),
                    function => format!("{}({})", function_name(*function), args.join(", ")),
                }
            }
            Expr::Quantified(quantifier, binders, body) => {
                let word = if *quantifier == Quantifier::Any { "any" } else { "all" };
                let bound = self.binders(binders);
                let count = self.names.len();
                self.names.extend(binders.iter().map(|binder| binder.param.name.to_string()));
                let body = self.write(body, inner);
                self.names.truncate(count);
                format!("{word} {bound} ({body})")
            }
            Expr::Now => "now".to_owned(),
            Expr::TimeOfDay => "timeOfDay".to_owned(),
            Expr::DayNumber => "dayNumber".to_owned(),
            Expr::StepDuration => "its duration".to_owned(),
        }
    }

    fn join(&mut self, parts: &[Expr], sign: &str, none: &str, depth: usize) -> String {
        let words: Vec<String> = parts.iter().map(|part| self.write(part, depth)).collect();
        match words.as_slice() {
            [] => none.to_owned(),
            [one] => one.clone(),
            many if depth <= 1 => many.join(sign),
            many => format!("({})", many.join(sign)),
        }
    }

    fn set(&mut self, set: &Set, depth: usize) -> String {
        match set {
            Set::Among(values) => {
                let values: Vec<String> = values.iter().map(|value| self.write(value, depth)).collect();
                format!("({})", values.join(", "))
            }
            Set::Choices(wanted) => choices(self.model, wanted),
            Set::Range(least, most) => format!("{}..{}", self.write(least, depth), self.write(most, depth)),
        }
    }

    fn binders(&mut self, binders: &[Binder]) -> String {
        let bound: Vec<String> = binders
            .iter()
            .map(|binder| format!("{}: {}", binder.param.name, choices(self.model, &binder.param.choices)))
            .collect();
        bound.join(", ")
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Floor => "floor",
        Function::Abs => "abs",
        Function::Min => "min",
        Function::Max => "max",
        Function::Hypot => "hypot",
        Function::RoundTicks => "round",
    }
}

/// What a parameter may be: `Place | Fleet | away`.
pub fn choices(model: &Model, choices: &Choices) -> String {
    let types = choices.types.iter().map(|ty| model.types[*ty].name.to_string());
    let symbols = choices.symbols.iter().map(|symbol| model.symbols[*symbol].to_string());
    types.chain(symbols).collect::<Vec<_>>().join(" | ")
}
