//! A conversation over a proxy that cuts, delays and falls silent loses nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use dramaturg_wire::link::{
    FaultProxy, Faults, Hub, HubEvent, HubKey, Limits, Link, LinkOptions, ListenOptions, Listener,
};
use dramaturg_wire::{Channel, ChannelOptions, Codec, Frame, Received};
use serde::{Deserialize, Serialize};

use crate::support::{Kind, PATIENCE, connect};

/// A protocol in little: greetings stand outside of epochs, as in the real one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Say {
    Hello { epoch: u32, received: u64 },
    Welcome { epoch: u32, received: u64 },
    Number(u32),
    Acknowledge,
}

type End = Channel<Say, Say>;

const NUMBERS: u32 = 400;

fn greet(codec: Codec, message: Say) -> Vec<u8> {
    let (mut inner, mut bytes) = (Vec::new(), Vec::new());
    codec.encode(&message, &mut inner);
    codec.wrap(0, 0, 0, &inner, &mut bytes);
    bytes
}

/// One side's channel and what it heard.
struct Side {
    channel: End,
    heard: Vec<u32>,
    said: u32,
}

impl Side {
    fn new(codec: Codec) -> Self {
        Self { channel: End::new(ChannelOptions::new(codec, 50)), heard: Vec::new(), said: 0 }
    }

    fn say(&mut self, now: i64) {
        if self.said < NUMBERS {
            self.channel.send(now, &Say::Number(self.said));
            self.said += 1;
        }
    }

    fn take(&mut self, frame: Frame<Say>, bytes: &[u8]) {
        if let Received::Message(message) = self.channel.accept(frame, bytes) {
            let mut next = Some(message);
            while let Some(message) = next {
                if let Say::Number(number) = message {
                    self.heard.push(number);
                }
                next = self.channel.next_ready();
            }
        }
    }

    fn is_done(&self) -> bool {
        self.said == NUMBERS && self.heard.len() == NUMBERS as usize && self.channel.unacknowledged() == 0
    }
}

/// What a director keeps of the epochs in which the game may be. A hello can come late, from a link that the game has
/// given up, and begin an epoch that the game never hears of.
#[derive(Default)]
struct History {
    /// Each epoch, how many messages had been acknowledged when it began, and how many of the game's arrived in it.
    epochs: Vec<(u32, u64, u64)>,
}

impl History {
    fn begin(&mut self, director: &Side) {
        self.epochs.push((director.channel.epoch(), Self::acknowledged(director), 0));
    }

    fn acknowledged(director: &Side) -> u64 {
        u64::from(director.said) - director.channel.unacknowledged() as u64
    }

    /// What the game has received, in numbers of the present epoch, and what of the game's has arrived; none: the hello
    /// is too old.
    fn resume(&mut self, director: &Side, theirs: u32, received: u64) -> Option<(u64, u64)> {
        let arrived = director.channel.received();
        if arrived > 0 {
            // The game is in the present epoch for certain.
            self.epochs.drain(..self.epochs.len() - 1);
        }
        let present = self.epochs.last_mut().expect("there is always one");
        present.2 = arrived;
        let base = present.1;
        let (_, then, arrived) = *self.epochs.iter().find(|(epoch, ..)| *epoch == theirs)?;
        Some(((then + received).saturating_sub(base), arrived))
    }
}

