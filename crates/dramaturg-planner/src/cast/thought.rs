//! How a character makes up its mind: from goals and a state to a way, and to what must be given up for it.

use std::sync::Arc;

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

use super::domain::Role;
use super::one_by_one::OneByOne;
use super::subsets::{Dropping, Subsets};
use crate::ground::{Condition, OperatorId};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::labelled::{Labelled, LabelledOptions, Unlabelled};
use crate::search::relaxed::Relaxed;
use crate::search::{BestFirst, BestFirstOptions, Guide, Outcome, Target};

/// A goal as a thought takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// What must hold.
    pub condition: Condition,
    /// How much it matters.
    pub salience: i64,
    /// Within how many ticks it must hold, once.
    pub within: Option<Tick>,
}

/// In which manner goals are planned for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// All of them at once; what matters most comes first where that costs no time.
    #[default]
    Together,
    /// All of them at once, in whatever order takes the least time: the paper's method a.
    AllGoals,
    /// One after another, what matters most first: the paper's method b.
    GoalByGoal,
}

/// How a character makes up its mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThoughtOptions {
    /// In which manner.
    pub manner: Manner,
    /// What to give up when not everything can be had.
    pub dropping: Dropping,
    /// How many ticks there are for everything.
    pub available: Option<Tick>,
    /// So many states are looked at for a shortest way, and ten times as many for any way.
    pub states_max: usize,
    /// So many states are looked at for a shorter way than the one that takes too long.
    pub hurry_max: usize,
}

impl Default for ThoughtOptions {
    fn default() -> Self {
        Self {
            manner: Manner::default(),
            dropping: Dropping::default(),
            available: None,
            states_max: 20_000,
            hurry_max: 20_000,
        }
    }
}

/// Why a goal was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenUp {
    /// Nothing this character can do leads there.
    OutOfReach,
    /// Not together with goals that matter more.
    Contradiction,
    /// There is not enough time for it beside goals that matter more.
    NoTime,
    /// It was not found within the states that may be looked at.
    NotFound,
}

/// What came of a thought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolve {
    /// What to do, one thing after another.
    pub way: Vec<OperatorId>,
    /// The goals it reaches, by their places.
    pub kept: Vec<usize>,
    /// The goals that were given up, by their places, and why.
    pub given_up: Vec<(usize, GivenUp)>,
    /// How many ticks it takes.
    pub duration: Tick,
    /// States that were gone on from.
    pub expanded: u64,
}

/// A thought: resumable, counted in units of one state each.
pub struct Thought {
    role: Arc<Role>,
    start: PackedState,
    wants: Vec<Want>,
    options: ThoughtOptions,
    /// Those that can be reached one by one, by their places.
    hopeful: Vec<usize>,
    subsets: Subsets,
    /// What guides to all of them, in their order, until it is used.
    to_all: Option<Relaxed>,
    kept: Vec<usize>,
    stage: Stage,
    /// Why the last attempt failed.
    failed: Option<GivenUp>,
    /// The best so far; it is final once the stage is over.
    resolve: Resolve,
    could: Option<bool>,
}

enum Stage {
    /// Whether all can be reached together, if nothing is undone.
    Hope,
    /// Whether this one can.
    HopeFor(usize),
    /// The next set of goals is to be tried.
    Next,
    Shortest(Box<Labelled<Unlabelled>>),
    /// The way that was found takes too long; perhaps there is a shorter one.
    Hurried(Box<Labelled<Unlabelled>>),
    Any(Box<BestFirst>),
    /// A way for all of them is known; perhaps there is one as short in which the most important comes first.
    Ordered(Box<OneByOne>, Vec<OperatorId>),
    /// A way is known; those of its steps from this one on that reach a goal may come earlier.
    Eager(Vec<OperatorId>, usize),
    Single(Box<OneByOne>),
    Over,
}

