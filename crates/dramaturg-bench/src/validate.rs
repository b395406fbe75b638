//! The simulator and the validator on a long plan.

use std::fmt::Write;
use std::hint::black_box;

use dramaturg_model::{FileId, Model, Plan, State, Value};
use dramaturg_planner::planfile::read_plan;
use dramaturg_planner::simulate::{Detail, World, WorldOptions};
use dramaturg_planner::validate::{ValidateOptions, validate};
use dramaturg_story::compile_text;
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use serde::Serialize;

use crate::claim::Claim;
use crate::timing::{Samples, Timing};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct ValidateBench {
    /// How long the plan is.
    pub steps: usize,
    /// How often each thing is done.
    pub repeat: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct ValidateFigures {
    /// Steps of each plan.
    pub steps: usize,
    /// Whether the plans are valid, as they should be.
    pub valid: bool,
    /// The world of a story, driven through the plan.
    pub simulate: Timing,
    /// The plan judged by the phases of a tick.
    pub validate: Timing,
    /// A plan of classical PDDL judged in PDDL's own sense.
    pub validate_pddl: Timing,
    /// The plan file read.
    pub read: Timing,
    /// A town of citizens with two rules each, run for some time.
    pub rules: Timing,
    /// The world of that town copied, as who looks ahead does.
    pub copy: Timing,
    /// The baseline: every step looked up by name and nothing more.
    pub names: Timing,
    /// How many times longer judging takes than looking up names, at the median.
    pub ratio: f64,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// How many citizens the town has, and how many ticks it runs.
const CITIZENS: usize = 250;
const TOWN_TICKS: i64 = 200;
const ROOMS: usize = 20;
const WALKERS: usize = 4;

impl ValidateBench {
    /// Measures; `progress` hears how many of all rounds are done.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize)) -> ValidateFigures {
        let story = compile_text("rounds.story", &story()).model;
        let text = self.story_plan();
        let (plan, faults) = read_plan(&story, FileId(0), &text);
        let (pddl, pddl_plan) = self.pddl();
        let options = ValidateOptions::default();
        let initial = State::initial(&story, 0);
        let pddl_initial = State::initial(&pddl, 0);
        let mut valid = faults.is_empty();
        let (mut simulating, mut judging, mut judging_pddl) = (Samples::new(), Samples::new(), Samples::new());
        let (mut reading, mut naming) = (Samples::new(), Samples::new());
        let (mut ruling, mut copying) = (Samples::new(), Samples::new());
        let town = compile_text("town.story", &town()).model;
        for round in 0..self.repeat {
            black_box(naming.measure(|| names(&story, &plan)));
            black_box(reading.measure(|| read_plan(&story, FileId(0), &text)));
            black_box(simulating.measure(|| simulate(&story, &plan)));
            valid &= judging.measure(|| validate(&story, &initial, &plan, &options)).valid;
            valid &= judging_pddl.measure(|| validate(&pddl, &pddl_initial, &pddl_plan, &options)).valid;
            let world = ruling.measure(|| {
                let mut world =
                    World::begin(&town, WorldOptions { detail: Detail::Violations, ..WorldOptions::default() });
                world.step_to(&town, TOWN_TICKS);
                world
            });
            black_box(copying.measure(|| world.clone()));
            progress(round + 1, self.repeat);
        }
        let (simulate, validate, validate_pddl) = (simulating.timing(), judging.timing(), judging_pddl.timing());
        let names = naming.timing();
        let claims = vec![
            Claim::at_most("simulate, p50", simulate.p50, 50.0, "ms"),
            Claim::at_most("validate, p50", validate.p50, 50.0, "ms"),
            Claim::at_most("validate PDDL, p50", validate_pddl.p50, 50.0, "ms"),
        ];
        let ratio = validate.p50 / names.p50;
        let read = reading.timing();
        ValidateFigures {
            steps: plan.steps.len(),
            valid,
            simulate,
            validate,
            validate_pddl,
            read,
            rules: ruling.timing(),
            copy: copying.timing(),
            names,
            ratio,
            claims,
        }
    }

    /// Walkers go round, two ticks a step, all at the same time.
    fn story_plan(&self) -> String {
        let mut text = String::new();
        for step in 0..self.steps {
            let (walker, round) = (step % WALKERS, step / WALKERS);
            let (from, to) = ((walker + round) % ROOMS, (walker + round + 1) % ROOMS);
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{}: (walk walker-{walker} room-{from} room-{to}) [2]", round * 2);
        }
        text
    }

    /// A gripper that carries one ball to and fro.
    fn pddl(&self) -> (Model, Plan) {
        let problem = "(define (problem toandfro) (:domain gripper) (:objects a b - room one - ball)
            (:init (robot a) (at one a) (free)) (:goal (or (at one a) (at one b) (carrying one))))";
        let (model, _) = compile_pddl((FileId(0), GRIPPER), Some((FileId(1), problem)), &PddlOptions::default());
        let mut text = String::new();
        for step in 0..self.steps {
            let (here, there) = if step / 3 % 2 == 0 { ("a", "b") } else { ("b", "a") };
            let _ = match step % 3 {
                0 => writeln!(text, "(pick one {here})"),
                1 => writeln!(text, "(move {here} {there})"),
                _ => writeln!(text, "(drop one {there})"),
            };
        }
        let (plan, _) = read_plan(&model, FileId(2), &text);
        (model, plan)
    }
}

