//! What a session keeps because of its game has bounds.

use dramaturg_wire::{Codec, Hello, Observation, ToDirector, VERSION, Value};

use super::*;

fn connected() -> Core {
    let story = "story \"Door\"\nfluent open\n";
    let compiled = dramaturg_story::compile_text("door.story", story);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    let mut core = Core::new(Arc::new(compiled.model), DirectorOptions::default());
    let hello = Hello {
        version: VERSION,
        token: None,
        story: None,
        game: "test".to_owned(),
        call: 1,
        tick: 0,
        rate_milli: 60_000,
        resume: None,
    };
    say(&mut core, 0, 0, 0, &ToDirector::Hello(Box::new(hello)));
    assert!(core.is_connected());
    core
}

fn say(core: &mut Core, now: Moment, epoch: u32, seq: u64, message: &ToDirector) {
    let (mut body, mut frame) = (Vec::new(), Vec::new());
    Codec::Binary.encode(message, &mut body);
    Codec::Binary.wrap(epoch, seq, 0, &body, &mut frame);
    core.pump(now, &mut std::iter::once(frame.as_slice()), &mut |_| {});
}

#[test]
fn pings_that_are_never_answered_are_forgotten() {
    let mut core = connected();
    for now in 1..=3 * PINGS_MAX as Moment {
        core.pump(now * PING_EVERY, &mut std::iter::empty(), &mut |_| {});
        assert!(core.pings.len() <= PINGS_MAX);
    }
    assert_eq!(core.pings.len(), PINGS_MAX, "there were more than that");
}

#[test]
fn reports_of_ticks_to_come_are_kept_up_to_a_bound() {
    let mut core = connected();
    let observation = |from: Tick| Observation { fluent: "open".to_owned(), value: Value::Bool(true), from, to: None };
    for (number, first) in (1..).zip((100..).step_by(1 << 12)).take(17) {
        let observations = (first..first + (1 << 12)).map(observation).collect();
        say(&mut core, 0, 1, number, &ToDirector::Perceive { observations });
        assert!(core.chronicle.report_count() <= REPORTS_MAX);
    }
    assert_eq!(core.breach(), Some(FaultCode::Limit), "the game is told, and its link is closed");
}

#[test]
fn deliberations_that_were_held_up_do_not_show_how_long_one_takes() {
    let longest = |micros: &[Moment]| longest(&micros.iter().copied().collect());
    assert_eq!(longest(&[]), None);
    assert_eq!(longest(&[28_000_000]), None, "nothing is known yet but that");
    assert_eq!(longest(&[50_000, 60_000, 28_000_000]), Some(60_000));
    assert_eq!(longest(&[50_000, 50_000, 50_000, 60_000, 1_500_000, 530_000, 28_000_000]), Some(60_000));
    assert_eq!(longest(&[50_000, 50_000, 50_000, 50_000, 900_000, 800_000, 700_000]), Some(900_000), "they are slow");
}
