//! The door of a server: games of both kinds, encrypted or not, come to one port.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};

use mio::{Interest, Registry, Token};

use super::addresses::{Addresses, Entry};
use super::handshake::{Door, Handshake, Step};
use super::socket::Socket;
use super::{AnyLink, Limits, LinkError, ServerTls, Stream, TOKEN_BYTES_MAX};

/// How many refusals are kept for the log.
const REFUSALS_MAX: usize = 256;
/// When all places are taken, the oldest handshake is given up once it is so old.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the log is told of connections that were closed without an answer.
const TOO_FAST_TOLD: Duration = Duration::from_secs(1);

/// What is answered to a plain HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpAnswer {
    /// Such as `text/plain; version=0.0.4`.
    pub content_type: String,
    /// The whole.
    pub body: String,
}

/// Answers a path, if there is something.
pub(crate) type HttpHandler = Box<dyn FnMut(&str) -> Option<HttpAnswer> + Send>;

/// What a server listens to.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// Where: an address and a port; port 0: the system chooses.
    pub address: String,
    /// What games must show in hello. The listener demands one for every address but this machine's own; the director
    /// compares it, with [`super::token_matches`].
    pub token: Option<String>,
    /// The certificate, for encrypted links. With one, links that are not encrypted are taken from this machine only.
    pub tls: Option<ServerTls>,
    /// How much is taken on.
    pub limits: Limits,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self { address: "127.0.0.1:0".to_owned(), token: None, tls: None, limits: Limits::default() }
    }
}

/// Waits for games. No call waits.
pub struct Listener {
    tcp: mio::net::TcpListener,
    address: SocketAddr,
    options: ListenOptions,
    pending: Vec<Handshake>,
    addresses: Addresses,
    /// Connections that were closed because their address opens them too fast, since the log was last told.
    too_fast: Option<(SocketAddr, u32, Instant)>,
    http: Option<HttpHandler>,
    refusals: VecDeque<(SocketAddr, LinkError)>,
    /// Where readiness is told, and under which name for connections that have not opened.
    registry: Option<(Registry, Token)>,
    full: bool,
    /// Whether connections may wait that we could not take.
    held_up: bool,
}