impl Thought {
    /// Begins to think.
    pub fn new(role: Arc<Role>, start: &PackedState, wants: Vec<Want>, options: ThoughtOptions) -> Self {
        Self {
            role,
            start: start.clone(),
            wants,
            options,
            hopeful: Vec::new(),
            subsets: Subsets::new(&[], options.dropping),
            to_all: None,
            kept: Vec::new(),
            stage: Stage::Hope,
            failed: None,
            resolve: Resolve::default(),
            could: None,
        }
    }

    /// Thinks on; the result once there is one.
    pub fn run(&mut self, budget: &mut Budget) -> Option<&Resolve> {
        loop {
            if matches!(self.stage, Stage::Over) {
                return Some(&self.resolve);
            }
            if budget.left() == 0 {
                return None;
            }
            self.stage = match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Hope => {
                    budget.take();
                    self.hope()
                }
                Stage::HopeFor(place) => {
                    budget.take();
                    self.hope_for(place)
                }
                Stage::Next => {
                    budget.take();
                    self.begin_next()
                }
                Stage::Shortest(search) => self.seek_shortest(search, budget),
                Stage::Hurried(search) => self.seek_hurried(search, budget),
                Stage::Any(search) => self.seek_any(search, budget),
                Stage::Ordered(ordered, way) => self.seek_ordered(ordered, way, budget),
                Stage::Eager(way, at) => {
                    budget.take();
                    self.hasten(way, at)
                }
                Stage::Single(single) => self.seek_single(single, budget),
                Stage::Over => Stage::Over,
            };
        }
    }

    /// What guides to some conditions, if there is hope for all of them.
    fn guide(&self, conditions: Vec<Condition>) -> Option<Relaxed> {
        let role = &self.role;
        let mut relaxed = Relaxed::new(&role.problem, Arc::clone(&role.relaxation), &Target::new(conditions));
        relaxed.estimate(&role.problem, &self.start).map(|_| relaxed)
    }

    /// Where nothing is undone, all can be reached together if each can.
    fn hope(&mut self) -> Stage {
        self.to_all = self.guide(self.wants.iter().map(|want| want.condition.clone()).collect());
        if self.to_all.is_none() {
            return Stage::HopeFor(0);
        }
        self.hopeful = (0..self.wants.len()).collect();
        self.choose()
    }

    fn hope_for(&mut self, place: usize) -> Stage {
        let Some(want) = self.wants.get(place) else { return self.choose() };
        if self.guide(vec![want.condition.clone()]).is_some() {
            self.hopeful.push(place);
        } else {
            self.resolve.given_up.push((place, GivenUp::OutOfReach));
        }
        Stage::HopeFor(place + 1)
    }

    /// It is known which goals there is hope for.
    fn choose(&mut self) -> Stage {
        let wants = self.hopeful.iter().filter_map(|place| self.wants.get(*place));
        let saliences: Vec<i64> = wants.map(|want| want.salience).collect();
        self.subsets = Subsets::new(&saliences, self.options.dropping);
        Stage::Next
    }

    fn begin_next(&mut self) -> Stage {
        if self.options.manner == Manner::GoalByGoal {
            self.kept = self.hopeful.clone();
            return Stage::Single(Box::new(self.one_by_one()));
        }
        let Some(places) = self.subsets.next(self.could) else { return self.give_up() };
        self.kept = places.iter().filter_map(|place| self.hopeful.get(*place).copied()).collect();
        Stage::Shortest(self.search(u32::MAX, self.options.states_max))
    }

    fn search(&mut self, cost_max: u32, states_max: usize) -> Box<Labelled<Unlabelled>> {
        let options = LabelledOptions { unit_costs: false, cost_max, states_max, ..LabelledOptions::default() };
        let (problem, target) = (Arc::clone(&self.role.problem), self.target());
        let is_all = self.kept.iter().copied().eq(0..self.wants.len());
        Box::new(match self.to_all.take().filter(|_| is_all) {
            Some(relaxed) => Labelled::guided(problem, relaxed, &self.start, target, Unlabelled, options),
            None => Labelled::new(problem, &self.role.relaxation, &self.start, target, Unlabelled, options),
        })
    }

    fn target(&self) -> Target {
        Target::new(self.kept_wants().map(|(_, want)| want.condition.clone()).collect())
    }

    fn kept_wants(&self) -> impl Iterator<Item = (usize, &Want)> {
        self.kept.iter().filter_map(|place| Some((*place, self.wants.get(*place)?)))
    }

    fn one_by_one(&self) -> OneByOne {
        let mut wants: Vec<(usize, Want)> = self.kept_wants().map(|(place, want)| (place, want.clone())).collect();
        wants.sort_by_key(|(place, want)| (std::cmp::Reverse(want.salience), *place));
        OneByOne::new(Arc::clone(&self.role), &self.start, wants, self.time_left(), self.options.states_max)
    }

    /// How many ticks a way for the goals at hand may take.
    fn time_left(&self) -> u32 {
        let ticks = |ticks: Tick| u32::try_from(ticks.max(0)).unwrap_or(u32::MAX);
        let within = self.kept_wants().map(|(_, want)| want.within.map_or(u32::MAX, ticks)).max().unwrap_or(u32::MAX);
        within.min(self.options.available.map_or(u32::MAX, ticks))
    }

    fn seek_shortest(&mut self, mut search: Box<Labelled<Unlabelled>>, budget: &mut Budget) -> Stage {
        let outcome = search.run(budget).clone();
        if outcome == Outcome::Searching {
            return Stage::Shortest(search);
        }
        self.resolve.expanded += search.counts().0;
        match outcome {
            Outcome::Found(way) => self.found(way),
            Outcome::Full => {
                let options = BestFirstOptions {
                    guide: Guide::Both,
                    unit_costs: false,
                    states_max: self.options.states_max.saturating_mul(10),
                    ..BestFirstOptions::default()
                };
                let (problem, relaxation) = (Arc::clone(&self.role.problem), &self.role.relaxation);
                Stage::Any(Box::new(BestFirst::new(problem, relaxation, &self.start, self.target(), options)))
            }
            _ => self.fail(GivenUp::Contradiction),
        }
    }

    fn seek_hurried(&mut self, mut search: Box<Labelled<Unlabelled>>, budget: &mut Budget) -> Stage {
        let outcome = search.run(budget).clone();
        if outcome == Outcome::Searching {
            return Stage::Hurried(search);
        }
        self.resolve.expanded += search.counts().0;
        match outcome {
            Outcome::Found(way) if self.is_in_time(&way) => self.in_order(way),
            _ => self.fail(GivenUp::NoTime),
        }
    }

    fn seek_any(&mut self, mut search: Box<BestFirst>, budget: &mut Budget) -> Stage {
        let outcome = search.run(budget).clone();
        if outcome == Outcome::Searching {
            return Stage::Any(search);
        }
        self.resolve.expanded += search.expanded();
        match outcome {
            Outcome::Found(way) => self.found(way),
            Outcome::Exhausted => self.fail(GivenUp::Contradiction),
            _ => self.fail(GivenUp::NotFound),
        }
    }

    /// A way was found for the goals at hand. It counts if each of them comes in its time.
    fn found(&mut self, way: Vec<OperatorId>) -> Stage {
        if self.is_in_time(&way) {
            return self.in_order(way);
        }
        Stage::Hurried(self.search(self.time_left(), self.options.hurry_max))
    }

    fn in_order(&mut self, way: Vec<OperatorId>) -> Stage {
        if self.options.manner == Manner::Together && self.kept.len() > 1 {
            return Stage::Ordered(Box::new(self.one_by_one()), way);
        }
        self.take(way)
    }

    fn seek_ordered(&mut self, mut ordered: Box<OneByOne>, way: Vec<OperatorId>, budget: &mut Budget) -> Stage {
        if !ordered.run(budget) {
            return Stage::Ordered(ordered, way);
        }
        self.resolve.expanded += ordered.expanded;
        let as_good = ordered.keeps_all() && self.duration(&ordered.way) <= self.duration(&way);
        if as_good && self.is_in_time(&ordered.way) { self.take(ordered.way) } else { Stage::Eager(way, 1) }
    }

    /// Has a step that reaches a goal come as early as it can: what is put off may be too late.
    fn hasten(&mut self, way: Vec<OperatorId>, at: usize) -> Stage {
        let Some(step) = way.get(at).copied() else { return self.take(way) };
        let problem = &self.role.problem;
        let mut states = vec![self.start.clone()];
        for step in way.iter().take(at + 1) {
            let next = states.last().and_then(|state| problem.successor(state, *step));
            states.extend(next);
        }
        let (Some(before), Some(after)) = (states.get(at), states.get(at + 1)) else { return self.take(way) };
        let serves = |want: &Want| !problem.holds(before, &want.condition) && problem.holds(after, &want.condition);
        if !self.kept_wants().any(|(_, want)| serves(want)) {
            return Stage::Eager(way, at + 1);
        }
        let reaches_all = |moved: &[OperatorId], from: usize| {
            let steps = moved.get(from..)?;
            let state = states.get(from)?.clone();
            let end = steps.iter().try_fold(state, |state, step| problem.successor(&state, *step))?;
            self.kept_wants().all(|(_, want)| problem.holds(&end, &want.condition)).then_some(())
        };
        for to in 0..at {
            let mut moved = way.clone();
            moved.remove(at);
            moved.insert(to, step);
            if reaches_all(&moved, to).is_some() && self.is_in_time(&moved) {
                return Stage::Eager(moved, at + 1);
            }
        }
        Stage::Eager(way, at + 1)
    }

    fn seek_single(&mut self, mut single: Box<OneByOne>, budget: &mut Budget) -> Stage {
        if !single.run(budget) {
            return Stage::Single(single);
        }
        self.resolve.expanded += single.expanded;
        self.kept.retain(|place| single.missed.iter().all(|(missed, _)| missed != place));
        self.resolve.given_up.extend(single.missed.iter().copied());
        let way = single.way;
        self.resolve.duration = self.duration(&way);
        self.resolve.kept = self.kept.clone();
        self.resolve.way = way;
        Stage::Over
    }

    fn take(&mut self, way: Vec<OperatorId>) -> Stage {
        self.resolve.duration = self.duration(&way);
        self.resolve.way = way;
        self.resolve.kept = self.kept.clone();
        self.could = Some(true);
        if self.subsets.is_final() { self.give_up() } else { Stage::Next }
    }

    fn fail(&mut self, why: GivenUp) -> Stage {
        self.failed = self.failed.or(Some(why));
        self.could = Some(false);
        Stage::Next
    }

    /// What is not among the goals that can be had is given up.
    fn give_up(&mut self) -> Stage {
        let why = self.failed.unwrap_or(GivenUp::Contradiction);
        for place in self.hopeful.iter().filter(|place| !self.resolve.kept.contains(place)) {
            self.resolve.given_up.push((*place, why));
        }
        self.resolve.given_up.sort_unstable_by_key(|(place, _)| *place);
        Stage::Over
    }

    fn duration(&self, way: &[OperatorId]) -> Tick {
        way.iter().map(|operator| ticks_of(&self.role, *operator)).sum()
    }

    fn is_in_time(&self, way: &[OperatorId]) -> bool {
        let left = Tick::from(self.time_left());
        if self.duration(way) > left {
            return false;
        }
        let mut late: Vec<&Want> = self.kept_wants().map(|(_, want)| want).collect();
        late.retain(|want| want.within.is_some());
        let (mut state, mut now) = (self.start.clone(), 0);
        let problem = &self.role.problem;
        for operator in way.iter().map(Some).chain([None]) {
            late.retain(|want| {
                !(problem.holds(&state, &want.condition) && want.within.is_some_and(|most| now <= most))
            });
            let Some(operator) = operator else { break };
            let Some(next) = problem.successor(&state, *operator) else { return false };
            state = next;
            now += ticks_of(&self.role, *operator);
        }
        late.is_empty()
    }
}

/// How many ticks an operator of a role takes.
pub(crate) fn ticks_of(role: &Role, operator: OperatorId) -> Tick {
    role.problem.operators[operator].cost.as_number().map_or(1, dramaturg_model::Fixed::round_half_up)
}
