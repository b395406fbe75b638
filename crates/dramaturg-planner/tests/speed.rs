//! How long it takes. The tests count work; with `--ignored --nocapture` they print times too.

mod support;

use std::fmt::Write;

use dramaturg_model::{Model, Plan};
use dramaturg_planner::simulate::{Detail, World, WorldOptions};
use dramaturg_planner::validate::ValidateOptions;
use support::*;

#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test is a shell: it may look at the clock")]
fn timed<T>(what: &str, work: impl Fn() -> T) -> T {
    let mut best = f64::MAX;
    let mut result = work();
    for _ in 0..5 {
        let begin = std::time::Instant::now();
        result = work();
        best = best.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    println!("{what}: {best:.2} ms");
    result
}

/// Forty couriers walk between rooms and say so, five hundred times each two.
fn couriers(steps: usize) -> (Model, Plan) {
    let mut story = String::from(
        "type Room\ntype Courier { room: Room; tired: number 0..1000000; body: actuator }\nfluent met(a: Courier, b: Courier)\n\
         fluent road(a: Room, b: Room)\ngiven road(a, b) for a: Room, b: Room if a != b\n\
         fluent together(a: Courier, b: Courier) means a.room == b.room\n\
         action walk(c: Courier, from: Room, to: Room) { takes 3 ticks; needs c.room == from and road(from, to); uses c.body; \
         then c.room = to, c.tired += 1; say \"{c} goes to {to}.\" }\n\
         action greet(a: Courier, b: Courier) by a with b { takes 2 ticks; needs together(a, b); keeps b.room == a.room; then met(a, b) }\n",
    );
    for room in 0..40 {
        let _ = writeln!(story, "object r{room}: Room");
    }
    for courier in 0..40 {
        let _ = writeln!(story, "object c{courier}: Courier (room = r{courier})");
    }
    let model = text(&story);
    let mut plan = Plan::default();
    let mut at: Vec<usize> = (0..40).collect();
    for number in 0..steps {
        let who = number % 40;
        let (from, to) = (at[who], (at[who] + 1) % 40);
        at[who] = to;
        let names = [format!("c{who}"), format!("r{from}"), format!("r{to}")];
        // `add` looks for the largest id, which takes long in a long plan.
        let mut one = Plan::default();
        one.add("walk", names, (number / 40) as i64 * 3, 3);
        one.steps[0].id = number as u32;
        plan.steps.append(&mut one.steps);
    }
    (model, plan)
}

#[test]
fn the_work_for_a_plan_is_in_proportion_to_it() {
    let (model, plan) = couriers(2_000);
    let report = judge(&model, &plan, &ValidateOptions::default());
    assert_valid(&report);
    assert!(report.effort.total() < 4 * 2_000, "{:?}", report.effort);
}

#[test]
#[ignore = "prints times"]
fn times() {
    let (model, plan) = couriers(10_000);
    let report = timed("10,000 steps of a story judged", || judge(&model, &plan, &ValidateOptions::default()));
    assert_valid(&report);
    timed("10,000 steps of a story simulated with every event", || {
        let mut world = world(&model);
        plan.steps.iter().for_each(|step| world.schedule(&model, step).unwrap());
        world.step_to(&model, plan.end());
        world.drain().len()
    });
    let shelves = pddl(
        "(define (domain s) (:requirements :strips :typing) (:types box shelf)
           (:predicates (on ?b - box ?s - shelf) (held ?b - box) (free))
           (:action lift :parameters (?b - box ?s - shelf) :precondition (and (on ?b ?s) (free))
             :effect (and (held ?b) (not (on ?b ?s)) (not (free))))
           (:action put :parameters (?b - box ?s - shelf) :precondition (held ?b)
             :effect (and (on ?b ?s) (free) (not (held ?b)))))",
        "(define (problem p) (:domain s) (:objects a - box x - shelf) (:init (on a x) (free)) (:goal (on a x)))",
    );
    let lines = "(lift a x)\n(put a x)\n".repeat(5_000);
    let (plan, _) = timed("10,000 lines read", || {
        dramaturg_planner::planfile::read_plan(&shelves, dramaturg_model::FileId(0), &lines)
    });
    assert_valid(&timed("10,000 steps of PDDL judged", || judge(&shelves, &plan, &ValidateOptions::default())));
    let city = story("city");
    let ticks = 2_000;
    let world = timed("2,000 ticks of 253 citizens with two rules each", || {
        let options = WorldOptions { detail: Detail::Violations, ..WorldOptions::default() };
        let mut world = World::begin(&city, options);
        world.step_to(&city, ticks);
        world
    });
    println!("{:?}", world.effort());
    timed("a world of 253 citizens copied", || world.clone().now());
}
