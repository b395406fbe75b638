//! A link that died without a word is noticed, and a quiet director is not taken for a dead link.

mod common;

use common::{Stage, options};
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::link::{InlineLink, Link, LinkError, LinkOptions};
use dramaturg_wire::{Channel, ChannelOptions, Codec, Tick, ToDirector, ToGame, VERSION, Welcome};
use expect_test::expect;
use proptest::prelude::*;

#[test]
fn a_quiet_director_is_asked_and_its_acknowledgement_is_enough() {
    let mut stage = Stage::with(Executor::new(ExecutorOptions { silence_ticks_max: 20, ..options() }));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.tick(1);
    stage.log();
    stage.ticks(2..=12);
    assert!(!stage.executor.is_link_silent());
    stage.frame(r#"{"epoch":1,"seq":0,"ack":1,"message":"acknowledge"}"#);
    stage.ticks(13..=14);
    expect![[r#"
        -- tick 11
        > {"epoch":1,"seq":1,"ack":0,"message":"acknowledge"}
        < {"epoch":1,"seq":0,"ack":1,"message":"acknowledge"}
    "#]]
    .assert_eq(&stage.log());
    assert_eq!((stage.executor.silent_ticks(), stage.executor.unacknowledged()), (1, 0));
    // From here on nothing comes any more.
    let noticed = (15..).find(|tick| {
        stage.tick(*tick);
        stage.executor.is_link_silent()
    });
    assert_eq!(noticed, Some(33), "20 ticks after the last one in which something came");
    stage.executor.reconnect();
    assert!(!stage.executor.is_link_silent(), "another link is given its own time");
    let noticed = (34..).find(|tick| {
        stage.tick(*tick);
        stage.executor.is_link_silent()
    });
    assert_eq!(noticed, Some(53), "a hello that is not answered is silence too");
}

#[test]
fn who_was_refused_or_does_not_mind_waits_for_nothing() {
    let mut stage = Stage::with(Executor::new(ExecutorOptions { silence_ticks_max: 20, ..options() }));
    stage.tick(0);
    stage.frame(r#"{"epoch":0,"seq":0,"ack":0,"message":{"fault":{"code":"token","message":"wrong token"}}}"#);
    stage.ticks(1..=100);
    assert!(!stage.executor.is_link_silent(), "it was answered");
    let mut stage = Stage::with(Executor::new(ExecutorOptions { silence_ticks_max: 0, ..options() }));
    stage.tick(0);
    stage.welcome("s1", 1, 0);
    stage.ticks(1..=900);
    assert!(!stage.executor.is_link_silent());
    assert!(!stage.log().contains("acknowledge"), "nobody is asked either");
}

#[test]
fn one_call_a_frame_gives_a_dead_link_up() {
    let link_options = LinkOptions::new(Codec::Binary);
    // The other end is there, but nobody answers.
    let (mut near, mut far) = InlineLink::pair(&link_options);
    let mut executor = Executor::new(ExecutorOptions { silence_ticks_max: 60, ..ExecutorOptions::default() });
    let mut game = ScriptedGame::new();
    for tick in 1..60 {
        assert_eq!(executor.frame(tick, &mut game, &mut near), Ok(()), "tick {tick}");
    }
    let error = executor.frame(60, &mut game, &mut near).expect_err("silence");
    assert_eq!(error, LinkError::Silent { milliseconds: 1_000 });
    assert!(error.to_string().contains("connect again"), "{error}");
    let mut hello = Vec::new();
    assert_eq!(far.receive(&mut hello), Ok(true));
}

/// A link whose bytes trickle in: a frame that is never whole.
struct Trickle {
    bytes: u64,
}

impl Link for Trickle {
    fn send(&mut self, _frame: &[u8]) -> Result<(), LinkError> {
        Ok(())
    }

    fn receive(&mut self, _into: &mut Vec<u8>) -> Result<bool, LinkError> {
        Ok(false)
    }

    fn codec(&self) -> Codec {
        Codec::Binary
    }

    fn bytes_arrived(&self) -> Option<u64> {
        Some(self.bytes)
    }
}

#[test]
fn a_large_frame_on_a_slow_line_is_no_silence() {
    let mut executor = Executor::new(ExecutorOptions { silence_ticks_max: 30, ..ExecutorOptions::default() });
    let (mut game, mut link) = (ScriptedGame::new(), Trickle { bytes: 0 });
    for tick in 1..1_000 {
        link.bytes += u64::from(tick % 20 == 0);
        assert_eq!(executor.frame(tick, &mut game, &mut link), Ok(()), "tick {tick}");
    }
    assert!((1_000..1_100).any(|tick| executor.frame(tick, &mut game, &mut link).is_err()));
}

/// A director that says nothing of its own accord and acknowledges so many ticks after it was spoken to.
struct Quiet {
    channel: Channel<ToGame, ToDirector>,
    executor: Executor,
    game: ScriptedGame,
    tick: Tick,
    /// Goes on while the tick stands still too, as time does.
    now: Tick,
    delay: Tick,
    flying: Vec<(Tick, Vec<u8>)>,
}

impl Quiet {
    fn new(silence_ticks_max: u32, delay: Tick) -> Self {
        let options = ExecutorOptions { silence_ticks_max, ..ExecutorOptions::default() };
        let mut executor = Executor::new(options);
        let mut channel = Channel::new(ChannelOptions::new(Codec::Binary, 30));
        channel.begin_epoch(1, 0, 0);
        let mut game = ScriptedGame::new();
        executor.tick(0, &mut game);
        executor.poll(&mut |_| {});
        let welcome = ToGame::Welcome(Box::new(Welcome {
            version: VERSION,
            session: "s".to_owned(),
            story: "x".to_owned(),
            update: 12,
            epoch: 1,
            received: 0,
            names: Vec::new(),
            message_bytes_max: 1 << 20,
        }));
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        Codec::Binary.encode(&welcome, &mut body);
        Codec::Binary.wrap(0, 0, 0, &body, &mut frame);
        executor.receive(&frame).expect("a frame");
        Self { channel, executor, game, tick: 0, now: 0, delay, flying: Vec::new() }
    }

    /// One frame of the game, in which it goes on by so many ticks. `alive`: whether anything passes.
    fn frame(&mut self, skip: Tick, alive: bool) {
        self.tick += skip;
        self.now += skip.max(1);
        let (due, later) = std::mem::take(&mut self.flying).into_iter().partition(|(at, _)| *at <= self.now);
        self.flying = later;
        let due: Vec<(Tick, Vec<u8>)> = due;
        for (_, frame) in due.iter().filter(|_| alive) {
            self.executor.receive(frame).expect("a frame");
        }
        self.executor.tick(self.tick, &mut self.game);
        let mut said = Vec::new();
        self.executor.poll(&mut |frame| said.push(frame.to_vec()));
        for bytes in said {
            self.channel.receive(&bytes).expect("a frame");
        }
        let (at, flying) = (self.now + self.delay, &mut self.flying);
        self.channel.poll(self.now, &ToGame::Acknowledge, &mut |frame| flying.push((at, frame.to_vec())));
    }
}

proptest! {
    /// However unevenly the game's frames come: a director that answers in time is never taken for dead, and one that
    /// is dead is noticed within as many ticks as were allowed and one frame.
    #[test]
    fn alive_is_alive_and_dead_is_dead(
        silence in 80u32..600,
        delay in 0i64..20,
        skips in proptest::collection::vec(prop_oneof![30 => Just(1i64), 4 => 0i64..12, 1 => 0i64..4_000], 1..400),
        after in proptest::collection::vec(1i64..=10, 600),
    ) {
        let mut quiet = Quiet::new(silence, delay);
        for skip in skips.iter().cycle().take(1_500) {
            quiet.frame(*skip, true);
            prop_assert!(!quiet.executor.is_link_silent(), "at tick {}", quiet.tick);
        }
        prop_assert!(quiet.executor.is_connected());
        let cut = quiet.tick;
        let mut skips = after.into_iter();
        while !quiet.executor.is_link_silent() {
            quiet.frame(skips.next().expect("it is noticed"), false);
        }
        prop_assert!(quiet.tick - cut <= i64::from(silence) + 10, "{} ticks", quiet.tick - cut);
    }
}