fn names(model: &Model, plan: &Plan) -> usize {
    let known = plan.steps.iter().filter(|step| {
        let is_object = |name: &str| matches!(model.find_value(name), Some(Value::Object(_)));
        model.find_action(&step.action).is_some() && step.args.iter().all(|arg| is_object(arg))
    });
    known.count()
}

fn simulate(model: &Model, plan: &Plan) -> World {
    let mut world = World::begin(model, WorldOptions { detail: Detail::Happenings, ..WorldOptions::default() });
    for step in &plan.steps {
        // The plan was read against this model.
        let _ = world.schedule(model, step);
    }
    world.step_to(model, plan.end());
    world
}

fn story() -> String {
    let rooms: Vec<String> = (0..ROOMS).map(|room| format!("room-{room}")).collect();
    let mut text = String::from(
        "story \"Rounds\"\ntype Room\ntype Walker { location: Room; steps: number 0..; tired }\n\
         fluent door(a: Room, b: Room)\n",
    );
    let _ = writeln!(text, "object {}: Room", rooms.join(", "));
    for walker in 0..WALKERS {
        let _ = writeln!(text, "object walker-{walker}: Walker (location = room-{})", walker % ROOMS);
    }
    for room in 0..ROOMS {
        let _ = writeln!(text, "given door(room-{room}, room-{})", (room + 1) % ROOMS);
    }
    text.push_str(
        "action walk(who: Walker, from: Room, to: Room) by who {\n  takes 2 ticks\n  needs who.location == from and \
         door(from, to)\n  then who.location = to, who.steps += 1\n}\n\
         rule tires(w: Walker) { when w.steps >= 1000; then w.tired; say \"{w} sits down for a moment.\" }\n",
    );
    text
}

/// Citizens who grow hungry, each from another beginning, and eat.
fn town() -> String {
    let mut text = String::from(
        "story \"Town\" { ticks 10 per s }\ntype Citizen { hunger: number 0..100 = 0; meals: int 0..1000000 = 0 }\n\
         rule hungers(c: Citizen) { while c.hunger < 100; during c.hunger += 1 per s }\n\
         rule eats(c: Citizen) { when c.hunger >= 20; then c.hunger = 0, c.meals += 1 }\n",
    );
    for citizen in 0..CITIZENS {
        let _ = writeln!(text, "object citizen-{citizen}: Citizen (hunger = {})", citizen % 20);
    }
    text
}

const GRIPPER: &str = "(define (domain gripper) (:requirements :typing)
  (:types room ball)
  (:predicates (robot ?r - room) (at ?b - ball ?r - room) (free) (carrying ?b - ball))
  (:action move :parameters (?from ?to - room) :precondition (robot ?from)
    :effect (and (robot ?to) (not (robot ?from))))
  (:action pick :parameters (?b - ball ?r - room) :precondition (and (at ?b ?r) (robot ?r) (free))
    :effect (and (carrying ?b) (not (at ?b ?r)) (not (free))))
  (:action drop :parameters (?b - ball ?r - room) :precondition (and (carrying ?b) (robot ?r))
    :effect (and (at ?b ?r) (free) (not (carrying ?b)))))";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_town_eats() {
        let compiled = compile_text("town.story", &town());
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let mut world = World::begin(&compiled.model, WorldOptions::default());
        world.step_to(&compiled.model, 400);
        let is_meal = |name: &str| name.ends_with(".meals");
        let fed = world.state().entries().into_iter().filter(|(fluent, args, value)| {
            is_meal(&compiled.model.fluent_name(*fluent, args)) && value.as_number().is_some_and(|meals| meals.0 > 0)
        });
        assert_eq!(fed.count(), CITIZENS);
    }
}
