//! The states that a search has met, each once.

use dramaturg_model::{Table, ids};

use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;

ids! {
    /// A state that was met.
    NodeId,
}

/// How a state was come by.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: Option<(NodeId, OperatorId)>,
    /// What the way to it costs.
    cost: u32,
}

/// No state is there.
const EMPTY: u32 = u32::MAX;

/// The states that a search has met, each once, with the best known way to each.
///
/// States lie one behind the other in two long vectors, and a table of their numbers finds them by their hash: nothing is allocated
/// for one of them alone.
#[derive(Clone, Debug)]
pub struct Arena {
    nodes: Table<NodeId, Node>,
    words: Vec<u64>,
    numbers: Vec<i64>,
    hashes: Vec<u64>,
    /// What each is labelled with, up to the last label that is not 0.
    labels: Vec<u64>,
    /// Numbers of nodes, by the low bits of their hash, the next free place after it if that is taken.
    slots: Vec<u32>,
    words_each: usize,
    numbers_each: usize,
}

impl Arena {
    /// An empty one for the states of a problem.
    pub fn new(problem: &Problem) -> Self {
        Self {
            nodes: Table::new(),
            words: Vec::new(),
            numbers: Vec::new(),
            hashes: Vec::new(),
            labels: Vec::new(),
            slots: vec![EMPTY; 1024],
            words_each: problem.words,
            numbers_each: problem.numbers.len(),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a state; false, with the one that is there, if it was met before.
    pub fn add(&mut self, state: &PackedState, parent: Option<(NodeId, OperatorId)>, cost: u32) -> (NodeId, bool) {
        self.add_labelled(state, 0, parent, cost)
    }

    /// Adds a state with a label; the same state with another label is another node.
    pub fn add_labelled(
        &mut self,
        state: &PackedState,
        label: u64,
        parent: Option<(NodeId, OperatorId)>,
        cost: u32,
    ) -> (NodeId, bool) {
        if self.nodes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = state.hash_value();
        let mask = self.slots.len() - 1;
        let mut place = spread(hash, label) as usize & mask;
        while let Some(&found) = self.slots.get(place).filter(|found| **found != EMPTY) {
            let id = NodeId(found);
            if self.hashes.get(found as usize) == Some(&hash) && self.label(id) == label && self.is(id, state) {
                return (id, false);
            }
            place = (place + 1) & mask;
        }
        let id = self.nodes.push(Node { parent, cost });
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = id.0;
        }
        self.words.extend_from_slice(state.words());
        self.numbers.extend_from_slice(state.numbers());
        self.hashes.push(hash);
        if label != 0 {
            self.labels.resize(id.0 as usize, 0);
            self.labels.push(label);
        }
        (id, true)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for (number, hash) in (0..).zip(&self.hashes) {
            let label = self.labels.get(number as usize).copied().unwrap_or(0);
            let mut place = spread(*hash, label) as usize & (size - 1);
            while self.slots.get(place).is_some_and(|found| *found != EMPTY) {
                place = (place + 1) & (size - 1);
            }
            if let Some(slot) = self.slots.get_mut(place) {
                *slot = number;
            }
        }
    }

    fn is(&self, id: NodeId, state: &PackedState) -> bool {
        self.words_of(id) == state.words() && self.numbers_of(id) == state.numbers()
    }

    fn words_of(&self, id: NodeId) -> &[u64] {
        let start = id.0 as usize * self.words_each;
        self.words.get(start..start + self.words_each).unwrap_or(&[])
    }

    fn numbers_of(&self, id: NodeId) -> &[i64] {
        let start = id.0 as usize * self.numbers_each;
        self.numbers.get(start..start + self.numbers_each).unwrap_or(&[])
    }

    /// Writes a state into one that is there already.
    pub fn read(&self, id: NodeId, into: &mut PackedState) {
        let hash = self.hashes.get(id.0 as usize).copied().unwrap_or(0);
        into.overwrite(self.words_of(id), self.numbers_of(id), hash);
    }

    /// What a node is labelled with.
    pub fn label(&self, id: NodeId) -> u64 {
        self.labels.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// What the best known way to a state costs.
    pub fn cost(&self, id: NodeId) -> u32 {
        self.nodes[id].cost
    }

    /// A cheaper way to a state has been found.
    pub fn improve(&mut self, id: NodeId, parent: (NodeId, OperatorId), cost: u32) {
        self.nodes[id] = Node { parent: Some(parent), cost };
    }

    /// The operators on the way to a state.
    pub fn way(&self, id: NodeId) -> Vec<OperatorId> {
        let mut way = Vec::new();
        let mut at = id;
        while let Some((parent, operator)) = self.nodes[at].parent {
            way.push(operator);
            at = parent;
        }
        way.reverse();
        way
    }
}

/// Where a state with a label is looked for.
fn spread(hash: u64, label: u64) -> u64 {
    hash ^ label.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}
