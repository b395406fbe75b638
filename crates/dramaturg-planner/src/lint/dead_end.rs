//! `dead-end`: a reachable state from which the story's goal is not reachable.

use dramaturg_model::{
    AimTime, Args, Code, Diagnostic, Evaluator, Expr, Model, Owner, Span, State, TaskId, Value, WishKind,
};
use rustc_hash::FxHashMap;

use super::LintOptions;
use crate::ground::{GroundOptions, OperatorId, Problem, ground};
use crate::packed::PackedState;
use crate::search::proof::waiting_changes;
use crate::simulate::{Detail, Follow, World, WorldOptions};

/// A state from which there is no way to the goal.
pub const CODE: Code = Code::warning("dead-end");

/// Explores states from the beginning and reports the nearest one that has lost the goal. States that were not looked at for want
/// of room count as hopeful, so what is reported is certain (as far as actions are taken one after another).
pub(crate) fn rule(model: &Model, options: &LintOptions, found: &mut Vec<Diagnostic>) {
    let Some((goal, place)) = goal(model).filter(|_| !waiting_changes(model)) else { return };
    let way = if model.tasks.values().any(|task| !task.offers.is_empty()) {
        let space = Tasks::new(model, &goal);
        explore(&space, options.states_max)
    } else {
        let grounding = ground(model, &GroundOptions { limits: options.limits, ..GroundOptions::default() });
        if grounding.stop.is_some() {
            return;
        }
        let space = Operators { model, problem: &grounding.problem, goal: &goal, over: State::initial(model, 0) };
        explore(&space, options.states_max)
    };
    if let Some(way) = way {
        let message = match way.as_slice() {
            [] => "the goal cannot be reached from the beginning".to_owned(),
            steps => format!("after {} the goal can no longer be reached", steps.join(", ")),
        };
        let hint = "forbid the last step while the goal is open, or give another way";
        found.push(Diagnostic::new(CODE, place, message).hint(hint));
    }
}

/// What the story wants in the end, and where it says so.
fn goal(model: &Model) -> Option<(Expr, Span)> {
    let mut parts = Vec::new();
    let mut place = None;
    for wish in model.wishes.values().filter(|wish| wish.owner == Owner::Story && wish.condition.is_none()) {
        if let WishKind::Goal { aims, .. } = &wish.kind
            && let Some(last) = aims.last()
            && last.time == AimTime::Eventually
        {
            parts.push(last.condition.clone());
            place = place.or(Some(wish.place));
        }
    }
    place.map(|place| (Expr::all(parts), place))
}

/// States and the steps between them.
trait Space {
    type State: Clone;
    type Key: std::hash::Hash + Eq;
    fn first(&self) -> Self::State;
    fn key(&self, state: &Self::State) -> Self::Key;
    fn is_goal(&self, state: &Self::State) -> bool;
    /// Every state one step further, with the step's name.
    fn next(&self, state: &Self::State) -> Vec<(String, Self::State)>;
}

struct Node {
    parent: usize,
    step: String,
    /// The nodes one step before.
    before: Vec<usize>,
    hopeful: bool,
}

/// The steps into the nearest state without a way to the goal.
fn explore<S: Space>(space: &S, states_max: usize) -> Option<Vec<String>> {
    let first = space.first();
    let mut known: FxHashMap<S::Key, usize> = FxHashMap::default();
    known.insert(space.key(&first), 0);
    let mut nodes = vec![Node { parent: 0, step: String::new(), before: Vec::new(), hopeful: false }];
    let mut states: std::collections::VecDeque<(usize, S::State)> = [(0, first)].into();
    let mut hopeful: Vec<usize> = Vec::new();
    while let Some((at, state)) = states.pop_front() {
        if space.is_goal(&state) || nodes.len() >= states_max {
            hopeful.push(at);
            continue;
        }
        for (step, next) in space.next(&state) {
            let index = *known.entry(space.key(&next)).or_insert_with(|| {
                nodes.push(Node { parent: at, step, before: Vec::new(), hopeful: false });
                states.push_back((nodes.len() - 1, next));
                nodes.len() - 1
            });
            if let Some(node) = nodes.get_mut(index) {
                node.before.push(at);
            }
        }
    }
    while let Some(at) = hopeful.pop() {
        let Some(node) = nodes.get_mut(at) else { continue };
        if !std::mem::replace(&mut node.hopeful, true) {
            hopeful.extend(node.before.iter().copied());
        }
    }
    let lost = nodes.iter().position(|node| !node.hopeful)?;
    let mut way = Vec::new();
    let mut at = lost;
    while let Some(node) = nodes.get(at).filter(|_| at != 0) {
        way.push(node.step.clone());
        at = node.parent;
    }
    way.reverse();
    Some(way)
}

