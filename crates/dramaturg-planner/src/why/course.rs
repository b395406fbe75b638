//! A plan with the states it passes.

use std::collections::VecDeque;
use std::sync::Arc;

use dramaturg_model::Model;

use crate::ground::{Condition, Conjunction, Literal, OperatorId, Problem};
use crate::packed::PackedState;

/// Something wanted, in words and as it is planned for.
#[derive(Clone, Debug)]
pub struct Goal {
    /// As the story writes it.
    pub name: String,
    /// What must hold.
    pub condition: Condition,
}

/// A plan with the states it passes, as far as it can be performed.
pub struct Course {
    /// What it was planned in.
    pub problem: Arc<Problem>,
    /// Its steps.
    pub way: Vec<OperatorId>,
    /// The state before each step, and the last.
    pub states: Vec<PackedState>,
    /// What it is for.
    pub goals: Vec<Goal>,
}

/// Who needs something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Step(usize),
    Goal(usize),
}

/// What one step does for another, or for a goal.
struct Link {
    from: usize,
    to: User,
    what: Literal,
}

impl Course {
    /// The course of a plan; it ends where a step cannot be performed.
    pub fn new(problem: Arc<Problem>, start: &PackedState, way: &[OperatorId], goals: Vec<Goal>) -> Self {
        let (mut states, mut steps) = (vec![start.clone()], Vec::new());
        let mut state = start.clone();
        for step in way {
            let Some(next) = problem.is_applicable(&state, *step).then(|| problem.successor(&state, *step)).flatten()
            else {
                break;
            };
            state = next;
            states.push(state.clone());
            steps.push(*step);
        }
        Self { problem, way: steps, states, goals }
    }

    /// Why a step is in the plan: one sentence for each goal that depends on it, with everything on the way there.
    pub fn why(&self, model: &Model, step: usize) -> Vec<String> {
        let links = self.links();
        let mut sentences = Vec::new();
        for (number, goal) in self.goals.iter().enumerate() {
            let Some(chain) = chain(&links, step, User::Goal(number)) else { continue };
            let mut parts = Vec::new();
            for link in chain {
                let what = self.value(model, link);
                parts.push(match link.to {
                    User::Step(next) => format!("it makes `{what}` true, which `{}` needs", self.name(model, next)),
                    User::Goal(_) => format!("it makes `{what}` true, and that is wanted: `{}`", goal.name),
                });
            }
            sentences.push(parts.join("; there "));
        }
        if sentences.is_empty() && step < self.way.len() {
            sentences.push("nothing that is wanted depends on it".to_owned());
        }
        sentences
    }

    /// A step in names.
    pub fn name(&self, model: &Model, step: usize) -> String {
        self.way.get(step).map_or_else(String::new, |operator| self.problem.operator_name(model, *operator))
    }

    /// What a link brings about, as it is then.
    fn value(&self, model: &Model, link: &Link) -> String {
        let variable = link.what.variable;
        let value = self.states.get(link.from + 1).map_or(0, |state| state.get(&self.problem, variable));
        self.problem.value_name(model, variable, value)
    }

    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for (place, (step, state)) in self.way.iter().zip(&self.states).enumerate() {
            if let Some(needs) = self.problem.operators[*step].snap.precondition() {
                self.link(User::Step(place), state, needs, place, &mut links);
            }
        }
        if let Some(end) = self.states.last() {
            for (number, goal) in self.goals.iter().enumerate() {
                self.link(User::Goal(number), end, &goal.condition, self.way.len(), &mut links);
            }
        }
        links
    }

    fn link(&self, to: User, state: &PackedState, condition: &Condition, until: usize, links: &mut Vec<Link>) {
        let Some(part) = self.held(state, condition) else { return };
        for literal in &part.literals {
            if let Some(from) = self.brought_about_by(*literal, until) {
                links.push(Link { from, to, what: *literal });
            }
        }
    }

    fn held<'c>(&self, state: &PackedState, condition: &'c Condition) -> Option<&'c Conjunction> {
        let view = state.view(&self.problem);
        condition.any.iter().find(|part| part.holds(self.problem.frame(), &view))
    }

    /// Whether a literal holds in a state.
    pub(super) fn holds(&self, state: &PackedState, literal: Literal) -> bool {
        let only = Conjunction { literals: [literal].into_iter().collect(), ..Conjunction::default() };
        only.holds(self.problem.frame(), &state.view(&self.problem))
    }

    /// The last step before a place that made something true that was not.
    fn brought_about_by(&self, literal: Literal, until: usize) -> Option<usize> {
        (0..until).rev().find(|step| self.turns(*step, literal) == Some(true))
    }

    /// The last step before a place that undid something.
    pub(super) fn undone_by(&self, literal: Literal, until: usize) -> Option<usize> {
        (0..until).rev().find(|step| self.turns(*step, literal) == Some(false))
    }

    /// What a step makes of something, if it changes it.
    fn turns(&self, step: usize, literal: Literal) -> Option<bool> {
        let before = self.holds(self.states.get(step)?, literal);
        let after = self.holds(self.states.get(step + 1)?, literal);
        (before != after).then_some(after)
    }
}

/// The shortest way from a step over links to a user.
fn chain(links: &[Link], step: usize, goal: User) -> Option<Vec<&Link>> {
    let mut queue: VecDeque<(usize, Vec<&Link>)> = VecDeque::from([(step, Vec::new())]);
    let mut seen = vec![step];
    while let Some((at, so_far)) = queue.pop_front() {
        for link in links.iter().filter(|link| link.from == at) {
            let mut longer = so_far.clone();
            longer.push(link);
            match link.to {
                to if to == goal => return Some(longer),
                User::Step(next) if !seen.contains(&next) => {
                    seen.push(next);
                    queue.push_back((next, longer));
                }
                User::Step(_) | User::Goal(_) => {}
            }
        }
    }
    None
}
