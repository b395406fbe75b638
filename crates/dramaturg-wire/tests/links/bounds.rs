//! What strangers and games can make a hub hold, each and together.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    Hub, HubEvent, HubKey, Limits, Link, LinkError, LinkOptions, ListenOptions, Listener, TOKEN_BYTES_MAX,
};

use crate::support::{Kind, PATIENCE, connect, listen, told, until};

const MIB: usize = 1 << 20;

fn hub(limits: Limits) -> (Hub, String) {
    let listener = Listener::bind(ListenOptions { limits, ..ListenOptions::default() }).expect("a port");
    let address = listener.address().to_string();
    (Hub::new(listener).expect("a hub"), address)
}

/// The beginning of a link of this kind, and of a frame of so many bytes.
fn beginning(kind: Kind, bytes: usize) -> Vec<u8> {
    match kind {
        Kind::Tcp => [b"DRMT\0\0\x01\0".as_slice(), &(bytes as u32).to_le_bytes()].concat(),
        Kind::WebSocket => {
            let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                           Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                           Sec-WebSocket-Protocol: dramaturg.v1.binary\r\n\r\n";
            let head = [&[0x82, 0xFF][..], &(bytes as u64).to_be_bytes(), &[0; 4]].concat();
            [request.as_bytes(), &head].concat()
        }
    }
}

/// Connections that each send all but the last byte of a frame of 1 MiB, as far as anybody reads it. They end with what
/// is given back.
struct Hoarders(Arc<AtomicBool>, Vec<thread::JoinHandle<()>>);

impl Hoarders {
    fn start(kind: Kind, address: &str, count: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let start = |_| {
            let (address, over) = (address.to_owned(), Arc::clone(&over));
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let Ok(mut socket) = TcpStream::connect(&address) else { continue };
                    let _ = socket.set_write_timeout(Some(Duration::from_millis(100)));
                    let all = [beginning(kind, MIB), vec![b'x'; MIB - 1]].concat();
                    let mut sent = 0;
                    while !over.load(Ordering::Relaxed) {
                        match socket.write(&all[sent..]) {
                            Ok(0) => thread::sleep(Duration::from_millis(20)),
                            Ok(count) => sent += count,
                            Err(error)
                                if matches!(
                                    error.kind(),
                                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                                ) => {}
                            // It was given up; it comes again.
                            Err(_) => break,
                        }
                    }
                }
            })
        };
        let threads = (0..count).map(start).collect();
        Self(over, threads)
    }
}

impl Drop for Hoarders {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.drain(..).for_each(|thread| drop(thread.join()));
    }
}

#[test]
fn half_frames_before_hello_share_one_sum() {
    const COUNT: usize = 60;
    let limits = Limits { hello_bytes_sum_max: 4 << 20, ..Limits::default() };
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let (mut hub, address) = hub(limits);
        let _hoarders = Hoarders::start(kind, &address, COUNT);
        let (mut events, mut opened, mut most) = (Vec::new(), 0, 0);
        let mut held = 0;
        for _ in 0..1500 {
            let turn = allocation_counter::measure(|| hub.wait(Duration::from_millis(1), &mut events).expect("works"));
            held += turn.bytes_current;
            most = most.max(held);
            opened += events.iter().filter(|event| matches!(event, HubEvent::Opened(..))).count();
            assert!(!events.iter().any(|event| matches!(event, HubEvent::Frame(..))), "no frame is whole");
        }
        assert!(opened >= COUNT, "{kind:?}: {opened}");
        // A buffer that grows is twice as large as what it holds at most; and WebSocket sets the length of one frame
        // aside, untouched.
        let untouched = if kind == Kind::WebSocket { (COUNT * MIB) as i64 } else { 0 };
        let bound = 2 * (4 << 20) + COUNT as i64 * (64 << 10) + untouched;
        println!("{kind:?}: {COUNT} halves of 1 MiB hold {most} bytes");
        assert!(most < bound, "{kind:?}: {most} bytes of {bound}");
    }
}

#[test]
fn a_large_hello_gets_through_though_others_hoard() {
    let (mut hub, address) = hub(Limits { hello_bytes_sum_max: 4 << 20, ..Limits::default() });
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let _hoarders = Hoarders::start(kind, &address, 20);
        let mut events = Vec::new();
        (0..200).for_each(|_| hub.wait(Duration::from_millis(1), &mut events).expect("works"));
        let mut game = connect(kind, &address, LinkOptions::default()).expect("connecting");
        let hello = vec![7; 900_000];
        game.send(&hello).expect("kept");
        let mut frame = Vec::new();
        until("the hello", || {
            let _ = game.receive(&mut frame);
            let _ = game.flush();
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            events.iter().any(|event| matches!(event, HubEvent::Frame(_, bytes) if *bytes == hello)).then_some(())
        });
    }
}

