//! Actions as transitions without time.

use smallvec::SmallVec;

use super::assemble::whole_amount;
use super::condition::{Condition, Conjunction};
use super::dnf::Dnf;
use super::operator::{GroundChange, GroundEffect, GroundTime, Phase, Snap, Timed};
use super::variable::{NumberId, Place, ValueSet, VariableId};

/// The transition of an action without duration.
pub(crate) fn instant(condition: Condition, effects: Vec<GroundEffect>, dnf: &mut Dnf<'_>) -> Snap {
    let phase = phase(condition, effects, dnf);
    Snap { phases: SmallVec::from_iter([phase]) }
}

/// The transition of an action with its parts in time: from before its start to after its end.
pub(crate) fn timed(timed: &Timed, dnf: &mut Dnf<'_>) -> Snap {
    let mut start = Condition::always();
    let mut later = Condition::always();
    for part in timed.conditions.iter().filter(|part| part.weight.is_none()) {
        let target = if part.time == GroundTime::Start { &mut start } else { &mut later };
        *target = dnf.both(target, &part.condition);
    }
    let at_start = |time: &GroundTime| *time == GroundTime::Start;
    let first = timed.effects.iter().filter(|part| at_start(&part.time)).map(|part| part.effect.clone()).collect();
    let mut last: Vec<GroundEffect> =
        timed.effects.iter().filter(|part| !at_start(&part.time)).map(|part| part.effect.clone()).collect();
    for part in &timed.contributions {
        let amount = whole_amount(part, &timed.duration);
        let change = match part.target {
            Place::Number(number) => GroundChange::AddNumber(number, amount),
            Place::Variable(variable) => GroundChange::Shift(variable, amount),
            Place::Constant(_) | Place::Member(..) => continue,
        };
        last.push(GroundEffect { condition: part.condition.clone(), change });
    }
    let mut first = phase(start, first, dnf);
    if first.sets.is_empty() && first.effects.is_empty() {
        let condition = dnf.both(&first.condition, &later);
        return Snap { phases: SmallVec::from_iter([phase(condition, last, dnf)]) };
    }
    if let Some(later_only) = later.only().cloned() {
        later = move_forward(&mut first, later_only, dnf);
    }
    let second = phase(later, last, dnf);
    if second.condition.is_always() && second.sets.is_empty() && second.effects.is_empty() {
        return Snap { phases: SmallVec::from_iter([first]) };
    }
    Snap { phases: SmallVec::from_iter([first, second]) }
}

/// Moves what a later phase asks into the condition of the first, as far as the first does not change it.
fn move_forward(first: &mut Phase, later: Conjunction, dnf: &mut Dnf<'_>) -> Condition {
    let changed: Vec<VariableId> = first.effects.iter().filter_map(|effect| effect.change.variable()).collect();
    let numbers: Vec<NumberId> = first.effects.iter().filter_map(|effect| effect.change.number()).collect();
    let mut moved = Conjunction::default();
    let mut kept = Conjunction::default();
    for literal in later.literals {
        if dnf.variables[literal.variable].derived {
            // What it is computed from may have changed.
            kept.literals.push(literal);
            continue;
        }
        let set = first.sets.iter().find(|(variable, _)| *variable == literal.variable);
        match set {
            Some((_, value)) if !changed.contains(&literal.variable) => {
                if !dnf.sets.contains(literal.values, *value) {
                    kept.literals.push(literal);
                }
            }
            None if !changed.contains(&literal.variable) => moved.literals.push(literal),
            _ => kept.literals.push(literal),
        }
    }
    for test in later.numbers {
        let same = !test.terms.iter().any(|(number, _)| numbers.contains(number));
        if same { moved.numbers.push(test) } else { kept.numbers.push(test) }
    }
    kept.tests = later.tests;
    first.condition = dnf.both(&first.condition, &Condition::of(moved));
    Condition::of(kept)
}

