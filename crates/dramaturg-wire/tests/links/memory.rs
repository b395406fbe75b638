//! Warm links do not allocate, and idle ones are small.

use std::time::Duration;

use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    ClientTls, Hub, InlineLink, Limits, Link, LinkOptions, ListenOptions, Listener, ServerTls, ThreadLink,
};

use crate::support::{Kind, connect, pair, until};
use crate::tls::certificate;

/// How often it allocates to send and receive, after a while of it.
fn allocations(left: &mut impl Link, right: &mut impl Link) -> u64 {
    let (mut frame, mut back) = (Vec::new(), Vec::new());
    let mut exchange = |count: usize| {
        for number in 0..count {
            let length = 20 + number % 200;
            for _ in 0..8 {
                left.send(&[7; 256][..length]).expect("sent");
            }
            for _ in 0..8 {
                until("a frame", || right.receive(&mut frame).expect("open").then_some(()));
                right.send(&frame).expect("sent");
            }
            for _ in 0..8 {
                until("an answer", || left.receive(&mut back).expect("open").then_some(()));
            }
        }
    };
    exchange(500);
    allocation_counter::measure(|| exchange(500)).count_total
}

#[test]
fn warm_links_do_not_allocate() {
    let options = LinkOptions::default();
    let (mut left, mut right) = InlineLink::pair(&options);
    assert_eq!(allocations(&mut left, &mut right), 0, "inline");
    let (mut left, mut right) = ThreadLink::pair(&options);
    assert_eq!(allocations(&mut left, &mut right), 0, "threads");
    let (mut left, mut right) = pair(Kind::Tcp, options, ListenOptions::default());
    assert_eq!(allocations(&mut left, &mut right), 0, "TCP");
}

/// What a game and its link in the hub hold together, after they have talked.
fn bytes_of_a_link(kind: Kind, encrypted: bool) -> i64 {
    const LINKS: i64 = 50;
    let (mut options, mut listening) = (LinkOptions::new(Codec::Json), ListenOptions::default());
    if encrypted {
        let (certificate, key) = certificate("localhost");
        options.tls = Some(ClientTls::trusting(certificate.as_bytes()).expect("trust").named("localhost"));
        listening.tls = Some(ServerTls::new(certificate.as_bytes(), key.as_bytes()).expect("a certificate"));
    }
    let mut hub = Hub::new(Listener::bind(listening).expect("a port")).expect("a hub");
    let address = hub.address().expect("it listens").to_string();
    let mut games = Hub::without_listener(Limits::default()).expect("a hub");
    let mut heard = 0;
    let measured = allocation_counter::measure(|| {
        for _ in 0..LINKS {
            let mut link = connect(kind, &address, options.clone()).expect("connecting");
            link.send(&[b'a'; 1000]).expect("kept");
            games.adopt(link).expect("adopted");
        }
        let mut events = Vec::new();
        until("all of them", || {
            games.wait(Duration::from_millis(1), &mut events).expect("works");
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            heard += events.iter().filter(|event| matches!(event, dramaturg_wire::link::HubEvent::Frame(..))).count();
            (heard as i64 == LINKS).then_some(())
        });
    });
    assert_eq!(hub.len() as i64, LINKS);
    measured.bytes_current / LINKS
}

#[test]
fn idle_links_are_small() {
    for (kind, encrypted, most) in [
        (Kind::Tcp, false, 32 << 10),
        (Kind::WebSocket, false, 32 << 10),
        (Kind::Tcp, true, 64 << 10),
        (Kind::WebSocket, true, 64 << 10),
    ] {
        let bytes = bytes_of_a_link(kind, encrypted);
        println!("{kind:?}, encrypted {encrypted}: {bytes} bytes for both ends");
        assert!(bytes < most, "{kind:?}, encrypted {encrypted}: {bytes} bytes for both ends");
    }
}
