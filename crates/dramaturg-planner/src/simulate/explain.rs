//! Which parts of a condition are not met.

use dramaturg_model::{Comparison, Evaluator, Expr, FluentSource, Model, Quantifier, State, Tick, Value};
use serde::Serialize;

use super::event::{Violation, ViolationKind};
use super::reads::Reads;
use super::words;

/// A part of a condition that is not met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leaf {
    /// The fluent it is about, as stories write it; none: something that was computed.
    pub fluent: Option<String>,
    /// What is compared, where that is no single fluent.
    pub expression: String,
    /// What it should be.
    pub wanted: String,
    /// What it is.
    pub found: String,
}

impl Leaf {
    /// What it is about, in the words of a story.
    pub fn what(&self) -> String {
        match &self.fluent {
            Some(fluent) => format!("`{fluent}`"),
            None => format!("`{}`", self.expression),
        }
    }

    /// The leaf as a violation of a kind.
    pub fn violation(&self, kind: ViolationKind, tick: Tick, who: &str) -> Violation {
        let when = match kind {
            ViolationKind::StartCondition => " when it starts",
            ViolationKind::ThroughoutCondition => " throughout",
            ViolationKind::EndCondition => " when it ends",
            _ => "",
        };
        let message = format!("{who} wants {} to be {}{when}, but it is {}", self.what(), self.wanted, self.found);
        let mut violation = Violation::new(kind, tick, message).values(&self.wanted, &self.found);
        violation.fluent = self.fluent.clone();
        violation
    }
}

/// More leaves of one condition than this are left out.
const LEAVES_MAX: usize = 64;
/// Deeper parts are not taken apart.
const DEPTH_MAX: usize = 32;

/// Every part of a condition that is not met, down to single fluents; empty if the condition holds.
pub fn unmet(model: &Model, state: &State, condition: &Expr, args: &[Value], duration: Option<Tick>) -> Vec<Leaf> {
    let mut explainer = Explainer { model, state, duration, leaves: Vec::new() };
    explainer.explain(condition, args, true, 0);
    explainer.leaves
}

struct Explainer<'a> {
    model: &'a Model,
    state: &'a State,
    duration: Option<Tick>,
    leaves: Vec<Leaf>,
}

impl Explainer<'_> {
    fn value(&self, expr: &Expr, variables: &[Value]) -> Value {
        let scope = Evaluator::with(self.model, self.state, variables);
        let mut scope = match self.duration {
            Some(duration) => scope.lasting(duration),
            None => scope,
        };
        scope.value(expr)
    }

    fn can_change(&self, expr: &Expr, variables: usize) -> bool {
        let reads = Reads::of(self.model, expr, variables);
        reads.timed
            || reads.fluents.iter().any(|(fluent, _)| {
                let fluent = &self.model.fluents[*fluent];
                !fluent.is_static && !matches!(fluent.source, FluentSource::Means(_))
            })
    }

    /// Adds what keeps an expression from being as wanted.
    fn explain(&mut self, expr: &Expr, variables: &[Value], wanted: bool, depth: usize) {
        if self.leaves.len() >= LEAVES_MAX || self.value(expr, variables).is_true() == wanted {
            return;
        }
        if depth >= DEPTH_MAX {
            self.whole(expr, variables, wanted);
            return;
        }
        match (expr, wanted) {
            (Expr::And(parts), true) | (Expr::Or(parts), false) => {
                parts.iter().for_each(|part| self.explain(part, variables, wanted, depth + 1));
            }
            (Expr::And(parts), false) | (Expr::Or(parts), true) => {
                // Of several ways out, those that nothing can ever change are none.
                let mut ways = parts.iter().filter(|part| self.can_change(part, variables.len()));
                match (ways.next(), ways.next()) {
                    (Some(way), None) => self.explain(way, variables, wanted, depth + 1),
                    _ => self.whole(expr, variables, wanted),
                }
            }
            (Expr::Not(inner), _) => self.explain(inner, variables, !wanted, depth + 1),
            (Expr::Compare(sign, left, right), _) => {
                let sign = if wanted { *sign } else { sign.negated() };
                self.compared(sign, left, right, variables);
            }
            (Expr::In(value, _), _) => {
                let set = words::expr(self.model, expr, variables);
                let set = set.split_once(" in ").map_or(set.as_str(), |(_, set)| set);
                let wanted = if wanted { format!("in {set}") } else { format!("not in {set}") };
                let found = self.name(self.value(value, variables));
                self.about(value, variables, wanted, found);
            }
            (Expr::Quantified(quantifier, binders, inner), _) if (*quantifier == Quantifier::All) == wanted => {
                let mut failing: Vec<Vec<Value>> = Vec::new();
                let mut scope = Evaluator::with(self.model, self.state, variables);
                scope.search(binders, &mut |scope| {
                    if scope.holds(inner) != wanted {
                        failing.push(scope.variables().to_vec());
                    }
                    failing.len() >= LEAVES_MAX
                });
                for variables in failing {
                    self.explain(inner, &variables, wanted, depth + 1);
                }
            }
            (Expr::Fluent(fluent, args), _) => {
                let args: Vec<Value> = args.iter().map(|arg| self.value(arg, variables)).collect();
                match &self.model.fluents[*fluent].source {
                    FluentSource::Means(meaning) if !args.contains(&Value::Nothing) => {
                        let before = self.leaves.len();
                        self.explain(meaning, &args, wanted, depth + 1);
                        // An argument of the wrong kind has no meaning to look into.
                        if self.leaves.len() == before {
                            self.whole(expr, variables, wanted);
                        }
                    }
                    _ => {
                        let found = self.name(self.value(expr, variables));
                        self.about(expr, variables, wanted.to_string(), found);
                    }
                }
            }
            _ => self.whole(expr, variables, wanted),
        }
    }

    /// A part that cannot be taken apart: one of several alternatives, or something computed.
    fn whole(&mut self, expr: &Expr, variables: &[Value], wanted: bool) {
        let expression = words::expr(self.model, expr, variables);
        let found = if wanted { "false" } else { "true" };
        self.leaves.push(Leaf { fluent: None, expression, wanted: wanted.to_string(), found: found.to_owned() });
    }

    fn compared(&mut self, sign: Comparison, left: &Expr, right: &Expr, variables: &[Value]) {
        // The side that is a fluent is what the condition is about; the other says what is wanted of it.
        let is_fluent = |expr: &Expr| matches!(expr, Expr::Fluent(..));
        let (sign, subject, other) =
            if is_fluent(right) && !is_fluent(left) { (sign.swapped(), right, left) } else { (sign, left, right) };
        let (found, bound) = (self.value(subject, variables), self.value(other, variables));
        let bound = match other {
            Expr::Value(_) | Expr::Var(_) => self.name(bound),
            other => format!("{} ({})", self.name(bound), words::expr(self.model, other, variables)),
        };
        let wanted = match sign {
            Comparison::Equal => bound,
            sign => format!("{} {bound}", sign.sign()),
        };
        let found = self.name(found);
        self.about(subject, variables, wanted, found);
    }

    fn about(&mut self, subject: &Expr, variables: &[Value], wanted: String, found: String) {
        let expression = words::expr(self.model, subject, variables);
        let fluent = match subject {
            Expr::Fluent(fluent, args) => {
                let args: Vec<Value> = args.iter().map(|arg| self.value(arg, variables)).collect();
                Some(self.model.fluent_name(*fluent, &args))
            }
            _ => None,
        };
        self.leaves.push(Leaf { fluent, expression, wanted, found });
    }

    fn name(&self, value: Value) -> String {
        self.model.value_name(value).to_string()
    }
}
