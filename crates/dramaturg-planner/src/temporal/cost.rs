//! What a plan with times costs: the problem's metric where it has one, and how long it takes.

use dramaturg_model::{Fixed, Model, Owner, Tick};

use crate::ground::{GroundExpr, GroundLiking, GroundWishKind, Problem};
use crate::packed::PackedState;

/// What a plan costs: less is better, and of equals the shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// The metric, as something to make small; 0 if only time counts.
    pub metric: Fixed,
    /// The tick at which the last step ends.
    pub end: Tick,
}

/// What counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Objective {
    /// What is to be small, and what is to be large; without those that only ask for little time.
    terms: Vec<(GroundExpr, bool)>,
}

impl Objective {
    /// That of a problem.
    pub(super) fn new(model: &Model, problem: &Problem) -> Self {
        let mut terms = Vec::new();
        for wish in problem.wishes.iter().filter(|wish| model.wishes[wish.wish].owner == Owner::Story) {
            let GroundWishKind::Prefer { liking, .. } = &wish.kind else { continue };
            match liking {
                GroundLiking::Less(expr, _) if !is_time(expr) => terms.push((expr.clone(), false)),
                GroundLiking::More(expr, _) => terms.push((expr.clone(), true)),
                _ => {}
            }
        }
        Self { terms }
    }

    /// The cost of a plan that ends in a state at a tick.
    pub(super) fn cost(&self, problem: &Problem, state: &PackedState, end: Tick) -> Cost {
        let mut metric = Fixed::ZERO;
        if !self.terms.is_empty() {
            let mut state = state.clone();
            state.set_now(end);
            for (expr, is_more) in &self.terms {
                let value = expr.value(problem.frame(), &state.view(problem), None).as_number();
                let value = value.unwrap_or(Fixed::ZERO);
                metric = if *is_more { metric - value } else { metric + value };
            }
        }
        Cost { metric, end }
    }

    /// Whether only time counts.
    pub(super) fn is_time(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Whether an expression is the time and nothing else that changes: then it is small exactly when the end is early.
fn is_time(expr: &GroundExpr) -> bool {
    let (mut now, mut other) = (false, false);
    expr.walk(&mut |part| match part {
        GroundExpr::Now => now = true,
        GroundExpr::Value(_) | GroundExpr::Arithmetic(..) => {}
        _ => other = true,
    });
    now && !other
}
