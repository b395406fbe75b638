//! When a search that has looked at everything proves that there is no plan.

use dramaturg_model::{Model, Rule};

use crate::ground::{Condition, GroundChange, Operator, Problem};

/// Whether something changes by waiting alone, so that no state is lost for certain.
pub fn waiting_changes(model: &Model) -> bool {
    let timed = |rule: &Rule| rule.duration.is_some() || rule.expectation.is_some() || !rule.contributions.is_empty();
    model.rules.values().any(timed) || model.timed_given().next().is_some()
}

/// Whether a search over states without time, one step after another, sees all that can happen: then a target that it did not reach
/// cannot be reached. What waiting, the time of day, chance, or two steps at once may bring it does not see.
pub fn sees_everything(model: &Model, problem: &Problem) -> bool {
    !waiting_changes(model)
        && problem.operators.values().all(is_plain)
        && problem.derived.iter().all(|derived| is_timeless(&derived.condition))
}

fn is_plain(operator: &Operator) -> bool {
    let mut phases = operator.snap.phases.iter();
    let alone =
        operator.snap.phases.len() <= 1 && operator.timed.as_ref().is_none_or(|timed| timed.contributions.is_empty());
    alone
        && phases.all(|phase| {
            is_timeless(&phase.condition)
                && phase.effects.iter().all(|effect| {
                    let random = matches!(effect.change, GroundChange::Random(..) | GroundChange::RandomNumber(..));
                    !random
                        && is_timeless(&effect.condition)
                        && effect.change.reads().iter().all(|expr| !expr.depends_on_time())
                })
        })
}

fn is_timeless(condition: &Condition) -> bool {
    condition.any.iter().flat_map(|part| &part.tests).all(|test| !test.depends_on_time())
}
