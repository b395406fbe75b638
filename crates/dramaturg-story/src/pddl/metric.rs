//! The metric, and what it says about the cost of actions.

use dramaturg_model::{Action, Change, Expr, Fixed, FluentId, FluentRef, Liking, Operator, Value, WishKind};

use super::numeric::balanced;
use super::reader::Reader;
use super::scope::Scope;
use super::sexpr::Sexpr;

/// A function in the metric with its weight.
struct Term {
    weight: Fixed,
    fluent: FluentId,
}

impl Reader {
    /// Reads `(:metric minimize (total-cost))`: a wish of the story that is only weighed.
    pub(super) fn metric(&mut self, section: &Sexpr) {
        let [direction, value] = section.tail() else {
            self.count(section, section.tail(), 2);
            return;
        };
        let mut scope = Scope::default();
        scope.is_metric = true;
        let value = self.number(value, &mut scope);
        let liking = match direction.atom().map_or("", |word| word.as_str()) {
            "minimize" => {
                self.set_costs(&value);
                Liking::Less(value, None)
            }
            "maximize" => Liking::More(value, None),
            _ => {
                self.expected(direction, "`minimize` or `maximize`");
                return;
            }
        };
        self.add_wish(WishKind::Prefer { liking, weight: Expr::int(1) }, section.span);
    }

    /// Gives actions the cost by which they raise the metric, if it is a weighted sum of functions that actions only raise.
    fn set_costs(&mut self, metric: &Expr) {
        let mut terms = Vec::new();
        if !weighted_sum(metric, Fixed::ONE, &mut terms) || terms.is_empty() {
            return;
        }
        // The weight of a single function does not change which plan is best.
        if let [term] = terms.as_mut_slice() {
            term.weight = Fixed::ONE;
        }
        let costs: Option<Vec<Expr>> = self.model.actions.values().map(|action| cost(action, &terms)).collect();
        for (action, cost) in self.model.actions.values_mut().zip(costs.into_iter().flatten()) {
            action.cost = Some(cost);
        }
    }
}

/// Whether this is a sum of functions without parameters, each times a number that is not negative.
fn weighted_sum(expr: &Expr, weight: Fixed, terms: &mut Vec<Term>) -> bool {
    let constant = |expr: &Expr| match expr {
        Expr::Value(Value::Number(number)) if *number >= Fixed::ZERO => Some(*number),
        _ => None,
    };
    match expr {
        Expr::Fluent(fluent, args) if args.is_empty() => {
            terms.push(Term { weight, fluent: *fluent });
            true
        }
        Expr::Arithmetic(Operator::Add, left, right) => {
            weighted_sum(left, weight, terms) && weighted_sum(right, weight, terms)
        }
        Expr::Arithmetic(Operator::Multiply, left, right) => match (constant(left), constant(right)) {
            (Some(factor), _) => weighted_sum(right, weight.multiply(factor), terms),
            (None, Some(factor)) => weighted_sum(left, weight.multiply(factor), terms),
            (None, None) => false,
        },
        _ => false,
    }
}

/// By how much an action raises the sum; none if that cannot be said in one expression.
fn cost(action: &Action, terms: &[Term]) -> Option<Expr> {
    let mut parts: Vec<Expr> = Vec::new();
    for effect in &action.effects {
        let FluentRef { fluent, .. } = &effect.target;
        let Some(term) = terms.iter().find(|term| term.fluent == *fluent) else { continue };
        let Change::Add(amount) = &effect.change else { return None };
        let is_negative = matches!(amount, Expr::Value(Value::Number(number)) if *number < Fixed::ZERO);
        if effect.condition.is_some() || !effect.binders.is_empty() || is_negative || is_decrease(amount) {
            return None;
        }
        parts.push(match (term.weight, amount) {
            (Fixed::ONE, amount) => amount.clone(),
            (weight, Expr::Value(Value::Number(number))) => Expr::number(number.multiply(weight)),
            (weight, amount) => Expr::arithmetic(Operator::Multiply, Expr::number(weight), amount.clone()),
        });
    }
    Some(balanced(Operator::Add, parts))
}

/// `decrease` of a computed amount is read as `0 - amount`.
fn is_decrease(amount: &Expr) -> bool {
    matches!(amount, Expr::Arithmetic(Operator::Subtract, left, _) if **left == Expr::int(0))
}
