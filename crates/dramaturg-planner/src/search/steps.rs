//! What steps cost in a search, and where they lead.

use dramaturg_model::{Fixed, Table};

use super::target::Target;
use crate::ground::{GroundChange, GroundEffect, GroundExpr, GroundTrigger, NumberId, OperatorId, Problem};
use crate::packed::PackedState;

/// What steps cost in a search, and where they lead.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    unit_costs: bool,
    /// Numbers that no condition ever depends on, such as what all has cost so far, and the value that they keep.
    unread: Vec<(NumberId, Option<Fixed>)>,
}

impl Steps {
    /// Steps that cost what their operators do, or one each, and that lead to every state there is.
    pub(super) fn to_all_states(unit_costs: bool) -> Self {
        Self { unit_costs, unread: Vec::new() }
    }

    /// Steps towards a target: states that differ only in numbers which nobody on the way asks for are one.
    pub(super) fn towards(problem: &Problem, target: &Target, start: &PackedState, unit_costs: bool) -> Self {
        let is_read = read_numbers(problem, target);
        let unread = is_read.iter().filter(|(_, is_read)| !**is_read).map(|(id, _)| (id, start.number(id)));
        Self { unit_costs, unread: unread.collect() }
    }

    /// What a step costs.
    pub(super) fn cost(&self, problem: &Problem, operator: OperatorId) -> u32 {
        if self.unit_costs { 1 } else { whole_cost(problem, operator) }
    }

    /// The state after a step; none if it cannot be performed.
    #[inline]
    pub(super) fn successor(
        &self,
        problem: &Problem,
        state: &PackedState,
        operator: OperatorId,
    ) -> Option<PackedState> {
        let mut next = problem.successor(state, operator)?;
        for (number, value) in &self.unread {
            next.set_number(*number, *value);
        }
        Some(next)
    }
}

/// Which numbers a condition on the way, or the target, depends on.
fn read_numbers(problem: &Problem, target: &Target) -> Table<NumberId, bool> {
    let mut is_read = Table::filled(problem.numbers.len(), false);
    if problem.numbers.is_empty() {
        return is_read;
    }
    let mut effects: Vec<&GroundEffect> = Vec::new();
    let mut conditions: Vec<_> = target.conditions.iter().collect();
    for phase in problem.operators.values().flat_map(|operator| &operator.snap.phases) {
        conditions.push(&phase.condition);
        effects.extend(&phase.effects);
    }
    conditions.extend(problem.derived.iter().map(|derived| &derived.condition));
    for rule in problem.rules.values() {
        match &rule.trigger {
            GroundTrigger::When(condition, guard) => conditions.extend([condition, guard]),
            GroundTrigger::While(condition) | GroundTrigger::After(condition) => conditions.push(condition),
            GroundTrigger::Always => {}
        }
        effects.extend(rule.effects.iter().map(|part| &part.effect));
    }
    conditions.extend(effects.iter().map(|effect| &effect.condition));
    for condition in conditions {
        condition.for_each_number(&mut |number| is_read[number] = true);
    }
    // What goes into something that is read is read as well.
    loop {
        let mut more: Vec<NumberId> = Vec::new();
        effects.retain(|effect| {
            let matters = matters(&effect.change, &is_read);
            if matters {
                for expr in effect.change.reads() {
                    expr.walk(&mut |part| {
                        if let GroundExpr::Number(number) = part {
                            more.push(*number);
                        }
                    });
                }
            }
            !matters
        });
        if more.is_empty() {
            return is_read;
        }
        more.into_iter().for_each(|number| is_read[number] = true);
    }
}

fn matters(change: &GroundChange, is_read: &Table<NumberId, bool>) -> bool {
    change.number().is_none_or(|number| is_read[number])
}

/// What an operator costs, in whole units; what depends on the state counts as one.
pub(super) fn whole_cost(problem: &Problem, operator: OperatorId) -> u32 {
    let cost = problem.operators[operator].cost.as_number().unwrap_or(Fixed::ONE);
    let whole = cost.floor_int().saturating_add(i64::from(!cost.is_int()));
    u32::try_from(whole.max(0)).unwrap_or(u32::MAX / 1024)
}
