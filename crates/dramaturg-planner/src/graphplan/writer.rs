//! What an operator writes, effect by effect.

use dramaturg_model::{Fixed, Tick, Value};

use super::bits::Bits;
use super::fact::{Asked, ask, asked};
use super::options::Unsupported;
use crate::ground::{Condition, Ground, GroundChange, GroundEffect, GroundExpr, NumberId, Phase, Problem, VariableId};
use crate::packed::index_of;

/// A variable gets a value if one of some things holds.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    pub(super) variable: VariableId,
    pub(super) value: u32,
    /// Of several writers of one variable the one with the highest rank wins.
    pub(super) rank: u32,
    pub(super) alternatives: Vec<Asked>,
}

/// The alternatives of a condition, each once; one that asks nothing stands alone.
pub(super) fn alternatives(problem: &Problem, condition: &Condition) -> Result<Vec<Asked>, Unsupported> {
    let mut found: Vec<Asked> = Vec::new();
    for part in &condition.any {
        if !part.numbers.is_empty() {
            return Err(Unsupported::NumberTest);
        }
        if !part.tests.is_empty() {
            return Err(Unsupported::Test);
        }
        if part.literals.iter().any(|literal| problem.variables[literal.variable].derived) {
            return Err(Unsupported::Derived);
        }
        match asked(problem, part) {
            Some(asked) if asked.is_empty() => return Ok(vec![asked]),
            Some(asked) if !found.contains(&asked) => found.push(asked),
            _ => {}
        }
    }
    Ok(found)
}

/// All that a phase writes to variables. Numbers are left out: no condition that is followed here reads them. So is chance, as in all
/// search.
pub(super) fn writers(problem: &Problem, phase: &Phase) -> Result<Vec<Writer>, Unsupported> {
    let mut found = Vec::new();
    let count = phase.effects.len() as u32;
    for (variable, value) in &phase.sets {
        let always = vec![Asked::new()];
        found.push(Writer { variable: *variable, value: *value, rank: count, alternatives: always });
    }
    for (place, effect) in (0..).zip(&phase.effects) {
        write(problem, phase, effect, (place, count + 1 + place), &mut found)?;
    }
    Ok(found)
}

/// What one effect writes, with its rank if it gives way to all others, and its rank if it does not.
fn write(
    problem: &Problem,
    phase: &Phase,
    effect: &GroundEffect,
    (low, high): (u32, u32),
    found: &mut Vec<Writer>,
) -> Result<(), Unsupported> {
    let Some(variable) = effect.change.variable() else { return Ok(()) };
    let alternatives = alternatives(problem, &effect.condition)?;
    let mut push = |value: u32, rank: u32, only: Option<(VariableId, u32)>| {
        let mut alternatives = alternatives.clone();
        if let Some((read, value)) = only {
            let size = problem.variables[read].size() as usize;
            let one = Bits::of(size, |other| other as u32 == value);
            alternatives.retain_mut(|asked| ask(asked, read, &one, size));
        }
        if !alternatives.is_empty() {
            found.push(Writer { variable, value, rank, alternatives });
        }
    };
    match &effect.change {
        GroundChange::Set(_, value) => push(*value, high, None),
        GroundChange::Leave(_, from, to) => push(*to, low, Some((variable, *from))),
        GroundChange::Assign(_, expr) => {
            let value = |read: Option<(VariableId, u32)>| {
                let value = expr.value(problem.frame(), &Only(read), None);
                index_of(problem, variable, value)
            };
            match only_read(expr)? {
                None => value(None).into_iter().for_each(|value| push(value, high, None)),
                Some(read) if problem.variables[read].derived => return Err(Unsupported::Derived),
                Some(read) => {
                    for from in 0..problem.variables[read].size() {
                        let only = Some((read, from));
                        value(only).into_iter().for_each(|value| push(value, high, only));
                    }
                }
            }
        }
        GroundChange::Shift(_, by) => {
            let writes = phase.effects.iter().filter(|other| other.change.variable() == Some(variable)).count();
            let is_alone = writes == 1 && !phase.sets.iter().any(|(set, _)| *set == variable);
            let (true, GroundExpr::Value(by)) = (is_alone, by) else { return Err(Unsupported::Shift) };
            for from in 0..problem.variables[variable].size() {
                let (Value::Number(old), Some(by)) = (problem.variables[variable].value(from), by.as_number()) else {
                    continue;
                };
                let to = index_of(problem, variable, Value::Number(old + by)).filter(|to| *to != from);
                to.into_iter().for_each(|to| push(to, high, Some((variable, from))));
            }
        }
        _ => {}
    }
    Ok(())
}

/// The only variable that an expression reads, if any.
fn only_read(expr: &GroundExpr) -> Result<Option<VariableId>, Unsupported> {
    let (mut read, mut fine) = (None, !expr.depends_on_time());
    expr.walk(&mut |part| match part {
        GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) => {
            fine &= read.is_none_or(|known| known == *variable);
            read = Some(*variable);
        }
        GroundExpr::Number(_) => fine = false,
        _ => {}
    });
    if fine { Ok(read) } else { Err(Unsupported::Assignment) }
}

/// A state of which only one variable is known.
struct Only(Option<(VariableId, u32)>);

impl Ground for Only {
    fn variable(&self, variable: VariableId) -> u32 {
        self.0.filter(|(known, _)| *known == variable).map_or(0, |(_, value)| value)
    }

    fn number(&self, _: NumberId) -> Option<Fixed> {
        None
    }

    fn now(&self) -> Tick {
        0
    }
}