/// Actions of a ground problem, taken one after another.
struct Operators<'m> {
    model: &'m Model,
    problem: &'m Problem,
    goal: &'m Expr,
    over: State,
}

impl Space for Operators<'_> {
    type State = PackedState;
    type Key = PackedState;

    fn first(&self) -> PackedState {
        self.problem.initial()
    }

    fn key(&self, state: &PackedState) -> PackedState {
        let mut key = state.clone();
        key.set_now(0);
        key
    }

    fn is_goal(&self, state: &PackedState) -> bool {
        let state = self.problem.unpack(state, &self.over);
        Evaluator::new(self.model, &state).holds(self.goal)
    }

    fn next(&self, state: &PackedState) -> Vec<(String, PackedState)> {
        let mut operators: Vec<OperatorId> = Vec::new();
        self.problem.applicable(state, &mut operators);
        let named = |operator: OperatorId| {
            let next = self.problem.successor(state, operator)?;
            Some((self.problem.operator_name(self.model, operator), next))
        };
        operators.into_iter().filter_map(named).collect()
    }
}

/// Tasks that are offered, done one after another.
struct Tasks<'m> {
    model: &'m Model,
    goal: &'m Expr,
    offered: Vec<(TaskId, Args)>,
}

impl<'m> Tasks<'m> {
    fn new(model: &'m Model, goal: &'m Expr) -> Self {
        let mut offered = Vec::new();
        for (id, task) in model.tasks.iter().filter(|(_, task)| !task.offers.is_empty()) {
            let mut all = vec![Args::new()];
            for param in &task.params {
                let values: Vec<Value> = model.values_of(&param.choices, model.first_level());
                let longer = all.iter().flat_map(|args| {
                    values.iter().map(move |value| args.iter().copied().chain([*value]).collect::<Args>())
                });
                all = longer.take(10_000).collect();
            }
            offered.extend(all.into_iter().map(|args| (id, args)));
        }
        Self { model, goal, offered }
    }
}

impl Space for Tasks<'_> {
    type State = World;
    type Key = Vec<(u32, Args, Value)>;

    fn first(&self) -> World {
        let options = WorldOptions { detail: Detail::Violations, follow: Follow::Nobody, ..WorldOptions::default() };
        let mut world = World::begin(self.model, options);
        world.step_to(self.model, 1);
        world
    }

    fn key(&self, state: &World) -> Self::Key {
        state.state().entries().into_iter().map(|(fluent, args, value)| (fluent.0, args.clone(), value)).collect()
    }

    fn is_goal(&self, state: &World) -> bool {
        Evaluator::new(self.model, state.state()).holds(self.goal)
    }

    fn next(&self, state: &World) -> Vec<(String, World)> {
        if state.ending().is_some() {
            return Vec::new();
        }
        let done = |(task, args): &(TaskId, Args)| {
            let mut world = state.clone();
            world.do_task(self.model, *task, args).ok()?;
            let now = world.now();
            world.step_to(self.model, now + 2);
            let names: Vec<_> = args.iter().map(|arg| self.model.value_name(*arg)).collect();
            let name = &self.model.tasks[*task].name;
            let name = if names.is_empty() { name.to_string() } else { format!("{name}({})", names.join(", ")) };
            Some((name, world))
        };
        self.offered.iter().filter_map(done).collect()
    }
}
