//! Plans in time for one problem: a first one soon, then better ones for as long as there is work to spend.

use std::sync::Arc;

use dramaturg_model::{Fixed, Model, Plan, Table, Tick};

use super::attempt::Attempts;
use super::calendar::calendar;
use super::cost::{Cost, Objective};
use super::course::{Clockwork, Course};
use super::footprint::Footprints;
use super::improve::Improver;
use super::precedence::preceded;
use super::split::{SplitStage, enclosing, split};
use super::stage::{Part, Stage};
use super::timeline::Timeline;
use super::weave::Weaver;
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::{Budget, Progress};
use crate::search::{BestFirst, BestFirstOptions, Guide, Outcome, Relaxation, Target};

/// How to plan.
#[derive(Clone, Copy, Debug)]
pub struct TemporalOptions {
    /// Where chance begins.
    pub seed: u64,
    /// The search for a first plan keeps at most so many states.
    pub states_max: usize,
}

impl Default for TemporalOptions {
    fn default() -> Self {
        Self { seed: 0, states_max: 20_000_000 }
    }
}

/// Units of work that the searches for a first plan take turns with.
const TURN: u32 = 64;

/// So many states are looked at for a first plan before it is also tried otherwise.
const ALONE: u64 = 4_000;

/// Plans in time for one problem.
pub struct Temporal {
    /// Whole actions, which wait for what is given at ticks where they can.
    base: Arc<Stage>,
    /// The same where what is given has to be planned with.
    plain: Arc<Stage>,
    split: Option<SplitStage>,
    search: Search,
    options: TemporalOptions,
    looked: u64,
}

/// What is looked for.
enum Search {
    /// A first plan: whole actions one after another, and starts and ends among each other.
    First(Box<First>),
    /// Better ones; whether starts and ends stand among each other in them.
    Better { improver: Box<Improver>, woven: bool },
    /// Nothing more: there is no plan, or none was found.
    Over,
}

/// The searches for a first plan.
struct First {
    whole: Option<BestFirst>,
    woven: Option<BestFirst>,
    /// Whole actions again, with goals in the order in which they must be reached, if search takes long.
    ordered: Option<BestFirst>,
    /// Tries that begin when search takes long.
    attempts: Option<Attempts>,
    /// Whether there may be tries.
    tries: bool,
    /// How much has been done so far.
    spent: u64,
}

impl Temporal {
    /// Plans from a state to a target of a problem that was grounded from a model.
    pub fn new(
        model: &Model,
        problem: Arc<Problem>,
        start: &PackedState,
        target: Target,
        options: TemporalOptions,
    ) -> Self {
        let footprints = Footprints::new(model, &problem);
        let epsilon = model.pddl().map_or(1, |origin| origin.epsilon).max(1);
        let plain = Arc::new(Stage {
            opening: Timeline::new(footprints.slots, epsilon),
            footprints: Arc::new(footprints),
            objective: Objective::new(model, &problem),
            epsilon,
            start: start.clone(),
            target,
            parts: None,
            givens: Vec::new(),
            calendar: None,
            problem,
        });
        let enclosing = enclosing(&plain.problem, &plain.target);
        let has_given = model.timed_given().next().is_some();
        let mut base = Arc::clone(&plain);
        if let Some((calendar, problem)) = has_given.then(|| calendar(model, &plain)).flatten() {
            let (problem, calendar) = (Arc::new(problem), Some(Arc::new(calendar)));
            base = Arc::new(Stage { problem, calendar, ..Stage::clone(&plain) });
        }
        let is_whole = !has_given || base.calendar.is_some();
        let mut planner = Self { split: None, search: Search::Over, looked: 0, options, base, plain };
        let whole = is_whole.then(|| planner.whole());
        let woven = (!is_whole || !enclosing.is_empty()).then(|| planner.woven(model, &enclosing));
        planner.search =
            Search::First(Box::new(First { whole, woven, ordered: None, attempts: None, tries: is_whole, spent: 0 }));
        planner
    }