/// One phase: changes that cannot matter are left out, plain ones are kept apart.
fn phase(condition: Condition, effects: Vec<GroundEffect>, dnf: &mut Dnf<'_>) -> Phase {
    let mut phase = Phase { condition, ..Phase::default() };
    let asked = |phase: &Phase, variable| phase.condition.only().and_then(|only| only.asked(variable));
    let always_set: SmallVec<[VariableId; 8]> = effects
        .iter()
        .filter(|effect| effect.condition.is_always())
        .filter_map(|effect| match effect.change {
            GroundChange::Set(variable, _) => Some(variable),
            _ => None,
        })
        .collect();
    for mut effect in effects {
        match effect.change {
            GroundChange::Set(variable, value) if effect.condition.is_always() => {
                // It comes last so far, so it wins over whatever was to be set before.
                phase.effects.retain(|other| !sets(&other.change, variable));
                match phase.sets.iter_mut().find(|(known, _)| *known == variable) {
                    Some(known) => known.1 = value,
                    None => phase.sets.push((variable, value)),
                }
                continue;
            }
            GroundChange::Leave(variable, from, to) => {
                if always_set.contains(&variable) {
                    continue;
                }
                let size = dnf.variables[variable].size();
                match asked(&phase, variable) {
                    Some(ValueSet::One(value)) if value == from => {}
                    Some(values) if !dnf.sets.contains(values, from) => continue,
                    _ => {
                        let mut is = Conjunction::default();
                        is.ask(variable, ValueSet::One(from), size, dnf.sets);
                        effect.condition = dnf.both(&effect.condition, &Condition::of(is));
                        if effect.condition.is_never() {
                            continue;
                        }
                    }
                }
                effect.change = GroundChange::Leave(variable, from, to);
            }
            _ => {}
        }
        phase.effects.push(effect);
    }
    settle_leaves(&mut phase);
    drop_idle(&mut phase, dnf);
    phase
}

/// A fact that surely becomes false, with nothing else set in its group, is a plain change.
fn settle_leaves(phase: &mut Phase) {
    let mut plain: SmallVec<[(VariableId, u32); 4]> = SmallVec::new();
    for effect in phase.effects.iter().filter(|effect| effect.condition.is_always()) {
        if let GroundChange::Leave(variable, _, to) = effect.change {
            let alone = phase.effects.iter().filter(|other| other.change.variable() == Some(variable)).count() == 1;
            if alone {
                plain.push((variable, to));
            }
        }
    }
    for (variable, to) in plain {
        phase.effects.retain(|effect| effect.change.variable() != Some(variable));
        phase.sets.push((variable, to));
    }
}

/// Leaves out changes to the value that is asked for, and effects that contradict what is asked.
fn drop_idle(phase: &mut Phase, dnf: &mut Dnf<'_>) {
    let Some(only) = phase.condition.only().cloned() else { return };
    phase.effects.retain_mut(|effect| {
        if effect.condition.is_always() {
            return true;
        }
        let any = effect.condition.any.iter().filter_map(|part| {
            dnf.join(&only, part)?;
            // What the phase asks anyway need not be asked again.
            let mut part = part.clone();
            part.literals.retain(|literal| only.asked(literal.variable) != Some(literal.values));
            Some(part)
        });
        effect.condition = Condition { any: any.collect() };
        if effect.condition.is_always() {
            effect.condition = Condition::always();
        }
        !effect.condition.is_never()
    });
    let effects = &phase.effects;
    let others = |variable| effects.iter().filter(|other| other.change.variable() == Some(variable)).count();
    phase
        .sets
        .retain(|(variable, value)| only.asked(*variable) != Some(ValueSet::One(*value)) || others(*variable) > 0);
    let idle: SmallVec<[VariableId; 4]> = phase
        .effects
        .iter()
        .filter_map(|effect| match effect.change {
            GroundChange::Set(variable, value) => Some((variable, value)),
            _ => None,
        })
        .filter(|(variable, value)| {
            only.asked(*variable) == Some(ValueSet::One(*value))
                && others(*variable) == 1
                && !phase.sets.iter().any(|(set, _)| set == variable)
        })
        .map(|(variable, _)| variable)
        .collect();
    phase.effects.retain(|effect| effect.change.variable().is_none_or(|variable| !idle.contains(&variable)));
}

/// Whether a change sets a variable outright.
fn sets(change: &GroundChange, variable: VariableId) -> bool {
    match change {
        GroundChange::Set(found, _) | GroundChange::Leave(found, ..) | GroundChange::Assign(found, _) => {
            *found == variable
        }
        _ => false,
    }
}
