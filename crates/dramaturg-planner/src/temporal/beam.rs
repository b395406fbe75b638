//! Search for a stretch of a course in layers, of which those states go on from which all is likely to be over early.

use std::sync::Arc;

use dramaturg_model::{Chance, Tick};
use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::course::{Clockwork, Course};
use super::guide::{Durations, Guide};
use super::stage::Stage;
use super::timeline::Timeline;
use super::window::Window;
use crate::ground::OperatorId;
use crate::packed::PackedState;

/// How a stretch is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeamOptions {
    /// So many states of each layer go on.
    pub(super) width: usize,
    /// How much work that is left counts beside the end, in hundredths.
    pub(super) work: u32,
    /// States are judged wrongly by up to so much, in thousandths of the end.
    pub(super) noise: u32,
    /// Whether operators that do not help are looked at too.
    pub(super) all: bool,
}

/// A state of the layer.
struct Node {
    state: PackedState,
    timeline: Timeline,
    trail: u32,
}

/// A state of the next layer.
struct Candidate {
    score: u64,
    parent: u32,
    operator: OperatorId,
    hash: u64,
}

/// The first step of no way.
const ROOT: u32 = u32::MAX;

/// A search for a stretch of a course.
pub(super) struct Beam {
    window: Window,
    guide: Guide,
    options: BeamOptions,
    layer: Vec<Node>,
    at: usize,
    next: Vec<Candidate>,
    /// Ways, as a step and the one before it.
    trails: Vec<(u32, OperatorId)>,
    /// The earliest end that each state was met with.
    met: FxHashMap<u64, u32>,
    depth: usize,
    /// The deepest layer that is looked at.
    depth_max: usize,
    /// No course may end later.
    bound: Tick,
    bound_units: u32,
    best: Option<Course>,
    applicable: Vec<OperatorId>,
}

impl Beam {
    pub(super) fn new(
        stage: &Stage,
        durations: &Arc<Durations>,
        window: Window,
        bound: Tick,
        options: BeamOptions,
    ) -> Self {
        let guide = Guide::new(stage, durations, &window.target, window.awaited.clone());
        let root = Node { state: window.state.clone(), timeline: window.timeline.clone(), trail: ROOT };
        Self {
            guide,
            options,
            layer: vec![root],
            at: 0,
            next: Vec::new(),
            trails: Vec::new(),
            met: FxHashMap::default(),
            depth: 0,
            depth_max: window.size + window.size / 2 + 6,
            bound,
            bound_units: durations.units(bound),
            best: None,
            applicable: Vec::new(),
            window,
        }
    }

    /// The best course that was found, if it is over by the bound.
    pub(super) fn best(self) -> Option<Course> {
        self.best
    }

    /// Whether a course was found.
    pub(super) fn has_found(&self) -> bool {
        self.best.is_some()
    }

    /// Goes on from one more state; whether there is more to do, and how many states were looked at.
    pub(super) fn step(&mut self, stage: &Stage, clockwork: &mut Clockwork, chance: &mut Chance) -> (bool, u32) {
        let Some(node) = self.layer.get(self.at) else { return (false, 0) };
        let parent = self.at as u32;
        self.at += 1;
        let mut looked = 1;
        if self.guide.estimate(stage, &node.state, &node.timeline).is_some() {
            let mut operators = std::mem::take(&mut self.applicable);
            stage.problem.applicable(&node.state, &mut operators);
            if !self.options.all {
                let preferred = self.guide.preferred();
                operators.retain(|operator| preferred.binary_search(operator).is_ok());
            }
            for operator in &operators {
                looked += self.look(stage, clockwork, chance, parent, *operator);
            }
            self.applicable = operators;
        }
        if self.at == self.layer.len() {
            self.turn(stage);
        }
        (!self.layer.is_empty(), looked)
    }

