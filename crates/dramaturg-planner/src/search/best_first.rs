//! Search that goes on where it looks best. What "best" means is its guide; the rest is the same for all.

use std::sync::Arc;

use super::explorer::Explorer;
use super::greedy::{Admits, Greedy};
use super::labelled::{Labelled, LabelledOptions, Unlabelled};
use super::outcome::Outcome;
use super::relaxation::Relaxation;
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
    /// What has not been seen before, at this distance from the target: distances are hardly ever computed.
    Novelty,
    /// First greedily; if that takes long, by turns so and by novelty, with as much work for each. What either finds, or proves,
    /// counts.
    Both,
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
    /// So much work is done greedily before novelty gets a turn, where both are to take turns. A unit is about 25 ns.
    pub alone: u64,
    /// So many states are kept at most.
    pub states_max: usize,
}

impl Default for BestFirstOptions {
    fn default() -> Self {
        Self { guide: Guide::Greedy, unit_costs: true, landmarks: true, alone: 20_000_000, states_max: 20_000_000 }
    }
}

/// A search that goes on where it looks best.
pub struct BestFirst {
    kernel: Kernel,
    states_max: usize,
    outcome: Outcome,
}

enum Kernel {
    Greedy(Box<Greedy>),
    Novelty(Box<Explorer>),
    Both { greedy: Box<Greedy>, novelty: Box<Explorer>, alone: u64 },
    Shortest(Box<Labelled<Unlabelled>>),
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
        let greedy = |target| Box::new(Greedy::new(Arc::clone(&problem), relaxation, start, target, &options));
        let novelty = |target| Box::new(Explorer::new(Arc::clone(&problem), relaxation, start, target));
        let kernel = match options.guide {
            Guide::Greedy => Kernel::Greedy(greedy(target)),
            Guide::Novelty => Kernel::Novelty(novelty(target)),
            Guide::Both => {
                Kernel::Both { greedy: greedy(target.clone()), novelty: novelty(target), alone: options.alone }
            }
            Guide::Shortest => {
                let options = LabelledOptions { unit_costs: options.unit_costs, ..LabelledOptions::default() };
                let problem = Arc::clone(&problem);
                Kernel::Shortest(Box::new(Labelled::new(problem, relaxation, start, target, Unlabelled, options)))
            }
        };
        Self { kernel, states_max: options.states_max, outcome: Outcome::Searching }
    }

    /// A greedy search that only goes ways which pass; other searches are as they were.
    pub(crate) fn admitting(mut self, admits: Admits) -> Self {
        if let Kernel::Greedy(greedy) = &mut self.kernel {
            greedy.admits = Some(admits);
        }
        self
    }

    /// Works on: a unit for each state that is looked at or, where states are looked at as soon as they are found, for each that is
    /// gone on from.
    pub fn run(&mut self, budget: &mut Budget) -> &Outcome {
        while self.outcome == Outcome::Searching && budget.take() {
            self.outcome = match &mut self.kernel {
                Kernel::Greedy(greedy) => greedy.step(),
                Kernel::Novelty(novelty) => novelty.step(),
                Kernel::Both { greedy, novelty, alone } => {
                    if greedy.work() <= novelty.work() + *alone {
                        greedy.step()
                    } else {
                        novelty.step()
                    }
                }
                Kernel::Shortest(shortest) => shortest.step(),
            };
            if self.outcome == Outcome::Searching && self.kernel.len() >= self.states_max {
                self.outcome = Outcome::Full;
            }
        }
        &self.outcome
    }

    /// How many states have been gone on from.
    pub fn expanded(&self) -> u64 {
        self.kernel.counts().0
    }

    /// How many states have been looked at.
    pub fn evaluated(&self) -> u64 {
        self.kernel.counts().1
    }

    /// The way to the state that is nearest to the target so far.
    pub fn nearest(&self) -> Vec<OperatorId> {
        match &self.kernel {
            Kernel::Greedy(greedy) | Kernel::Both { greedy, .. } => greedy.nearest(),
            Kernel::Novelty(novelty) => novelty.nearest(),
            Kernel::Shortest(shortest) => shortest.nearest(),
        }
    }
}

impl Kernel {
    fn len(&self) -> usize {
        match self {
            Self::Greedy(greedy) => greedy.len(),
            Self::Novelty(novelty) => novelty.len(),
            Self::Both { greedy, novelty, .. } => greedy.len() + novelty.len(),
            Self::Shortest(shortest) => shortest.len(),
        }
    }

    fn counts(&self) -> (u64, u64) {
        match self {
            Self::Greedy(greedy) => greedy.counts(),
            Self::Novelty(novelty) => novelty.counts(),
            Self::Both { greedy, novelty, .. } => {
                let (mine, other) = (greedy.counts(), novelty.counts());
                (mine.0 + other.0, mine.1 + other.1)
            }
            Self::Shortest(shortest) => shortest.counts(),
        }
    }
}
