//! Search for what is new: width instead of distance.
//!
//! States are classed by how many goals they miss and how much has been made of a plan in which nothing is undone, computed only where
//! one goal fewer was missed than ever before on the way. In each class, what shows something new comes first, then what misses
//! fewer goals. Nearly no time goes into a state, so that very many can be looked at.

use std::sync::Arc;

use super::arena::{Arena, NodeId};
use super::novelty::Seen;
use super::open::Buckets;
use super::outcome::Outcome;
use super::relaxation::Relaxation;
use super::relaxed::Relaxed;
use super::steps::Steps;
use super::target::Target;
use crate::ground::{Condition, Conjunction, OperatorId, Problem};
use crate::packed::PackedState;

/// So many bits note what has been seen: 32 MiB, which are touched only as they are needed.
const SEEN_BITS: usize = 1 << 28;

/// What is kept of a node beside its state.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The fewest goals that were missed on the way.
    fewest: u32,
    /// The plan it is measured by.
    plan: u32,
    /// Where it is noted which values of that plan have been made.
    made: usize,
}

/// The values that a plan without undoing makes, in ascending order.
struct Course {
    values: Vec<u32>,
}

/// A search for what is new.
pub(super) struct Explorer {
    problem: Arc<Problem>,
    target: Target,
    steps: Steps,
    /// The parts of the target.
    goals: Vec<Condition>,
    relaxed: Relaxed,
    arena: Arena,
    seen: Option<Seen>,
    marks: Vec<Mark>,
    made: Vec<u64>,
    courses: Vec<Course>,
    open: Buckets<NodeId>,
    best: Option<(u32, NodeId)>,
    expanded: u64,
    evaluated: u64,
    // Reused from node to node.
    state: PackedState,
    applicable: Vec<OperatorId>,
    values_before: Vec<u32>,
    values: Vec<u32>,
    made_now: Vec<u64>,
}