    /// Looks at the state after an operator.
    fn look(
        &mut self,
        stage: &Stage,
        clockwork: &mut Clockwork,
        chance: &mut Chance,
        parent: u32,
        operator: OperatorId,
    ) -> u32 {
        let Some(node) = self.layer.get(parent as usize) else { return 0 };
        let Some((state, timeline)) = after(stage, node, operator) else { return 0 };
        if timeline.end > self.bound {
            return 0;
        }
        let Some(estimate) = self.guide.estimate(stage, &state, &timeline) else { return 1 };
        if estimate.least > self.bound_units {
            return 1;
        }
        let hash = state.hash_value();
        let key = estimate.end.saturating_mul(4).saturating_add(estimate.least);
        match self.met.get_mut(&hash) {
            Some(known) if *known <= key => return 1,
            Some(known) => *known = key,
            None => {
                self.met.insert(hash, key);
            }
        }
        if self.window.target.is_reached(&stage.problem, &state) {
            let trail = node.trail;
            self.finish(stage, clockwork, trail, operator);
            return 2;
        }
        let work = u64::from(estimate.work) * u64::from(self.options.work) / 100;
        let noise = u64::from(estimate.end) * u64::from(self.options.noise) / 1000;
        let score = u64::from(estimate.end) + work + chance.below(noise as usize + 1) as u64;
        // Of equals the one with fewer steps to go.
        let score = score << 16 | u64::from(estimate.steps.min(0xFFFF));
        self.next.push(Candidate { score, parent, operator, hash });
        1
    }

    fn finish(&mut self, stage: &Stage, clockwork: &mut Clockwork, trail: u32, operator: OperatorId) {
        let mut way = self.way(trail);
        way.push(operator);
        let steps = self.window.with(&way);
        if let Some(cost) = clockwork.cost(stage, &steps, self.bound)
            && self
                .best
                .as_ref()
                .is_none_or(|best| cost < best.cost || cost == best.cost && steps.len() < best.steps.len())
        {
            let Cost { end, .. } = cost;
            self.best = Some(clockwork.taken(steps, cost));
            // From now on only what is better.
            if stage.objective.is_time() {
                self.bound = end;
            }
            self.depth_max = self.depth_max.min(self.depth + 3 + self.depth / 4);
        }
    }

    fn way(&self, mut trail: u32) -> Vec<OperatorId> {
        let mut way = Vec::new();
        while let Some((before, operator)) = self.trails.get(trail as usize) {
            way.push(*operator);
            trail = *before;
        }
        way.reverse();
        way
    }

    /// The best of the next layer become the layer.
    fn turn(&mut self, stage: &Stage) {
        self.next.sort_unstable_by_key(|candidate| (candidate.score, candidate.parent, candidate.operator));
        let mut layer: Vec<Node> = Vec::with_capacity(self.options.width);
        let mut taken: Vec<u64> = Vec::with_capacity(self.options.width);
        self.depth += 1;
        let next = std::mem::take(&mut self.next);
        if self.depth < self.depth_max {
            for candidate in next {
                if layer.len() >= self.options.width {
                    break;
                }
                if taken.contains(&candidate.hash) {
                    continue;
                }
                let Some(node) = self.layer.get(candidate.parent as usize) else { continue };
                let Some((state, timeline)) = after(stage, node, candidate.operator) else { continue };
                let trail = self.trails.len() as u32;
                self.trails.push((node.trail, candidate.operator));
                taken.push(candidate.hash);
                layer.push(Node { state, timeline, trail });
            }
        }
        self.layer = layer;
        self.at = 0;
    }
}

/// The state and the times after an operator; none if it cannot be performed.
fn after(stage: &Stage, node: &Node, operator: OperatorId) -> Option<(PackedState, Timeline)> {
    let duration = stage.duration(&node.state, operator)?;
    let mut state = node.state.clone();
    if !stage.problem.apply_to(&mut state, operator) {
        return None;
    }
    let footprint = stage.footprints.of(operator);
    let mut timeline = node.timeline.clone();
    let (start, _) = stage.earliest(&timeline, operator, duration)?;
    timeline.occupy(footprint, start, duration, |_, _| {});
    Some((state, timeline))
}
