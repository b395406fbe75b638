//! Ways to plan for one character.

use std::sync::Arc;

use dramaturg_model::{Model, ObjectId, State};
use dramaturg_planner::cast::domain::{Domain, Role};
use dramaturg_planner::cast::{Manner, Thought, ThoughtOptions, Want};
use dramaturg_planner::graphplan::{Graphplan, GraphplanOptions, Outcome};
use dramaturg_planner::ground::OperatorId;
use dramaturg_planner::packed::PackedState;
use dramaturg_planner::planner::Budget;
use dramaturg_planner::schedule::in_sequence;
use dramaturg_planner::search::Target;
use dramaturg_planner::validate::{Goals, ValidateOptions, validate};
use serde::Serialize;

use super::literal::literal;
use crate::timing::{Samples, Timing};

/// Planning without learning is stopped after so many trials.
const PLAIN_MAX: u32 = 60_000_000;
/// A plan that took longer than this is not made again.
const LONG: std::time::Duration = std::time::Duration::from_millis(200);

/// How a character plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Graphplan without learning, all goals at once: the baseline.
    PlainAllGoals,
    /// Graphplan without learning, one goal after another.
    PlainGoalByGoal,
    /// Graphplan, all goals at once.
    GraphAllGoals,
    /// Graphplan, one goal after another.
    GraphGoalByGoal,
    /// Forward search, all goals at once.
    ForwardAllGoals,
    /// Forward search, one goal after another.
    ForwardGoalByGoal,
}

impl Method {
    /// All of them, the baselines first.
    pub const ALL: [Self; 6] = [
        Self::PlainAllGoals,
        Self::PlainGoalByGoal,
        Self::GraphAllGoals,
        Self::GraphGoalByGoal,
        Self::ForwardAllGoals,
        Self::ForwardGoalByGoal,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlainAllGoals => "baseline: Graphplan without learning, all goals",
            Self::PlainGoalByGoal => "baseline: Graphplan without learning, goal by goal",
            Self::GraphAllGoals => "Graphplan, all goals",
            Self::GraphGoalByGoal => "Graphplan, goal by goal",
            Self::ForwardAllGoals => "forward, all goals",
            Self::ForwardGoalByGoal => "forward, goal by goal",
        }
    }
}

/// What came of a method.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Whose goals.
    pub title: &'static str,
    /// How.
    pub method: Method,
    /// Steps of the plan; none if it was stopped before it had one.
    pub steps: Option<usize>,
    /// Trials of Graphplan, or states that forward search went on from.
    pub nodes: u64,
    /// How long it took.
    pub time: Timing,
    /// Whether the plan, if there is one, holds.
    pub valid: bool,
}

/// Somebody, somewhere, who wants something.
pub(super) struct Case {
    pub(super) role: Arc<Role>,
    pub(super) start: PackedState,
    pub(super) wants: Vec<Want>,
}

impl Case {
    pub(super) fn new(model: &Model, domain: &Domain, state: &State, object: ObjectId) -> Option<Self> {
        let start = domain.pack(state)?;
        let mut wants: Vec<Want> = domain.wants(model, &start, object).into_iter().map(|(_, want)| want).collect();
        wants.sort_by_key(|want| std::cmp::Reverse(want.salience));
        Some(Self { role: Arc::new(domain.role(object)), start, wants })
    }

    /// Plans by a method: the way, if one was found, and how many nodes that took.
    fn plan(&self, method: Method) -> (Option<Vec<OperatorId>>, u64) {
        match method {
            Method::PlainAllGoals => self.graph(false, true),
            Method::PlainGoalByGoal => self.graph(false, false),
            Method::GraphAllGoals => self.graph(true, true),
            Method::GraphGoalByGoal => self.graph(true, false),
            Method::ForwardAllGoals => self.forward(Manner::AllGoals),
            Method::ForwardGoalByGoal => self.forward(Manner::GoalByGoal),
        }
    }

    fn forward(&self, manner: Manner) -> (Option<Vec<OperatorId>>, u64) {
        let options = ThoughtOptions { manner, ..ThoughtOptions::default() };
        let mut thought = Thought::new(Arc::clone(&self.role), &self.start, self.wants.clone(), options);
        loop {
            if let Some(resolve) = thought.run(&mut Budget::of(u32::MAX)) {
                return (resolve.given_up.is_empty().then(|| resolve.way.clone()), resolve.expanded);
            }
        }
    }

    fn graph(&self, learn: bool, at_once: bool) -> (Option<Vec<OperatorId>>, u64) {
        let (mut state, mut way, mut nodes) = (self.start.clone(), Vec::new(), 0);
        let size = if at_once { self.wants.len().max(1) } else { 1 };
        for wants in self.wants.chunks(size) {
            let target = Target::new(wants.iter().map(|want| want.condition.clone()).collect());
            let options = GraphplanOptions { learn, ..GraphplanOptions::default() };
            let mut graphplan = Graphplan::new(Arc::clone(&self.role.problem), &state, target, options);
            let most = if learn { u32::MAX } else { PLAIN_MAX };
            let outcome = graphplan.run(&mut Budget::of(most)).clone();
            nodes += graphplan.counters().nodes;
            let Outcome::Found(plan) = outcome else { return (None, nodes) };
            for step in plan.flatten() {
                let Some(next) = self.role.problem.successor(&state, step) else { return (None, nodes) };
                state = next;
                way.push(step);
            }
        }
        (Some(way), nodes)
    }
}

pub(super) fn measure(model: &Model, title: &'static str, name: &str, method: Method, repeat: usize) -> Row {
    let state = State::initial(model, 0);
    let domain = Domain::new(model, &state);
    let case = model.find_object(name).and_then(|object| Case::new(model, &domain, &state, object));
    let Some(case) = case else {
        return Row { title, method, steps: None, nodes: 0, time: Timing::default(), valid: false };
    };
    let mut samples = Samples::new();
    let begun = std::time::Instant::now();
    let (way, nodes) = samples.measure(|| case.plan(method));
    let again = if begun.elapsed() > LONG { 0 } else { repeat.saturating_sub(1) };
    for _ in 0..again {
        std::hint::black_box(samples.measure(|| case.plan(method)));
    }
    let valid = way.as_ref().is_none_or(|way| {
        let plan = in_sequence(model, &case.role.problem, &case.start, way, 0);
        let options = ValidateOptions { goals: Goals::None, ..ValidateOptions::default() };
        validate(model, &state, &plan, &options).valid
    });
    Row { title, method, steps: way.map(|way| way.len()), nodes, time: samples.timing(), valid }
}

/// Whether the paper's own first algorithm finds a plan for all goals of a character.
pub(super) fn literal_finds(model: &Model, name: &str) -> bool {
    let state = State::initial(model, 0);
    let domain = Domain::new(model, &state);
    let case = model.find_object(name).and_then(|object| Case::new(model, &domain, &state, object));
    case.is_some_and(|case| {
        let target = Target::new(case.wants.iter().map(|want| want.condition.clone()).collect());
        matches!(literal(&case.role.problem, &case.start, &target, 40).0, Outcome::Found(_))
    })
}