    fn whole(&self) -> BestFirst {
        let Stage { problem, start, target, calendar, .. } = &*self.base;
        let relaxation = Arc::new(Relaxation::new(problem, true));
        let guide = if calendar.is_some() { Guide::Greedy } else { Guide::Both };
        let options = BestFirstOptions { guide, states_max: self.options.states_max, ..BestFirstOptions::default() };
        let search = BestFirst::new(Arc::clone(problem), &relaxation, start, target.clone(), options);
        if calendar.is_none() {
            return search;
        }
        let stage = Arc::clone(&self.base);
        let mut clockwork = Clockwork::new(&stage);
        search.admitting(Box::new(move |way| clockwork.fits(&stage, way)))
    }

    fn woven(&mut self, model: &Model, enclosing: &[OperatorId]) -> BestFirst {
        let SplitStage { stage, origins } = split(model, &self.plain, enclosing);
        let relaxation = Arc::new(Relaxation::new(&stage.problem, true));
        let options = BestFirstOptions {
            guide: Guide::Greedy,
            // That something which passes by itself must come again and again is no sign of a detour.
            landmarks: false,
            states_max: self.options.states_max,
            ..BestFirstOptions::default()
        };
        let (problem, target) = (Arc::clone(&stage.problem), stage.target.clone());
        let mut weaver = Weaver::new(stage.footprints.slots);
        let (mut starts, mut durations, mut causes) = (Vec::new(), Vec::new(), Vec::new());
        let start = stage.start.clone();
        let on_stage = Arc::clone(&stage);
        let search = BestFirst::new(problem, &relaxation, &start, target, options).admitting(Box::new(move |way| {
            starts.clear();
            durations.clear();
            causes.clear();
            weaver.run(&on_stage, way, &mut starts, &mut durations, &mut causes).is_some()
        }));
        self.split = Some(SplitStage { stage, origins });
        search
    }

    /// Works on until the budget is used up or there is news: a better plan, or certainty that there is none.
    pub fn run(&mut self, model: &Model, budget: &mut Budget) -> Progress {
        while budget.left() > 0 {
            match &mut self.search {
                Search::First(_) => {
                    if let Some(progress) = self.look_for_first(model, budget) {
                        return progress;
                    }
                }
                Search::Better { improver, .. } => {
                    let (units, improved) = improver.step();
                    self.looked += u64::from(units);
                    budget.spend(units);
                    if improved {
                        return Progress::Improved { cost: self.shown_cost(model) };
                    }
                }
                Search::Over => return Progress::Infeasible { proof: false, core: Vec::new() },
            }
        }
        Progress::Searching
    }

    fn look_for_first(&mut self, model: &Model, budget: &mut Budget) -> Option<Progress> {
        let mut way = None;
        let Search::First(first) = &mut self.search else { return None };
        let First { whole, woven, ordered, attempts, tries, spent } = &mut **first;
        for (is_woven, search) in [(false, &mut *whole), (true, &mut *woven), (false, &mut *ordered)] {
            let Some(running) = search else { continue };
            let mut turn = Budget::of(TURN.min(budget.left()));
            let outcome = running.run(&mut turn).clone();
            budget.spend(turn.used.max(1));
            *spent += u64::from(turn.used);
            if outcome != Outcome::Searching {
                self.looked += running.evaluated();
                *search = None;
            }
            if outcome == Outcome::Exhausted && !is_woven && self.base.calendar.is_none() {
                // That is certain: there is no way for whole actions.
                (*tries, *attempts) = (false, None);
            }
            if let Outcome::Found(steps) = outcome {
                way = Some((is_woven, steps));
                break;
            }
        }
        let mut found = way.and_then(|(is_woven, steps)| {
            let stage = self.stage(is_woven);
            Clockwork::new(&stage).course(&stage, steps).map(|course| (is_woven, course))
        });
        let Search::First(first) = &mut self.search else { return None };
        let First { whole, woven, ordered, attempts, tries, spent } = &mut **first;
        if found.is_none() && *tries && (*spent > ALONE || whole.is_none()) {
            let is_first = attempts.is_none();
            if is_first && self.base.calendar.is_none() {
                *ordered = in_order(model, &self.base, self.options.states_max);
            }
            let attempts = attempts.get_or_insert_with(|| Attempts::new(&self.base, self.options.seed));
            let mut turn = Budget::of(TURN.min(budget.left()));
            while found.is_none() && turn.left() > 0 && !attempts.is_over() {
                let (units, course) = attempts.step();
                turn.spend(units);
                self.looked += u64::from(units);
                found = course.map(|course| (false, course));
            }
            budget.spend(turn.used.max(1));
            *tries = !attempts.is_over();
        }
        let goes_on = whole.is_some() || woven.is_some() || ordered.is_some() || *tries;
        if let Some((is_woven, course)) = found {
            let improver = Improver::new(self.stage(is_woven), course, self.options.seed);
            self.search = Search::Better { improver: Box::new(improver), woven: is_woven };
            return Some(Progress::Improved { cost: self.shown_cost(model) });
        }
        if goes_on {
            return None;
        }
        // What cannot be done one after another may yet be done with every start and end on its own.
        let all: Vec<OperatorId> =
            self.plain.problem.operators.iter().filter(|(_, one)| one.timed.is_some()).map(|(id, _)| id).collect();
        let is_new = self.split.as_ref().is_none_or(|split| split.starts() < all.len());
        if is_new && !all.is_empty() {
            let woven = Some(self.woven(model, &all));
            self.search = Search::First(Box::new(First {
                whole: None,
                woven,
                ordered: None,
                attempts: None,
                tries: false,
                spent: 0,
            }));
            return None;
        }
        self.search = Search::Over;
        Some(Progress::Infeasible { proof: false, core: Vec::new() })
    }

