//! What happens by itself after a transition.

use super::apply::Writes;
use super::state::PackedState;
use crate::ground::{GroundRule, GroundRuleId, GroundTrigger, OperatorId, Problem};

impl Problem {
    /// The state after an operator and all rules that it sets off at once; none if the operator cannot be performed.
    pub fn successor(&self, state: &PackedState, operator: OperatorId) -> Option<PackedState> {
        let mut next = self.apply(state, operator)?;
        if !self.rules.is_empty() {
            for rule in self.index.rules_after(operator) {
                if let GroundTrigger::After(guard) = &self.rules[*rule].trigger
                    && self.holds(&next, guard)
                {
                    self.fire(&mut next, &self.rules[*rule]);
                }
            }
            self.settle(state, &mut next);
        }
        Some(next)
    }

    /// Fires the rules whose condition has become true since a state before, in order of priority, each seeing the last, until
    /// nothing more does. Rules that take time are left to those who look at time.
    pub fn settle(&self, before: &PackedState, state: &mut PackedState) {
        let held = |state: &PackedState, rule: &GroundRule| match &rule.trigger {
            GroundTrigger::When(condition, _) => self.holds(state, condition),
            _ => false,
        };
        let mut were: Vec<(GroundRuleId, bool)> = self
            .rules
            .iter()
            .filter(|(_, rule)| matches!(rule.trigger, GroundTrigger::When(..)) && rule.duration.is_none())
            .map(|(id, rule)| (id, held(before, rule)))
            .collect();
        // Rules that set each other off for ever are cut short, as the simulator does.
        for _ in 0..=were.len() {
            let mut fired = false;
            for (id, was) in &mut were {
                let rule = &self.rules[*id];
                let is = held(state, rule);
                if is && !*was {
                    let GroundTrigger::When(_, guard) = &rule.trigger else { continue };
                    if self.holds(state, guard) {
                        self.fire(state, rule);
                        fired = true;
                    }
                }
                *was = is;
            }
            if !fired {
                break;
            }
        }
    }

    fn fire(&self, state: &mut PackedState, rule: &GroundRule) {
        if rule.duration.is_some() {
            return;
        }
        let mut writes = Writes::default();
        writes.read(self, state, rule.effects.iter().map(|part| &part.effect), None);
        writes.write(self, state);
        self.derive(state);
    }
}
