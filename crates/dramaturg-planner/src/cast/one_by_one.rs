//! Goals planned for one after another, what matters most first.

use std::sync::Arc;

use dramaturg_model::Tick;

use super::domain::Role;
use super::thought::{GivenUp, Want, ticks_of};
use crate::ground::OperatorId;
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::labelled::{Labelled, LabelledOptions, Unlabelled};
use crate::search::{Outcome, Target};

/// Plans for one goal after another. What is reached is kept while the next is sought, unless it cannot be.
pub(super) struct OneByOne {
    role: Arc<Role>,
    wants: Vec<(usize, Want)>,
    next: usize,
    state: PackedState,
    left: u32,
    states_max: usize,
    reached: Vec<Want>,
    /// Whether what was reached may be undone again for the goal at hand.
    gives_way: bool,
    search: Option<Box<Labelled<Unlabelled>>>,
    /// The way so far.
    pub(super) way: Vec<OperatorId>,
    /// Goals that were not reached, by their places.
    pub(super) missed: Vec<(usize, GivenUp)>,
    /// States that were gone on from.
    pub(super) expanded: u64,
}

impl OneByOne {
    pub(super) fn new(
        role: Arc<Role>,
        start: &PackedState,
        wants: Vec<(usize, Want)>,
        left: u32,
        states_max: usize,
    ) -> Self {
        Self {
            role,
            wants,
            next: 0,
            state: start.clone(),
            left,
            states_max,
            reached: Vec::new(),
            gives_way: false,
            search: None,
            way: Vec::new(),
            missed: Vec::new(),
            expanded: 0,
        }
    }

    /// Works on; whether it is done.
    pub(super) fn run(&mut self, budget: &mut Budget) -> bool {
        while let Some((place, want)) = self.wants.get(self.next).cloned() {
            if self.role.problem.holds(&self.state, &want.condition) {
                self.go_on(want);
                continue;
            }
            let mut search = match self.search.take() {
                Some(search) => search,
                None if budget.take() => self.begin(&want),
                None => return false,
            };
            let outcome = search.run(budget).clone();
            if outcome == Outcome::Searching {
                self.search = Some(search);
                return false;
            }
            self.expanded += search.counts().0;
            match outcome {
                Outcome::Found(way) => {
                    self.perform(&way);
                    self.go_on(want);
                }
                _ if !self.gives_way && !self.reached.is_empty() => self.gives_way = true,
                outcome => {
                    let why = match outcome {
                        Outcome::Full => GivenUp::NotFound,
                        _ if self.left < u32::MAX => GivenUp::NoTime,
                        _ => GivenUp::Contradiction,
                    };
                    self.missed.push((place, why));
                    self.next += 1;
                    self.gives_way = false;
                }
            }
        }
        true
    }

    /// Whether everything that was reached still holds in the end.
    pub(super) fn keeps_all(&self) -> bool {
        self.missed.is_empty() && self.reached.iter().all(|want| self.role.problem.holds(&self.state, &want.condition))
    }

    fn begin(&self, want: &Want) -> Box<Labelled<Unlabelled>> {
        let kept = self.reached.iter().filter(|_| !self.gives_way).map(|want| want.condition.clone());
        let target = Target::new(kept.chain([want.condition.clone()]).collect());
        let options = LabelledOptions {
            unit_costs: false,
            cost_max: self.left,
            states_max: self.states_max,
            ..LabelledOptions::default()
        };
        let (problem, relaxation) = (Arc::clone(&self.role.problem), &self.role.relaxation);
        Box::new(Labelled::new(problem, relaxation, &self.state, target, Unlabelled, options))
    }

    fn perform(&mut self, way: &[OperatorId]) {
        for operator in way {
            let ticks: Tick = ticks_of(&self.role, *operator);
            if self.left < u32::MAX {
                self.left = self.left.saturating_sub(u32::try_from(ticks).unwrap_or(u32::MAX));
            }
            if let Some(next) = self.role.problem.successor(&self.state, *operator) {
                self.state = next;
            }
            self.way.push(*operator);
        }
    }

    fn go_on(&mut self, want: Want) {
        self.reached.push(want);
        self.next += 1;
        self.gives_way = false;
    }
}