    pub(super) fn stage(&self, woven: bool) -> Arc<Stage> {
        match &self.split {
            Some(split) if woven => Arc::clone(&split.stage),
            _ => Arc::clone(&self.base),
        }
    }

    fn best(&self) -> Option<(&Course, bool)> {
        match &self.search {
            Search::Better { improver, woven } => Some((improver.best(), *woven)),
            _ => None,
        }
    }

    /// What the best plan so far costs.
    pub fn cost(&self) -> Option<Cost> {
        self.best().map(|(course, _)| course.cost)
    }

    /// How many states and courses have been looked at.
    pub fn looked(&self) -> u64 {
        self.looked
    }

    /// The metric of the best plan, or its time in the units of the problem.
    fn shown_cost(&self, model: &Model) -> Fixed {
        let Some(Cost { metric, end }) = self.cost() else { return Fixed::ZERO };
        if !self.base.objective.is_time() {
            return metric;
        }
        let unit = model.pddl().map_or(1, |origin| origin.ticks_per_unit).max(1);
        Fixed::from_int(end).divide(Fixed::from_int(unit))
    }

    /// The best plan so far.
    pub fn plan(&self, model: &Model) -> Option<Plan> {
        let (course, woven) = self.best()?;
        let stage = self.stage(woven);
        let origins = self.split.as_ref().filter(|_| woven).map(|split| &split.origins);
        let mut plan = Plan { complete: true, cost: Some(self.shown_cost(model)), ..Plan::default() };
        let mut steps: Vec<(Tick, Tick, OperatorId)> = Vec::new();
        for (operator, (start, duration)) in course.steps.iter().zip(course.starts.iter().zip(&course.durations)) {
            if matches!(stage.part(*operator), Part::Whole | Part::Start(..)) {
                let origin = origin(origins, *operator);
                steps.push((*start, *duration, origin));
            }
        }
        steps.sort_by_key(|(start, ..)| *start);
        for (start, duration, operator) in steps {
            let problem = &self.base.problem;
            let args = problem.args(operator).iter().map(|arg| model.value_name(*arg));
            plan.add(model.actions[problem.operators[operator].action].name.clone(), args, start, duration);
        }
        Some(plan)
    }
}

/// Search for whole actions with goals in the order in which they must be reached; none if there is none.
fn in_order(model: &Model, stage: &Stage, states_max: usize) -> Option<BestFirst> {
    let problem = Arc::new(preceded(model, &stage.problem, &stage.start, &stage.target)?);
    let relaxation = Arc::new(Relaxation::new(&problem, true));
    let options = BestFirstOptions { guide: Guide::Both, states_max, ..BestFirstOptions::default() };
    Some(BestFirst::new(problem, &relaxation, &stage.start, stage.target.clone(), options))
}

/// The operator of the base problem that one of a split stage comes from.
fn origin(origins: Option<&Table<OperatorId, Option<OperatorId>>>, operator: OperatorId) -> OperatorId {
    origins.and_then(|origins| origins[operator]).unwrap_or(operator)
}
