//! Search for the cheapest way, and then for the cheapest ways that are different.
//!
//! Every node carries a label: what about the way to it makes it a way of its own kind, such as its first step. The same state with
//! another label is another node, so that a cheap way of one kind does not hide a dearer one of another. Where every label is the
//! same, it is the usual search for one way.
//!
//! Looking at a state is dear, and most of what can be done in one leads nowhere. So a node is gone on from in turns: first by what
//! may help, as far as can be said. The rest waits until the whole way may as well cost so much more, and is often never looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use dramaturg_model::Id;
use rustc_hash::FxHashSet;

use super::arena::{Arena, NodeId};
use super::outcome::Outcome;
use super::relaxation::Relaxation;
use super::relaxed::Relaxed;
use super::steps::Steps;
use super::target::Target;
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::Budget;

/// What makes ways different.
pub trait Labels {
    /// The label of a way that is one step longer than one with `label`; that of the empty way is 0.
    fn after(&self, label: u64, operator: OperatorId) -> u64;

    /// Whether no longer way will ever have another label: then nothing more is done for a label whose way is known.
    fn is_settled(&self, label: u64) -> bool;
}

/// All ways are of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlabelled;

impl Labels for Unlabelled {
    fn after(&self, _: u64, _: OperatorId) -> u64 {
        0
    }

    fn is_settled(&self, _: u64) -> bool {
        true
    }
}

/// Ways differ by their first step.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstStep;

impl Labels for FirstStep {
    fn after(&self, label: u64, operator: OperatorId) -> u64 {
        if label == 0 { u64::from(operator.0) + 1 } else { label }
    }

    fn is_settled(&self, label: u64) -> bool {
        label != 0
    }
}

/// Ways differ by which of some key operators they take, in whatever order.
#[derive(Clone, Debug, Default)]
pub struct KeySteps {
    /// The operators in ascending order, each with the number of its mark, from 0 to 63. Several may share one.
    pub marks: Vec<(OperatorId, u32)>,
}

impl Labels for KeySteps {
    fn after(&self, label: u64, operator: OperatorId) -> u64 {
        let found = self.marks.binary_search_by_key(&operator, |(known, _)| *known).ok();
        let mark = found.and_then(|place| self.marks.get(place)).map_or(0, |(_, mark)| 1u64 << (mark % 64));
        label | mark
    }

    fn is_settled(&self, label: u64) -> bool {
        self.marks.iter().all(|(_, mark)| label >> (mark % 64) & 1 == 1)
    }
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct LabelledOptions {
    /// Whether every operator counts one, whatever it costs.
    pub unit_costs: bool,
    /// Whether to look ahead. The distance as it is seen there may be too long: without it every way is certainly the cheapest of its
    /// kind.
    pub estimate: bool,
    /// No way may cost more than this.
    pub cost_max: u32,
    /// So many states are kept at most.
    pub states_max: usize,
}

impl Default for LabelledOptions {
    fn default() -> Self {
        Self { unit_costs: true, estimate: true, cost_max: u32::MAX, states_max: 20_000_000 }
    }
}

/// By what a node is gone on from next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// By what may help.
    Helpful,
    /// By everything else that costs so much: it would make the way as much dearer.
    Rest(u32),
}

/// A node that waits for a turn: what the whole way costs by then and how much of that is left, its number among all that ever waited,
/// which node it is and by what it is gone on from.
type Waiting = (u32, u32, u64, NodeId, Turn);

/// What helps in the states that nodes stand for, in ascending order, all in one piece.
#[derive(Clone, Debug, Default)]
struct Helpful {
    operators: Vec<OperatorId>,
    /// Where the list of each node begins and ends.
    ranges: Vec<(u32, u32)>,
}

impl Helpful {
    fn note(&mut self, node: NodeId, operators: &[OperatorId]) {
        let start = self.operators.len() as u32;
        self.operators.extend_from_slice(operators);
        if self.ranges.len() <= node.index() {
            self.ranges.resize(node.index() + 1, (0, 0));
        }
        if let Some(range) = self.ranges.get_mut(node.index()) {
            *range = (start, self.operators.len() as u32);
        }
    }

