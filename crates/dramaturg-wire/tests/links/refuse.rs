//! Whoever breaks the protocol gets one clear error and is closed.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    Hub, HubEvent, Limits, Link, LinkError, LinkOptions, ListenOptions, Listener, Stream, TcpLink, WebSocketLink,
};

use crate::support::{Dice, Kind, connect, ending, listen, pair, told, until};

fn greeting(codec: u8, major: u16) -> Vec<u8> {
    [b"DRMT".as_slice(), &[codec, 0], &major.to_le_bytes()].concat()
}

/// What a bare socket is told that says this, and whom the listener refused.
fn stranger(says: &[u8], options: ListenOptions) -> (String, Vec<LinkError>) {
    let (mut listener, address) = listen(options);
    let mut socket = TcpStream::connect(address).expect("connected");
    socket.write_all(says).expect("written");
    let mut refusals = Vec::new();
    let told = told(socket, || {
        assert!(listener.poll_accept().expect("works").is_none(), "nobody is let in");
        refusals.extend(listener.refusals().map(|(_, error)| error));
    });
    (told, refusals)
}

#[test]
fn frames_over_the_limit_are_refused_on_both_sides() {
    for kind in [Kind::Tcp, Kind::WebSocket] {
        for codec in [Codec::Binary, Codec::Json] {
            let limits = Limits { message_bytes_max: 1000, ..Limits::default() };
            let listening = ListenOptions { limits, ..ListenOptions::default() };
            let (mut client, mut server) = pair(kind, LinkOptions::new(codec), listening);
            assert_eq!(server.send(&[b'a'; 1001]), Err(LinkError::TooLarge { bytes: 1001, most: 1000 }));
            server.send(&[b'a'; 1000]).expect("the limit itself is allowed");
            client.send(&[b'a'; 1000]).expect("sent");
            client.send(&[b'a'; 1001]).expect("the client allows it");
            let mut frame = Vec::new();
            assert!(until("a frame", || server.receive(&mut frame).expect("open").then_some(true)));
            assert!(matches!(ending(&mut server), LinkError::TooLarge { bytes: 1001, most: 1000 }));
        }
    }
}

#[test]
fn a_length_that_is_only_claimed_costs_nothing() {
    let (mut listener, address) = listen(ListenOptions::default());
    let mut socket = TcpStream::connect(address).expect("connected");
    socket.write_all(&greeting(0, 1)).expect("written");
    let mut link = until("a link", || listener.poll_accept().expect("works"));
    socket.write_all(&u32::MAX.to_le_bytes()).expect("written");
    assert!(matches!(ending(&mut link), LinkError::TooLarge { .. }));
}

#[test]
fn garbage_at_the_beginning_gets_one_line() {
    for says in [b"SSH-2.0-OpenSSH_9\r\n".as_slice(), b"\0\0\0\0", b"DRMX", b"POST / HTTP/1.1\r\n\r\n"] {
        let (told, refusals) = stranger(says, ListenOptions::default());
        assert!(told.contains("not the dramaturg protocol"), "{told}");
        assert!(matches!(refusals[..], [LinkError::Protocol(_)]), "{refusals:?}");
    }
    let (told, _) = stranger(b"\x16\x03\x01\x02\0", ListenOptions::default());
    assert!(told.contains("not encrypted"), "{told}");
}

#[test]
fn random_garbage_never_lets_anybody_in() {
    let mut dice = Dice(9);
    let (mut listener, address) = listen(ListenOptions::default());
    for round in 0..200 {
        let mut says: Vec<u8> = (0..dice.next() % 300).map(|_| dice.next() as u8).collect();
        // Some begin well.
        match round % 4 {
            0 => says.splice(0..0, *b"GET ").count(),
            1 => says.splice(0..0, *b"DRMT\x07").count(),
            _ => 0,
        };
        let mut socket = TcpStream::connect(address).expect("connected");
        let _ = socket.write_all(&says);
        let _ = socket.shutdown(std::net::Shutdown::Write);
        told(socket, || assert!(listener.poll_accept().expect("works").is_none()));
    }
    assert_eq!(
        until("quiet", || {
            let _ = listener.poll_accept();
            (listener.pending() == 0).then_some(0)
        }),
        0
    );
}

