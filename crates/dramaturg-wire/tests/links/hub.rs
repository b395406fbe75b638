//! Many links in one thread.

use std::collections::BTreeMap;
use std::time::Duration;

use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    AnyLink, Hub, HubEvent, HubKey, Limits, Link, LinkError, LinkOptions, ListenOptions, Listener,
};

use crate::support::{Kind, connect, until};

const CLIENTS: u32 = 200;
const FRAMES: u32 = 50;

fn hub(limits: Limits) -> (Hub, String) {
    let listener = Listener::bind(ListenOptions { limits, ..ListenOptions::default() }).expect("a port");
    let hub = Hub::new(listener).expect("a hub");
    let address = hub.address().expect("it listens").to_string();
    (hub, address)
}

/// Waits until the hub tells of something.
fn event<T>(hub: &mut Hub, what: &str, mut find: impl FnMut(&HubEvent) -> Option<T>) -> T {
    let mut events = Vec::new();
    until(what, || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().find_map(&mut find)
    })
}

#[test]
fn two_hundred_games_are_answered_each_its_own() {
    let (mut hub, address) = hub(Limits::default());
    let waker = hub.waker();
    // The games are in a thread and a hub of their own.
    let games = std::thread::spawn(move || {
        let mut games = Hub::without_listener(Limits::default()).expect("a hub");
        let mut heard: BTreeMap<HubKey, (u32, u32)> = BTreeMap::new();
        for number in 0..CLIENTS {
            let kind = if number % 4 == 0 { Kind::WebSocket } else { Kind::Tcp };
            let codec = if number % 3 == 0 { Codec::Json } else { Codec::Binary };
            let mut link = connect(kind, &address, LinkOptions::new(codec)).expect("connecting");
            link.send(format!("{number}:0").as_bytes()).expect("kept");
            heard.insert(games.adopt(link).expect("adopted"), (number, 0));
        }
        let mut events = Vec::new();
        while heard.values().any(|(_, count)| *count < FRAMES) {
            games.wait(Duration::from_millis(100), &mut events).expect("works");
            for event in &events {
                let HubEvent::Frame(key, bytes) = event else { panic!("{event:?}") };
                let (number, count) = heard.get_mut(key).expect("known");
                assert_eq!(String::from_utf8_lossy(bytes), format!("{number}:{count}!"));
                *count += 1;
                games.send(*key, format!("{number}:{count}").as_bytes()).expect("sent");
            }
        }
        heard.keys().for_each(|key| games.close(*key));
        until("all have left", || {
            games.wait(Duration::from_millis(1), &mut events).expect("works");
            (games.leaving() == 0).then_some(())
        });
        waker.wake();
    });
    let (mut opened, mut closed) = (0, 0);
    let mut events = Vec::new();
    while closed < CLIENTS {
        hub.wait(Duration::from_secs(1), &mut events).expect("works");
        for event in &events {
            match event {
                HubEvent::Opened(_, peer) => {
                    opened += 1;
                    assert!(peer.is_some());
                }
                HubEvent::Frame(key, bytes) => hub.send(*key, &[bytes.as_slice(), b"!"].concat()).expect("sent"),
                HubEvent::Closed(key, error) => {
                    closed += 1;
                    assert!(error.is_clean(), "{key}: {error}");
                }
                HubEvent::Refused(..) => panic!("{event:?}"),
            }
        }
    }
    games.join().expect("no panic");
    assert_eq!((opened, hub.len()), (CLIENTS, 0));
}

#[test]
fn who_floods_is_closed_and_hears_why() {
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let (mut hub, address) = hub(Limits { messages_per_second: 5, messages_burst: 10, ..Limits::default() });
        let mut client = connect(kind, &address, LinkOptions::default()).expect("connecting");
        let mut frame = Vec::new();
        let key = event(&mut hub, "a game", |event| {
            let _ = client.receive(&mut frame);
            if let HubEvent::Opened(key, _) = event { Some(*key) } else { None }
        });
        until("an open link", || {
            hub.wait(Duration::from_millis(1), &mut Vec::new()).expect("works");
            client.receive(&mut frame).expect("open");
            client.flush().expect("open").then_some(())
        });
        (0..1000).for_each(|_| client.send(b"me").expect("sent"));
        let mut frames = 0;
        let error = event(&mut hub, "an end", |event| match event {
            HubEvent::Frame(..) => {
                frames += 1;
                None
            }
            HubEvent::Closed(_, error) => Some(error.clone()),
            _ => None,
        });
        assert_eq!(error, LinkError::Flooded { per_second: 5 });
        hub.send(key, b"too much").expect("last words");
        hub.close(key);
        let mut heard = Vec::new();
        let error = until("an end", || {
            hub.wait(Duration::from_millis(1), &mut Vec::new()).expect("works");
            match client.receive(&mut frame) {
                Ok(true) => heard.push(frame.clone()),
                Ok(false) => {}
                Err(error) => return Some(error),
            }
            None
        });
        assert_eq!((heard, error), (vec![b"too much".to_vec()], LinkError::Closed), "{kind:?}");
        assert!(hub.is_empty());
    }
}

#[test]
fn idle_links_are_closed() {
    let (mut hub, address) = hub(Limits { idle_seconds: 1, ..Limits::default() });
    let mut client = connect(Kind::Tcp, &address, LinkOptions::default()).expect("connecting");
    let mut frame = Vec::new();
    let error = event(&mut hub, "an end", |event| {
        let _ = client.receive(&mut frame);
        if let HubEvent::Closed(_, error) = event { Some(error.clone()) } else { None }
    });
    assert_eq!(error, LinkError::TimedOut { what: "a frame", milliseconds: 1000 });
}

#[test]
fn a_frame_sent_just_before_closing_arrives() {
    let (mut hub, address) = hub(Limits::default());
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let mut client = connect(kind, &address, LinkOptions::default()).expect("connecting");
        client.send(b"hello").expect("kept");
        let mut frame = Vec::new();
        let mut events = Vec::new();
        let key = until("a game", || {
            let _ = client.receive(&mut frame);
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            events.iter().find_map(|event| if let HubEvent::Opened(key, _) = event { Some(*key) } else { None })
        });
        let large = vec![b'x'; 1 << 20];
        hub.send(key, &large).expect("sent");
        hub.close(key);
        until("the frame", || {
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            client.receive(&mut frame).expect("it comes before the end").then_some(())
        });
        assert_eq!(frame, large);
        assert_eq!(hub.send(key, b"too late"), Ok(()), "a key of a link that is gone does nothing");
    }
}

#[test]
fn a_hub_is_woken_from_another_thread() {
    let mut hub = Hub::without_listener(Limits::default()).expect("a hub");
    let waker = hub.waker();
    let thread = std::thread::spawn(move || waker.wake());
    hub.wait(Duration::from_secs(600), &mut Vec::new()).expect("woken");
    thread.join().expect("no panic");
}

#[test]
fn a_hub_and_its_links_can_move_to_another_thread() {
    fn can_move<T: Send>() {}
    can_move::<Hub>();
    can_move::<AnyLink>();
}
