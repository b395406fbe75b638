//! Answers about the plans of Sparta.

use std::sync::Arc;

use dramaturg_model::{Model, State};
use dramaturg_story::compile_text;

use super::{Absence, Course, Goal};
use crate::cast::domain::Domain;
use crate::cast::{Thought, ThoughtOptions, Want};
use crate::ground::{OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::Budget;

const SPARTA: &str = include_str!("../../../../stories/troy-sparta.story");

/// The plan of a character, from a state.
fn course(model: &Model, domain: &Domain, name: &str, start: &PackedState) -> Course {
    let object = model.find_object(name);
    let role = object.map(|object| Arc::new(domain.role(object)));
    let found = object.map(|object| domain.wants(model, start, object)).unwrap_or_default();
    let goal = |(name, want): &(String, Want)| Goal { name: name.clone(), condition: want.condition.clone() };
    let goals = found.iter().map(goal).collect();
    let wants = found.into_iter().map(|(_, want)| want).collect();
    assert!(role.is_some(), "{name}");
    let mut way = Vec::new();
    let problem = role.as_ref().map_or_else(|| Arc::clone(&domain.problem), |role| Arc::clone(&role.problem));
    if let Some(role) = role {
        let mut thought = Thought::new(role, start, wants, ThoughtOptions::default());
        while thought.run(&mut Budget::of(1_000)).is_none() {}
        way = thought.run(&mut Budget::of(0)).map(|resolve| resolve.way.clone()).unwrap_or_default();
    }
    Course::new(problem, start, &way, goals)
}

fn find(model: &Model, problem: &Problem, name: &str) -> OperatorId {
    let found = problem.operators.ids().find(|operator| problem.operator_name(model, *operator) == name);
    assert!(found.is_some(), "{name}");
    found.unwrap_or(OperatorId(0))
}

fn sparta() -> (Model, Domain, PackedState) {
    let compiled = compile_text("troy.story", SPARTA);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    let state = State::initial(&compiled.model, 0);
    let domain = Domain::new(&compiled.model, &state);
    let start = domain.problem.initial();
    (compiled.model, domain, start)
}

#[test]
fn every_step_leads_to_what_is_wanted() {
    let (model, domain, start) = sparta();
    let course = course(&model, &domain, "hector", &start);
    let talk = course.way.iter().position(|step| course.problem.operator_name(&model, *step).starts_with("talk"));
    let why = course.why(&model, talk.unwrap_or(usize::MAX));
    assert_eq!(
        why,
        [
            "it makes `talked(hector, menelaos)` true, which `give(hector, menelaos, hector-troy-gift, throne-room)` needs; there \
             it makes `hector-troy-gift.holder == menelaos` true, and that is wanted: `goal hector-troy-gift.holder == menelaos salience 90`",
            "it makes `talked(hector, menelaos)` true, which `negotiatePeace(hector, menelaos, throne-room)` needs; there \
             it makes `peace` true, and that is wanted: `goal peace salience 80`",
        ]
    );
    for step in 0..course.way.len() {
        assert_ne!(course.why(&model, step), ["nothing that is wanted depends on it"], "{}", course.name(&model, step));
    }
}

#[test]
fn what_is_absent_has_a_reason() {
    let (model, domain, start) = sparta();
    let course = course(&model, &domain, "paris", &start);
    let answer = |name: &str| {
        let operator = find(&model, &course.problem, name);
        let absence = Absence::find(&model, &course, operator, 20_000);
        absence.sentences(&model, &course, name).join(" / ")
    };
    let kill = answer("kill(paris, menelaos, spear, throne-room)");
    assert!(kill.contains("needs `spear.holder == paris`, which never holds"), "{kill}");
    let wander = answer("walk(paris, guest-room, kitchen)");
    assert!(wander.contains("is not needed") && wander.contains("12 steps, this one 11"), "{wander}");
}

/// Obeying the answer changes it: what was named as missing is there, so either the action can be done or something else is missing.
#[test]
fn obeying_the_answer_changes_it() {
    let (model, domain, start) = sparta();
    let before = course(&model, &domain, "hector", &start);
    let (mut obeyed, mut possible) = (0, 0);
    for operator in before.problem.operators.ids() {
        let answer = Absence::find(&model, &before, operator, 0);
        let Absence::Lacks { lacks, .. } = &answer else { continue };
        if lacks.is_empty() {
            continue;
        }
        let mut start = start.clone();
        for lack in lacks {
            let variable = lack.literal.variable;
            let value = (0..before.problem.variables[variable].size()).find(|value| {
                let mut tried = start.clone();
                tried.set(&before.problem, variable, *value);
                before.holds(&tried, lack.literal)
            });
            start.set(&before.problem, variable, value.unwrap_or(0));
        }
        // The plan is as it was; the world is not.
        let after = Course::new(Arc::clone(&before.problem), &start, &before.way, before.goals.clone());
        let again = Absence::find(&model, &after, operator, 0);
        assert_ne!(again, answer, "{}", before.problem.operator_name(&model, operator));
        obeyed += 1;
        possible += u32::from(!matches!(again, Absence::Lacks { .. }));
    }
    assert!(obeyed > 100 && possible > 50, "{obeyed} {possible}");
}