#[test]
fn games_that_are_admitted_do_not_wait_for_strangers() {
    let (mut hub, address) = hub(Limits { hello_bytes_sum_max: 1 << 20, ..Limits::default() });
    let mut game = connect(Kind::Tcp, &address, LinkOptions::default()).expect("connecting");
    let (mut frame, mut events) = (Vec::new(), Vec::new());
    let key = until("a game", || {
        let _ = game.receive(&mut frame);
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().find_map(|event| if let HubEvent::Opened(key, _) = event { Some(*key) } else { None })
    });
    hub.admit(key);
    let _hoarders = Hoarders::start(Kind::Tcp, &address, 20);
    (0..200).for_each(|_| hub.wait(Duration::from_millis(1), &mut events).expect("works"));
    for _ in 0..20 {
        game.send(&vec![7; 1_000_000]).expect("sent");
        until("its frame", || {
            let _ = game.flush();
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            events.iter().any(|event| matches!(event, HubEvent::Frame(from, _) if *from == key)).then_some(())
        });
    }
}

#[test]
fn one_turn_hands_out_so_many_bytes_and_no_more() {
    let (mut hub, address) = hub(Limits::default());
    let writer = thread::spawn(move || {
        let mut links: Vec<_> =
            (0..40).map(|_| connect(Kind::Tcp, &address, LinkOptions::default()).expect("connecting")).collect();
        let began = std::time::Instant::now();
        let mut frame = Vec::new();
        (0..10).for_each(|_| links.iter_mut().for_each(|link| link.send(&vec![7; 1_000_000]).expect("kept")));
        while links.iter_mut().any(|link| link.flush() != Ok(true)) && began.elapsed() < PATIENCE {
            links.iter_mut().for_each(|link| drop(link.receive(&mut frame)));
        }
        links
    });
    let (mut events, mut frames, mut most) = (Vec::new(), 0, 0);
    until("all frames", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        let sizes = events.iter().filter_map(|event| match event {
            HubEvent::Frame(_, bytes) => Some(bytes.len()),
            _ => None,
        });
        let sizes: Vec<usize> = sizes.collect();
        frames += sizes.len();
        most = most.max(sizes.iter().sum::<usize>());
        (frames == 400).then_some(())
    });
    assert!(most <= 17 * MIB, "{most}");
    drop(writer.join().expect("no panic"));
}

#[test]
fn one_address_has_so_many_links_and_hears_why_not_more() {
    let (mut hub, address) = hub(Limits { links_per_address_max: 3, ..Limits::default() });
    let mut events = Vec::new();
    let mut open = |hub: &mut Hub, kind| {
        let mut link = connect(kind, &address, LinkOptions::default()).expect("connecting");
        let mut frame = Vec::new();
        let went = until("an answer", || {
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            match link.receive(&mut frame) {
                Err(error) => Some(Err(error)),
                Ok(_) => link.is_open().then_some(Ok(())),
            }
        });
        (link, went)
    };
    let mut links: Vec<_> = (0..3).map(|_| open(&mut hub, Kind::Tcp).0).collect();
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let error = open(&mut hub, kind).1.expect_err("refused");
        assert!(matches!(&error, LinkError::Refused(text) if text.contains("one address")), "{kind:?}: {error}");
    }
    drop(links.pop());
    until("room", || open(&mut hub, Kind::WebSocket).1.ok());
}

#[test]
fn who_connects_too_often_is_closed_and_told_of_once() {
    let limits = Limits { connections_per_second: 1, connections_burst: 5, ..Limits::default() };
    let (mut hub, address) = hub(limits);
    let mut events = Vec::new();
    let sockets: Vec<_> = (0..50).map(|_| TcpStream::connect(&address).expect("the system takes it")).collect();
    let mut told = Vec::new();
    until("a word of it", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        told.extend(events.drain(..).filter_map(|event| match event {
            HubEvent::Refused(_, LinkError::Refused(text)) => Some(text),
            _ => None,
        }));
        told.first().cloned()
    });
    assert_eq!(told.len(), 1, "{told:?}");
    let closed: u32 = told[0].split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    assert!((40..=45).contains(&closed), "{told:?}");
    drop(sockets);
}

