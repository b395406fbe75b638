//! Sets of goals that are known to fail.

use dramaturg_model::Tick;
use rustc_hash::FxHashMap;

use super::fact::FactId;

/// However much time there is.
pub(super) const ALWAYS: Tick = Tick::MAX;

/// A set of goals that fails with so much time, or less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The goals, in ascending order.
    pub(super) goals: Vec<FactId>,
    pub(super) within: Tick,
}

/// The sets of goals that are known to fail at one level, in the order in which they were found.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    entries: Vec<Failure>,
    index: Index,
}

#[derive(Clone, Debug)]
enum Index {
    /// Whole sets.
    Whole(FxHashMap<Vec<FactId>, usize>),
    /// A tree of sets, each a way from the root in ascending order, so that a subset is found quickly.
    Tree(Vec<Node>),
}

#[derive(Clone, Debug, Default)]
struct Node {
    children: Vec<(FactId, usize)>,
    entry: Option<usize>,
}

impl Memo {
    /// None yet; looked up by subsets, or as whole sets only.
    pub(super) fn new(subsets: bool) -> Self {
        let index = if subsets { Index::Tree(vec![Node::default()]) } else { Index::Whole(FxHashMap::default()) };
        Self { entries: Vec::new(), index }
    }

    /// How many have been found; one that was found again with more time counts again.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// One of them.
    pub(super) fn entry(&self, place: usize) -> Option<&Failure> {
        self.entries.get(place)
    }

    /// A known failure that makes these goals fail with so much time.
    pub(super) fn find(&self, goals: &[FactId], time: Tick) -> Option<&Failure> {
        let found = |entry: usize| self.entries.get(entry).filter(|failure| failure.within >= time);
        let nodes = match &self.index {
            Index::Whole(known) => return known.get(goals).and_then(|entry| found(*entry)),
            Index::Tree(nodes) => nodes,
        };
        let mut open: Vec<(usize, &[FactId])> = vec![(0, goals)];
        while let Some((node, goals)) = open.pop() {
            let Some(node) = nodes.get(node) else { continue };
            if let Some(failure) = node.entry.and_then(found) {
                return Some(failure);
            }
            let mut rest = goals;
            for (fact, child) in &node.children {
                let Some(skip) = rest.iter().position(|goal| goal >= fact) else { break };
                rest = rest.get(skip..).unwrap_or(&[]);
                if let Some((goal, after)) = rest.split_first()
                    && goal == fact
                {
                    open.push((*child, after));
                }
            }
        }
        None
    }

    /// Keeps a failure.
    pub(super) fn add(&mut self, failure: Failure) {
        let entry = self.entries.len();
        match &mut self.index {
            Index::Whole(known) => {
                known.insert(failure.goals.clone(), entry);
            }
            Index::Tree(nodes) => {
                let mut at = 0;
                for fact in &failure.goals {
                    let fresh = nodes.len();
                    let Some(node) = nodes.get_mut(at) else { return };
                    at = match node.children.binary_search_by_key(fact, |(known, _)| *known) {
                        Ok(place) => node.children.get(place).map_or(fresh, |(_, child)| *child),
                        Err(place) => {
                            node.children.insert(place, (*fact, fresh));
                            nodes.push(Node::default());
                            fresh
                        }
                    };
                }
                if let Some(node) = nodes.get_mut(at) {
                    node.entry = Some(entry);
                }
            }
        }
        self.entries.push(failure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(facts: &[u32]) -> Vec<FactId> {
        facts.iter().map(|fact| FactId(*fact)).collect()
    }

    #[test]
    fn subsets_are_found_and_only_they() {
        let mut memo = Memo::new(true);
        memo.add(Failure { goals: set(&[2, 5]), within: ALWAYS });
        memo.add(Failure { goals: set(&[2, 7, 9]), within: 10 });
        let find = |facts: &[u32], time| memo.find(&set(facts), time).map(|failure| failure.goals.clone());
        assert_eq!(find(&[1, 2, 3, 5], ALWAYS), Some(set(&[2, 5])));
        assert_eq!(find(&[2, 7], 0), None);
        assert_eq!(find(&[2, 6, 7, 8, 9], 10), Some(set(&[2, 7, 9])));
        assert_eq!(find(&[2, 7, 9], 11), None, "with more time it may succeed");
        assert_eq!(find(&[5], 0), None);
    }

    #[test]
    fn whole_sets_are_found_and_only_they() {
        let mut memo = Memo::new(false);
        memo.add(Failure { goals: set(&[2, 5]), within: ALWAYS });
        assert!(memo.find(&set(&[2, 5]), 3).is_some());
        assert!(memo.find(&set(&[2, 5, 6]), 3).is_none());
    }
}
