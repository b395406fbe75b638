//! What becomes of tasks, in literal exchanges.

mod common;

use common::{Stage, cancel, execute};
use dramaturg_executor::scripted::Which;
use dramaturg_wire::Value;
use expect_test::expect;

#[test]
fn a_task_starts_and_ends_on_time() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 5, 3, 0);
    stage.ticks(1..=9);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":5,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 5
        * 5: 1.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 8
        * 8: 1.0 finishes walk
        > {"epoch":1,"seq":3,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":8,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
    expect![[r#"
        {"task":{"step":1,"part":0},"version":1,"state":{"ended":[8,"finished"]}}
    "#]]
    .assert_eq(&stage.table());
}

#[test]
fn a_task_may_start_late_within_its_tolerance() {
    let mut stage = Stage::welcomed();
    stage.tick(7);
    stage.execute(1, 1, 5, 3, 2);
    stage.ticks(7..=10);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":5,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":2},"reads":[],"every":0,"question":null}}}
        -- tick 7
        * 7: 1.0 starts walk(anna, cellar) with anna.legs, 2 late
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":7,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":7,"outcome":{"started":{"late":2}},"observations":[]}}}
        -- tick 10
        * 10: 1.0 finishes walk
        > {"epoch":1,"seq":3,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":10,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_task_that_is_too_late_is_missed_and_may_come_again() {
    let mut stage = Stage::welcomed();
    stage.tick(8);
    stage.execute(1, 1, 5, 3, 2);
    stage.tick(8);
    stage.execute(1, 2, 10, 1, 2);
    stage.ticks(9..=11);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":5,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":2},"reads":[],"every":0,"question":null}}}
        -- tick 8
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":8,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":8,"outcome":{"missed":{"by":3}},"observations":[]}}}
        < {"epoch":1,"seq":2,"ack":2,"message":{"execute":{"task":{"step":1,"part":0},"version":2,"start":10,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":2},"reads":[],"every":0,"question":null}}}
        -- tick 9
        > {"epoch":1,"seq":3,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":2,"tick":8,"outcome":"accepted","observations":[]}}}
        -- tick 10
        * 10: 1.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":4,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":2,"tick":10,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 11
        * 11: 1.0 finishes walk
        > {"epoch":1,"seq":5,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":2,"tick":11,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_guard_that_fails_keeps_a_task_from_starting() {
    let mut stage = Stage::welcomed();
    stage.game.set("door.open", Value::Bool(true));
    stage.game.set("anna.place", Value::Name("attic".to_owned()));
    stage.game.set("coins", Value::Number(2_000_000));
    stage.game.set_at(3, "coins", Value::Number(3_000_000));
    let guards = r#"[{"fluent":5,"test":{"bool":true}},{"fluent":7,"test":{"number":["at_least",3000000]}}]"#;
    stage.say(&execute(1, 1, 2, 1, 0, guards));
    stage.say(&execute(2, 1, 3, 1, 0, guards));
    stage.say(&execute(3, 1, 3, 1, 0, r#"[{"fluent":6,"test":{"among":[3]}}]"#));
    stage.say(&execute(4, 1, 3, 1, 0, r#"[{"fluent":2,"test":{"not_among":[3]}}]"#));
    stage.ticks(1..=4);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[{"fluent":5,"test":{"bool":true}},{"fluent":7,"test":{"number":["at_least",3000000]}}],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":3,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[{"fluent":5,"test":{"bool":true}},{"fluent":7,"test":{"number":["at_least",3000000]}}],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":3,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[{"fluent":6,"test":{"among":[3]}}],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":4,"ack":0,"message":{"execute":{"task":{"step":4,"part":0},"version":1,"start":3,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[{"fluent":2,"test":{"not_among":[3]}}],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":4,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":4,"ack":4,"message":{"status":{"task":{"step":4,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        > {"epoch":1,"seq":5,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"guard_failed":{"guard":1}},"observations":[]}}}
        -- tick 3
        * 3: 2.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":6,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":3,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":7,"ack":4,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":3,"outcome":{"guard_failed":{"guard":0}},"observations":[]}}}
        > {"epoch":1,"seq":8,"ack":4,"message":{"status":{"task":{"step":4,"part":0},"version":1,"tick":3,"outcome":{"guard_failed":{"guard":0}},"observations":[]}}}
        -- tick 4
        * 4: 2.0 finishes walk
        > {"epoch":1,"seq":9,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":4,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_task_can_be_taken_back_until_it_starts() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 2, 5, 0);
    stage.execute(2, 1, 3, 5, 0);
    stage.say(&cancel(1, 1));
    stage.ticks(1..=3);
    stage.say(&cancel(2, 1));
    stage.say(&cancel(9, 1));
    stage.ticks(4..=9);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":5,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":3,"duration":5,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"cancel":{"task":{"step":1,"part":0},"version":1}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"cancelled","observations":[]}}}
        -- tick 3
        * 3: 2.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":4,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":3,"outcome":{"started":{"late":0}},"observations":[]}}}
        < {"epoch":1,"seq":4,"ack":4,"message":{"cancel":{"task":{"step":2,"part":0},"version":1}}}
        < {"epoch":1,"seq":5,"ack":4,"message":{"cancel":{"task":{"step":9,"part":0},"version":1}}}
        -- tick 4
        > {"epoch":1,"seq":5,"ack":5,"message":{"status":{"task":{"step":9,"part":0},"version":1,"tick":3,"outcome":"unknown","observations":[]}}}
        -- tick 8
        * 8: 2.0 finishes walk
        > {"epoch":1,"seq":6,"ack":5,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":8,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn the_same_task_again_is_answered_but_not_performed_again() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 2, 3, 0);
    stage.tick(1);
    stage.execute(1, 1, 2, 3, 0);
    stage.ticks(2..=3);
    stage.execute(1, 1, 2, 3, 0);
    stage.ticks(4..=6);
    stage.execute(1, 1, 2, 3, 0);
    stage.execute(1, 2, 9, 3, 0);
    stage.ticks(7..=10);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        < {"epoch":1,"seq":2,"ack":1,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 2
        * 2: 1.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":2,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":1,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        < {"epoch":1,"seq":3,"ack":3,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 4
        > {"epoch":1,"seq":4,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 5
        * 5: 1.0 finishes walk
        > {"epoch":1,"seq":5,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":"finished","observations":[]}}}
        < {"epoch":1,"seq":4,"ack":5,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":5,"ack":5,"message":{"execute":{"task":{"step":1,"part":0},"version":2,"start":9,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 7
        > {"epoch":1,"seq":6,"ack":5,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":"finished","observations":[]}}}
        > {"epoch":1,"seq":7,"ack":5,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_later_version_replaces_one_that_waits() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 2, 3, 1, 0);
    stage.execute(1, 3, 5, 1, 0);
    stage.execute(1, 1, 2, 1, 0);
    stage.say(&cancel(1, 2));
    stage.ticks(1..=6);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":2,"start":3,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":3,"start":5,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":4,"ack":0,"message":{"cancel":{"task":{"step":1,"part":0},"version":2}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":2,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":3,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 5
        * 5: 1.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":3,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":3,"tick":5,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 6
        * 6: 1.0 finishes walk
        > {"epoch":1,"seq":4,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":3,"tick":6,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn skipped_ticks_start_what_was_due_in_order() {
    let mut stage = Stage::welcomed();
    stage.execute(3, 1, 4, 1, 10);
    stage.execute(2, 1, 6, 1, 10);
    stage.execute(1, 1, 6, 2, 10);
    stage.execute(4, 1, 2, 1, 1);
    stage.execute(5, 1, 12, 1, 0);
    stage.tick(1);
    stage.tick(9);
    stage.tick(20);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":4,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":10},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":6,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":10},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":6,"duration":2,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":10},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":4,"ack":0,"message":{"execute":{"task":{"step":4,"part":0},"version":1,"start":2,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":1},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":5,"ack":0,"message":{"execute":{"task":{"step":5,"part":0},"version":1,"start":12,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":5,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":5,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":5,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":4,"ack":5,"message":{"status":{"task":{"step":4,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":5,"ack":5,"message":{"status":{"task":{"step":5,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 9
        * 9: 3.0 starts walk(anna, cellar) with anna.legs, 5 late
        * 9: 1.0 starts walk(anna, cellar) with anna.legs, 3 late
        * 9: 2.0 starts walk(anna, cellar) with anna.legs, 3 late
        > {"epoch":1,"seq":6,"ack":5,"message":{"status":{"task":{"step":4,"part":0},"version":1,"tick":9,"outcome":{"missed":{"by":7}},"observations":[]}}}
        > {"epoch":1,"seq":7,"ack":5,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":9,"outcome":{"started":{"late":5}},"observations":[]}}}
        > {"epoch":1,"seq":8,"ack":5,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":9,"outcome":{"started":{"late":3}},"observations":[]}}}
        > {"epoch":1,"seq":9,"ack":5,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":9,"outcome":{"started":{"late":3}},"observations":[]}}}
        -- tick 20
        * 20: 3.0 finishes walk
        * 20: 1.0 finishes walk
        * 20: 2.0 finishes walk
        > {"epoch":1,"seq":10,"ack":5,"message":{"status":{"task":{"step":5,"part":0},"version":1,"tick":20,"outcome":{"missed":{"by":8}},"observations":[]}}}
        > {"epoch":1,"seq":11,"ack":5,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":20,"outcome":"finished","observations":[]}}}
        > {"epoch":1,"seq":12,"ack":5,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":20,"outcome":"finished","observations":[]}}}
        > {"epoch":1,"seq":13,"ack":5,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":20,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_task_can_fail_or_take_longer() {
    let mut stage = Stage::welcomed();
    stage.game.fail("walk", Which::Nth(1), 1, "the door is locked");
    stage.game.stretch("walk", Which::Nth(2), 2);
    stage.game.refuse("walk", Which::Nth(3));
    (1..=3).for_each(|step| stage.execute(step, 1, 1, 3, 0));
    stage.ticks(1..=6);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":1,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":1,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":1,"duration":3,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        * 1: 1.0 starts walk(anna, cellar) with anna.legs
        * 1: 2.0 starts walk(anna, cellar) with anna.legs
        * 1: 3.0 starts walk(anna, cellar) with anna.legs
        * 1: 2.0 stretches walk to 5 ticks
        * 1: 3.0 fails walk: refused
        > {"epoch":1,"seq":1,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":4,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":1,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":5,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":1,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":6,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":1,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":7,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":1,"outcome":{"amended":{"duration":5}},"observations":[]}}}
        > {"epoch":1,"seq":8,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":1,"outcome":{"failed":{"reason":"refused"}},"observations":[]}}}
        -- tick 2
        * 2: 1.0 fails walk: the door is locked
        > {"epoch":1,"seq":9,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"failed":{"reason":"the door is locked"}},"observations":[]}}}
        -- tick 6
        * 6: 2.0 finishes walk
        > {"epoch":1,"seq":10,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":6,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn names_can_be_added_and_unknown_ones_are_refused() {
    let mut stage = Stage::welcomed();
    let task = execute(1, 1, 2, 1, 0, "[]").replace(r#""action":0"#, r#""action":10"#);
    stage.say(&task);
    stage.say(&task.replace(r#""step":1"#, r#""step":2"#).replace(r#""action":10"#, r#""action":11"#));
    stage.say(r#"{"names":{"first":10,"names":["dance"]}}"#);
    stage.say(r#"{"names":{"first":20,"names":["gap"]}}"#);
    stage.ticks(1..=3);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":1,"action":10,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":2,"duration":1,"action":11,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"names":{"first":10,"names":["dance"]}}}
        < {"epoch":1,"seq":4,"ack":0,"message":{"names":{"first":20,"names":["gap"]}}}
        -- tick 1
        * 1: fault: the director sent names that leave a gap in the dictionary
        > {"epoch":1,"seq":1,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        * 2: 1.0 starts dance(anna, cellar) with anna.legs
        > {"epoch":1,"seq":3,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":4,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":2,"outcome":{"failed":{"reason":"the action has no name: number 11 is not in the dictionary"}},"observations":[]}}}
        -- tick 3
        * 3: 1.0 finishes dance
        > {"epoch":1,"seq":5,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":3,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn more_tasks_than_may_wait_are_refused() {
    use dramaturg_executor::{Executor, ExecutorOptions};
    let mut stage = Stage::with(Executor::new(ExecutorOptions { waiting_max: 1, ended_max: 2, ..common::options() }));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.log();
    (1..=4).for_each(|step| stage.execute(step, 1, 5, 1, 0));
    stage.tick(1);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":5,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":5,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":5,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":4,"ack":0,"message":{"execute":{"task":{"step":4,"part":0},"version":1,"start":5,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        * 1: welcome to Cellar, session s1
        > {"epoch":1,"seq":1,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":4,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":{"failed":{"reason":"more than 1 tasks wait already"}},"observations":[]}}}
        > {"epoch":1,"seq":3,"ack":4,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":{"failed":{"reason":"more than 1 tasks wait already"}},"observations":[]}}}
        > {"epoch":1,"seq":4,"ack":4,"message":{"status":{"task":{"step":4,"part":0},"version":1,"tick":0,"outcome":{"failed":{"reason":"more than 1 tasks wait already"}},"observations":[]}}}
        > {"epoch":1,"seq":0,"ack":4,"message":{"time":{"tick":1,"answers":null}}}
    "#]].assert_eq(&stage.log());
    expect![[r#"
        {"task":{"step":1,"part":0},"version":1,"state":"waiting"}
        {"task":{"step":3,"part":0},"version":1,"state":{"ended":[0,{"failed":{"reason":"more than 1 tasks wait already"}}]}}
        {"task":{"step":4,"part":0},"version":1,"state":{"ended":[0,{"failed":{"reason":"more than 1 tasks wait already"}}]}}
    "#]].assert_eq(&stage.table());
}

#[test]
fn after_goodbye_nothing_starts_and_nothing_is_reported() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 5, 0);
    stage.execute(2, 1, 4, 1, 0);
    stage.ticks(1..=2);
    stage.executor.goodbye("the player left");
    stage.log();
    stage.ticks(3..=9);
    expect![[r#"
        -- tick 3
        > {"epoch":1,"seq":4,"ack":2,"message":{"goodbye":{"reason":"the player left"}}}
    "#]]
    .assert_eq(&stage.log());
    // Another session may follow.
    stage.executor.leave_session();
    stage.executor.reconnect();
    stage.tick(10);
    stage.welcome("s2", 1, 0);
    stage.execute(1, 1, 12, 1, 0);
    stage.ticks(11..=12);
    assert_eq!(stage.game.count("walk"), 2);
}
