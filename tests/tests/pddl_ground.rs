//! PDDL out and in again gives the same ground model.

use std::collections::BTreeSet;
use std::fmt::Write;

use dramaturg_model::{FileId, Model};
use dramaturg_planner::ground::{GroundOptions, Groups, Meaning, ground};
use dramaturg_story::pddl::{ExportOptions, PddlLevel, PddlOptions, compile_pddl, to_pddl};
use proptest::prelude::*;

/// What a ground problem says, in names: its operators with what they ask and change, its facts, its numbers, its goals.
fn essence(model: &Model) -> (BTreeSet<String>, BTreeSet<String>, usize, usize) {
    let options = GroundOptions { groups: Groups::Never, ..GroundOptions::default() };
    let grounding = ground(model, &options);
    assert!(grounding.stop.is_none());
    let problem = &grounding.problem;
    let operators = problem
        .operators
        .ids()
        .map(|id| {
            let mut text = problem.operator_name(model, id);
            for phase in &problem.operators[id].snap.phases {
                let mut asked: Vec<String> = Vec::new();
                for conjunction in &phase.condition.any {
                    for literal in &conjunction.literals {
                        let size = problem.variables[literal.variable].size();
                        let values = (0..size).filter(|value| problem.sets.contains(literal.values, *value));
                        let names: Vec<String> =
                            values.map(|value| problem.value_name(model, literal.variable, value)).collect();
                        asked.push(names.join("|"));
                    }
                }
                asked.sort_unstable();
                let mut sets: Vec<String> =
                    phase.sets.iter().map(|(variable, value)| problem.value_name(model, *variable, *value)).collect();
                sets.sort_unstable();
                write!(text, " asks {asked:?} sets {sets:?} and {} more", phase.effects.len()).unwrap();
            }
            text
        })
        .collect();
    let mut facts = BTreeSet::new();
    for (id, variable) in problem.variables.iter() {
        assert!(!matches!(variable.meaning, Meaning::Group { .. }));
        for value in 0..variable.size() {
            facts.insert(problem.value_name(model, id, value));
        }
    }
    (operators, facts, problem.numbers.len(), problem.story_goals(model).len())
}

fn read(domain: &str, problem: &str) -> Model {
    let (model, found) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &PddlOptions::default());
    assert!(found.is_empty(), "{found:?}\n{domain}\n{problem}");
    model
}

/// A random small domain: places in a graph, things to carry, switches with conditional effects, and a counter.
#[derive(Clone, Debug)]
struct World {
    places: usize,
    things: usize,
    roads: Vec<(usize, usize)>,
    flags: usize,
    switches: Vec<Switch>,
    numbers: bool,
}

/// An action over flags.
#[derive(Clone, Debug)]
struct Switch {
    /// The flag it needs, and whether that must be up or down.
    needs: (usize, bool),
    /// The flag it sets, and to what.
    sets: (usize, bool),
    /// The flag on which it also clears another.
    also: Option<(usize, usize)>,
}

fn worlds() -> impl Strategy<Value = World> {
    (2..5_usize, 1..3_usize, 1..4_usize, any::<bool>()).prop_flat_map(|(places, things, flags, numbers)| {
        let roads = prop::collection::vec((0..places, 0..places), 1..8);
        let also = prop::option::of((0..flags, 0..flags));
        let switch = ((0..flags, any::<bool>()), (0..flags, any::<bool>()), also)
            .prop_map(|(needs, sets, also)| Switch { needs, sets, also });
        let switches = prop::collection::vec(switch, 1..4);
        (roads, switches).prop_map(move |(roads, switches)| World { places, things, roads, flags, switches, numbers })
    })
}

