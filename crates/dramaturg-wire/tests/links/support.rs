//! What the tests share.

use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use dramaturg_wire::Codec;
use dramaturg_wire::link::{AnyLink, Link, LinkError, LinkOptions, ListenOptions, Listener, TcpLink, WebSocketLink};

/// Nothing on this machine takes so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// SplitMix64, so that the tests are the same each time.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// A frame: mostly short, now and then longer than any buffer; text where it must be.
    pub fn frame(&mut self, codec: Codec) -> Vec<u8> {
        let length = match self.next() % 1000 {
            0 => self.next() % 100_000,
            1..=50 => self.next() % 5_000,
            _ => self.next() % 120,
        };
        match codec {
            Codec::Binary => (0..length).map(|_| self.next() as u8).collect(),
            Codec::Json => (0..length).map(|_| b' ' + (self.next() % 95) as u8).collect(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tcp,
    WebSocket,
}

pub fn connect(kind: Kind, address: &str, options: LinkOptions) -> Result<AnyLink, LinkError> {
    Ok(match kind {
        Kind::Tcp => TcpLink::connect(address, options)?.into(),
        Kind::WebSocket => WebSocketLink::connect(address, options)?.into(),
    })
}

pub fn listen(options: ListenOptions) -> (Listener, SocketAddr) {
    let listener = Listener::bind(options).expect("a port");
    let address = listener.address();
    (listener, address)
}

/// Polls until there is something.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Both ends of a link that a listener accepts.
pub fn pair(kind: Kind, options: LinkOptions, listening: ListenOptions) -> (AnyLink, AnyLink) {
    let (mut listener, address) = listen(listening);
    let mut client = connect(kind, &address.to_string(), options).expect("connecting");
    let mut frame = Vec::new();
    let server = until("a game", || {
        client.receive(&mut frame).expect("no trouble");
        listener.poll_accept().expect("a listener that works")
    });
    until("an open link", || {
        client.flush().expect("no trouble");
        client.receive(&mut frame).expect("no trouble");
        client.is_open().then_some(())
    });
    (client, server)
}

/// How a link ends.
pub fn ending(link: &mut impl Link) -> LinkError {
    let mut frame = Vec::new();
    until("an end", || link.receive(&mut frame).err())
}

/// Everything a bare socket is told until it is closed.
pub fn told(mut socket: TcpStream, mut work: impl FnMut()) -> String {
    socket.set_nonblocking(true).expect("a socket");
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    until("a closed socket", || {
        work();
        match socket.read(&mut piece) {
            Ok(0) => Some(()),
            Ok(count) => {
                all.extend_from_slice(&piece[..count]);
                None
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
            Err(_) => Some(()),
        }
    });
    String::from_utf8_lossy(&all).into_owned()
}
