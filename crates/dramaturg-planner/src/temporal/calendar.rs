//! When what is given at ticks lets actions happen: where nothing else changes a fact, it is known for all time, and actions that
//! need it wait for it instead of planning it.

use std::collections::BTreeMap;

use dramaturg_model::{Model, Table, Tick};

use super::given::givens;
use super::stage::Stage;
use super::timeline::NEVER;
use crate::ground::{
    Condition, GroundChange, GroundTime, Index, Literal, Operator, OperatorId, Place, Problem, VariableId,
};
use crate::search::Target;

/// After all time.
const FOREVER: Tick = Tick::MAX / 4;

/// From one tick to another something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Tick,
    to: Tick,
}

/// The part of an action in which something must be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Start,
    Throughout,
    End,
}

/// An action can only happen where one of these spans covers a part of it.
#[derive(Clone, Debug)]
struct Wait {
    when: When,
    spans: Box<[Span]>,
}

impl Wait {
    /// The earliest start, from one on, of an action that takes so long; none if there is no such start.
    fn earliest(&self, start: Tick, duration: Tick, epsilon: Tick) -> Option<Tick> {
        self.spans.iter().find_map(|span| {
            let (from, to) = match self.when {
                When::Start => (span.from + epsilon, span.to - epsilon),
                // What is kept is looked at after the start and before the end.
                When::Throughout => (span.from, span.to - duration),
                When::End => (span.from + epsilon - duration, span.to - epsilon - duration),
            };
            let at = start.max(from);
            (at <= to).then_some(at)
        })
    }
}

/// What each operator waits for.
#[derive(Clone, Debug)]
pub(super) struct Calendar {
    waits: Table<OperatorId, Box<[Wait]>>,
}

impl Calendar {
    /// The earliest start of an operator from a tick on; none if there is none.
    #[inline]
    pub(super) fn earliest(&self, operator: OperatorId, start: Tick, duration: Tick, epsilon: Tick) -> Option<Tick> {
        let waits = &self.waits[operator];
        let mut at = start;
        loop {
            let before = at;
            for wait in waits {
                at = wait.earliest(at, duration, epsilon)?;
            }
            if at == before {
                return Some(at);
            }
        }
    }
}

impl Calendar {
    /// The latest start of an operator that takes so long; none if it may always start.
    pub(super) fn latest(&self, operator: OperatorId, duration: Tick) -> Option<Tick> {
        let last = |wait: &Wait| match wait.when {
            When::Start => wait.spans.last().map(|span| span.to),
            When::Throughout | When::End => wait.spans.last().map(|span| span.to - duration),
        };
        self.waits[operator].iter().filter_map(last).min().filter(|tick| *tick < FOREVER / 2)
    }
}

/// The values of variables that only time changes: each from its tick on.
type Courses = BTreeMap<VariableId, Vec<(Tick, u32)>>;

/// The calendar of a stage and its problem without what the calendar knows; none if something that is given at ticks is also
/// changed otherwise, or is asked for in ways that are no spans of time.
pub(super) fn calendar(model: &Model, stage: &Stage) -> Option<(Calendar, Problem)> {
    let problem = &stage.problem;
    let mut courses = Courses::new();
    for given in givens(model, problem) {
        let GroundChange::Set(variable, value) = given.change else { return None };
        let first = || vec![(NEVER, stage.start.get(problem, variable))];
        courses.entry(variable).or_insert_with(first).push((given.at, value));
    }
    if !problem.rules.is_empty() || !is_apart(problem, &stage.target, &courses) {
        return None;
    }
    let mut waits = Table::new();
    let mut operators = Table::new();
    for operator in problem.operators.values() {
        let own = waits_of(problem, operator, &courses)?;
        operators.push(without(operator, &courses, own.iter().all(|wait| !wait.spans.is_empty())));
        waits.push(own.into_boxed_slice());
    }
    let index = Index::new(&problem.variables, &operators, &problem.rules, &problem.derived, &[], model.objects.len());
    Some((Calendar { waits }, Problem { operators, index, ..Problem::clone(problem) }))
}

