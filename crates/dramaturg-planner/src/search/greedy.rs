//! Greedy search: only the distance to the target counts.

use std::sync::Arc;

use super::arena::{Arena, NodeId};
use super::best_first::BestFirstOptions;
use super::landmarks::Landmarks;
use super::open::Buckets;
use super::outcome::Outcome;
use super::relaxation::Relaxation;
use super::relaxed::Relaxed;
use super::steps::Steps;
use super::target::Target;
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;

/// Operators that help are looked at so many times more often after each step forward.
const BOOST: i64 = 1_000;

/// A search that only looks at the distance to the target, as fast as possible: states are looked at when they are taken up, not when
/// they are found, landmarks are counted beside the distance, and operators that help come first.
pub(super) struct Greedy {
    problem: Arc<Problem>,
    target: Target,
    steps: Steps,
    arena: Arena,
    relaxed: Relaxed,
    landmarks: Option<Landmarks>,
    /// Which landmarks have been come by, for each node.
    passed: Vec<u64>,
    lists: Vec<List>,
    /// What every way must pass, if anything.
    pub(super) admits: Option<Admits>,
    /// The nearest state so far.
    best: Option<(u32, NodeId)>,
    expanded: u64,
    evaluated: u64,
    started: bool,
    // Reused from node to node.
    state: PackedState,
    applicable: Vec<OperatorId>,
    passed_now: Vec<u64>,
    passed_before: Vec<u64>,
}

/// Whether a way may be gone, beyond what states say.
pub(crate) type Admits = Box<dyn FnMut(&[OperatorId]) -> bool + Send + Sync>;

/// One of several lists that take turns.
struct List {
    counts_landmarks: bool,
    only_preferred: bool,
    priority: i64,
    best: u32,
    open: Buckets<(NodeId, OperatorId)>,
}

/// What is known of a state when it is taken up.
struct Estimate {
    distance: u32,
    landmarks: u32,
}

impl Greedy {
    /// A search from a state to a target.
    pub(super) fn new(
        problem: Arc<Problem>,
        relaxation: &Arc<Relaxation>,
        start: &PackedState,
        target: Target,
        options: &BestFirstOptions,
    ) -> Self {
        let landmarks = options
            .landmarks
            .then(|| Landmarks::find(&problem, relaxation, start, &target))
            .filter(|landmarks| !landmarks.is_empty());
        let mut lists = Vec::new();
        for counts_landmarks in [false, true] {
            for only_preferred in [false, true] {
                if !counts_landmarks || landmarks.is_some() {
                    let open = Buckets::default();
                    lists.push(List { counts_landmarks, only_preferred, priority: 0, best: u32::MAX, open });
                }
            }
        }
        let words = landmarks.as_ref().map_or(0, Landmarks::words);
        Self {
            relaxed: Relaxed::new(&problem, Arc::clone(relaxation), &target),
            arena: Arena::new(&problem),
            steps: Steps::towards(&problem, &target, start, options.unit_costs),
            target,
            landmarks,
            passed: Vec::new(),
            lists,
            admits: None,
            best: None,
            expanded: 0,
            evaluated: 0,
            started: false,
            state: start.clone(),
            applicable: Vec::new(),
            passed_now: vec![0; words],
            passed_before: vec![0; words],
            problem,
        }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.arena.len()
    }

    /// How many states have been gone on from, and how many looked at.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.expanded, self.evaluated)
    }

    /// About how much work it has done.
    pub(super) fn work(&self) -> u64 {
        self.evaluated * self.relaxed.work()
    }

    /// The way to the state that is nearest to the target so far.
    pub(super) fn nearest(&self) -> Vec<OperatorId> {
        self.best.map_or_else(Vec::new, |(_, node)| self.arena.way(node))
    }

    /// Looks at one more state.
    pub(super) fn step(&mut self) -> Outcome {
        let parent = if self.started {
            let Some((node, operator)) = self.next_entry() else { return Outcome::Exhausted };
            self.arena.read(node, &mut self.state);
            let Some(next) = self.steps.successor(&self.problem, &self.state, operator) else {
                return Outcome::Searching;
            };
            self.state = next;
            Some((node, operator))
        } else {
            self.started = true;
            None
        };
        if let (Some(admits), Some((node, operator))) = (&mut self.admits, parent) {
            let mut way = self.arena.way(node);
            way.push(operator);
            if !admits(&way) {
                return Outcome::Searching;
            }
        }
        let cost = parent.map_or(0, |(node, operator)| {
            self.arena.cost(node).saturating_add(self.steps.cost(&self.problem, operator))
        });
        let (node, is_new) = self.arena.add(&self.state, parent, cost);
        if !is_new {
            return Outcome::Searching;
        }
        let estimate = self.look(parent.map(|(node, _)| node));
        let Some(estimate) = estimate else { return Outcome::Searching };
        if self.target.is_reached(&self.problem, &self.state) {
            return Outcome::Found(self.arena.way(node));
        }
        self.note_best(estimate.distance, node);
        self.reward(&estimate);
        self.expand(node, &estimate);
        Outcome::Searching
    }

    /// Looks at the state at hand; none if the target cannot be reached from it.
    fn look(&mut self, parent: Option<NodeId>) -> Option<Estimate> {
        self.evaluated += 1;
        let mut open = 0;
        if let Some(landmarks) = &self.landmarks {
            let words = landmarks.words();
            let before = parent.map(|parent| {
                let start = parent.0 as usize * words;
                self.passed_before.clear();
                self.passed_before.extend_from_slice(self.passed.get(start..start + words).unwrap_or(&[]));
                self.passed_before.as_slice()
            });
            self.passed_now.iter_mut().for_each(|word| *word = 0);
            open = landmarks.pass(&self.problem, &self.state, before, &mut self.passed_now);
            self.passed.extend_from_slice(&self.passed_now);
        }
        let distance = self.relaxed.estimate(&self.problem, &self.state)?;
        Some(Estimate { distance, landmarks: open })
    }

    fn expand(&mut self, node: NodeId, estimate: &Estimate) {
        self.expanded += 1;
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&self.state, &mut applicable);
        for operator in &applicable {
            let on_way = self.relaxed.preferred().binary_search(operator).is_ok();
            for list in &mut self.lists {
                if !list.only_preferred || on_way {
                    let key = if list.counts_landmarks { estimate.landmarks } else { estimate.distance };
                    list.open.push(key, (node, *operator));
                }
            }
        }
        self.applicable = applicable;
    }

    /// A step forward is rewarded: operators that help are looked at more often for a while.
    fn reward(&mut self, estimate: &Estimate) {
        let mut forward = false;
        for list in &mut self.lists {
            let key = if list.counts_landmarks { estimate.landmarks } else { estimate.distance };
            if key < list.best {
                list.best = key;
                forward = true;
            }
        }
        if forward {
            for list in self.lists.iter_mut().filter(|list| list.only_preferred) {
                list.priority -= BOOST;
            }
        }
    }

    fn next_entry(&mut self) -> Option<(NodeId, OperatorId)> {
        let list = self.lists.iter_mut().filter(|list| !list.open.is_empty()).min_by_key(|list| list.priority)?;
        list.priority += 1;
        // Where not every way may be gone, many states are equally far; the newest leads on instead of aside.
        let entry = if self.admits.is_some() { list.open.pop_newest() } else { list.open.pop() };
        entry.map(|(_, entry)| entry)
    }

    fn note_best(&mut self, distance: u32, node: NodeId) {
        if self.best.is_none_or(|(least, _)| distance < least) {
            self.best = Some((distance, node));
        }
    }
}
