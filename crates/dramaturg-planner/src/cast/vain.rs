//! Waiting in vain.

use dramaturg_model::{Change, Evaluator, Model, State};

use super::domain::Deed;

/// Whether a deed is a wait for something that has not come about.
pub(super) fn is_in_vain(model: &Model, state: &State, deed: &Deed) -> bool {
    let (action, args) = deed;
    let Some(expectation) = &model.actions[*action].expectation else { return false };
    let mut scope = Evaluator::with(model, state, args);
    !expectation.effects.iter().all(|effect| {
        let Change::Set(wanted) = &effect.change else { return true };
        let target = dramaturg_model::Expr::Fluent(effect.target.fluent, effect.target.args.clone());
        scope.value(&target) == scope.value(wanted)
    })
}
