//! Extraction: from the goals back through the layers, one trial at a time.

use dramaturg_model::{Id, Tick};

use super::fact::FactId;
use super::frame::{Conflict, Frame, Ground, Trial};
use super::graph::Graph;
use super::memo::{ALWAYS, Failure, Memo};
use super::network::Network;
use super::options::LayerTime;
use crate::ground::OperatorId;

/// How far extraction has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Going,
    /// The frames say how.
    Achieved,
    /// It cannot be done in so many layers; or not in the time.
    Failed,
}

/// Extraction. Its frames are a stack of their own, the layer nearest to the goals first, so that it may stop after any trial.
#[derive(Clone, Debug)]
pub(super) struct Extraction {
    frames: Vec<Frame>,
    memos: Vec<Memo>,
    none: Memo,
    learn: bool,
    time: LayerTime,
    pub(super) nodes: u64,
    pub(super) hits: u64,
    pub(super) choices: u64,
}

impl Extraction {
    pub(super) fn new(learn: bool, time: LayerTime) -> Self {
        let none = Memo::new(learn);
        Self { frames: Vec::new(), memos: Vec::new(), none, learn, time, nodes: 0, hits: 0, choices: 0 }
    }

    /// What is known to fail at a level.
    pub(super) fn memo(&self, level: usize) -> &Memo {
        self.memos.get(level).unwrap_or(&self.none)
    }

    /// How many sets of goals are known to fail.
    pub(super) fn memos(&self) -> u64 {
        self.memos.iter().map(|memo| memo.len() as u64).sum()
    }

    /// Begins with goals that are there and do not exclude each other.
    pub(super) fn begin(
        &mut self,
        network: &Network,
        graph: &Graph,
        goals: &[FactId],
        level: usize,
        remaining: Tick,
    ) -> Progress {
        self.frames.clear();
        match self.enter(network, graph, goals.to_vec(), level, remaining) {
            Ok(progress) => progress,
            Err(_) => Progress::Failed,
        }
    }

    /// Takes up goals at a level; the failure, if they are known to fail.
    fn enter(
        &mut self,
        network: &Network,
        graph: &Graph,
        mut goals: Vec<FactId>,
        level: usize,
        remaining: Tick,
    ) -> Result<Progress, Failure> {
        // What follows from another goal need not be asked for.
        let all = goals.clone();
        goals.retain(|goal| !all.iter().any(|other| network.implied[*other].contains(goal.index())));
        if level == 0 || goals.is_empty() {
            return Ok(Progress::Achieved);
        }
        if let Some(known) = self.memo(level).find(&goals, remaining) {
            let known = known.clone();
            self.hits += 1;
            return Err(known);
        }
        let mut frame = Frame::new(network, graph, goals, level, remaining);
        frame.open_next(ground(network, graph, level, self.time));
        self.frames.push(frame);
        Ok(Progress::Going)
    }

    /// Tries one possibility.
    pub(super) fn step(&mut self, network: &Network, graph: &Graph) -> Progress {
        let Some(frame) = self.frames.last_mut() else { return Progress::Failed };
        let ground = ground(network, graph, frame.level, self.time);
        match frame.trial(ground) {
            Trial::Failed => {
                self.nodes += 1;
                Progress::Going
            }
            Trial::Chosen => {
                self.nodes += 1;
                self.choices += 1;
                let level = frame.level - 1;
                let left = frame.left();
                if self.learn {
                    // What is needed so far may be known to fail already, whatever else will be needed.
                    let memo = self.memos.get(level).unwrap_or(&self.none);
                    if let Some(known) = memo.find(&frame.sorted_needs(), left) {
                        let conflict = frame.blame_needs(&known.goals, known.within != ALWAYS);
                        self.hits += 1;
                        return self.retreat(conflict);
                    }
                }
                if frame.open_next(ground) {
                    return Progress::Going;
                }
                let needs = frame.sorted_needs();
                match self.enter(network, graph, needs, level, left) {
                    Ok(progress) => progress,
                    Err(failure) => self.fail_below(&failure.goals, failure.within != ALWAYS),
                }
            }
            Trial::Exhausted => {
                let conflict = frame.give_up();
                self.retreat(conflict)
            }
        }
    }

    /// What the last layer needs cannot be had.
    fn fail_below(&mut self, facts: &[FactId], time: bool) -> Progress {
        match self.frames.last() {
            Some(frame) => {
                let conflict = frame.blame_needs(facts, time);
                self.retreat(conflict)
            }
            None => Progress::Failed,
        }
    }

    /// Goes back to a choice that may help, through as many layers as it takes. What a layer could not do is remembered.
    fn retreat(&mut self, conflict: Conflict) -> Progress {
        let mut conflict = conflict;
        while let Some(frame) = self.frames.last_mut() {
            let Some(failed) = frame.back_jump(conflict, self.learn) else { return Progress::Going };
            let Some(frame) = self.frames.pop() else { break };
            let mut goals = if self.learn { failed.goals.to_vec() } else { frame.sorted };
            goals.sort_unstable();
            let within = if failed.time { frame.remaining } else { ALWAYS };
            let learn = self.learn;
            while self.memos.len() <= frame.level {
                self.memos.push(Memo::new(learn));
            }
            let failure = Failure { goals, within };
            conflict = match self.frames.last() {
                Some(above) => above.blame_needs(&failure.goals, failed.time),
                None => Conflict::default(),
            };
            if let Some(memo) = self.memos.get_mut(frame.level) {
                memo.add(failure);
            }
        }
        Progress::Failed
    }

    /// The operators of the layers, the first one first.
    pub(super) fn layers(&self, network: &Network) -> Vec<Vec<OperatorId>> {
        let mut layers = Vec::new();
        for frame in self.frames.iter().rev() {
            let variants = frame.chosen.iter().filter_map(|chosen| chosen.variant);
            let mut layer: Vec<OperatorId> = variants.map(|variant| network.variants[variant].operator).collect();
            layer.sort_unstable();
            layer.dedup();
            if !layer.is_empty() {
                layers.push(layer);
            }
        }
        layers
    }
}

/// What the layer to a level is built from.
fn ground<'g>(network: &'g Network, graph: &'g Graph, level: usize, time: LayerTime) -> Ground<'g> {
    Ground { network, layer: graph.layer_to(level), before: graph.level(level.saturating_sub(1)), time }
}
