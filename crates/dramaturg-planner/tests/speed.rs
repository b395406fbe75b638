//! How much work it is. How long that takes is measured by `dramaturg bench validate`.

mod support;

use std::fmt::Write;

use dramaturg_model::{Model, Plan};
use dramaturg_planner::validate::ValidateOptions;
use support::*;

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