/// Talks until both sides have heard everything; `meddle` is called in each round with what the game has heard.
fn converse(kind: Kind, codec: Codec, faults: Faults, mut meddle: impl FnMut(&FaultProxy, usize)) -> u64 {
    let mut hub = Hub::new(Listener::bind(ListenOptions::default()).expect("a port")).expect("a hub");
    let proxy = FaultProxy::start(hub.address().expect("it listens"), faults).expect("a proxy");
    let address = proxy.address().to_string();
    let (mut game, mut director) = (Side::new(codec), Side::new(codec));
    let mut link = None;
    let mut spoken_to: BTreeMap<HubKey, bool> = BTreeMap::new();
    let mut current = None;
    let mut history = History::default();
    history.begin(&director);
    let (mut frame, mut events) = (Vec::new(), Vec::new());
    let (mut last_heard, mut epochs) = (Instant::now(), 0);
    let began = Instant::now();
    while !(game.is_done() && director.is_done()) {
        assert!(began.elapsed() < PATIENCE, "{} and {} heard", game.heard.len(), director.heard.len());
        let now = began.elapsed().as_millis() as i64;
        meddle(&proxy, game.heard.len());
        // The game: connects again whenever the link is over or silent, and says hello.
        if link.is_none() || last_heard.elapsed() > Duration::from_millis(400) {
            let options = LinkOptions { handshake_milliseconds: 400, ..LinkOptions::new(codec) };
            let mut fresh = connect(kind, &address, options).expect("connecting");
            let hello = Say::Hello { epoch: game.channel.epoch(), received: game.channel.received() };
            fresh.send(&greet(codec, hello)).expect("kept");
            (link, last_heard) = (Some((fresh, false)), Instant::now());
        }
        if let Some((socket, welcomed)) = &mut link {
            let mut over = false;
            loop {
                match socket.receive(&mut frame) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => {
                        over = true;
                        break;
                    }
                }
                last_heard = Instant::now();
                let bytes = std::mem::take(&mut frame);
                let frame: Frame<Say> = codec.decode(&bytes).expect("a frame");
                if let Say::Welcome { epoch, received } = frame.message {
                    game.channel.begin_epoch(epoch, received, now);
                    *welcomed = true;
                } else if *welcomed {
                    game.take(frame, &bytes);
                }
            }
            if *welcomed && !over {
                game.say(now);
                game.channel.poll(now, &Say::Acknowledge, &mut |bytes| over |= socket.send(bytes).is_err());
            }
            if over {
                link = None;
            }
        }
        // The director.
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        for event in events.drain(..) {
            match event {
                HubEvent::Opened(key, _) => drop(spoken_to.insert(key, false)),
                HubEvent::Frame(key, bytes) => {
                    let frame: Frame<Say> = codec.decode(&bytes).expect("a frame");
                    if let Say::Hello { epoch: theirs, received } = frame.message {
                        let Some((acknowledged, received_by_us)) = history.resume(&director, theirs, received) else {
                            continue;
                        };
                        epochs += 1;
                        let welcome = Say::Welcome { epoch: epochs, received: received_by_us };
                        director.channel.begin_epoch(epochs, acknowledged, now);
                        history.begin(&director);
                        let _ = hub.send(key, &greet(codec, welcome));
                        if let Some(old) = current.replace(key).filter(|old| *old != key) {
                            hub.close(old);
                        }
                    } else if current == Some(key) {
                        director.take(frame, &bytes);
                    }
                }
                HubEvent::Closed(key, _) => current = current.filter(|other| *other != key),
                HubEvent::Refused(..) => {}
            }
        }
        if let Some(key) = current {
            director.say(now);
            director.channel.poll(now, &Say::Acknowledge, &mut |bytes| drop(hub.send(key, bytes)));
        }
    }
    assert_eq!(game.heard, (0..NUMBERS).collect::<Vec<_>>());
    assert_eq!(director.heard, (0..NUMBERS).collect::<Vec<_>>());
    proxy.cuts()
}

#[test]
fn cuts_lose_nothing() {
    for (kind, codec, seed) in [
        (Kind::Tcp, Codec::Binary, 1),
        (Kind::Tcp, Codec::Json, 2),
        (Kind::WebSocket, Codec::Json, 3),
        (Kind::WebSocket, Codec::Binary, 4),
    ] {
        let faults =
            Faults { cut_after_bytes: 2_000, delay_milliseconds: 1, jitter_milliseconds: 4, seed, ..Faults::default() };
        let cuts = converse(kind, codec, faults, |_, _| {});
        assert!(cuts >= 2, "{kind:?}: {cuts} cuts");
    }
}

#[test]
fn a_line_that_falls_silent_is_left() {
    let mut silent = None;
    let cuts = converse(Kind::Tcp, Codec::Binary, Faults::default(), |proxy, heard| {
        // In the middle, nothing passes for a second, and nobody is told.
        if heard > 100 && silent.is_none() {
            silent = Some(Instant::now());
            proxy.set_half_open(true);
        }
        if silent.is_some_and(|began: Instant| began.elapsed() > Duration::from_secs(1)) {
            proxy.set_half_open(false);
        }
    });
    assert!(silent.is_some());
    assert_eq!(cuts, 0);
}

#[test]
fn a_narrow_line_and_cuts_on_command_lose_nothing() {
    let mut next = 50;
    let faults = Faults { bytes_per_second: 20_000, ..Faults::default() };
    let cuts = converse(Kind::Tcp, Codec::Binary, faults, |proxy, heard| {
        if heard >= next {
            proxy.cut();
            next += 100;
        }
    });
    assert!(cuts >= 3, "{cuts}");
}

#[test]
fn a_hub_that_is_far_away_is_heard_late() {
    let limits = Limits::default();
    let mut hub =
        Hub::new(Listener::bind(ListenOptions { limits, ..ListenOptions::default() }).expect("a port")).expect("a hub");
    let faults = Faults { delay_milliseconds: 60, ..Faults::default() };
    let proxy = FaultProxy::start(hub.address().expect("it listens"), faults).expect("a proxy");
    let began = Instant::now();
    let mut link = connect(Kind::Tcp, &proxy.address().to_string(), LinkOptions::default()).expect("connecting");
    link.send(b"hello").expect("kept");
    let mut events = Vec::new();
    crate::support::until("a frame", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().any(|event| matches!(event, HubEvent::Frame(..))).then_some(())
    });
    assert!(began.elapsed() >= Duration::from_millis(60));
    assert_eq!(proxy.connections(), 1);
    crate::support::until("the count", || (proxy.passed() >= 17).then_some(()));
}
