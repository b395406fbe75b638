//! Meanings put in where they are read, so that the join sees the facts behind them.

use dramaturg_model::{
    Action, Binder, Choices, Domain, Effect, Expr, FluentId, FluentSource, Model, Param, Rule, Set, Trigger, Value, Var,
};

/// The model with the meanings of yes-or-no fluents put into the conditions of actions and rules; none if there are no meanings.
/// A read whose arguments may lie outside the fluent's parameters stays as it is: there it has no value.
pub(crate) fn inlined(model: &Model) -> Option<Model> {
    let has_meaning = |fluent: &dramaturg_model::Fluent| matches!(fluent.source, FluentSource::Means(_));
    if !model.fluents.values().any(has_meaning) {
        return None;
    }
    let mut changed = model.clone();
    for action in changed.actions.values_mut() {
        inline_action(model, action);
    }
    for rule in changed.rules.values_mut() {
        inline_rule(model, rule);
    }
    Some(changed)
}

fn inline_action(model: &Model, action: &mut Action) {
    let mut inline = Inline { model, scope: choices(&action.params), depth: 0 };
    for timed in &mut action.conditions {
        inline.expr(&mut timed.condition);
    }
    for effect in &mut action.effects {
        inline.effect(effect);
    }
}

fn inline_rule(model: &Model, rule: &mut Rule) {
    let mut inline = Inline { model, scope: choices(&rule.params), depth: 0 };
    match &mut rule.trigger {
        Trigger::When(condition, guard) => {
            inline.expr(condition);
            guard.iter_mut().for_each(|guard| inline.expr(guard));
        }
        Trigger::While(condition) => inline.expr(condition),
        Trigger::After(_, guard) => guard.iter_mut().for_each(|guard| inline.expr(guard)),
        Trigger::Always => {}
    }
    for effect in &mut rule.effects {
        inline.effect(effect);
    }
}

fn choices(params: &[Param]) -> Vec<Option<Choices>> {
    params.iter().map(|param| Some(param.choices.clone())).collect()
}

struct Inline<'m> {
    model: &'m Model,
    /// What each variable in reach may be; none if it is listed.
    scope: Vec<Option<Choices>>,
    /// How many meanings stand within each other here.
    depth: usize,
}

impl Inline<'_> {
    fn effect(&mut self, effect: &mut Effect) {
        let outer = self.scope.len();
        self.bind(&effect.binders);
        effect.condition.iter_mut().for_each(|condition| self.expr(condition));
        self.scope.truncate(outer);
    }

    fn bind(&mut self, binders: &[Binder]) {
        for binder in binders {
            self.scope.push(binder.among.is_none().then(|| binder.param.choices.clone()));
        }
    }

    /// Puts meanings into an expression.
    fn expr(&mut self, expr: &mut Expr) {
        if let Expr::Fluent(fluent, args) = expr
            && let Some(meaning) = self.meaning(*fluent, args)
        {
            *expr = meaning;
            self.depth += 1;
            self.expr(expr);
            self.depth -= 1;
            return;
        }
        match expr {
            Expr::And(parts) | Expr::Or(parts) => parts.iter_mut().for_each(|part| self.expr(part)),
            Expr::Not(inner) => self.expr(inner),
            Expr::Quantified(_, binders, inner) => {
                let outer = self.scope.len();
                self.bind(binders);
                self.expr(inner);
                self.scope.truncate(outer);
            }
            _ => {}
        }
    }

    fn meaning(&self, fluent: FluentId, args: &[Expr]) -> Option<Expr> {
        let declared = &self.model.fluents[fluent];
        let FluentSource::Means(meaning) = &declared.source else { return None };
        // The compiler lets no meaning refer to itself; the bound only guards against models made by hand.
        let is_plain = declared.domain == Domain::Bool && self.depth <= self.model.fluents.len();
        let fits = args.iter().zip(&declared.params).all(|(arg, param)| self.fits(arg, &param.choices));
        if !is_plain || !fits || args.len() != declared.params.len() {
            return None;
        }
        let mut meaning = meaning.clone();
        substitute(&mut meaning, args, self.scope.len());
        // A meaning has the truth of its expression, also where that has no value.
        Some(Expr::And(vec![meaning]))
    }

    /// Whether an argument is surely one of the choices.
    fn fits(&self, arg: &Expr, choices: &Choices) -> bool {
        match arg {
            Expr::Value(value) => self.model.is_among(*value, choices),
            Expr::Var(var) => match self.scope.get(usize::from(var.0)) {
                Some(Some(own)) => {
                    let types =
                        own.types.iter().all(|ty| choices.types.iter().any(|of| self.model.is_subtype(*ty, *of)));
                    types && own.symbols.iter().all(|symbol| self.model.is_among(Value::Symbol(*symbol), choices))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// Puts arguments in the place of the first variables; variables bound inside follow those in reach.
fn substitute(expr: &mut Expr, args: &[Expr], reach: usize) {
    match expr {
        Expr::Var(Var(index)) => {
            let place = usize::from(*index);
            match args.get(place) {
                Some(arg) => *expr = arg.clone(),
                None => *index = (place - args.len() + reach) as u16,
            }
        }
        Expr::Value(_) | Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => {}
        Expr::Fluent(_, parts) | Expr::And(parts) | Expr::Or(parts) => {
            parts.iter_mut().for_each(|part| substitute(part, args, reach));
        }
        Expr::Not(inner) => substitute(inner, args, reach),
        Expr::Compare(_, left, right) | Expr::Arithmetic(_, left, right) => {
            substitute(left, args, reach);
            substitute(right, args, reach);
        }
        Expr::In(value, set) => {
            substitute(value, args, reach);
            match set {
                Set::Among(values) => values.iter_mut().for_each(|value| substitute(value, args, reach)),
                Set::Choices(_) => {}
                Set::Range(least, most) => {
                    substitute(least, args, reach);
                    substitute(most, args, reach);
                }
            }
        }
        Expr::Call(_, parts) => parts.iter_mut().for_each(|part| substitute(part, args, reach)),
        Expr::Quantified(_, binders, inner) => {
            let listed = binders.iter_mut().filter_map(|binder| binder.among.as_mut());
            listed.flatten().for_each(|value| substitute(value, args, reach));
            substitute(inner, args, reach);
        }
    }
}
