//! Graphplan as a whole: level after level, until a plan is found or it is proved that there is none.

use std::sync::Arc;

use super::extraction::{Extraction, Progress};
use super::graph::Graph;
use super::memo::ALWAYS;
use super::network::Network;
use super::options::{Counters, GraphplanOptions, Outcome};
use super::plan::LayeredPlan;
use crate::ground::Problem;
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::Target;

/// What is done at the moment.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The next level is built.
    Expand,
    /// This alternative of the target is to be looked at.
    Look(usize),
    /// This alternative of the target is looked for.
    Extract(usize),
    /// All that is known to fail at one level is to fail one level later too: this is to be looked at.
    Verify(usize),
    /// This is looked for.
    Refute(usize),
}

/// Graphplan: plans with the fewest layers, and proofs that there is none.
///
/// It follows conditions over variables with finitely many values, negation and alternatives included, conditional effects, and values
/// that are set, counted by a constant, or copied. It refuses, as an [`Outcome`], problems whose conditions compare numbers, read the
/// time or derived fluents, whose actions change the world twice, or in which rules fire at once and change what actions or the target
/// read; numbers that no condition reads do no harm. See [`Unsupported`](super::Unsupported).
#[derive(Clone, Debug)]
pub struct Graphplan {
    problem: Arc<Problem>,
    options: GraphplanOptions,
    work: Option<Box<Work>>,
    counters: Counters,
    outcome: Outcome,
}

#[derive(Clone, Debug)]
struct Work {
    network: Network,
    graph: Graph,
    extraction: Extraction,
    phase: Phase,
    /// The level at which the target is looked for.
    level: usize,
    /// How much was known to fail where the graph levels off, before this level was looked at.
    known: usize,
    /// The level whose failures are to prove that there is no plan.
    proof: usize,
}

impl Graphplan {
    /// Ready to plan from a state to a target.
    pub fn new(problem: Arc<Problem>, start: &PackedState, target: Target, options: GraphplanOptions) -> Self {
        let (work, outcome) = match Network::new(&problem, start, &target, &options) {
            Ok(network) if network.roots.is_empty() => (None, Outcome::Exhausted),
            Ok(network) => {
                let graph = Graph::new(&network);
                let extraction = Extraction::new(options.learn, options.time);
                let phase = Phase::Look(0);
                let work = Work { network, graph, extraction, phase, level: 0, known: 0, proof: 0 };
                (Some(Box::new(work)), Outcome::Searching)
            }
            Err(what) => (None, Outcome::Unsupported { what }),
        };
        Self { problem, options, work, counters: Counters::default(), outcome }
    }

    /// Works on: one unit for each trial, each row of the graph, and each look at a set of goals as a whole.
    pub fn run(&mut self, budget: &mut Budget) -> &Outcome {
        let Some(work) = &mut self.work else { return &self.outcome };
        while self.outcome == Outcome::Searching && budget.take() {
            if let Some(outcome) = work.step(&self.options, &mut self.counters) {
                self.outcome = outcome;
            }
        }
        self.counters.nodes = work.extraction.nodes;
        self.counters.choices = work.extraction.choices;
        self.counters.memo_hits = work.extraction.hits;
        self.counters.memos = work.extraction.memos();
        self.counters.levels = work.graph.top().max(work.level) as u32;
        self.counters.level_off = work.graph.level_off().map(|level| level as u32);
        &self.outcome
    }

    /// How far it has come.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// How much work it was so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// What is planned in.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }
}

