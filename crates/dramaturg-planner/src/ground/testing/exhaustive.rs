//! Looking at everything: what no search may contradict.

use rustc_hash::FxHashSet;

use crate::ground::Problem;
use crate::packed::PackedState;
use crate::search::Target;

/// The fewest steps to a target, by looking at everything; none if there is no way. Nothing if there is too much to look at.
pub(crate) fn by_looking_at_everything(problem: &Problem, target: &Target) -> Option<Option<usize>> {
    let mut seen: FxHashSet<PackedState> = FxHashSet::default();
    let mut layer = vec![problem.initial()];
    let mut applicable = Vec::new();
    seen.extend(layer.iter().cloned());
    for steps in 0.. {
        if layer.iter().any(|state| target.is_reached(problem, state)) {
            return Some(Some(steps));
        }
        let mut next = Vec::new();
        for state in &layer {
            problem.applicable(state, &mut applicable);
            for operator in &applicable {
                if let Some(found) = problem.successor(state, *operator)
                    && seen.insert(found.clone())
                {
                    next.push(found);
                }
            }
        }
        if next.is_empty() {
            return Some(None);
        }
        if seen.len() > 3_000 {
            return None;
        }
        layer = next;
    }
    None
}