#[test]
fn who_does_not_read_is_given_up_when_all_together_wait_for_too_much() {
    let limits = Limits { queue_bytes_sum_max: 12 << 20, ..Limits::default() };
    let (mut hub, address) = hub(limits);
    let mut links: Vec<_> = (0..4).map(|_| TcpStream::connect(&address).expect("connected")).collect();
    links.iter_mut().for_each(|link| link.write_all(b"DRMT\0\0\x01\0").expect("written"));
    let (mut events, mut keys) = (Vec::new(), Vec::<HubKey>::new());
    until("four games", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        keys.extend(events.iter().filter_map(|event| match event {
            HubEvent::Opened(key, _) => Some(*key),
            _ => None,
        }));
        (keys.len() == 4).then_some(())
    });
    let mut given_up = Vec::new();
    // What the system keeps for a socket comes on top, and differs.
    for (number, key) in keys.iter().enumerate() {
        for _ in 0..if number == 0 { 15 } else { 9 } {
            let _ = hub.send(*key, &vec![7; MIB]);
        }
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        given_up.extend(events.iter().filter_map(|event| match event {
            HubEvent::Closed(key, error) => Some((*key, error.clone())),
            _ => None,
        }));
    }
    assert!(!given_up.is_empty() && given_up.len() < 4, "{given_up:?}");
    assert!(given_up.iter().all(|(_, error)| matches!(error, LinkError::Congested { .. })), "{given_up:?}");
    assert_eq!(given_up[0].0, keys[0], "the one with the most goes first");
    assert_eq!(hub.len(), 4 - given_up.len());
}

#[test]
fn a_request_for_another_host_is_refused_without_a_token() {
    let answer = |token: Option<&str>, path: &str, host: &str| {
        let token = token.map(str::to_owned);
        let (mut listener, address) = listen(ListenOptions { token, ..ListenOptions::default() });
        listener.set_http(|path| {
            let body = format!("this is {path}");
            Some(dramaturg_wire::link::HttpAnswer { content_type: "text/plain".to_owned(), body })
        });
        let mut socket = TcpStream::connect(address).expect("connected");
        write!(socket, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("written");
        told(socket, || assert!(listener.poll_accept().expect("works").is_none()))
    };
    for near in ["localhost", "localhost:7777", "127.0.0.1:7777", "[::1]:7777"] {
        assert!(answer(None, "/metrics", near).contains("200 OK"), "{near}");
    }
    for far in ["rebound.example:7777", "localhost.example", ""] {
        let told = answer(None, "/metrics", far);
        assert!(told.contains("403") && told.contains("token") && !told.contains("this is"), "{far}: {told}");
    }
    assert!(answer(None, "/health", "director.example").contains("200 OK"), "that it is well is no secret");
    assert!(answer(Some("rosebud"), "/health", "director.example").contains("200 OK"), "a token is a better guard");
}

#[test]
fn a_token_that_guards_nothing_is_refused() {
    for token in [String::new(), "x".repeat(TOKEN_BYTES_MAX + 1)] {
        let options = ListenOptions { token: Some(token), ..ListenOptions::default() };
        let error = Listener::bind(options).expect_err("refused");
        assert!(matches!(&error, LinkError::Refused(text) if text.contains("the token")), "{error}");
    }
    let token = Some("x".repeat(TOKEN_BYTES_MAX));
    Listener::bind(ListenOptions { token, ..ListenOptions::default() }).expect("allowed");
}

#[test]
fn a_thousand_games_of_one_machine_connect_at_once() {
    let (mut hub, address) = hub(Limits::default());
    let mut games = Hub::without_listener(Limits::default()).expect("a hub");
    let (mut events, mut frames) = (Vec::new(), 0);
    for number in 0..1000 {
        let mut link = connect(Kind::Tcp, &address, LinkOptions::new(Codec::Json)).expect("connecting");
        link.send(b"hello").expect("kept");
        games.adopt(link).expect("adopted");
        if number % 50 == 0 {
            hub.wait(Duration::ZERO, &mut events).expect("works");
            frames += events.iter().filter(|event| matches!(event, HubEvent::Frame(..))).count();
        }
    }
    until("all hellos", || {
        games.wait(Duration::from_millis(1), &mut events).expect("works");
        assert!(!events.iter().any(|event| matches!(event, HubEvent::Closed(..))), "{events:?}");
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        frames += events.iter().filter(|event| matches!(event, HubEvent::Frame(..))).count();
        (frames == 1000).then_some(())
    });
}

#[test]
fn who_sends_nothing_but_pings_is_closed() {
    let (mut hub, address) = hub(Limits::default());
    let mut socket = TcpStream::connect(&address).expect("connecting");
    let request = beginning(Kind::WebSocket, 0);
    // The handshake alone, without the frame behind it; then empty masked pings.
    let handshake = &request[..request.len() - 14];
    socket.write_all(handshake).expect("greeted");
    let mut events = Vec::new();
    until("a link", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().any(|event| matches!(event, HubEvent::Opened(..))).then_some(())
    });
    let pings = [0x89, 0x80, 0, 0, 0, 0].repeat(400);
    socket.write_all(&pings).expect("sent");
    let error = until("an end", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().find_map(|event| if let HubEvent::Closed(_, error) = event { Some(error.clone()) } else { None })
    });
    assert_eq!(error, LinkError::Flooded { per_second: 256 });
}
