//! Every kind of link carries frames unchanged and in order.

use std::time::Instant;

use dramaturg_wire::Codec;
use dramaturg_wire::link::{ClientTls, InlineLink, Link, LinkError, LinkOptions, ListenOptions, ServerTls, ThreadLink};

use crate::support::{Dice, Kind, PATIENCE, pair};
use crate::tls::certificate;

const FRAMES: usize = 10_000;

/// Sends frames both ways at once; each side sends as fast as it reads.
fn carry(left: &mut impl Link, right: &mut impl Link, codec: Codec) {
    let sent = [0, 1].map(|side| {
        let mut dice = Dice(side);
        (0..FRAMES).map(|_| dice.frame(codec)).collect::<Vec<_>>()
    });
    let (mut to_right, mut to_left) = (sent[0].iter(), sent[1].iter());
    let (mut at_right, mut at_left) = (sent[0].iter(), sent[1].iter());
    let mut frame = Vec::new();
    let began = Instant::now();
    while at_right.len() + at_left.len() > 0 {
        assert!(began.elapsed() < PATIENCE, "{} and {} frames are missing", at_right.len(), at_left.len());
        for _ in 0..50 {
            if let Some(frame) = to_right.next() {
                left.send(frame).expect("sent");
            }
            if let Some(frame) = to_left.next() {
                right.send(frame).expect("sent");
            }
        }
        while right.receive(&mut frame).expect("right is open") {
            assert_eq!(Some(&frame), at_right.next(), "frame {} to the right", FRAMES - at_right.len());
        }
        while left.receive(&mut frame).expect("left is open") {
            assert_eq!(Some(&frame), at_left.next(), "frame {} to the left", FRAMES - at_left.len());
        }
    }
    assert_eq!((left.codec(), right.codec()), (codec, codec));
}

fn carry_by(kind: Kind, encrypted: bool) {
    for codec in [Codec::Binary, Codec::Json] {
        let (mut options, mut listening) = (LinkOptions::new(codec), ListenOptions::default());
        if encrypted {
            let (certificate, key) = certificate("localhost");
            options.tls = Some(ClientTls::trusting(certificate.as_bytes()).expect("trust").named("localhost"));
            listening.tls = Some(ServerTls::new(certificate.as_bytes(), key.as_bytes()).expect("a certificate"));
        }
        let (mut client, mut server) = pair(kind, options, listening);
        assert_eq!(server.is_encrypted(), encrypted);
        carry(&mut client, &mut server, codec);
        drop(client);
        assert_eq!(crate::support::ending(&mut server), LinkError::Closed);
    }
}

#[test]
fn queued_frames_go_in_one_piece() {
    let (mut client, mut server) = pair(Kind::Tcp, LinkOptions::default(), ListenOptions::default());
    let mut frame = Vec::new();
    for text in ["one", "two", "three"] {
        client.queue(text.as_bytes()).expect("queued");
    }
    assert_eq!(server.receive(&mut frame), Ok(false), "nothing is sent before it is flushed");
    assert_eq!(client.flush(), Ok(true));
    for text in ["one", "two", "three"] {
        crate::support::until("a frame", || server.receive(&mut frame).expect("open").then_some(()));
        assert_eq!(frame, text.as_bytes());
    }
    // More than fits into one piece does not wait for ever.
    let long = vec![7; 100_000];
    client.queue(&long).expect("queued");
    crate::support::until("a frame", || server.receive(&mut frame).expect("open").then_some(()));
    assert_eq!(frame, long);
}

#[test]
fn inline() {
    for codec in [Codec::Binary, Codec::Json] {
        let (mut left, mut right) = InlineLink::pair(&LinkOptions::new(codec));
        carry(&mut left, &mut right, codec);
    }
}

#[test]
fn threads() {
    for codec in [Codec::Binary, Codec::Json] {
        let (mut left, mut right) = ThreadLink::pair(&LinkOptions::new(codec));
        let echo = std::thread::spawn(move || {
            let (mut frame, mut count) = (Vec::new(), 0);
            while count < FRAMES {
                right.wait(PATIENCE);
                while right.receive(&mut frame).expect("open") {
                    right.send(&frame).expect("sent");
                    count += 1;
                }
            }
            crate::support::until("room", || right.flush().expect("open").then_some(()));
            right
        });
        let mut dice = Dice(3);
        let sent: Vec<_> = (0..FRAMES).map(|_| dice.frame(codec)).collect();
        let (mut frame, mut heard, mut next) = (Vec::new(), 0, sent.iter());
        while heard < FRAMES {
            if let Some(frame) = next.next() {
                left.send(frame).expect("sent");
            } else {
                left.wait(std::time::Duration::from_millis(1));
            }
            while left.receive(&mut frame).expect("open") {
                assert_eq!(frame, sent[heard]);
                heard += 1;
            }
        }
        echo.join().expect("no panic");
    }
}

#[test]
fn tcp() {
    carry_by(Kind::Tcp, false);
}

#[test]
fn tcp_encrypted() {
    carry_by(Kind::Tcp, true);
}

#[test]
fn websocket() {
    carry_by(Kind::WebSocket, false);
}

#[test]
fn websocket_encrypted() {
    carry_by(Kind::WebSocket, true);
}

#[test]
fn a_side_that_does_not_read_is_given_up() {
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let options = LinkOptions { queue_bytes_max: 2 << 20, ..LinkOptions::default() };
        let (mut client, mut server) = pair(kind, options, ListenOptions::default());
        let mut sent = 0;
        let error = loop {
            match client.send(&[7; 65_536]) {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
            assert!(sent < 10_000, "memory is bounded");
        };
        assert!(matches!(error, LinkError::Congested { .. }), "{kind:?}: {error}");
        let mut frame = Vec::new();
        let mut heard = 0;
        crate::support::until("what was kept", || {
            heard += usize::from(server.receive(&mut frame).expect("open"));
            client.flush().expect("open");
            (heard == sent).then_some(())
        });
    }
}

#[test]
fn frames_sent_before_the_link_is_open_arrive() {
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let (mut listener, address) = crate::support::listen(ListenOptions::default());
        let mut client =
            crate::support::connect(kind, &address.to_string(), LinkOptions::default()).expect("connecting");
        client.send(b"early").expect("kept");
        let mut frame = Vec::new();
        let mut server = crate::support::until("a game", || {
            client.receive(&mut frame).expect("open");
            listener.poll_accept().expect("works")
        });
        crate::support::until("the frame", || {
            client.receive(&mut frame).expect("open");
            server.receive(&mut frame).expect("open").then_some(())
        });
        assert_eq!(frame, b"early");
    }
}
