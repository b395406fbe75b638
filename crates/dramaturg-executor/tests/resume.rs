//! Hello, resume, checkpoint and restore, in literal exchanges.

mod common;

use common::{Stage, options};
use dramaturg_executor::{CheckpointError, Executor, ExecutorOptions};
use dramaturg_wire::{Codec, Observation, Value};
use expect_test::expect;

#[test]
fn hello_is_said_until_the_director_answers() {
    let mut stage = Stage::empty();
    let fluent = "door.open".to_owned();
    stage.executor.perceive(Observation { fluent, value: Value::Bool(true), from: 0, to: None });
    stage.ticks(0..=100);
    stage.welcome("s1", 1, 0);
    stage.welcome("s1", 1, 0);
    stage.ticks(101..=102);
    expect![[r#"
        -- tick 0
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":1,"tick":0,"rate_milli":60000,"resume":null}}}
        -- tick 30
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":1,"tick":30,"rate_milli":60000,"resume":null}}}
        -- tick 90
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":1,"tick":90,"rate_milli":60000,"resume":null}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":1,"received":0,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":1,"received":0,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 101
        * 101: welcome to Cellar, session s1
        > {"epoch":1,"seq":1,"ack":0,"message":{"perceive":{"observations":[{"fluent":"door.open","value":{"bool":true},"from":0,"to":null}]}}}
        > {"epoch":1,"seq":0,"ack":0,"message":{"time":{"tick":101,"answers":null}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_director_that_refuses_is_not_called_again_until_the_game_says_so() {
    let mut stage = Stage::empty();
    stage.tick(0);
    stage.frame(r#"{"epoch":0,"seq":0,"ack":0,"message":{"fault":{"code":"token","message":"wrong token"}}}"#);
    stage.ticks(1..=200);
    stage.executor.reconnect();
    stage.tick(201);
    expect![[r#"
        -- tick 0
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":1,"tick":0,"rate_milli":60000,"resume":null}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"fault":{"code":"token","message":"wrong token"}}}
        -- tick 1
        * 1: fault: wrong token
        -- tick 201
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":2,"tick":201,"rate_milli":60000,"resume":null}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn another_major_version_is_a_fault() {
    let mut stage = Stage::empty();
    stage.tick(0);
    stage.log();
    let welcome = r#"{"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":2,"minor":0},"session":"s","story":"x","update":1,"epoch":1,"received":0,"names":[],"message_bytes_max":1}}}"#;
    stage.executor.receive(welcome.as_bytes()).expect("a frame");
    stage.tick(1);
    expect![[r#"
        -- tick 1
        * 1: fault: the director speaks another version of the protocol; use the same release of both
    "#]]
    .assert_eq(&stage.log());
}

#[test]
fn what_waits_starts_without_the_director_and_is_told_on_resume() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 2, 2, 0);
    stage.execute(2, 1, 4, 9, 0);
    stage.execute(3, 1, 40, 1, 0);
    stage.tick(1);
    stage.executor.reconnect();
    stage.tick(2);
    // A frame of the old link that comes late is not taken in: the director will send it again.
    stage.execute(4, 1, 3, 1, 0);
    stage.ticks(3..=5);
    stage.executor.reconnect();
    stage.tick(6);
    stage.welcome("s1", 2, 2);
    stage.ticks(7..=8);
    expect![[r#"
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":1,"part":0},"version":1,"start":2,"duration":2,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":2,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":4,"duration":9,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        < {"epoch":1,"seq":3,"ack":0,"message":{"execute":{"task":{"step":3,"part":0},"version":1,"start":40,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 1
        > {"epoch":1,"seq":1,"ack":3,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":2,"ack":3,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":3,"ack":3,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        -- tick 2
        * 2: 1.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":2,"tick":2,"rate_milli":60000,"resume":{"session":"s1","epoch":1,"received":3,"restored":false,"tasks":[{"task":{"step":1,"part":0},"version":1,"state":{"running":2}},{"task":{"step":2,"part":0},"version":1,"state":"waiting"},{"task":{"step":3,"part":0},"version":1,"state":"waiting"}]}}}}
        < {"epoch":1,"seq":4,"ack":3,"message":{"execute":{"task":{"step":4,"part":0},"version":1,"start":3,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 4
        * 4: 2.0 starts walk(anna, cellar) with anna.legs
        * 4: 1.0 finishes walk
        -- tick 6
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":3,"tick":6,"rate_milli":60000,"resume":{"session":"s1","epoch":1,"received":3,"restored":false,"tasks":[{"task":{"step":1,"part":0},"version":1,"state":{"ended":[4,"finished"]}},{"task":{"step":2,"part":0},"version":1,"state":{"running":4}},{"task":{"step":3,"part":0},"version":1,"state":"waiting"}]}}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":2,"received":2,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 7
        * 7: welcome to Cellar, session s1
        > {"epoch":2,"seq":1,"ack":0,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":0,"outcome":"accepted","observations":[]}}}
        > {"epoch":2,"seq":2,"ack":0,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":2,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":2,"seq":3,"ack":0,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":4,"outcome":{"started":{"late":0}},"observations":[]}}}
        > {"epoch":2,"seq":4,"ack":0,"message":{"status":{"task":{"step":1,"part":0},"version":1,"tick":4,"outcome":"finished","observations":[]}}}
        > {"epoch":2,"seq":0,"ack":0,"message":{"time":{"tick":7,"answers":null}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn another_session_has_nothing_of_the_old() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 9, 0);
    stage.execute(2, 1, 5, 9, 0);
    stage.tick(1);
    stage.executor.leave_session();
    stage.executor.reconnect();
    stage.log();
    stage.tick(2);
    stage.welcome("s2", 1, 0);
    stage.execute(2, 1, 4, 1, 0);
    stage.ticks(3..=6);
    expect![[r#"
        -- tick 2
        * 2: 1.0 cancels walk
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":2,"tick":2,"rate_milli":60000,"resume":null}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s2","story":"Cellar","update":1000,"epoch":1,"received":0,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        < {"epoch":1,"seq":1,"ack":0,"message":{"execute":{"task":{"step":2,"part":0},"version":1,"start":4,"duration":1,"action":0,"actuator":1,"params":[2,3],"guards":[],"late":{"most":0},"reads":[],"every":0,"question":null}}}
        -- tick 3
        * 3: welcome to Cellar, session s2
        > {"epoch":1,"seq":1,"ack":1,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":2,"outcome":"accepted","observations":[]}}}
        > {"epoch":1,"seq":0,"ack":1,"message":{"time":{"tick":3,"answers":null}}}
        -- tick 4
        * 4: 2.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":1,"seq":2,"ack":1,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":4,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 5
        * 5: 2.0 finishes walk
        > {"epoch":1,"seq":3,"ack":1,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":5,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_director_that_lost_the_session_begins_another() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 9, 0);
    stage.execute(2, 1, 5, 9, 0);
    stage.tick(1);
    stage.executor.reconnect();
    stage.tick(2);
    stage.log();
    stage.welcome("s2", 1, 3);
    stage.ticks(3..=6);
    expect![[r#"
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s2","story":"Cellar","update":1000,"epoch":1,"received":3,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 3
        * 3: 1.0 cancels walk
        * 3: welcome to Cellar, session s2
        > {"epoch":1,"seq":0,"ack":0,"message":{"time":{"tick":3,"answers":null}}}
    "#]].assert_eq(&stage.log());
    assert_eq!(stage.table(), "");
}

#[test]
fn a_welcome_to_another_epoch_makes_it_call_again() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 9, 9, 0);
    stage.tick(1);
    stage.log();
    stage.welcome("s1", 2, 0);
    stage.tick(2);
    stage.welcome("s1", 3, 1);
    stage.tick(3);
    expect![[r#"
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":2,"received":0,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 2
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":2,"tick":2,"rate_milli":60000,"resume":{"session":"s1","epoch":1,"received":1,"restored":false,"tasks":[{"task":{"step":1,"part":0},"version":1,"state":"waiting"}]}}}}
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":3,"received":1,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 3
        * 3: welcome to Cellar, session s1
        > {"epoch":3,"seq":0,"ack":0,"message":{"time":{"tick":3,"answers":null}}}
    "#]].assert_eq(&stage.log());
}

#[test]
fn a_restored_game_goes_on_from_its_checkpoint() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 1, 0);
    stage.execute(2, 1, 2, 3, 0);
    stage.execute(3, 1, 9, 1, 0);
    stage.say(r#"{"line":{"tick":7,"id":"t","speaker":null,"slots":[],"text":"Night falls."}}"#);
    stage.ticks(1..=3);
    let checkpoint = stage.executor.checkpoint();
    let table = stage.executor.task_table();
    // What happens now is lost with the game.
    stage.execute(4, 1, 4, 1, 0);
    stage.ticks(4..=5);

    let restored = Executor::restore(&checkpoint, options()).expect("a checkpoint");
    assert_eq!(restored.task_table(), table);
    assert!(restored.checkpoint() == checkpoint, "a checkpoint of the restored is the same");
    let mut stage = Stage::with(restored);
    stage.ticks(4..=6);
    stage.welcome("s1", 2, 20);
    stage.ticks(7..=10);
    expect![[r#"
        -- tick 4
        * 4: 2.0 resumes walk
        > {"epoch":0,"seq":0,"ack":0,"message":{"hello":{"version":{"major":1,"minor":1},"token":null,"story":null,"game":"test","call":16777218,"tick":4,"rate_milli":60000,"resume":{"session":"s1","epoch":1,"received":4,"restored":true,"tasks":[{"task":{"step":1,"part":0},"version":1,"state":{"ended":[2,"finished"]}},{"task":{"step":2,"part":0},"version":1,"state":{"running":2}},{"task":{"step":3,"part":0},"version":1,"state":"waiting"}]}}}}
        -- tick 5
        * 5: 2.0 finishes walk
        < {"epoch":0,"seq":0,"ack":0,"message":{"welcome":{"version":{"major":1,"minor":0},"session":"s1","story":"Cellar","update":1000,"epoch":2,"received":20,"names":["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"],"message_bytes_max":65536}}}
        -- tick 7
        * 7: welcome to Cellar, session s1
        * 7: shows: Night falls.
        > {"epoch":2,"seq":1,"ack":0,"message":{"status":{"task":{"step":2,"part":0},"version":1,"tick":5,"outcome":"finished","observations":[]}}}
        > {"epoch":2,"seq":0,"ack":0,"message":{"time":{"tick":7,"answers":null}}}
        -- tick 9
        * 9: 3.0 starts walk(anna, cellar) with anna.legs
        > {"epoch":2,"seq":2,"ack":0,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":9,"outcome":{"started":{"late":0}},"observations":[]}}}
        -- tick 10
        * 10: 3.0 finishes walk
        > {"epoch":2,"seq":3,"ack":0,"message":{"status":{"task":{"step":3,"part":0},"version":1,"tick":10,"outcome":"finished","observations":[]}}}
    "#]].assert_eq(&stage.log());
    expect![[r#"
        {"task":{"step":1,"part":0},"version":1,"state":{"ended":[2,"finished"]}}
        {"task":{"step":2,"part":0},"version":1,"state":{"ended":[5,"finished"]}}
        {"task":{"step":3,"part":0},"version":1,"state":{"ended":[10,"finished"]}}
    "#]]
    .assert_eq(&stage.table());
}

#[test]
fn damaged_checkpoints_are_refused() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 9, 0);
    stage.execute(2, 1, 9, 9, 0);
    stage.tick(1);
    let good = stage.executor.checkpoint();
    let error = |bytes: &[u8]| Executor::restore(bytes, options()).err();
    assert_eq!(error(&good), None);
    assert_eq!(error(b""), Some(CheckpointError::NotACheckpoint));
    assert_eq!(error(b"a save of another game"), Some(CheckpointError::NotACheckpoint));
    for length in 4..good.len() {
        assert!(error(&good[..length]).is_some(), "cut at {length}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        assert!(error(&bad).is_some(), "altered at {at}");
    }
    let mut newer = good.clone();
    newer[4] = 4;
    assert_eq!(error(&newer), Some(CheckpointError::OtherFormat(4)));
    let binary = ExecutorOptions { codec: Codec::Binary, ..options() };
    assert_eq!(Executor::restore(&good, binary).err(), Some(CheckpointError::OtherCodec));
}

#[test]
fn bytes_that_are_no_frame_are_an_error_and_harm_nothing() {
    let mut stage = Stage::welcomed();
    for bytes in [&b""[..], b"{", b"[]", br#"{"epoch":1,"seq":1,"ack":0,"message":{"dance":{}}}"#] {
        assert!(stage.executor.receive(bytes).is_err());
    }
    stage.execute(1, 1, 1, 0, 0);
    stage.tick(1);
    assert_eq!(stage.game.count("walk"), 1);
}

/// A checkpoint in format 2, as the last release that wrote it did: step 1 runs, step 2 waits, nothing is acknowledged.
const FORMAT_2: &str = "44524d580200bb5cb26cefe6e4a0010200d00f00808004e0d40301027331030a0477616c6b09616e6e612e6c65677304616e6e61066365\
6c6c617205617474696309646f6f722e6f70656e0a616e6e612e706c61636505636f696e730361736b0577617463680102000112120001010202030000000000010100\
010212000101020203000000000000000000020012feffffffffffffffff01feffffffffffffffff0100000001020103637b22737461747573223a7b227461736b223a\
7b2273746570223a312c2270617274223a307d2c2276657273696f6e223a312c227469636b223a302c226f7574636f6d65223a226163636570746564222c226f627365\
72766174696f6e73223a5b5d7d7d637b22737461747573223a7b227461736b223a7b2273746570223a322c2270617274223a307d2c2276657273696f6e223a312c2274\
69636b223a302c226f7574636f6d65223a226163636570746564222c226f62736572766174696f6e73223a5b5d7d7d6f7b22737461747573223a7b227461736b223a7b\
2273746570223a312c2270617274223a307d2c2276657273696f6e223a312c227469636b223a312c226f7574636f6d65223a7b2273746172746564223a7b226c617465\
223a307d7d2c226f62736572766174696f6e73223a5b5d7d7d";

#[test]
fn checkpoints_of_the_last_release_are_read() {
    let bytes: Vec<u8> = (0..FORMAT_2.len() / 2)
        .map(|at| u8::from_str_radix(&FORMAT_2[2 * at..2 * at + 2], 16).expect("two digits"))
        .collect();
    let restored = Executor::restore(&bytes, ExecutorOptions { first_call: 77, ..options() }).expect("it is read");
    let mut stage = Stage::with(restored);
    expect![[r#"
        {"task":{"step":1,"part":0},"version":1,"state":{"running":1}}
        {"task":{"step":2,"part":0},"version":1,"state":"waiting"}
    "#]]
    .assert_eq(&stage.table());
    stage.tick(2);
    assert!(stage.log().contains(r#""call":77,"#), "it knows of no call before");
}

/// The number of the last hello that was said.
fn call(stage: &mut Stage) -> u64 {
    let log = stage.log();
    let hello = log.lines().rfind(|line| line.contains("hello")).expect("a hello");
    hello.split(r#""call":"#).nth(1).and_then(|rest| rest.split(',').next()).expect("a call").parse().expect("a number")
}

#[test]
fn calls_grow_from_life_to_life_whatever_the_clock_says() {
    let at = |first_call| ExecutorOptions { first_call, ..options() };
    let now: u64 = 1_700_000_000_000_000;
    let mut stage = Stage::with(Executor::new(at(now)));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.tick(1);
    let checkpoint = stage.executor.checkpoint();
    // After the save it calls some more, and dies.
    for epoch in 2..100 {
        stage.executor.reconnect();
        stage.tick(2);
        stage.welcome("s1", epoch, 0);
    }
    let last = call(&mut stage);
    for (hour, set) in [(-3_600_000_000_i64, "back"), (0, "not at all"), (3_600_000_000, "forward")] {
        let options = at(now.saturating_add_signed(hour));
        let mut stage = Stage::with(Executor::restore(&checkpoint, options).expect("a checkpoint"));
        stage.tick(3);
        assert!(call(&mut stage) > last, "the clock was set {set}");
    }
}

#[test]
fn calls_that_nobody_answers_rise_above_any_that_was_answered() {
    // A checkpoint from long ago, restored by a clock that was set back: the director has answered a call that it knows
    // nothing of, and ignores those that are lower.
    let first_call = 1_700_000_000_000_000;
    let mut stage = Stage::with(Executor::new(ExecutorOptions { first_call, silence_ticks_max: 3, ..options() }));
    let mut tick = 0;
    let mut call_again = |stage: &mut Stage, silence: i64| {
        stage.executor.reconnect();
        stage.ticks(tick..tick + silence);
        tick += silence;
        call(stage)
    };
    // Where no link comes about there is nobody who could ignore it.
    for _ in 0..100 {
        call_again(&mut stage, 1);
    }
    assert!(call_again(&mut stage, 1) < first_call + 1_000);
    let hour_later = first_call + 3_600_000_000;
    let tries = (1..20).find(|_| call_again(&mut stage, 4) > hour_later);
    assert!(tries.expect("some time") <= 6, "{tries:?}");
    // A director that is stopped for weeks is no reason to run out of numbers.
    let last = (0..100_000).map(|_| call_again(&mut stage, 4)).last();
    assert!(last.expect("many") < u64::MAX / 2);
}

#[test]
fn games_that_go_on_from_one_checkpoint_have_calls_that_grow_with_the_clock() {
    let at = |first_call| ExecutorOptions { first_call, ..options() };
    let mut stage = Stage::with(Executor::new(at(5_000_000)));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.tick(1);
    let checkpoint = stage.executor.checkpoint();
    let mut last = call(&mut stage);
    for life in 6..20 {
        let mut stage = Stage::with(Executor::restore(&checkpoint, at(life * 1_000_000)).expect("a checkpoint"));
        stage.tick(2);
        let first = call(&mut stage);
        assert!(first > last, "life {life}: {first} after {last}");
        stage.executor.reconnect();
        stage.tick(3);
        last = call(&mut stage);
    }
}

#[test]
fn what_may_have_been_started_after_the_checkpoint_is_not_started_again() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 5, 1, 0);
    stage.execute(2, 1, 12, 1, 0);
    stage.tick(1);
    let checkpoint = stage.executor.checkpoint();
    stage.ticks(2..=8);
    assert_eq!(stage.game.count("walk"), 1);
    // The new game believes that no time has passed, but not that nothing has happened.
    let mut restored = Executor::restore(&checkpoint, options()).expect("a checkpoint");
    restored.assume_ran_until(10);
    let mut stage = Stage::with(restored);
    stage.ticks(2..=13);
    assert_eq!(stage.game.count("walk"), 1, "only the second");
    expect![[r#"
        {"task":{"step":1,"part":0},"version":1,"state":{"ended":[2,"unknown"]}}
        {"task":{"step":2,"part":0},"version":1,"state":{"ended":[13,"finished"]}}
    "#]]
    .assert_eq(&stage.table());
}

#[test]
fn a_director_that_forgot_is_told_what_tasks_were() {
    let mut stage = Stage::welcomed();
    stage.execute(1, 1, 1, 2, 0);
    stage.execute(2, 1, 4, 9, 0);
    stage.ticks(1..=5);
    // The game goes on from its save, too, and the director comes back with other names under the same numbers.
    let kept = stage.executor.checkpoint();
    stage.executor = Executor::restore(&kept, options()).expect("restored");
    stage.tick(6);
    stage.welcome_with("s1", 2, 0, r#"["walk","cellar"]"#);
    stage.tick(7);
    stage.log();
    stage.say(r#"{"describe":{"tasks":[{"step":1,"part":0},{"step":2,"part":0},{"step":3,"part":0}]}}"#);
    stage.tick(8);
    let said = stage.log();
    let described = said.lines().find(|line| line.contains("described")).expect("an answer");
    let frame: serde_json::Value = serde_json::from_str(described.trim_start_matches("> ")).expect("JSON");
    let content = |start: i64, duration: i64| serde_json::json!({"action": "walk", "params": ["anna", "cellar"], "start": start, "duration": duration});
    assert_eq!(
        frame["message"]["described"]["tasks"],
        serde_json::json!([
            {"task": {"step": 1, "part": 0}, "content": content(1, 2)},
            {"task": {"step": 2, "part": 0}, "content": content(4, 9)},
            {"task": {"step": 3, "part": 0}, "content": null},
        ])
    );
    // What runs is called by its names, although the director has forgotten them.
    stage.ticks(9..=14);
    assert!(stage.log().contains("2.0 finishes walk"), "it runs on");
}