impl Work {
    fn step(&mut self, options: &GraphplanOptions, counters: &mut Counters) -> Option<Outcome> {
        let time = options.available.unwrap_or(ALWAYS);
        match self.phase {
            Phase::Expand => {
                if self.graph.step(&self.network) {
                    self.look();
                }
                None
            }
            Phase::Look(root) => {
                let Some(goals) = self.network.roots.get(root) else { return self.after_level(options) };
                self.phase = Phase::Look(root + 1);
                let late = goals.iter().any(|goal| self.network.earliest[*goal] > time);
                if !self.graph.is_free(goals, self.level) || late {
                    return None;
                }
                counters.first_mutex_free = counters.first_mutex_free.or(Some(self.level as u32));
                let progress = self.extraction.begin(&self.network, &self.graph, goals, self.level, time);
                self.after_trial(progress, root)
            }
            Phase::Extract(root) => {
                let progress = self.extraction.step(&self.network, &self.graph);
                self.after_trial(progress, root)
            }
            Phase::Verify(entry) => self.verify(entry, options),
            Phase::Refute(entry) => {
                let progress = self.extraction.step(&self.network, &self.graph);
                self.after_refutal(progress, entry, options)
            }
        }
    }

    fn after_trial(&mut self, progress: Progress, root: usize) -> Option<Outcome> {
        self.phase = match progress {
            Progress::Going => Phase::Extract(root),
            Progress::Failed => Phase::Look(root + 1),
            Progress::Achieved => {
                return Some(Outcome::Found(LayeredPlan { layers: self.extraction.layers(&self.network) }));
            }
        };
        None
    }

    /// Goes on to the next level.
    fn look(&mut self) {
        self.level += 1;
        self.phase = Phase::Look(0);
        self.known = self.graph.level_off().map_or(0, |level| self.extraction.memo(level).len());
    }

    /// The target cannot be reached with so few layers. Beyond the level from which on nothing changes, that may prove that it never
    /// can: if what fails at some level fails at the next one too, each failure there following from those before it, then it fails at
    /// all that come, for they are all alike. The first sign is that nothing more is found to fail where the graph levels off.
    fn after_level(&mut self, options: &GraphplanOptions) -> Option<Outcome> {
        if let Some(off) = self.graph.level_off() {
            let roots = &self.network.roots;
            if !roots.iter().any(|root| self.graph.is_free(root, off)) {
                return Some(Outcome::Exhausted);
            }
            self.proof = self.proof.max(off);
            if self.level > self.proof && self.extraction.memo(off).len() == self.known {
                self.phase = Phase::Verify(0);
                return None;
            }
        }
        self.next_level(options)
    }

    fn next_level(&mut self, options: &GraphplanOptions) -> Option<Outcome> {
        if self.level >= options.layers_max as usize {
            return Some(Outcome::GaveUp);
        }
        match self.graph.level_off() {
            Some(_) => self.look(),
            None => self.phase = Phase::Expand,
        }
        None
    }

    /// Whether an alternative of the target fails without regard to time.
    fn fails_always(&self) -> bool {
        let memo = self.extraction.memo(self.proof + 1);
        let mut roots = self.network.roots.iter().filter(|root| self.graph.is_free(root, self.proof + 1));
        roots.all(|root| memo.find(root, ALWAYS).is_some())
    }

    fn verify(&mut self, entry: usize, options: &GraphplanOptions) -> Option<Outcome> {
        let timeless = self.fails_always();
        let Some(failure) = self.extraction.memo(self.proof).entry(entry).cloned() else {
            return Some(if timeless { Outcome::Exhausted } else { Outcome::OutOfTime });
        };
        let known = self.extraction.memo(self.proof + 1).find(&failure.goals, failure.within).is_some();
        if known || (timeless && failure.within != ALWAYS) {
            self.phase = Phase::Verify(entry + 1);
            return None;
        }
        let (network, graph, level) = (&self.network, &self.graph, self.proof + 1);
        let progress = self.extraction.begin(network, graph, &failure.goals, level, failure.within);
        self.after_refutal(progress, entry, options)
    }

    fn after_refutal(&mut self, progress: Progress, entry: usize, options: &GraphplanOptions) -> Option<Outcome> {
        match progress {
            Progress::Going => self.phase = Phase::Refute(entry),
            Progress::Failed => self.phase = Phase::Verify(entry + 1),
            Progress::Achieved => {
                self.proof += 1;
                return self.next_level(options);
            }
        }
        None
    }
}
