//! Components: what an operator does under one condition.

use dramaturg_model::{Tick, ids};
use smallvec::SmallVec;

use super::fact::FactId;
use crate::ground::{OperatorId, VariableId};

ids! {
    /// A component.
    ComponentId,
    /// An operator with one alternative of its precondition.
    VariantId,
}

/// What an operator does under one condition, or that a fact stays as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    /// Whose component it is; none: a fact stays as it is.
    pub(super) variant: Option<VariantId>,
    /// All that must hold before, in ascending order: the precondition, and what this effect asks beside it.
    pub(super) needs: Vec<FactId>,
    /// What this effect asks beside the precondition, each with what makes it false while the precondition holds.
    pub(super) antecedent: SmallVec<[Literal; 2]>,
    /// What is written whenever it takes place: its own effect, and the plain effects of its operator.
    pub(super) writes: SmallVec<[(VariableId, u32); 2]>,
    /// What it is a producer of.
    pub(super) adds: Vec<FactId>,
    /// How long its operator takes.
    pub(super) duration: Tick,
}

/// Part of an antecedent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) fact: FactId,
    pub(super) opposite: FactId,
}

/// An operator with one alternative of its precondition.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) operator: OperatorId,
    /// Its plain effects.
    pub(super) base: ComponentId,
    /// What the plain effects write; each with its rank among the writers of its variable.
    pub(super) base_writes: SmallVec<[(VariableId, u32, u32); 2]>,
    /// Its effects that depend on something.
    pub(super) groups: Vec<Group>,
}

/// An effect that depends on something: it comes if one of its components takes place.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) variable: VariableId,
    pub(super) value: u32,
    /// Of several writers of one variable the one with the highest rank wins.
    pub(super) rank: u32,
    pub(super) components: SmallVec<[ComponentId; 1]>,
}

impl Variant {
    /// What a component of this variant writes to a variable as far as it alone is looked at, and with which rank.
    pub(super) fn write(&self, component: ComponentId, variable: VariableId) -> Option<(u32, u32)> {
        let own = self.groups.iter().find(|group| group.variable == variable && group.components.contains(&component));
        let own = own.map(|group| (group.value, group.rank));
        own.or_else(|| {
            let base = self.base_writes.iter().find(|(written, ..)| *written == variable);
            base.map(|(_, value, rank)| (*value, *rank))
        })
    }

    /// Whether a write can be overruled by an effect of the same operator with another value.
    pub(super) fn may_overrule(&self, variable: VariableId, value: u32, rank: u32) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|group| group.variable == variable && group.rank > rank && group.value != value)
    }
}