#[test]
fn another_version_or_codec_is_refused_with_a_reason() {
    let (told, refusals) = stranger(&greeting(0, 9), ListenOptions::default());
    assert!(told.starts_with("DRMT\0\u{1}"), "{told:?}");
    assert!(told.contains("version 9"), "{told:?}");
    assert!(matches!(&refusals[..], [LinkError::Refused(text)] if text.contains("version 9")), "{refusals:?}");
    let (told, _) = stranger(&greeting(5, 1), ListenOptions::default());
    assert!(told.contains("codec"), "{told:?}");
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: dramaturg.v9.json\r\n\r\n";
    let (told, _) = stranger(request.as_bytes(), ListenOptions::default());
    assert!(told.starts_with("HTTP/1.1 400") && told.contains("dramaturg.v9.json"), "{told}");
}

#[test]
fn a_client_hears_that_the_other_side_is_no_director() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address").to_string();
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let mut client = connect(kind, &address, LinkOptions::default()).expect("connecting");
        let (mut other, _) = server.accept().expect("a client");
        other.write_all(b"220 mail.example.org ESMTP\r\n\r\n").expect("written");
        let error = ending(&mut client);
        assert!(matches!(error, LinkError::Protocol(_)), "{kind:?}: {error:?}");
    }
    drop(server);
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let error = match connect(kind, &address, LinkOptions::default()) {
            Ok(mut link) => ending(&mut link),
            Err(error) => error,
        };
        assert!(error.to_string().contains("is the director running"), "{kind:?}: {error}");
    }
}

#[test]
fn a_side_that_says_nothing_times_out() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address").to_string();
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let options = LinkOptions { handshake_milliseconds: 50, ..LinkOptions::default() };
        let mut client = connect(kind, &address, options).expect("connecting");
        let _silent = server.accept().expect("a client");
        assert!(matches!(ending(&mut client), LinkError::TimedOut { milliseconds: 50, .. }));
    }
}

#[test]
fn who_dribbles_a_greeting_is_given_up_and_others_are_not() {
    let limits = Limits { handshake_milliseconds: 300, handshakes_max: 8, ..Limits::default() };
    let (mut listener, address) = listen(ListenOptions { limits, ..ListenOptions::default() });
    let mut slow: Vec<_> = (0..8).map(|_| TcpStream::connect(address).expect("connected")).collect();
    let began = Instant::now();
    let mut says = b"GET / HTTP/1.1\r\nHost: localhost\r\n".iter().cycle();
    let mut refused = 0;
    let mut game = None;
    until("the last of them", || {
        let byte = *says.next().expect("endless");
        slow.iter_mut().for_each(|socket| drop(socket.write(&[byte])));
        assert!(listener.pending() <= 8, "no more are taken than allowed");
        game = game
            .take()
            .or_else(|| Some(connect(Kind::Tcp, &address.to_string(), LinkOptions::default()).expect("on its way")));
        let mut frame = Vec::new();
        if let Some(game) = &mut game {
            game.receive(&mut frame).expect("the game is served in the end");
        }
        let open = listener.poll_accept().expect("works");
        refused += listener.refusals().filter(|(_, error)| matches!(error, LinkError::TimedOut { .. })).count();
        std::thread::sleep(Duration::from_millis(5));
        open
    });
    assert_eq!(refused, 8);
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[test]
fn garbage_amid_frames_ends_the_link() {
    let (mut listener, address) = listen(ListenOptions::default());
    let mut socket = TcpStream::connect(address).expect("connected");
    socket.write_all(&greeting(1, 1)).expect("written");
    socket.write_all(b"\x05\0\0\0hello\xff\xff\xff\xff").expect("written");
    let mut link = until("a link", || listener.poll_accept().expect("works"));
    let mut frame = Vec::new();
    assert_eq!(link.receive(&mut frame), Ok(true));
    assert_eq!((frame.as_slice(), link.codec()), (b"hello".as_slice(), Codec::Json));
    assert!(matches!(ending(&mut link), LinkError::TooLarge { .. }));

    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    for (garbage, said) in [
        (b"\xf1\x80\0\0\0\0".as_slice(), "eserved"),
        (b"\x81\x01a".as_slice(), "mask"),
        (b"\x82\x81\0\0\0\0a".as_slice(), "binary message"),
        (b"\x81\x81\0\0\0\0\xff".as_slice(), "UTF-8"),
    ] {
        let mut socket = TcpStream::connect(address).expect("connected");
        socket.write_all(request.as_bytes()).expect("written");
        let mut link = until("a link", || listener.poll_accept().expect("works"));
        socket.write_all(garbage).expect("written");
        let error = ending(&mut link);
        assert!(matches!(&error, LinkError::Protocol(text) if text.contains(said)), "{said}: {error:?}");
    }
}

#[test]
fn other_addresses_want_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        for token in [None, Some(String::new())] {
            let options = ListenOptions { address: address.to_owned(), token, ..ListenOptions::default() };
            let error = Listener::bind(options).expect_err("refused");
            assert!(matches!(error, LinkError::Refused(_)));
            assert!(error.to_string().contains("token"), "{error}");
        }
    }
    let token = Some("rosebud".to_owned());
    Listener::bind(ListenOptions { address: "0.0.0.0:0".to_owned(), token, ..ListenOptions::default() })
        .expect("allowed");
    let error = Listener::bind(ListenOptions { address: "nonsense".to_owned(), ..ListenOptions::default() });
    assert!(error.expect_err("no address").to_string().contains("127.0.0.1:7777"));
}

