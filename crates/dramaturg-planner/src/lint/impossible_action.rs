//! `impossible-action`: an action whose conditions cannot all become true.

use dramaturg_model::{ActionId, ActionOrigin, Code, Diagnostic, Expr, Model};

use super::prospect::Prospect;
use crate::ground::{GroundOptions, Limits, ground};
use crate::simulate::words;

/// An action that can never be performed.
pub const CODE: Code = Code::warning("impossible-action");

/// Reports actions that no level offers a single instance of.
pub(crate) fn rule(model: &Model, prospect: &Prospect, limits: Limits, found: &mut Vec<Diagnostic>) {
    for (id, action) in model.actions.iter() {
        if action.origin != ActionOrigin::Authored {
            continue;
        }
        let mut levels = prospect.where_visible(model, action.level).peekable();
        if levels.peek().is_none() {
            // Its level is never come to, which is said of the level.
            continue;
        }
        let possible = |level: &super::prospect::LevelProspect| {
            !level.is_complete() || level.grounding.problem.operators.values().any(|operator| operator.action == id)
        };
        // An action that changes nothing has no operators; that is another matter.
        let inert = action.effects.is_empty() && action.contributions.is_empty() && action.expectation.is_none();
        if inert || nobody(model, id) || levels.any(possible) {
            continue;
        }
        let report = Diagnostic::new(CODE, action.place, format!("`{}` can never be performed", action.name));
        found.push(match first_impossible(model, prospect, limits, id) {
            Some((place, text)) => report
                .label(place, "this can never hold together with what stands before it")
                .hint(format!("`{text}` is what fails; give something that makes it true")),
            None => report.hint("its conditions cannot all become true"),
        });
    }
}

/// Whether a parameter has no objects at all, which `nobody-performs` or an empty type explains.
fn nobody(model: &Model, action: ActionId) -> bool {
    let action = &model.actions[action];
    action.performer.iter().chain(&action.participants).any(|param| {
        let param = action.params.get(usize::from(*param));
        param.is_some_and(|param| model.values_of_anywhere(&param.choices).is_empty())
    })
}

/// The first part of the conditions with which no instance is left.
fn first_impossible(
    model: &Model,
    prospect: &Prospect,
    limits: Limits,
    id: ActionId,
) -> Option<(dramaturg_model::Span, String)> {
    let action = &model.actions[id];
    let level = prospect.where_visible(model, action.level).next()?.level;
    let mut shorter = model.clone();
    let all = std::mem::take(&mut shorter.actions[id].conditions);
    let names: Vec<dramaturg_model::Value> = Vec::new();
    for condition in &all {
        let parts = match &condition.condition {
            Expr::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        for part in parts {
            let mut one = condition.clone();
            one.condition = part.clone();
            shorter.actions[id].conditions.push(one);
            shorter.seal();
            let grounding = ground(&shorter, &GroundOptions { level, limits, ..GroundOptions::default() });
            let left = grounding.problem.operators.values().any(|operator| operator.action == id);
            if !left && grounding.stop.is_none() {
                return Some((condition.place, words::expr(model, &part, &names)));
            }
        }
    }
    None
}
