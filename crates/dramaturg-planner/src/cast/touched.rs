//! What a step has to do with: what it reads and writes, and who takes part in it.

use std::collections::BTreeSet;

use dramaturg_model::{Model, ObjectId};

use super::domain::{Deed, Domain};
use crate::ground::{GroundEffect, OperatorId, VariableId};
use crate::packed::PackedState;

/// Which variables a step reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    pub(super) reads: BTreeSet<VariableId>,
    pub(super) writes: BTreeSet<VariableId>,
    /// Who does it or takes part in it.
    pub(super) who: Vec<ObjectId>,
}

impl Touched {
    /// Whether two steps at the same time would disturb each other.
    pub(super) fn is_in_the_way_of(&self, other: &Self) -> bool {
        !self.writes.is_disjoint(&other.reads)
            || !self.writes.is_disjoint(&other.writes)
            || !self.reads.is_disjoint(&other.writes)
    }
}

/// What a step reads and writes if it begins in a state. What it only expects somebody else brings about.
pub(super) fn touched(domain: &Domain, state: &PackedState, operator: OperatorId) -> Touched {
    let problem = &domain.problem;
    let declared = &problem.operators[operator];
    let mut touched = Touched::default();
    for phase in &declared.snap.phases {
        phase.condition.for_each_variable(&mut |variable| {
            touched.reads.insert(variable);
        });
    }
    let writes = |effect: &GroundEffect| effect.change.variable().filter(|_| problem.holds(state, &effect.condition));
    match &declared.timed {
        Some(timed) => {
            let own = timed.effects.iter().filter(|effect| !effect.expected);
            touched.writes.extend(own.filter_map(|effect| writes(&effect.effect)));
        }
        None => {
            for phase in &declared.snap.phases {
                touched.writes.extend(phase.sets.iter().map(|(variable, _)| *variable));
                touched.writes.extend(phase.effects.iter().filter_map(writes));
            }
        }
    }
    touched
}

/// Who else takes part.
pub(super) fn participants(model: &Model, deed: &Deed, performer: ObjectId) -> Vec<ObjectId> {
    let (action, args) = deed;
    let places = model.actions[*action].participants.iter();
    let others = places.filter_map(|place| args.get(usize::from(*place))).filter_map(|arg| arg.as_object());
    others.filter(|other| *other != performer).collect()
}
