//! The same steps in another order: two that touch the same thing, on the way that decides how long all takes, change places.

use dramaturg_model::{Chance, Tick};
use rustc_hash::FxHashMap;

use super::conflict::Touched;
use super::cost::Cost;
use super::course::{Clockwork, Course, NOBODY};
use super::stage::Stage;
use crate::ground::OperatorId;

/// So many rounds without anything better, and for each step one more, and it goes on from the best with some steps exchanged.
const PATIENCE: u64 = 40;
/// An exchange that cannot be performed is not tried again for so many rounds.
const REFUSED: u64 = 60;

/// A walk through orders of the same steps. Each round looks at every exchange on the deciding way and takes the best, even if all
/// takes longer then; an exchange is not taken back for a while.
#[derive(Clone, Debug)]
pub(super) struct Reorder {
    current: Course,
    best: Course,
    round: u64,
    /// The round in which something better was found last.
    since: u64,
    /// Until which round two steps may not come in this order.
    forbidden: FxHashMap<(OperatorId, OperatorId), u64>,
    touched: Touched,
    steps: Vec<OperatorId>,
    best_steps: Vec<OperatorId>,
}

impl Reorder {
    pub(super) fn new(stage: &Stage, course: Course) -> Self {
        Self {
            best: course.clone(),
            current: course,
            round: 0,
            since: 0,
            forbidden: FxHashMap::default(),
            touched: Touched::new(stage.footprints.slots),
            steps: Vec::new(),
            best_steps: Vec::new(),
        }
    }

    /// The best course so far.
    pub(super) fn best(&self) -> &Course {
        &self.best
    }

    /// One round; whether something better was found, and how many orders were looked at.
    pub(super) fn round(&mut self, stage: &Stage, clockwork: &mut Clockwork, chance: &mut Chance) -> (bool, u32) {
        self.round += 1;
        let mut looked = 1;
        let mut found: Option<(Cost, (OperatorId, OperatorId))> = None;
        for (earlier, later) in self.deciding(chance) {
            let (Some(first), Some(last)) = (self.current.steps.get(earlier), self.current.steps.get(later)) else {
                continue;
            };
            let pair = (*last, *first);
            let until = self.forbidden.get(&pair).copied().unwrap_or(0);
            // A way to something better than ever is always open.
            let bound = match until.saturating_sub(self.round) {
                0 => Tick::MAX,
                left if left > REFUSED / 2 => continue,
                _ => self.best.cost.end - 1,
            };
            self.touched.brought_forward(stage, &self.current.steps, earlier, later, &mut self.steps);
            looked += 1;
            match clockwork.cost(stage, &self.steps, bound) {
                Some(cost) if found.as_ref().is_none_or(|(least, _)| cost < *least) => {
                    found = Some((cost, pair));
                    std::mem::swap(&mut self.steps, &mut self.best_steps);
                }
                None if bound == Tick::MAX => {
                    self.forbidden.insert(pair, self.round + REFUSED + chance.below(20) as u64);
                }
                Some(_) | None => {}
            }
        }
        let Some((_, pair)) = found else {
            self.shake(stage, clockwork, chance);
            return (false, looked);
        };
        let tenure = 8 + chance.below(8) as u64;
        self.forbidden.insert((pair.1, pair.0), self.round + tenure);
        if let Some(course) = clockwork.course(stage, self.best_steps.clone()) {
            self.current = course;
        }
        if self.current.cost < self.best.cost {
            self.best.clone_from(&self.current);
            self.since = self.round;
            return (true, looked);
        }
        let patience = PATIENCE + self.current.steps.len() as u64;
        if (self.round - self.since) % patience == patience - 1 {
            self.shake(stage, clockwork, chance);
        }
        (false, looked)
    }

    /// Steps that follow each other on the way that decides how long all takes.
    fn deciding(&self, chance: &mut Chance) -> Vec<(usize, usize)> {
        let ends: Vec<usize> =
            (0..self.current.steps.len()).filter(|step| self.current.end(*step) == self.current.cost.end).collect();
        let Some(mut at) = ends.get(chance.below(ends.len())).copied() else { return Vec::new() };
        let mut pairs = Vec::new();
        // Starts and ends that stand among each other may wait for one another in a circle.
        for _ in 0..self.current.steps.len() {
            let Some(before) = self.current.causes.get(at).filter(|before| **before != NOBODY) else { break };
            let before = *before as usize;
            if before < at {
                pairs.push((before, at));
            }
            at = before;
        }
        pairs
    }

    /// Goes on from the best, with some steps exchanged.
    pub(super) fn shake(&mut self, stage: &Stage, clockwork: &mut Clockwork, chance: &mut Chance) {
        self.forbidden.clear();
        self.current.clone_from(&self.best);
        let count = self.current.steps.len();
        for _ in 0..2 + chance.below(6) {
            let later = 1 + chance.below(count.saturating_sub(1));
            let earlier = later.saturating_sub(1 + chance.below(later.clamp(1, 20)));
            self.touched.brought_forward(stage, &self.current.steps, earlier, later, &mut self.steps);
            if let Some(cost) = clockwork.cost(stage, &self.steps, Tick::MAX) {
                self.current = clockwork.taken(self.steps.clone(), cost);
            }
        }
    }
}