fn mentions(condition: &Condition, courses: &Courses) -> bool {
    let mut found = false;
    condition.for_each_variable(&mut |variable| found |= courses.contains_key(&variable));
    found
}

/// Whether only conditions of operators read what is given, and nothing else changes it.
fn is_apart(problem: &Problem, target: &Target, courses: &Courses) -> bool {
    let is_given = |variable: Option<VariableId>| variable.is_some_and(|variable| courses.contains_key(&variable));
    let changes = |operator: &Operator| {
        let phases = &operator.snap.phases;
        let timed = operator.timed.iter();
        phases.iter().any(|phase| {
            phase.sets.iter().any(|(variable, _)| is_given(Some(*variable)))
                || phase.effects.iter().any(|effect| is_given(effect.change.variable()))
        }) || timed
            .clone()
            .flat_map(|timed| &timed.effects)
            .any(|part| is_given(part.effect.change.variable()) || mentions(&part.effect.condition, courses))
            || timed.flat_map(|timed| &timed.contributions).any(|part| {
                let target = match part.target {
                    Place::Variable(variable) | Place::Member(variable, _) => Some(variable),
                    Place::Number(_) | Place::Constant(_) => None,
                };
                is_given(target) || mentions(&part.condition, courses)
            })
            || phases.iter().flat_map(|phase| &phase.effects).any(|effect| mentions(&effect.condition, courses))
    };
    !target.conditions.iter().any(|condition| mentions(condition, courses))
        && !problem.derived.iter().any(|derived| mentions(&derived.condition, courses))
        && !problem.operators.values().any(changes)
}

/// What an operator waits for; none if that cannot be said as spans.
fn waits_of(problem: &Problem, operator: &Operator, courses: &Courses) -> Option<Vec<Wait>> {
    let mut waits = Vec::new();
    let mut add = |when: When, condition: &Condition| {
        if !mentions(condition, courses) {
            return Some(());
        }
        let only = condition.only()?;
        let mut plain = only.clone();
        plain.literals.clear();
        if mentions(&Condition::of(plain), courses) {
            return None;
        }
        for literal in &only.literals {
            if let Some(course) = courses.get(&literal.variable) {
                waits.push(Wait { when, spans: spans(problem, course, literal) });
            }
        }
        Some(())
    };
    match &operator.timed {
        Some(timed) => {
            for part in timed.conditions.iter().filter(|part| part.weight.is_none()) {
                let when = match part.time {
                    GroundTime::Start => When::Start,
                    GroundTime::Throughout => When::Throughout,
                    GroundTime::End => When::End,
                    GroundTime::After(_) if mentions(&part.condition, courses) => return None,
                    GroundTime::After(_) => continue,
                };
                add(when, &part.condition)?;
            }
        }
        None => {
            for phase in &operator.snap.phases {
                add(When::Start, &phase.condition)?;
            }
        }
    }
    Some(waits)
}

/// When a literal is so.
fn spans(problem: &Problem, course: &[(Tick, u32)], literal: &Literal) -> Box<[Span]> {
    let mut spans: Vec<Span> = Vec::new();
    let ends = course.iter().skip(1).map(|(at, _)| *at).chain([FOREVER]);
    for ((from, value), to) in course.iter().zip(ends) {
        if !problem.sets.contains(literal.values, *value) || *from == to {
            continue;
        }
        match spans.last_mut() {
            Some(last) if last.to == *from => last.to = to,
            _ => spans.push(Span { from: *from, to }),
        }
    }
    spans.into_boxed_slice()
}

/// An operator that no longer asks for what the calendar knows; it can never be performed if it waits for what never comes.
fn without(operator: &Operator, courses: &Courses, comes: bool) -> Operator {
    let mut operator = operator.clone();
    for phase in &mut operator.snap.phases {
        for part in &mut phase.condition.any {
            part.literals.retain(|literal| !courses.contains_key(&literal.variable));
        }
        if !comes {
            phase.condition = Condition::never();
        }
    }
    operator
}
