//! The order of steps is kept when things come otherwise: those that can be performed in it stay, the others wait their turn.

use crate::ground::OperatorId;
use crate::temporal::stage::Stage;

/// Operators in an order in which they can be performed one by one from the start of a stage, as near to the given one as that
/// allows; those that never can be are left out.
pub(super) fn kept(stage: &Stage, wanted: &[OperatorId]) -> Vec<OperatorId> {
    let mut state = stage.start.clone();
    let mut waiting = wanted.to_vec();
    let mut order = Vec::with_capacity(waiting.len());
    while let Some(place) = waiting.iter().position(|operator| stage.problem.is_applicable(&state, *operator)) {
        let operator = waiting.remove(place);
        let mut next = state.clone();
        if stage.problem.apply_to(&mut next, operator) {
            state = next;
            order.push(operator);
        }
    }
    order
}