    /// Whether an operator may help as much as anything: it, or the same action with other arguments, is on the way that was seen. Of
    /// ways that are as good as each other the first in the story is taken, so all of them must be looked at. Where nothing is known
    /// to help, everything may.
    fn helps(&self, problem: &Problem, node: NodeId, operator: OperatorId) -> bool {
        let (start, end) = self.ranges.get(node.index()).copied().unwrap_or((0, 0));
        let helpful = self.operators.get(start as usize..end as usize).unwrap_or(&[]);
        let action = |id: OperatorId| problem.operators[id].action;
        helpful.is_empty() || helpful.iter().any(|known| action(*known) == action(operator))
    }
}

/// A search for the cheapest way of each kind, one after the other.
///
/// A way ends where the target is reached for the first time: what could be done after that makes no other way.
pub struct Labelled<L> {
    problem: Arc<Problem>,
    target: Target,
    labels: L,
    options: LabelledOptions,
    steps: Steps,
    arena: Arena,
    relaxed: Relaxed,
    open: BinaryHeap<Reverse<Waiting>>,
    helpful: Helpful,
    /// The labels of which a way is known.
    known: FxHashSet<u64>,
    /// The nearest state so far.
    best: Option<(u32, NodeId)>,
    sequence: u64,
    expanded: u64,
    evaluated: u64,
    outcome: Outcome,
    // Reused from node to node.
    state: PackedState,
    applicable: Vec<OperatorId>,
}

impl<L: Labels> Labelled<L> {
    /// A search from a state to a target.
    pub fn new(
        problem: Arc<Problem>,
        relaxation: &Arc<Relaxation>,
        start: &PackedState,
        target: Target,
        labels: L,
        options: LabelledOptions,
    ) -> Self {
        let relaxed = Relaxed::new(&problem, Arc::clone(relaxation), &target);
        Self::guided(problem, relaxed, start, target, labels, options)
    }

    /// The same, guided by what is at hand for this very target.
    pub fn guided(
        problem: Arc<Problem>,
        relaxed: Relaxed,
        start: &PackedState,
        target: Target,
        labels: L,
        options: LabelledOptions,
    ) -> Self {
        let mut search = Self {
            relaxed,
            arena: Arena::new(&problem),
            steps: Steps::towards(&problem, &target, start, options.unit_costs),
            target,
            labels,
            options,
            open: BinaryHeap::new(),
            helpful: Helpful::default(),
            known: FxHashSet::default(),
            best: None,
            sequence: 0,
            expanded: 0,
            evaluated: 0,
            outcome: Outcome::Searching,
            state: start.clone(),
            applicable: Vec::new(),
            problem,
        };
        let (node, _) = search.arena.add(start, None, 0);
        search.put(node, 0);
        search
    }

    /// Works on until the next way is found, one unit for each turn of a state that is gone on from.
    pub fn run(&mut self, budget: &mut Budget) -> &Outcome {
        while self.outcome == Outcome::Searching && budget.take() {
            self.outcome = self.step();
            if self.outcome == Outcome::Searching && self.arena.len() >= self.options.states_max {
                self.outcome = Outcome::Full;
            }
        }
        &self.outcome
    }

    /// After a way was found: another one is wanted, with another label.
    pub fn want_another(&mut self) {
        if matches!(self.outcome, Outcome::Found(_)) {
            self.outcome = Outcome::Searching;
        }
    }

