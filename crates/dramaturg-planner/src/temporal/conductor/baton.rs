//! The course at hand, and the search for a better one.

use std::sync::Arc;

use dramaturg_model::{Fixed, Tick};

use super::ConductorOptions;
use crate::ground::OperatorId;
use crate::planner::Budget;
use crate::search::{BestFirst, BestFirstOptions, Guide, Outcome, Relaxation};
use crate::temporal::course::{Clockwork, Course};
use crate::temporal::improve::Improver;
use crate::temporal::stage::Stage;

/// What is looked for.
enum Search {
    /// Any way to the goals.
    First(Box<BestFirst>),
    /// A better course than this.
    Better(Box<Improver>),
    /// Nothing: no step is left to do.
    Done,
    /// Nothing: there is no way, or none was found.
    Over,
}

/// What a little work came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beat {
    /// Nothing new.
    Same,
    /// There is a course where there was none, or a better one.
    Better,
    /// There is nothing to do.
    Rest,
}

/// The course at hand, and the search for a better one.
pub(super) struct Baton {
    stage: Arc<Stage>,
    /// The tick from which the stage counts.
    pub(super) base: Tick,
    search: Search,
    /// Units of work since the last better course.
    pub(super) quiet: u64,
}

impl Baton {
    /// Begins on a stage with a course in this order; without one it is looked for.
    pub(super) fn new(stage: Stage, base: Tick, order: Vec<OperatorId>, options: &ConductorOptions) -> Self {
        let stage = Arc::new(stage);
        let search = match Clockwork::new(&stage).course(&stage, order) {
            Some(course) => better(&stage, course, options),
            None => {
                let relaxation = Arc::new(Relaxation::new(&stage.problem, true));
                let search = BestFirstOptions {
                    guide: Guide::Both,
                    states_max: options.states_max,
                    ..BestFirstOptions::default()
                };
                let (problem, target) = (Arc::clone(&stage.problem), stage.target.clone());
                Search::First(Box::new(BestFirst::new(problem, &relaxation, &stage.start, target, search)))
            }
        };
        Self { stage, base, search, quiet: 0 }
    }

    /// Goes on from another opening with a course in this order, if it leads to the goals; whether it does. What was learned of courses is
    /// kept as long as the problem is the same.
    pub(super) fn move_to(&mut self, stage: Stage, base: Tick, order: Vec<OperatorId>, otherwise: bool) -> bool {
        let stage = Arc::new(stage);
        let Search::Better(improver) = &mut self.search else { return false };
        if !Arc::ptr_eq(&stage.problem, &self.stage.problem) {
            return false;
        }
        let Some(course) = Clockwork::new(&stage).course(&stage, order) else { return false };
        if course.steps.is_empty() {
            self.search = Search::Done;
        } else {
            improver.move_to(Arc::clone(&stage), course, otherwise);
        }
        (self.stage, self.base) = (stage, base);
        if otherwise {
            self.quiet = 0;
        }
        true
    }

    /// The course at hand.
    pub(super) fn course(&self) -> Option<&Course> {
        match &self.search {
            Search::Better(improver) => Some(improver.best()),
            _ => None,
        }
    }

    /// Whether the steps at hand, if any, lead to the goals.
    pub(super) fn leads(&self) -> bool {
        matches!(self.search, Search::Better(_) | Search::Done)
    }

    /// Whether there is no way, as far as is known.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.search, Search::Over)
    }

    /// The tick at which all is over.
    pub(super) fn end(&self) -> Tick {
        let end = self.course().map_or(self.stage.opening.end, |course| course.cost.end);
        self.base.saturating_add(end)
    }

    /// The metric of the course, or when it is over.
    pub(super) fn cost(&self) -> Fixed {
        match self.course() {
            Some(course) if !self.stage.objective.is_time() => course.cost.metric,
            _ => Fixed::from_int(self.end()),
        }
    }

    /// Works on for a little.
    pub(super) fn beat(&mut self, budget: &mut Budget, options: &ConductorOptions) -> Beat {
        let before = budget.used;
        let beat = match &mut self.search {
            Search::First(search) => match search.run(budget).clone() {
                Outcome::Searching => Beat::Same,
                Outcome::Found(way) => {
                    let course = Clockwork::new(&self.stage).course(&self.stage, way);
                    self.search = course.map_or(Search::Over, |course| better(&self.stage, course, options));
                    Beat::Better
                }
                Outcome::Exhausted | Outcome::Narrowed | Outcome::Full => {
                    self.search = Search::Over;
                    Beat::Rest
                }
            },
            Search::Better(improver) => {
                let (units, improved) = improver.step();
                budget.spend(units.max(1));
                if improved { Beat::Better } else { Beat::Same }
            }
            Search::Done | Search::Over => Beat::Rest,
        };
        match beat {
            Beat::Better => self.quiet = 0,
            _ => self.quiet += u64::from(budget.used - before),
        }
        beat
    }
}

fn better(stage: &Arc<Stage>, course: Course, options: &ConductorOptions) -> Search {
    if course.steps.is_empty() {
        return Search::Done;
    }
    Search::Better(Box::new(Improver::new(Arc::clone(stage), course, options.seed)))
}

/// A course as operators with their starts, from a tick on, and how long they take; in its own order.
pub(super) fn timed(course: &Course, base: Tick) -> impl Iterator<Item = (OperatorId, Tick, Tick)> {
    let times = course.starts.iter().zip(&course.durations);
    course.steps.iter().zip(times).map(move |(operator, (start, duration))| (*operator, base + *start, *duration))
}
