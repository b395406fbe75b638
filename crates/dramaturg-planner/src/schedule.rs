//! A way through states becomes a plan: steps with their times.

use dramaturg_model::{Fixed, Model, Plan, Tick};

use crate::ground::{GroundDuration, GroundExpr, OperatorId, Problem};
use crate::packed::PackedState;

/// A way as a plan in which each step begins when the one before it has ended, from a tick on. Durations that the planner may choose
/// are as short as they may be; those that the world decides, as long as they may be. In plans for PDDL a tick lies between an end and
/// a start that needs it, as its own sense of time asks.
pub fn in_sequence(model: &Model, problem: &Problem, start: &PackedState, way: &[OperatorId], from: Tick) -> Plan {
    let mut plan = Plan { complete: true, ..Plan::default() };
    let mut state = start.clone();
    let mut now = from;
    let mut cost = Fixed::ZERO;
    let between = Tick::from(model.pddl().is_some_and(|origin| origin.temporal));
    for operator in way {
        let declared = &problem.operators[*operator];
        state.set_now(now);
        let view = state.view(problem);
        let number = |expr: &GroundExpr| expr.value(problem.frame(), &view, None).as_number();
        let ticks = |expr: &GroundExpr| number(expr).map_or(0, Fixed::round_half_up).max(0);
        let duration = match declared.timed.as_ref().map(|timed| &timed.duration) {
            None | Some(GroundDuration::Instant) => 0,
            Some(GroundDuration::Fixed(expr)) => ticks(expr),
            Some(GroundDuration::Contingent(_, most)) => ticks(most),
            Some(GroundDuration::Chosen(least, _)) => least.as_ref().map_or(1, ticks),
        };
        cost = cost + number(&declared.cost).unwrap_or(Fixed::ONE);
        let args = problem.args(*operator).iter().map(|arg| model.value_name(*arg));
        plan.add(model.actions[declared.action].name.clone(), args, now, duration);
        // What an instant step changes is seen in the next tick.
        now = now.saturating_add(duration.max(1)).saturating_add(between);
        match problem.successor(&state, *operator) {
            Some(next) => state = next,
            None => plan.complete = false,
        }
    }
    plan.cost = Some(cost);
    plan
}