impl Listener {
    /// Begins to listen.
    pub fn bind(options: ListenOptions) -> Result<Self, LinkError> {
        let place = &options.address;
        if let Some(why) = options.token.as_deref().and_then(bad_token) {
            return Err(LinkError::Refused(why));
        }
        let addresses = place.to_socket_addrs().map_err(|error| {
            LinkError::Refused(format!("{place}: {error}; give an address and a port, like 127.0.0.1:7777"))
        })?;
        let mut last = None;
        for address in addresses {
            if !address.ip().to_canonical().is_loopback() && options.token.is_none() {
                return Err(LinkError::Refused(format!(
                    "{address}: others than this machine could connect, and no token is given; give one (`token`) that games \
                     show in hello, or listen on 127.0.0.1"
                )));
            }
            match mio::net::TcpListener::bind(address) {
                Ok(tcp) => {
                    let address = tcp.local_addr().map_err(|error| LinkError::io("listening", &error))?;
                    return Ok(Self {
                        tcp,
                        address,
                        addresses: Addresses::new(&options.limits),
                        too_fast: None,
                        options,
                        pending: Vec::new(),
                        http: None,
                        refusals: VecDeque::new(),
                        registry: None,
                        full: false,
                        held_up: false,
                    });
                }
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or_else(|| "stands for no address".to_owned(), |error| error.to_string());
        Err(LinkError::Io(format!("{place}: cannot listen: {why}; choose another port or end who uses it")))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was made with.
    pub fn options(&self) -> &ListenOptions {
        &self.options
    }

    /// Answers plain HTTP requests such as `GET /health` and `GET /metrics`. Where there is a token, all paths but
    /// `/health` want it.
    pub fn set_http(&mut self, answer: impl FnMut(&str) -> Option<HttpAnswer> + Send + 'static) {
        self.http = Some(Box::new(answer));
    }

    /// Whether further games are turned away with one clear answer.
    pub fn set_full(&mut self, full: bool) {
        self.full = full;
    }

    /// Who was turned away since last asked, and why; for the log.
    pub fn refusals(&mut self) -> impl Iterator<Item = (SocketAddr, LinkError)> + '_ {
        self.refusals.drain(..)
    }

    /// How many connections have not said yet what they are.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Whether [`Listener::poll_accept`] should be called soon even if nothing arrives: time runs against somebody.
    pub fn is_busy(&self) -> bool {
        self.held_up || !self.pending.is_empty() || self.too_fast.is_some()
    }

    /// The next game that has arrived, if any. Errors are the system's; the listener goes on.
    pub fn poll_accept(&mut self) -> Result<Option<AnyLink>, LinkError> {
        let accepted = self.accept();
        let mut at = 0;
        while at < self.pending.len() {
            let Self { options, full, http, .. } = self;
            let mut door = Door {
                tls: options.tls.as_ref(),
                limits: &options.limits,
                token: options.token.as_deref(),
                full: *full,
                http,
            };
            let Some(handshake) = self.pending.get_mut(at) else { break };
            match handshake.step(&mut door) {
                Step::Wait => at += 1,
                Step::Gone => drop(self.pending.remove(at)),
                Step::Refused(error) => {
                    let peer = handshake.peer;
                    self.note(peer, error);
                }
                Step::Open(link) => {
                    self.pending.remove(at);
                    return Ok(Some(link));
                }
            }
        }
        self.tell_too_fast();
        accepted.map(|()| None)
    }

    /// Takes what waits at the port, as long as there is room.
    fn accept(&mut self) -> Result<(), LinkError> {
        self.held_up = false;
        loop {
            if self.pending.len() >= self.options.limits.handshakes_max.max(1) as usize && !self.make_room() {
                self.held_up = true;
                return Ok(());
            }
            match self.tcp.accept() {
                Ok((tcp, peer)) => {
                    let (pass, crowded) = match self.addresses.enter(peer.ip()) {
                        Entry::Free(pass) => (pass, false),
                        Entry::Crowded(pass) => (pass, true),
                        Entry::TooFast => {
                            let (.., count, _) = self.too_fast.get_or_insert((peer, 0, Instant::now()));
                            *count = count.saturating_add(1);
                            continue;
                        }
                    };
                    let Ok(socket) = Socket::accepted(tcp) else { continue };
                    let mut handshake = Handshake::new(Stream::plain(socket).with_pass(pass), peer, crowded);
                    if let (Some((registry, token)), Some(stream)) = (&self.registry, handshake.stream_mut())
                        && stream.register(registry, *token, false).is_err()
                    {
                        continue;
                    }
                    self.pending.push(handshake);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    self.held_up = true;
                    return Err(LinkError::Io(format!(
                        "{}: cannot take a connection: {error}; allow the process more open files",
                        self.address
                    )));
                }
            }
        }
    }

    fn make_room(&mut self) -> bool {
        let oldest = self.pending.iter().enumerate().min_by_key(|(_, handshake)| handshake.began);
        let Some((at, oldest)) = oldest else { return true };
        let age = Instant::now().saturating_duration_since(oldest.began);
        if age < PATIENCE {
            return false;
        }
        let peer = oldest.peer;
        self.pending.remove(at);
        let milliseconds = age.as_millis() as u64;
        self.note(peer, LinkError::TimedOut { what: "a greeting, while others wait,", milliseconds });
        true
    }

    /// One line for all connections of a second that were closed without an answer: the log must not be flooded either.
    fn tell_too_fast(&mut self) {
        if let Some((peer, count, since)) = self.too_fast
            && since.elapsed() >= TOO_FAST_TOLD
        {
            self.too_fast = None;
            let per_second = self.options.limits.connections_per_second;
            let text = format!(
                "{count} connections were closed at once: this address (or another since) opens more than {per_second} a second; \
                 connect less often, or have the server allow more"
            );
            self.note(peer, LinkError::Refused(text));
        }
    }

    fn note(&mut self, peer: SocketAddr, error: LinkError) {
        if self.refusals.len() >= REFUSALS_MAX {
            self.refusals.pop_front();
        }
        self.refusals.push_back((peer, error));
    }

    /// Has readiness told: of the port itself, and of connections that have not opened.
    pub(crate) fn register(&mut self, registry: &Registry, port: Token, pending: Token) -> io::Result<()> {
        registry.register(&mut self.tcp, port, Interest::READABLE)?;
        self.registry = Some((registry.try_clone()?, pending));
        Ok(())
    }
}

/// What is wrong with a token that games are to show.
fn bad_token(token: &str) -> Option<String> {
    if token.is_empty() {
        Some(
            "the token is empty, so that anybody could show it; give one that nobody guesses, or none at all"
                .to_owned(),
        )
    } else if token.len() > TOKEN_BYTES_MAX {
        let bytes = token.len();
        Some(format!("the token has {bytes} bytes, and one may have {TOKEN_BYTES_MAX}; give a shorter one"))
    } else {
        None
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("address", &self.address).field("pending", &self.pending.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_refusals_wait_to_be_told_and_no_more() {
        let mut listener = Listener::bind(ListenOptions::default()).expect("a port");
        let peer = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        (0..REFUSALS_MAX as u16 + 10).for_each(|port| listener.note(peer(port), LinkError::Closed));
        let told: Vec<_> = listener.refusals().collect();
        assert_eq!((told.len(), told[0].0), (REFUSALS_MAX, peer(10)), "the oldest are forgotten");
    }
}
