//! Search in layers, of which only the best states go on.
//!
//! It is made for those who must decide soon and often: its work and its memory are known beforehand, and there is a best state at
//! every moment. What is best is a small policy of whoever searches.

use std::sync::Arc;

use super::arena::{Arena, NodeId};
use super::outcome::Outcome;
use super::relaxation::Relaxation;
use super::relaxed::Relaxed;
use super::steps::Steps;
use super::target::Target;
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::Budget;

/// What makes a state good.
pub trait Score {
    /// How good a state is, the less the better, after a way of some cost; none if nothing can come of it, for certain.
    fn score(&mut self, problem: &Problem, state: &PackedState, cost: u32) -> Option<i64>;

    /// How good it is in another sense, for the places that are kept for that.
    fn margin(&mut self, _: &Problem, _: &PackedState) -> i64 {
        0
    }
}

/// The distance to a target as it is if nothing were undone.
pub struct Distance {
    relaxed: Relaxed,
}

impl Distance {
    /// The distance to this target.
    pub fn new(problem: &Problem, relaxation: &Arc<Relaxation>, target: &Target) -> Self {
        Self { relaxed: Relaxed::new(problem, Arc::clone(relaxation), target) }
    }
}

impl Score for Distance {
    fn score(&mut self, problem: &Problem, state: &PackedState, _: u32) -> Option<i64> {
        self.relaxed.estimate(problem, state).map(i64::from)
    }
}

/// How many goals are missed.
pub struct Missed {
    /// The goals.
    pub target: Target,
}

impl Score for Missed {
    fn score(&mut self, problem: &Problem, state: &PackedState, _: u32) -> Option<i64> {
        Some(i64::from(self.target.open_count(problem, state)))
    }
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct BeamOptions {
    /// So many states of each layer go on.
    pub width: usize,
    /// So many of these are chosen by their margin, after the others.
    pub by_margin: usize,
    /// So many steps a way has at most.
    pub steps_max: usize,
    /// Whether every operator counts one, whatever it costs.
    pub unit_costs: bool,
    /// So many states are kept at most.
    pub states_max: usize,
}

impl Default for BeamOptions {
    fn default() -> Self {
        Self { width: 100, by_margin: 0, steps_max: usize::MAX, unit_costs: true, states_max: 20_000_000 }
    }
}

/// A state of the next layer.
#[derive(Clone, Copy)]
struct Candidate {
    score: i64,
    margin: i64,
    node: NodeId,
}

/// A search in layers.
pub struct Beam<S> {
    problem: Arc<Problem>,
    target: Target,
    policy: S,
    options: BeamOptions,
    steps: Steps,
    arena: Arena,
    layer: Vec<NodeId>,
    /// The next of the layer to go on from.
    at: usize,
    depth: usize,
    next: Vec<Candidate>,
    /// Whether a state was left out.
    narrowed: bool,
    best: Option<(i64, NodeId)>,
    expanded: u64,
    evaluated: u64,
    outcome: Outcome,
    // Reused from node to node.
    state: PackedState,
    applicable: Vec<OperatorId>,
}

impl<S: Score> Beam<S> {
    /// A search from a state to a target.
    pub fn new(problem: Arc<Problem>, start: &PackedState, target: Target, policy: S, options: BeamOptions) -> Self {
        let mut beam = Self {
            arena: Arena::new(&problem),
            steps: Steps::to_all_states(options.unit_costs),
            target,
            policy,
            options,
            layer: Vec::new(),
            at: 0,
            depth: 0,
            next: Vec::new(),
            narrowed: false,
            best: None,
            expanded: 0,
            evaluated: 0,
            outcome: Outcome::Searching,
            state: start.clone(),
            applicable: Vec::new(),
            problem,
        };
        if let Some(found) = beam.meet(start, None, 0) {
            beam.outcome = found;
        }
        beam.layer.extend(beam.next.drain(..).map(|candidate| candidate.node));
        beam
    }

    /// Works on, one unit for each state that is gone on from.
    pub fn run(&mut self, budget: &mut Budget) -> &Outcome {
        while self.outcome == Outcome::Searching && budget.take() {
            self.outcome = self.step();
            if self.outcome == Outcome::Searching && self.arena.len() >= self.options.states_max {
                self.outcome = Outcome::Full;
            }
        }
        &self.outcome
    }

    /// How many states have been gone on from, and how many looked at.
    pub fn counts(&self) -> (u64, u64) {
        (self.expanded, self.evaluated)
    }

    /// The way to the best state so far.
    pub fn best(&self) -> Vec<OperatorId> {
        self.best.map_or_else(Vec::new, |(_, node)| self.arena.way(node))
    }

    fn step(&mut self) -> Outcome {
        let Some(node) = self.layer.get(self.at).copied() else {
            return if self.narrowed { Outcome::Narrowed } else { Outcome::Exhausted };
        };
        self.at += 1;
        self.expanded += 1;
        self.arena.read(node, &mut self.state);
        let here = self.state.clone();
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&here, &mut applicable);
        let mut end = None;
        if self.depth < self.options.steps_max {
            for operator in &applicable {
                let Some(state) = self.steps.successor(&self.problem, &here, *operator) else { continue };
                let cost = self.arena.cost(node).saturating_add(self.steps.cost(&self.problem, *operator));
                end = self.meet(&state, Some((node, *operator)), cost);
                if end.is_some() {
                    break;
                }
            }
        } else {
            self.narrowed |= !applicable.is_empty();
        }
        self.applicable = applicable;
        if self.at == self.layer.len() {
            self.turn();
        }
        end.unwrap_or(Outcome::Searching)
    }

    /// Looks at a state, if it is new.
    fn meet(&mut self, state: &PackedState, parent: Option<(NodeId, OperatorId)>, cost: u32) -> Option<Outcome> {
        let (node, is_new) = self.arena.add(state, parent, cost);
        if !is_new {
            return None;
        }
        self.evaluated += 1;
        if self.target.is_reached(&self.problem, state) {
            return Some(Outcome::Found(self.arena.way(node)));
        }
        let score = self.policy.score(&self.problem, state, cost)?;
        if self.best.is_none_or(|(least, _)| score < least) {
            self.best = Some((score, node));
        }
        let margin = if self.options.by_margin > 0 { self.policy.margin(&self.problem, state) } else { 0 };
        self.next.push(Candidate { score, margin, node });
        None
    }

    /// The best of the next layer become the layer. Equals stay in the order in which they were found.
    fn turn(&mut self) {
        let width = self.options.width.max(1);
        self.next.sort_unstable_by_key(|candidate| (candidate.score, candidate.node));
        if self.next.len() > width {
            self.narrowed = true;
            let by_margin = self.options.by_margin.min(width);
            let mut others = self.next.split_off(width - by_margin);
            others.sort_unstable_by_key(|candidate| (candidate.margin, candidate.score, candidate.node));
            self.next.extend(others.into_iter().take(by_margin));
        }
        self.layer.clear();
        self.layer.extend(self.next.drain(..).map(|candidate| candidate.node));
        self.at = 0;
        self.depth += 1;
    }
}