impl Explorer {
    /// A search from a state to a target.
    pub(super) fn new(
        problem: Arc<Problem>,
        relaxation: &Arc<Relaxation>,
        start: &PackedState,
        target: Target,
    ) -> Self {
        Self {
            goals: parts(&target),
            relaxed: Relaxed::new(&problem, Arc::clone(relaxation), &target),
            arena: Arena::new(&problem),
            steps: Steps::towards(&problem, &target, start, true),
            target,
            seen: None,
            marks: Vec::new(),
            made: Vec::new(),
            courses: Vec::new(),
            open: Buckets::default(),
            best: None,
            expanded: 0,
            evaluated: 0,
            state: start.clone(),
            applicable: Vec::new(),
            values_before: Vec::new(),
            values: Vec::new(),
            made_now: Vec::new(),
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

    /// About how much work it has done, in the measure of estimates.
    pub(super) fn work(&self) -> u64 {
        let values = self.problem.variables.len() + self.problem.numbers.len();
        self.evaluated * (2 * values as u64 + 20) + self.courses.len() as u64 * self.relaxed.work()
    }

    /// The way to a state that misses as few goals as any so far.
    pub(super) fn nearest(&self) -> Vec<OperatorId> {
        self.best.map_or_else(Vec::new, |(_, node)| self.arena.way(node))
    }

    /// Goes on from one more state.
    pub(super) fn step(&mut self) -> Outcome {
        if self.seen.is_none() {
            self.seen = Some(Seen::new(&self.problem, SEEN_BITS));
            return self.meet(None).unwrap_or(Outcome::Searching);
        }
        let Some((_, node)) = self.open.pop() else { return Outcome::Exhausted };
        self.expanded += 1;
        self.arena.read(node, &mut self.state);
        if let Some(seen) = &self.seen {
            seen.values(&self.problem, &self.state, &mut self.values_before);
        }
        let here = self.state.clone();
        let mut applicable = std::mem::take(&mut self.applicable);
        self.problem.applicable(&here, &mut applicable);
        let mut end = None;
        for operator in &applicable {
            let Some(next) = self.steps.successor(&self.problem, &here, *operator) else { continue };
            self.state = next;
            end = self.meet(Some((node, *operator)));
            if end.is_some() {
                break;
            }
        }
        self.applicable = applicable;
        end.unwrap_or(Outcome::Searching)
    }

    /// Looks at the state at hand, if it is new, and lets it wait for its turn.
    fn meet(&mut self, parent: Option<(NodeId, OperatorId)>) -> Option<Outcome> {
        let cost = parent.map_or(0, |(node, _)| self.arena.cost(node).saturating_add(1));
        let (node, is_new) = self.arena.add(&self.state, parent, cost);
        if !is_new {
            return None;
        }
        self.evaluated += 1;
        let problem = Arc::clone(&self.problem);
        let missed = self.goals.iter().map(|goal| u32::from(!problem.holds(&self.state, goal))).sum();
        let before = parent.and_then(|(node, _)| self.marks.get(node.0 as usize)).copied();
        let mut mark = Mark { fewest: missed, plan: 0, made: self.made.len() };
        if missed == 0 && self.target.is_reached(&problem, &self.state) {
            return Some(Outcome::Found(self.arena.way(node)));
        }
        if self.best.is_none_or(|(least, _)| missed < least) {
            self.best = Some((missed, node));
        }
        let mut hopeless = false;
        match before {
            Some(before) if missed >= before.fewest => {
                (mark.fewest, mark.plan) = (before.fewest, before.plan);
            }
            _ => {
                hopeless = self.relaxed.estimate(&problem, &self.state).is_none();
                mark.plan = self.courses.len() as u32;
                self.courses.push(Course { values: self.relaxed.made().iter().map(|value| value.0).collect() });
            }
        }
        // Marks lie in the order of nodes, also of those that lead nowhere.
        let values = match &mut self.seen {
            Some(seen) => {
                seen.values(&problem, &self.state, &mut self.values);
                &self.values
            }
            None => return None,
        };
        let course = self.courses.get(mark.plan as usize).map_or(&[][..], |course| &course.values);
        self.made_now.clear();
        match before.filter(|before| before.plan == mark.plan) {
            Some(before) => {
                let words = course.len().div_ceil(64);
                self.made_now.extend_from_slice(self.made.get(before.made..before.made + words).unwrap_or(&[]));
            }
            None => self.made_now.resize(course.len().div_ceil(64), 0),
        }
        for value in values {
            if let Ok(place) = course.binary_search(value)
                && let Some(word) = self.made_now.get_mut(place / 64)
            {
                *word |= 1 << (place % 64);
            }
        }
        let made: u32 = self.made_now.iter().map(|word| word.count_ones()).sum();
        self.made.extend_from_slice(&self.made_now);
        self.marks.push(mark);
        if hopeless {
            return None;
        }
        let class = u64::from(missed) << 32 | u64::from(made);
        let before = parent.map(|_| self.values_before.as_slice());
        let novelty = self.seen.as_mut().map_or(2, |seen| seen.look(class, &self.values, before) as u32);
        let goals = self.goals.len() as u32 + 1;
        self.open.push(novelty * goals + missed, node);
        None
    }
}

/// What a target asks, in as many parts as can be told apart.
fn parts(target: &Target) -> Vec<Condition> {
    let mut parts = Vec::new();
    for condition in &target.conditions {
        let Some(only) = condition.only() else {
            parts.push(condition.clone());
            continue;
        };
        for literal in &only.literals {
            let mut part = Conjunction::default();
            part.literals.push(*literal);
            parts.push(Condition::of(part));
        }
        for test in &only.numbers {
            parts.push(Condition::of(Conjunction { numbers: vec![test.clone()], ..Conjunction::default() }));
        }
        for test in &only.tests {
            parts.push(Condition::of(Conjunction { tests: vec![test.clone()], ..Conjunction::default() }));
        }
    }
    parts
}