fn pddl(world: &World) -> (String, String) {
    let mut domain = String::from(
        "(define (domain moves) (:requirements :adl :typing :numeric-fluents)\n\
         (:types place thing)\n(:predicates (road ?a ?b - place) (here ?p - place) (lies ?t - thing ?p - place) (held ?t - thing)",
    );
    (0..world.flags).for_each(|flag| write!(domain, " (flag{flag})").unwrap());
    domain.push_str(")\n");
    if world.numbers {
        domain.push_str("(:functions (steps))\n");
    }
    let count = if world.numbers { "(increase (steps) 1)" } else { "" };
    write!(
        domain,
        "(:action go :parameters (?a ?b - place) :precondition (and (here ?a) (road ?a ?b))\n\
           :effect (and (here ?b) (not (here ?a)) {count}))\n\
         (:action take :parameters (?t - thing ?p - place) :precondition (and (here ?p) (lies ?t ?p))\n\
           :effect (and (held ?t) (not (lies ?t ?p))))\n\
         (:action drop :parameters (?t - thing ?p - place) :precondition (and (here ?p) (held ?t))\n\
           :effect (and (lies ?t ?p) (not (held ?t))))\n"
    )
    .unwrap();
    let flag = |(flag, up): (usize, bool)| if up { format!("(flag{flag})") } else { format!("(not (flag{flag}))") };
    for (index, switch) in world.switches.iter().enumerate() {
        let (needs, sets) = (flag(switch.needs), flag(switch.sets));
        let also =
            switch.also.map_or(String::new(), |(when, clears)| format!("(when (flag{when}) (not (flag{clears})))"));
        writeln!(domain, "(:action switch{index} :parameters () :precondition {needs} :effect (and {sets} {also}))")
            .unwrap();
    }
    domain.push_str(")\n");
    let mut problem = String::from("(define (problem one) (:domain moves) (:objects");
    (0..world.places).for_each(|place| write!(problem, " p{place}").unwrap());
    problem.push_str(" - place");
    (0..world.things).for_each(|thing| write!(problem, " t{thing}").unwrap());
    problem.push_str(" - thing)\n(:init (here p0)");
    world.roads.iter().for_each(|(a, b)| write!(problem, " (road p{a} p{b})").unwrap());
    (0..world.things).for_each(|thing| write!(problem, " (lies t{thing} p{})", thing % world.places).unwrap());
    if world.numbers {
        problem.push_str(" (= (steps) 0)");
    }
    writeln!(problem, ")\n(:goal (and (held t0) (here p{}))))", world.places - 1).unwrap();
    (domain, problem)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn out_and_in_again_is_the_same_problem(world in worlds()) {
        let (domain, problem) = pddl(&world);
        let first = read(&domain, &problem);
        let level = if world.numbers { PddlLevel::Temporal } else { PddlLevel::Classical };
        let export = to_pddl(&first, &ExportOptions { level, ..ExportOptions::default() });
        prop_assert!(export.left_out.is_empty(), "{:?}", export.left_out);
        let second = read(&export.domain, &export.problem);
        prop_assert_eq!(essence(&first), essence(&second), "{}\n{}", export.domain, export.problem);
    }
}

#[test]
fn a_story_keeps_its_operators_on_the_way_out() {
    let story = dramaturg_tests::sample("troy-sparta");
    for name in ["hector", "paris"] {
        let character = story.model.find_object(name);
        let export = to_pddl(&story.model, &ExportOptions { character, ..ExportOptions::default() });
        let model = read(&export.domain, &export.problem);
        let here = ground(&story.model, &GroundOptions::default()).problem;
        let there = ground(&model, &GroundOptions::default()).problem;
        let performed =
            |id| character.is_some_and(|who| here.args(id).first() == Some(&dramaturg_model::Value::Object(who)));
        let own = here.operators.ids().filter(|id| performed(*id)).count();
        assert!(own > 100, "{own}");
        assert!(there.operators.len() <= own, "{} of {own}", there.operators.len());
        assert!(there.operators.len() * 3 >= own, "{} of {own}", there.operators.len());
    }
}
