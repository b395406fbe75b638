//! Which groups can have no true fact: only those need a value for "none of them".

use dramaturg_model::{Duration, Table};
use smallvec::SmallVec;

use super::entity::Entity;
use super::group::{FactId, Groups};
use super::options::Meter;
use super::prune::{FactReader, Kept, for_each_binding};
use super::schema::Source;
use super::template::{EffectKind, Sign, Template};

/// For each chosen group whether some instance can take away its true fact and give it no other.
pub(crate) fn emptied(
    reader: &FactReader<'_, '_>,
    templates: &[Template<'_>],
    groups: &Groups,
    kept: &Kept,
    meter: &mut Meter,
) -> Vec<bool> {
    let mut budget = meter.left();
    let mut chosen: Table<FactId, Option<u32>> = Table::filled(reader.facts.of.len(), None);
    for (place, group) in groups.chosen.iter().enumerate() {
        for fact in group {
            chosen[*fact] = Some(place as u32);
        }
    }
    let mut emptied = vec![false; groups.chosen.len()];
    for (template, alive) in templates.iter().zip(&kept.instances) {
        let deletes = template.effects.iter().any(|effect| matches!(effect.kind, EffectKind::Flag(_, false)));
        if !deletes {
            continue;
        }
        let is_instant = match template.source {
            Source::Action(action) => reader.world.model.actions[action].duration == Duration::Instant,
            _ => false,
        };
        for (_, binding) in reader.world.relations[template.instances].rows().filter(|(row, _)| alive[*row]) {
            for group in lost(reader, template, binding, is_instant, &chosen, &mut budget) {
                if let Some(empty) = emptied.get_mut(group as usize) {
                    *empty = true;
                }
            }
        }
    }
    meter.spend(meter.left() - budget);
    emptied
}

/// The groups from which an instance may take the true fact without giving another.
fn lost(
    reader: &FactReader<'_, '_>,
    template: &Template<'_>,
    binding: &[Entity],
    is_instant: bool,
    chosen: &Table<FactId, Option<u32>>,
    budget: &mut u64,
) -> SmallVec<[u32; 4]> {
    let mut required: SmallVec<[FactId; 8]> = SmallVec::new();
    for condition in &template.conditions {
        for literal in condition.part.literals.iter().filter(|literal| literal.sign == Sign::Yes) {
            required.extend(reader.fact(&literal.atom, binding));
        }
    }
    let mut lost: SmallVec<[(u32, usize); 4]> = SmallVec::new();
    let mut given: SmallVec<[(u32, usize); 4]> = SmallVec::new();
    for (place, effect) in template.effects.iter().enumerate() {
        let EffectKind::Flag(atom, value) = &effect.kind else { continue };
        for_each_binding(reader, effect, binding, budget, &mut |binding| {
            let Some(fact) = reader.fact(atom, binding) else { return };
            let Some(group) = chosen[fact] else { return };
            let is_sure = effect.when.literals.is_empty() && effect.when.rest.is_empty();
            if *value && is_sure {
                given.push((group, place));
            } else if !*value {
                // While another fact of the group is required, this one is false already.
                let other = |required: &FactId| *required != fact && chosen[*required] == Some(group);
                if !is_instant || !required.iter().any(other) {
                    lost.push((group, place));
                }
            }
        });
    }
    let moment = |place: usize| template.effects.get(place).map(|effect| effect.moment);
    lost.into_iter()
        .filter(|(group, place)| {
            !given.iter().any(|(other, add)| other == group && (is_instant || moment(*add) == moment(*place)))
        })
        .map(|(group, _)| group)
        .collect()
}
