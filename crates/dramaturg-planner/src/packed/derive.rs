//! Derived fluents of packed states.

use super::state::PackedState;
use crate::ground::Problem;

impl Problem {
    /// Recomputes derived fluents, stratum by stratum to the least fixed point. Each is looked at once, and again only when
    /// something it reads has become true.
    pub fn derive(&self, state: &mut PackedState) {
        if self.derived.is_empty() {
            return;
        }
        for derived in &self.derived {
            state.set(self, derived.variable, u32::from(derived.yes == 0));
        }
        let mut again: Vec<u32> = Vec::new();
        let mut start = 0;
        for stratum in self.derived.chunk_by(|a, b| a.stratum == b.stratum) {
            let end = start + stratum.len();
            again.extend((start..end).rev().map(|place| place as u32));
            while let Some(place) = again.pop() {
                let Some(derived) = self.derived.get(place as usize) else { continue };
                if state.get(self, derived.variable) == derived.yes || !self.holds(state, &derived.condition) {
                    continue;
                }
                state.set(self, derived.variable, derived.yes);
                // Higher strata have their turn later and see all of this one.
                let readers = self.index.derived_reading(derived.variable).iter();
                again.extend(readers.filter(|reader| (start..end).contains(&(**reader as usize))));
            }
            start = end;
        }
    }
}
