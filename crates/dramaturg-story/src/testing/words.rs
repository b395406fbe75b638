//! Expressions of a model as text, with variables by number: `$0`.

use dramaturg_model::{
    Amount, Binder, Change, Choices, EventKind, EventPattern, Expr, FluentRef, Function, Model, Moment, Param,
    PatternArg, Quantifier, Set, Value,
};

/// Writes the parts of one model.
#[derive(Clone, Copy)]
pub(crate) struct Words<'m>(pub(crate) &'m Model);

impl Words<'_> {
    pub(crate) fn value(self, value: Value) -> String {
        self.0.value_name(value).to_string()
    }

    pub(crate) fn expr(self, expr: &Expr) -> String {
        match expr {
            Expr::Value(value) => self.value(*value),
            Expr::Var(var) => format!("${}", var.0),
            Expr::Fluent(fluent, args) => self.reference(&FluentRef { fluent: *fluent, args: args.clone() }),
            Expr::And(parts) => format!("({})", self.list(parts, " and ")),
            Expr::Or(parts) => format!("({})", self.list(parts, " or ")),
            Expr::Not(inner) => format!("not {}", self.expr(inner)),
            Expr::Compare(sign, left, right) => format!("{} {} {}", self.expr(left), sign.sign(), self.expr(right)),
            Expr::In(value, set) => format!("{} in {}", self.expr(value), self.set(set)),
            Expr::Arithmetic(sign, left, right) => {
                format!("({} {} {})", self.expr(left), sign.sign(), self.expr(right))
            }
            Expr::Call(function, parts) => {
                let name = match function {
                    Function::Floor => "floor",
                    Function::Abs => "abs",
                    Function::Min => "min",
                    Function::Max => "max",
                    Function::Hypot => "hypot",
                    Function::RoundTicks => "ticks",
                };
                let parts: Vec<String> = parts.iter().map(|part| self.expr(part)).collect();
                format!("{name}({})", parts.join(", "))
            }
            Expr::Quantified(quantifier, binders, inner) => {
                let word = if *quantifier == Quantifier::Any { "any" } else { "all" };
                format!("{word} {} ({})", self.binders(binders), self.expr(inner))
            }
            Expr::Now => "now".to_owned(),
            Expr::TimeOfDay => "timeOfDay".to_owned(),
            Expr::DayNumber => "dayNumber".to_owned(),
            Expr::StepDuration => "duration".to_owned(),
        }
    }

    pub(crate) fn list(self, parts: &[Expr], between: &str) -> String {
        parts.iter().map(|part| self.expr(part)).collect::<Vec<_>>().join(between)
    }

    pub(crate) fn set(self, set: &Set) -> String {
        match set {
            Set::Among(values) => format!("({})", self.list(values, ", ")),
            Set::Choices(choices) => self.choices(choices),
            Set::Range(least, most) => format!("{}..{}", self.expr(least), self.expr(most)),
        }
    }

    pub(crate) fn choices(self, choices: &Choices) -> String {
        let types = choices.types.iter().map(|ty| self.0.types[*ty].name.to_string());
        let symbols = choices.symbols.iter().map(|symbol| self.0.symbols[*symbol].to_string());
        types.chain(symbols).collect::<Vec<_>>().join(" | ")
    }

    pub(crate) fn params(self, params: &[Param]) -> String {
        if params.is_empty() {
            return String::new();
        }
        let params: Vec<String> =
            params.iter().map(|param| format!("{}: {}", param.name, self.choices(&param.choices))).collect();
        format!("({})", params.join(", "))
    }

    pub(crate) fn binders(self, binders: &[Binder]) -> String {
        let one = |binder: &Binder| match &binder.among {
            Some(values) => format!("{} in ({})", binder.param.name, self.list(values, ", ")),
            None => format!("{}: {}", binder.param.name, self.choices(&binder.param.choices)),
        };
        binders.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// ` for …`, ` if …` behind an effect.
    pub(crate) fn suffixes(self, binders: &[Binder], condition: Option<&Expr>) -> String {
        let mut text = String::new();
        if !binders.is_empty() {
            text += &format!(" for {}", self.binders(binders));
        }
        if let Some(condition) = condition {
            text += &format!(" if {}", self.expr(condition));
        }
        text
    }

    pub(crate) fn reference(self, reference: &FluentRef) -> String {
        let fluent = &self.0.fluents[reference.fluent];
        match reference.args.as_slice() {
            [] => fluent.name.to_string(),
            [owner] if fluent.attribute_of.is_some() => format!("{}.{}", self.expr(owner), fluent.name),
            args => format!("{}({})", fluent.name, self.list(args, ", ")),
        }
    }

    pub(crate) fn change(self, target: &FluentRef, change: &Change) -> String {
        let target = self.reference(target);
        match change {
            Change::Set(value) => format!("{target} = {}", self.expr(value)),
            Change::Add(amount) => format!("{target} += {}", self.expr(amount)),
            Change::Random(set) => format!("{target} = random {}", self.set(set)),
        }
    }

    pub(crate) fn amount(self, amount: &Amount) -> String {
        match amount {
            Amount::PerTick(amount) => format!("{} per tick", self.expr(amount)),
            Amount::Total(amount) => format!("{} in all", self.expr(amount)),
        }
    }

    pub(crate) fn moment(self, moment: &Moment) -> String {
        match moment {
            Moment::Start => "start".to_owned(),
            Moment::End => "end".to_owned(),
            Moment::After(delay) => format!("start + {}", self.expr(delay)),
        }
    }

    pub(crate) fn pattern(self, pattern: &EventPattern) -> String {
        let model = self.0;
        let name = match pattern.kind {
            EventKind::Tag(tag) => format!("#{}", model.tags[tag]),
            EventKind::Action(action) => format!("action {}", model.actions[action].name),
            EventKind::Task(task) => format!("task {}", model.tasks[task].name),
            EventKind::Method(task, method) => format!("task {} method {method}", model.tasks[task].name),
            EventKind::Rule(rule) => format!("rule {}", model.rules[rule].name),
            EventKind::Milestone(milestone) => format!("milestone {}", model.milestones[milestone].name),
            EventKind::Ending(ending) => format!("ending {}", model.endings[ending].name),
        };
        let arg = |arg: &PatternArg| match arg {
            PatternArg::Any => "_".to_owned(),
            PatternArg::Is(value) => self.value(*value),
            PatternArg::Var(var) => format!("${}", var.0),
        };
        match &pattern.args {
            None => name,
            Some(args) => format!("{name}({})", args.iter().map(arg).collect::<Vec<_>>().join(", ")),
        }
    }
}
