//! Plans with layers.

use crate::ground::OperatorId;

/// Layers of operators: those of one layer neither disturb nor need each other, so that they may be performed in any order or at the
/// same time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayeredPlan {
    /// The layers, the first one first; the operators of each in ascending order.
    pub layers: Vec<Vec<OperatorId>>,
}

impl LayeredPlan {
    /// How many layers there are.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// All steps one after another, as they are stored.
    pub fn flatten(&self) -> Vec<OperatorId> {
        self.layers.iter().flatten().copied().collect()
    }
}
