//! Why an action is not in a plan.

use std::sync::Arc;

use dramaturg_model::Model;

use super::course::Course;
use crate::ground::{Condition, Literal, OperatorId};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::{BestFirst, BestFirstOptions, Guide, Outcome, Relaxation, Target};

/// Something that an action lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// What must hold.
    pub(crate) literal: Literal,
    /// It in words.
    pub needs: String,
    /// What holds instead, in words.
    pub is: String,
    /// Which step of the plan undid it, and its name; none: it never held.
    pub undone_by: Option<(usize, String)>,
}

/// Why an action is not in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is: as this step.
    Present(usize),
    /// It cannot be done at any time; this is what it lacks where it lacks least.
    Lacks {
        /// Before which step that is, or at the end.
        before: usize,
        /// What it lacks; empty if it is not a plain condition.
        lacks: Vec<Lack>,
    },
    /// It can be done, but then something wanted is out of reach.
    Hurts {
        /// Before which step it could be done first.
        before: usize,
        /// What is lost, as the story writes it.
        goals: Vec<String>,
    },
    /// It can be done and everything reached, but that is no shorter.
    Longer {
        /// Before which step it could be done first.
        before: usize,
        /// The length of the plan as it is.
        steps: usize,
        /// The length with the action.
        with: usize,
    },
    /// It can be done, but whether everything can be reached then was not found out.
    Unknown {
        /// Before which step it could be done first.
        before: usize,
        /// How many states were looked at.
        states: u64,
    },
}

impl Absence {
    /// Why an operator is not in a course, looking at no more than so many states.
    pub fn find(model: &Model, course: &Course, operator: OperatorId, states_max: u32) -> Self {
        let problem = &course.problem;
        if let Some(place) = course.way.iter().position(|step| *step == operator) {
            return Self::Present(place);
        }
        let possible = course.states.iter().position(|state| problem.is_applicable(state, operator));
        let Some(before) = possible else { return Self::lacks(model, course, operator) };
        let Some(after) = course.states.get(before).and_then(|state| problem.successor(state, operator)) else {
            return Self::lacks(model, course, operator);
        };
        let relaxation = Arc::new(Relaxation::new(problem, true));
        let wanted: Vec<Condition> = course.goals.iter().map(|goal| goal.condition.clone()).collect();
        let (outcome, states) = reach(course, &relaxation, &after, wanted, states_max);
        match outcome {
            Outcome::Found(rest) => Self::Longer { before, steps: course.way.len(), with: before + 1 + rest.len() },
            Outcome::Exhausted => {
                let lost = course.goals.iter().filter(|goal| {
                    let alone = vec![goal.condition.clone()];
                    reach(course, &relaxation, &after, alone, states_max).0 == Outcome::Exhausted
                });
                let mut goals: Vec<String> = lost.map(|goal| goal.name.clone()).collect();
                if goals.is_empty() {
                    // Each can be had, but not all of them.
                    goals = course.goals.iter().map(|goal| goal.name.clone()).collect();
                }
                Self::Hurts { before, goals }
            }
            _ => Self::Unknown { before, states },
        }
    }

    fn lacks(model: &Model, course: &Course, operator: OperatorId) -> Self {
        let problem = &course.problem;
        let Some(condition) = problem.operators[operator].snap.precondition() else {
            return Self::Lacks { before: 0, lacks: Vec::new() };
        };
        let missing = |state: &PackedState| {
            let parts = condition.any.iter().map(|part| {
                let open = part.literals.iter().filter(|literal| !course.holds(state, **literal));
                open.copied().collect::<Vec<Literal>>()
            });
            parts.min_by_key(Vec::len).unwrap_or_default()
        };
        let places = course.states.iter().map(missing).enumerate();
        let Some((before, literals)) = places.min_by_key(|(_, missing)| missing.len()) else {
            return Self::Lacks { before: 0, lacks: Vec::new() };
        };
        let lacks = literals.into_iter().map(|literal| {
            let variable = literal.variable;
            let size = problem.variables[variable].size();
            let here = course.states.get(before);
            let wanted = (0..size).find(|value| {
                here.is_some_and(|state| {
                    let mut state = state.clone();
                    state.set(problem, variable, *value);
                    course.holds(&state, literal)
                })
            });
            let is = here.map_or(0, |state| state.get(problem, variable));
            Lack {
                literal,
                needs: wanted.map_or_else(String::new, |value| problem.value_name(model, variable, value)),
                is: problem.value_name(model, variable, is),
                undone_by: course.undone_by(literal, before).map(|step| (step, course.name(model, step))),
            }
        });
        Self::Lacks { before, lacks: lacks.collect() }
    }

    /// The answer in sentences, the most important first.
    pub fn sentences(&self, model: &Model, course: &Course, name: &str) -> Vec<String> {
        let place = |before: usize| match course.way.len() {
            steps if before >= steps => "at the end".to_owned(),
            _ => format!("before step {}, `{}`", before + 1, course.name(model, before)),
        };
        match self {
            Self::Present(step) => vec![format!("`{name}` is in the plan: it is step {}", step + 1)],
            Self::Lacks { lacks, .. } if lacks.is_empty() => {
                vec![format!("`{name}` cannot be done at any time in this plan")]
            }
            Self::Lacks { before, lacks } => {
                let first = format!("`{name}` cannot be done; it lacks least {}", place(*before));
                let rest = lacks.iter().map(|lack| match &lack.undone_by {
                    Some((step, by)) => {
                        format!("it needs `{}`, which step {}, `{by}`, undid: `{}`", lack.needs, step + 1, lack.is)
                    }
                    None => format!("it needs `{}`, which never holds in this plan: `{}`", lack.needs, lack.is),
                });
                [first].into_iter().chain(rest).collect()
            }
            Self::Hurts { before, goals } => {
                let goals: Vec<String> = goals.iter().map(|goal| format!("`{goal}`")).collect();
                vec![
                    format!("`{name}` could be done {}", place(*before)),
                    format!("but then this is out of reach: {}", goals.join(", ")),
                ]
            }
            Self::Longer { before, steps, with } => {
                let than = match with.cmp(steps) {
                    std::cmp::Ordering::Greater => format!("a plan with it has {with} steps, this one {steps}"),
                    std::cmp::Ordering::Equal => {
                        format!("a plan with it has {with} steps too; this one was found first")
                    }
                    std::cmp::Ordering::Less => {
                        format!("a plan with it has {with} steps, fewer than the {steps} of this one")
                    }
                };
                vec![format!("`{name}` could be done {}, but is not needed", place(*before)), than]
            }
            Self::Unknown { before, states } => vec![
                format!("`{name}` could be done {}", place(*before)),
                format!("whether everything can be reached then was not found out within {states} states"),
            ],
        }
    }
}

fn reach(
    course: &Course,
    relaxation: &Arc<Relaxation>,
    from: &PackedState,
    wanted: Vec<Condition>,
    states_max: u32,
) -> (Outcome, u64) {
    let options = BestFirstOptions { guide: Guide::Shortest, ..BestFirstOptions::default() };
    let mut search = BestFirst::new(Arc::clone(&course.problem), relaxation, from, Target::new(wanted), options);
    let outcome = search.run(&mut Budget::of(states_max)).clone();
    (outcome, search.evaluated())
}