    /// Goes on from one more state, or once more from one.
    pub(super) fn step(&mut self) -> Outcome {
        let Some(Reverse((whole, distance, _, node, turn))) = self.open.pop() else { return Outcome::Exhausted };
        let (cost, label) = (self.arena.cost(node), self.arena.label(node));
        let known = self.known.contains(&label);
        let dearer = match turn {
            Turn::Helpful => 0,
            Turn::Rest(by) => by,
        };
        // A shorter way to it may have been found since, or all that its label asks for.
        if whole > cost.saturating_add(distance).saturating_add(dearer) || known && self.labels.is_settled(label) {
            return Outcome::Searching;
        }
        self.arena.read(node, &mut self.state);
        if turn == Turn::Helpful {
            if self.target.is_reached(&self.problem, &self.state) {
                self.known.insert(label);
                return if known { Outcome::Searching } else { Outcome::Found(self.arena.way(node)) };
            }
            self.expanded += 1;
        }
        let here = self.state.clone();
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&here, &mut applicable);
        let mut later: Option<u32> = None;
        for operator in &applicable {
            let helps = self.helpful.helps(&self.problem, node, *operator);
            let own = match turn {
                Turn::Helpful if helps => turn,
                Turn::Rest(_) if helps => continue,
                _ => Turn::Rest(self.steps.cost(&self.problem, *operator)),
            };
            match own {
                Turn::Rest(by) if own > turn => later = Some(later.map_or(by, |least| least.min(by))),
                _ if own == turn => self.go((node, *operator), &here),
                _ => {}
            }
        }
        self.applicable = applicable;
        if let Some(by) = later {
            self.wait(cost.saturating_add(distance), distance, node, Turn::Rest(by));
        }
        Outcome::Searching
    }

    /// Takes one step from a node, whose state is at hand.
    fn go(&mut self, (node, operator): (NodeId, OperatorId), here: &PackedState) {
        let label = self.labels.after(self.arena.label(node), operator);
        if self.labels.is_settled(label) && self.known.contains(&label) {
            return;
        }
        let Some(next) = self.steps.successor(&self.problem, here, operator) else { return };
        let cost = self.arena.cost(node).saturating_add(self.steps.cost(&self.problem, operator));
        if cost > self.options.cost_max {
            return;
        }
        let (child, is_new) = self.arena.add_labelled(&next, label, Some((node, operator)), cost);
        if !is_new {
            if cost >= self.arena.cost(child) {
                return;
            }
            self.arena.improve(child, (node, operator), cost);
        }
        self.state = next;
        self.put(child, cost);
    }

    /// The state at hand waits to be gone on from, if the target can be reached from it.
    fn put(&mut self, node: NodeId, cost: u32) {
        self.evaluated += 1;
        let most = self.options.cost_max;
        if most < u32::MAX {
            let least = self.relaxed.at_least(&self.problem, &self.state);
            if least.is_none_or(|least| cost.saturating_add(least) > most) {
                return;
            }
        }
        let distance = if self.options.estimate { self.relaxed.estimate(&self.problem, &self.state) } else { Some(0) };
        let Some(distance) = distance else { return };
        if self.best.is_none_or(|(least, _)| distance < least) {
            self.best = Some((distance, node));
        }
        if self.options.estimate {
            self.helpful.note(node, self.relaxed.preferred());
        }
        self.wait(cost.saturating_add(distance), distance, node, Turn::Helpful);
    }

    /// A node, by which the whole way costs so much, waits for a turn.
    fn wait(&mut self, whole: u32, distance: u32, node: NodeId, turn: Turn) {
        let dearer = match turn {
            Turn::Helpful => 0,
            Turn::Rest(by) => by,
        };
        self.sequence += 1;
        self.open.push(Reverse((whole.saturating_add(dearer), distance, self.sequence, node, turn)));
    }

    /// How far it has come.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// How many states there are, each with each of its labels.
    pub(super) fn len(&self) -> usize {
        self.arena.len()
    }

    /// How many states have been gone on from, and how many looked at.
    pub fn counts(&self) -> (u64, u64) {
        (self.expanded, self.evaluated)
    }

    /// The way to the state that is nearest to the target so far.
    pub fn nearest(&self) -> Vec<OperatorId> {
        self.best.map_or_else(Vec::new, |(_, node)| self.arena.way(node))
    }

    /// The label of a way.
    pub fn label(&self, way: &[OperatorId]) -> u64 {
        way.iter().fold(0, |label, operator| self.labels.after(label, *operator))
    }
}
