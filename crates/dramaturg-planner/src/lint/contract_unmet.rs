//! `contract-unmet`: an action of a layer whose effect nothing below can bring about.

use dramaturg_model::{Code, Diagnostic, FluentId, LayerId, Model};

/// An effect of an abstract action that no action below has.
pub const CODE: Code = Code::warning("contract-unmet");

/// Reports effects of actions in upper layers that nothing in the layers below, no rule and no plain action can have.
pub(crate) fn rule(model: &Model, found: &mut Vec<Diagnostic>) {
    for action in model.actions.values() {
        let Some(layer) = action.layer else { continue };
        let Some(below) = model.layers[layer].above else { continue };
        for effect in &action.effects {
            if !is_brought_about(model, below, effect.target.fluent) {
                let name = &model.fluents[effect.target.fluent].name;
                found.push(
                    Diagnostic::new(CODE, effect.place, format!("nothing in the layers below changes `{name}`"))
                        .label(model.layers[below].place, "the layer below")
                        .hint("an action of an upper layer is a contract: an action below must be able to fulfil it"),
                );
            }
        }
    }
}

fn is_brought_about(model: &Model, below: LayerId, fluent: FluentId) -> bool {
    let by_action =
        model.actions.values().filter(|action| action.layer.is_none_or(|layer| is_below(model, layer, below)));
    let mut changed = by_action.flat_map(|action| {
        let effects = action.effects.iter().map(|effect| effect.target.fluent);
        effects.chain(action.contributions.iter().map(|part| part.target.fluent))
    });
    let mut by_rule = model.rules.values().flat_map(|rule| {
        let effects = rule.effects.iter().map(|effect| effect.target.fluent);
        effects.chain(rule.contributions.iter().map(|part| part.target.fluent))
    });
    changed.any(|changed| changed == fluent) || by_rule.any(|changed| changed == fluent)
}

/// Whether a layer is another or stands below it.
fn is_below(model: &Model, layer: LayerId, other: LayerId) -> bool {
    let mut current = Some(other);
    for _ in 0..=model.layers.len() {
        match current {
            Some(found) if found == layer => return true,
            Some(found) => current = model.layers[found].above,
            None => return false,
        }
    }
    false
}
