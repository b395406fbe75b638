//! Sensors, questions, lines and what the game says on its own account, in literal exchanges.

mod common;

use common::Stage;
use dramaturg_executor::scripted::Which;
use dramaturg_executor::{AnswerError, Executor, ExecutorOptions};
use dramaturg_wire::{Observation, Task, Value};
use expect_test::expect;

const WATCH: &str = r#"{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":8,"action":9,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[6,7,5],"every":3,"question":null}}"#;
const LOOK: &str = r#"{"execute":{"task":{"step":2,"part":1},"version":1,"start":2,"duration":1,"action":9,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[7],"every":0,"question":null}}"#;
const ASK: &str = r#"{"execute":{"task":{"step":3,"part":0},"version":1,"start":2,"duration":0,"action":8,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":{"of_game":false,"text":"Go down?","answers":[["yes","Yes!"],["no","Never."]],"within":[4,"no"]}}}"#;

#[test]
fn a_subscription_reports_again_and_again_and_a_look_once() {
    let mut stage = Stage::welcomed();
    stage.game.set("anna.place", Value::Name("attic".to_owned()));
    stage.game.set("coins", Value::Number(0));
    stage.game.set_at(4, "anna.place", Value::Name("cellar".to_owned()));
    stage.say(WATCH);
    stage.say(LOOK);
    stage.ticks([1, 2, 3, 4, 5, 6, 9, 10]);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":8,"action":9,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[6,7,5],"every":3,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":1},"version":1,"start":2,"duration":1,"action":9,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[7],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":2,"message":{"status":{"task":{"step":2,"part":1},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        * 2: 1.0 starts watch()
        * 2: 2.1 starts watch()
        > {"epoch":1,"seq":3,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":4,"ack":2,"message":{"status":{"task":{"step":2,"part":1},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":5,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"progress":{"thousandths":0}},"observations":[{"fluent":"anna.place","value":{"name":"attic"},"from":2,"to":null},{"fluent":"coins","value":{"number":0},"from":2,"to":null}]}}}
        -- tick 3
        * 3: 2.1 finishes watch
        > {"epoch":1,"seq":6,"ack":2,"message":{"status":{"task":{"step":2,"part":1},"version":1,"tick":3,"outcome":"finished","observations":[{"fluent":"coins","value":{"number":0},"from":3,"to":null}]}}}
        -- tick 5
        > {"epoch":1,"seq":7,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":{"progress":{"thousandths":375}},"observations":[{"fluent":"anna.place","value":{"name":"cellar"},"from":5,"to":null},{"fluent":"coins","value":{"number":0},"from":5,"to":null}]}}}
        -- tick 9
        > {"epoch":1,"seq":8,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":9,"outcome":{"progress":{"thousandths":875}},"observations":[{"fluent":"anna.place","value":{"name":"cellar"},"from":9,"to":null},{"fluent":"coins","value":{"number":0},"from":9,"to":null}]}}}
        -- tick 10
        * 10: 1.0 finishes watch
        > {"epoch":1,"seq":9,"ack":2,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":10,"outcome":"finished","observations":[{"fluent":"anna.place","value":{"name":"cellar"},"from":10,"to":null},{"fluent":"coins","value":{"number":0},"from":10,"to":null}]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn readings_are_left_out_while_too_much_waits_to_be_acknowledged() {
    let options = ExecutorOptions { unacknowledged_max: 4, ..common::options() };
    let mut stage = Stage::with(Executor::new(options));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.game.set("coins", Value::Number(0));
    stage.say(&WATCH.replace(r#""duration":8"#, r#""duration":80"#));
    stage.ticks(1..=2);
    stage.executor.reconnect();
    stage.ticks(3..=90);
    assert_eq!(stage.executor.unacknowledged(), 5, "accepted, started, two readings, and the end");
}

#[test]
fn a_question_is_answered() {
    let mut stage = Stage::welcomed();
    stage.game.answer_after(2);
    stage.game.answer("ask", "yes");
    stage.say(ASK);
    stage.ticks(1..=5);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":2,"duration":0,"action":8,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":{"of_game":false,"text":"Go down?","answers":[["yes","Yes!"],["no","Never."]],"within":[4,"no"]}}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        * 2: 3.0 asks ask: Go down? [yes, no]
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 4
        * 4: 3.0 answers ask: yes
        > {"epoch":1,"seq":3,"ack":1,"message":{"answer":{"task":{"step":3,"part":0},"version":1,"tick":4,"answer":"yes"}}}
        > {"epoch":1,"seq":4,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":4,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_question_nobody_answers_takes_its_default_when_its_time_is_over() {
    let mut stage = Stage::welcomed();
    stage.game.stay_silent(true);
    stage.say(ASK);
    stage.ticks(1..=7);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":2,"duration":0,"action":8,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":{"of_game":false,"text":"Go down?","answers":[["yes","Yes!"],["no","Never."]],"within":[4,"no"]}}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        * 2: 3.0 asks ask: Go down? [yes, no]
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 6
        * 6: 3.0 cancels ask
        > {"epoch":1,"seq":3,"ack":1,"message":{"answer":{"task":{"step":3,"part":0},"version":1,"tick":6,"answer":"no"}}}
        > {"epoch":1,"seq":4,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":6,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_player_answers_through_the_executor() {
    let mut stage = Stage::welcomed();
    stage.game.stay_silent(true);
    stage.say(ASK);
    let task = Task { step: 3, part: 0 };
    assert_eq!(stage.executor.answer(task, "yes"), Err(AnswerError::NotAsked), "it has not started");
    stage.ticks(1..=3);
    assert_eq!(stage.executor.answer(task, "perhaps"), Err(AnswerError::NotOffered));
    assert_eq!(stage.executor.answer(task, "yes"), Ok(()));
    assert_eq!(stage.executor.answer(task, "no"), Err(AnswerError::NotAsked), "it is answered");
    stage.log();
    stage.ticks(4..=8);
    expect![[r#"
        -- tick 4
        > {"epoch":1,"seq":3,"ack":1,"message":{"answer":{"task":{"step":3,"part":0},"version":1,"tick":4,"answer":"yes"}}}
        > {"epoch":1,"seq":4,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":4,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_wrong_answer_of_the_game_fails_the_question() {
    let mut stage = Stage::welcomed();
    stage.game.answer("ask", "perhaps");
    stage.say(ASK);
    stage.ticks(2..=3);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":2,"duration":0,"action":8,"actuator":null,"params":[],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":{"of_game":false,"text":"Go down?","answers":[["yes","Yes!"],["no","Never."]],"within":[4,"no"]}}}}
        -- tick 2
        * 2: 3.0 asks ask: Go down? [yes, no]
        * 2: 3.0 answers ask: perhaps
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":3,"ack":1,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":2,"outcome":{"failed":{"reason":"`perhaps` is none of the answers"}},"observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn lines_are_shown_at_their_tick() {
    let mut stage = Stage::welcomed();
    let line = |tick, text: &str| {
        format!(r#"{{"line":{{"tick":{tick},"id":"t","speaker":"anna","slots":[],"text":"{text}"}}}}"#)
    };
    stage.say(&line(5, "third"));
    stage.say(&line(3, "first"));
    stage.say(&line(3, "second"));
    stage.say(&line(-1, "at once"));
    stage.log();
    stage.ticks(1..=6);
    expect![[r#"
        -- tick 1
        * 1: anna says: at once
        > {"epoch":1,"seq":0,"ack":4,"message":"acknowledge"}
        -- tick 3
        * 3: anna says: first
        * 3: anna says: second
        -- tick 5
        * 5: anna says: third
    "#]]
    .assert_eq(&stage.log());
}

#[test]
fn a_ping_is_answered_at_once_and_time_is_told_by_counting() {
    let mut stage = Stage::welcomed();
    stage.tick(500);
    stage.say(r#"{"ping":{"id":7}}"#);
    stage.flush(500);
    stage.ticks([999, 1003, 2002, 2003, 3500, 4499, 4500]);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"ping":{"id":7}}}
        -- tick 500
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":500,"answers":7}}}
        -- tick 1003
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":1003,"answers":null}}}
        -- tick 2003
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":2003,"answers":null}}}
        -- tick 3500
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":3500,"answers":null}}}
        -- tick 4500
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":4500,"answers":null}}}
    "#]]
    .assert_eq(&stage.log());
}

#[test]
fn the_game_speaks_on_its_own_account() {
    let mut stage = Stage::welcomed();
    stage.tick(5);
    let executor = &mut stage.executor;
    let fluent = "door.open".to_owned();
    executor.perceive(Observation { fluent, value: Value::Bool(true), from: 4, to: None });
    executor.set_goals(None, vec!["goal anna.place == cellar by 500 ticks".to_owned()]);
    executor.set_language("de-AT");
    assert_eq!(executor.request_save(), 1);
    assert_eq!(executor.load(vec![1, 2]), 2);
    executor.pause();
    executor.pause();
    stage.execute(1, 1, 6, 1, 9);
    stage.ticks([5, 5, 6]);
    stage.executor.resume(30_000);
    stage.tick(7);
    stage.say(r#"{"saved":{"request":1,"tick":5,"data":[9,9]}}"#);
    stage.say(r#"{"loaded":{"request":2,"notes":["dropped a chair"]}}"#);
    stage.say(r#"{"fault":{"code":"name","message":"there is no cellar"}}"#);
    stage.tick(8);
    stage.executor.goodbye("enough");
    stage.tick(9);
    stage.say(r#"{"goodbye":{"reason":"so long"}}"#);
    stage.tick(10);
    assert!(!stage.executor.is_connected());
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":6,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":9},"reads":[],"every":0,"question":null}}}
        -- tick 5
        > {"epoch":1,"seq":1,"ack":1,"message":{"perceive":{"observations":[{"fluent":"door.open","value":{"bool":true},"from":4,"to":null}]}}}
        > {"epoch":1,"seq":2,"ack":1,"message":{"set_goals":{"owner":null,"goals":["goal anna.place == cellar by 500 ticks"]}}}
        > {"epoch":1,"seq":3,"ack":1,"message":{"language":{"tag":"de-AT"}}}
        > {"epoch":1,"seq":4,"ack":1,"message":{"save":{"request":1}}}
        > {"epoch":1,"seq":5,"ack":1,"message":{"load":{"request":2,"data":[1,2]}}}
        > {"epoch":1,"seq":6,"ack":1,"message":{"pause":{"tick":5}}}
        > {"epoch":1,"seq":7,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":5,"outcome":"accepted","observations":[]}}}
        -- tick 7
        * 7: 1.0 starts walk(anna, cellar) with anna.legs, 1 late
        > {"epoch":1,"seq":8,"ack":1,"message":{"continue":{"tick":6,"rate_milli":30000}}}
        > {"epoch":1,"seq":9,"ack":1,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":7,"outcome":{"started":{"late":1}},"observations":[]}}}
        < {"epoch":1,"seq":2,"ack":9,"message":{"saved":{"request":1,"tick":5,"data":[9,9]}}}
        < {"epoch":1,"seq":3,"ack":9,"message":{"loaded":{"request":2,"notes":["dropped a chair"]}}}
        < {"epoch":1,"seq":4,"ack":9,"message":{"fault":{"code":"name","message":"there is no cellar"}}}
        -- tick 8
        * 8: save 1 of tick 5: 2 bytes
        * 8: load 2 done, 1 notes
        * 8: fault: there is no cellar
        * 8: 1.0 finishes walk
        > {"epoch":1,"seq":10,"ack":4,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":8,"outcome":"finished","observations":[]}}}
        -- tick 9
        > {"epoch":1,"seq":11,"ack":4,"message":{"goodbye":{"reason":"enough"}}}
        < {"epoch":1,"seq":5,"ack":11,"message":{"goodbye":{"reason":"so long"}}}
        -- tick 10
        * 10: goodbye: so long
        > {"epoch":1,"seq":0,"ack":5,"message":"acknowledge"}
    "#]].assert_eq(&stage.log());
}

#[test]
fn which_next_counts_from_where_it_is_said() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 0, 0);
    stage.tick(1);
    stage.game.fail("walk", Which::Next, 0, "tired");
    stage.execute(2, 1, 2, 0, 0);
    stage.execute(3, 1, 3, 0, 0);
    stage.log();
    stage.ticks(2..=3);
    expect![[r#"
        -- tick 2
        * 2: 2.0 starts walk(anna, cellar) with anna.legs
        * 2: 2.0 fails walk: tired
        > {"epoch":1,"seq":4,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":1,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":5,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":1,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":6,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":7,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":2,"outcome":{"failed":{"reason":"tired"}},"observations":[]}}}
        -- tick 3
        * 3: 3.0 starts walk(anna, cellar) with anna.legs
        * 3: 3.0 finishes walk
        > {"epoch":1,"seq":8,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":3,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":1,"seq":9,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":3,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
    assert_eq!(stage.game.count("walk"), 3);
}
