//! Search that goes on where it looks best: greedy, or by the length of the whole way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::arena::{Arena, NodeId, whole_cost};
use super::landmarks::Landmarks;
use super::open::Buckets;
use super::relaxation::Relaxation;
use super::relaxed::Relaxed;
use super::target::Target;
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::Budget;

/// What a search is guided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guide {
    /// Only the distance to the target, as fast as possible: states are looked at when they are taken up, not when they are found,
    /// landmarks are counted beside the distance, and operators that help come first.
    Greedy,
    /// The way so far and the distance together, for short plans.
    Shortest,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct BestFirstOptions {
    /// What to be guided by.
    pub guide: Guide,
    /// Whether every operator counts one, whatever it costs.
    pub unit_costs: bool,
    /// Whether to count landmarks.
    pub landmarks: bool,
    /// So many states are kept at most.
    pub states_max: usize,
}

impl Default for BestFirstOptions {
    fn default() -> Self {
        Self { guide: Guide::Greedy, unit_costs: true, landmarks: true, states_max: 20_000_000 }
    }
}

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It can go on.
    Searching,
    /// Here is a way.
    Found(Vec<OperatorId>),
    /// There is none: everything that can be reached has been looked at.
    Exhausted,
    /// It has kept as many states as it may.
    Full,
}

/// Operators that help are looked at so many times more often after each step forward.
const BOOST: i64 = 1_000;

/// A search that goes on where it looks best.
pub struct BestFirst {
    problem: Arc<Problem>,
    target: Target,
    options: BestFirstOptions,
    arena: Arena,
    relaxed: Relaxed,
    landmarks: Option<Landmarks>,
    /// Which landmarks have been come by, for each node.
    passed: Vec<u64>,
    lists: Vec<List>,
    whole: BinaryHeap<Reverse<(u32, u32, u64, NodeId)>>,
    sequence: u64,
    /// The nearest state so far.
    best: Option<(u32, NodeId)>,
    expanded: u64,
    evaluated: u64,
    started: bool,
    outcome: Outcome,
    // Reused from node to node.
    state: PackedState,
    applicable: Vec<OperatorId>,
    passed_now: Vec<u64>,
    passed_before: Vec<u64>,
}

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

impl BestFirst {
    /// A search from a state to a target.
    pub fn new(
        problem: Arc<Problem>,
        relaxation: &Arc<Relaxation>,
        start: &PackedState,
        target: Target,
        options: BestFirstOptions,
    ) -> Self {
        let landmarks = (options.landmarks && options.guide == Guide::Greedy)
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
            target,
            options,
            landmarks,
            passed: Vec::new(),
            lists,
            whole: BinaryHeap::new(),
            sequence: 0,
            best: None,
            expanded: 0,
            evaluated: 0,
            started: false,
            outcome: Outcome::Searching,
            state: start.clone(),
            applicable: Vec::new(),
            passed_now: vec![0; words],
            passed_before: vec![0; words],
            problem,
        }
    }

    /// Works on, one unit for each state that is looked at.
    pub fn run(&mut self, budget: &mut Budget) -> &Outcome {
        while self.outcome == Outcome::Searching && budget.take() {
            self.outcome = match self.options.guide {
                Guide::Greedy => self.step_greedy(),
                Guide::Shortest => self.step_shortest(),
            };
            if self.arena.len() >= self.options.states_max && self.outcome == Outcome::Searching {
                self.outcome = Outcome::Full;
            }
        }
        &self.outcome
    }

    /// How many states have been gone on from.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// How many states have been looked at.
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// The way to the state that is nearest to the target so far.
    pub fn nearest(&self) -> Vec<OperatorId> {
        self.best.map_or_else(Vec::new, |(_, node)| self.arena.way(node))
    }

    fn cost(&self, operator: OperatorId) -> u32 {
        if self.options.unit_costs { 1 } else { whole_cost(&self.problem, operator) }
    }

    // --- greedy ------------------------------------------------------------------------------------------------------

    fn step_greedy(&mut self) -> Outcome {
        let parent = if self.started {
            let Some((node, operator)) = self.next_entry() else { return Outcome::Exhausted };
            self.arena.read(node, &mut self.state);
            let Some(next) = self.problem.successor(&self.state, operator) else { return Outcome::Searching };
            self.state = next;
            Some((node, operator))
        } else {
            self.started = true;
            None
        };
        let cost = parent.map_or(0, |(node, operator)| self.arena.cost(node).saturating_add(self.cost(operator)));
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
        self.expand_greedy(node, &estimate);
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

    fn expand_greedy(&mut self, node: NodeId, estimate: &Estimate) {
        self.expanded += 1;
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&self.state, &mut applicable);
        let any_helps = self
            .landmarks
            .as_ref()
            .is_some_and(|landmarks| applicable.iter().any(|operator| landmarks.helps(&self.passed_now, *operator)));
        for operator in &applicable {
            let on_way = self.relaxed.preferred().binary_search(operator).is_ok();
            let helps = any_helps
                && self.landmarks.as_ref().is_some_and(|landmarks| landmarks.helps(&self.passed_now, *operator));
            for list in &mut self.lists {
                if !list.only_preferred || on_way || helps {
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
        list.open.pop().map(|(_, entry)| entry)
    }

    fn note_best(&mut self, distance: u32, node: NodeId) {
        if self.best.is_none_or(|(least, _)| distance < least) {
            self.best = Some((distance, node));
        }
    }

    // --- shortest ----------------------------------------------------------------------------------------------------

    fn step_shortest(&mut self) -> Outcome {
        if !self.started {
            self.started = true;
            let (node, _) = self.arena.add(&self.state, None, 0);
            self.put(node, 0);
            return Outcome::Searching;
        }
        let Some(Reverse((whole, distance, _, node))) = self.whole.pop() else { return Outcome::Exhausted };
        let cost = self.arena.cost(node);
        if whole > cost.saturating_add(distance) {
            // A shorter way to it has been found since.
            return Outcome::Searching;
        }
        self.arena.read(node, &mut self.state);
        if self.target.is_reached(&self.problem, &self.state) {
            return Outcome::Found(self.arena.way(node));
        }
        self.expanded += 1;
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&self.state, &mut applicable);
        let here = self.state.clone();
        for operator in &applicable {
            let Some(next) = self.problem.successor(&here, *operator) else { continue };
            let cost = cost.saturating_add(self.cost(*operator));
            let (child, is_new) = self.arena.add(&next, Some((node, *operator)), cost);
            if !is_new {
                if cost >= self.arena.cost(child) {
                    continue;
                }
                self.arena.improve(child, (node, *operator), cost);
            }
            self.state = next;
            self.put(child, cost);
        }
        self.applicable = applicable;
        Outcome::Searching
    }

    /// The state at hand waits to be gone on from, if the target can be reached from it.
    fn put(&mut self, node: NodeId, cost: u32) {
        self.evaluated += 1;
        if let Some(distance) = self.relaxed.estimate(&self.problem, &self.state) {
            self.note_best(distance, node);
            self.sequence += 1;
            self.whole.push(Reverse((cost.saturating_add(distance), distance, self.sequence, node)));
        }
    }
}