#[test]
fn plain_requests_are_answered() {
    let (mut listener, address) =
        listen(ListenOptions { token: Some("rosebud".to_owned()), ..ListenOptions::default() });
    let long = "x".repeat(3_000_000);
    let body = long.clone();
    listener.set_http(move |path| {
        let body = match path {
            "/health" => "ok".to_owned(),
            "/metrics" => body.clone(),
            _ => return None,
        };
        Some(dramaturg_wire::link::HttpAnswer { content_type: "text/plain".to_owned(), body })
    });
    let mut ask = |path: &str, header: &str| {
        let mut socket = TcpStream::connect(address).expect("connected");
        write!(socket, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n").expect("written");
        told(socket, || assert!(listener.poll_accept().expect("works").is_none()))
    };
    let health = ask("/health?now", "");
    assert!(health.starts_with("HTTP/1.1 200") && health.ends_with("\r\n\r\nok"), "{health}");
    assert!(ask("/metrics", "").starts_with("HTTP/1.1 401"));
    assert!(ask("/metrics", "Authorization: Bearer rosebud\r\n").ends_with(&long), "also when it takes several writes");
    assert!(ask("/other", "Authorization: Bearer rosebud\r\n").starts_with("HTTP/1.1 404"));
}

#[test]
fn a_page_of_another_host_is_refused_without_a_token() {
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: https://example.org\r\n\r\n";
    let (told, _) = stranger(request.as_bytes(), ListenOptions::default());
    assert!(told.starts_with("HTTP/1.1 403") && told.contains("token"), "{told}");
}

#[test]
fn links_can_be_accepted_without_a_listener() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address").to_string();
    let mut tcp = TcpLink::connect(&address, LinkOptions::new(Codec::Json)).expect("connecting");
    let stream = Stream::accept(server.accept().expect("a game").0, None).expect("a stream");
    let mut other = TcpLink::accept(stream, LinkOptions::default());
    let mut web = WebSocketLink::connect(&address, LinkOptions::new(Codec::Json)).expect("connecting");
    let stream = Stream::accept(server.accept().expect("a game").0, None).expect("a stream");
    let mut other_web = WebSocketLink::accept(stream, LinkOptions::default());
    tcp.send(b"a").expect("kept");
    web.send(b"b").expect("kept");
    let mut frame = Vec::new();
    until("a", || other.receive(&mut frame).expect("open").then_some(()));
    assert_eq!((frame.as_slice(), other.codec()), (b"a".as_slice(), Codec::Json));
    until("b", || {
        web.receive(&mut frame).expect("open");
        other_web.receive(&mut frame).expect("open").then_some(())
    });
    assert_eq!((frame.as_slice(), other_web.codec()), (b"b".as_slice(), Codec::Json));
}

#[test]
fn a_full_server_says_so() {
    let limits = Limits { sessions_max: 1, ..Limits::default() };
    let listener = Listener::bind(ListenOptions { limits, ..ListenOptions::default() }).expect("a port");
    let mut hub = Hub::new(listener).expect("a hub");
    let address = hub.address().expect("it listens").to_string();
    let mut events = Vec::new();
    let _first = connect(Kind::Tcp, &address, LinkOptions::default()).expect("connecting");
    until("the first", || {
        hub.wait(Duration::from_millis(1), &mut events).expect("works");
        events.iter().any(|event| matches!(event, HubEvent::Opened(..))).then_some(())
    });
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let mut second = connect(kind, &address, LinkOptions::default()).expect("connecting");
        let mut frame = Vec::new();
        let error = until("an end", || {
            hub.wait(Duration::from_millis(1), &mut events).expect("works");
            second.receive(&mut frame).err()
        });
        assert!(matches!(&error, LinkError::Refused(text) if text.contains("takes no more")), "{error:?}");
    }
    assert_eq!(hub.len(), 1);
}
