//! A connection that has not said yet what it is.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::greeting::{MAGIC, STRANGER};
use super::http::{self, Head};
use super::listener::HttpHandler;
use super::websocket::read_some;
use super::{AnyLink, Limits, LinkError, ServerTls, Stream, TcpLink, WebSocketLink, token_matches};
use crate::Codec;

/// What a TLS connection begins with.
const TLS_HELLO: u8 = 0x16;
/// How long we listen to one that was told to go, so that the system does not throw away what we told it.
const LINGER: Duration = Duration::from_millis(500);

/// What the listener lends to its handshakes.
pub(crate) struct Door<'a> {
    pub(crate) tls: Option<&'a ServerTls>,
    pub(crate) limits: &'a Limits,
    pub(crate) token: Option<&'a str>,
    /// Whether no further link can be taken.
    pub(crate) full: bool,
    pub(crate) http: &'a mut Option<HttpHandler>,
}

/// One connection on its way.
#[derive(Debug)]
pub(crate) struct Handshake {
    state: State,
    pub(crate) peer: SocketAddr,
    pub(crate) began: Instant,
    /// Whether its address has as many links as it may have.
    crowded: bool,
}

#[derive(Debug)]
enum State {
    /// Nothing came yet.
    Silent(Stream),
    /// Bytes that may become a greeting or a request.
    Sniffing(Stream, Vec<u8>),
    /// Our own greeting.
    Greeting(TcpLink),
    /// It was answered and will be closed.
    Leaving {
        stream: Stream,
        answer: Vec<u8>,
        written: usize,
        until: Option<Instant>,
    },
    Over,
}

/// What came of a step.
#[derive(Debug)]
pub(crate) enum Step {
    /// More must come.
    Wait,
    /// It is a game.
    Open(AnyLink),
    /// It was refused, and will be gone soon.
    Refused(LinkError),
    /// It is gone.
    Gone,
}

impl Handshake {
    pub(crate) fn new(stream: Stream, peer: SocketAddr, crowded: bool) -> Self {
        Self { state: State::Silent(stream), peer, began: Instant::now(), crowded }
    }

    /// Why no link can be taken, if that is so.
    fn full(&self, door: &Door<'_>) -> Option<String> {
        let limits = door.limits;
        if door.full {
            Some(format!("the director has {} links open and takes no more; try again later", limits.sessions_max))
        } else if self.crowded {
            Some(format!(
                "this address has {} links open, and the director takes no more from one address; close some, or have it allow more",
                limits.links_per_address_max
            ))
        } else {
            None
        }
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match &mut self.state {
            State::Silent(stream) | State::Sniffing(stream, _) | State::Leaving { stream, .. } => Some(stream),
            State::Greeting(link) => Some(link.stream_mut()),
            State::Over => None,
        }
    }

    /// Goes as far as it can without waiting.
    pub(crate) fn step(&mut self, door: &mut Door<'_>) -> Step {
        let most = Duration::from_millis(door.limits.handshake_milliseconds.into());
        let late = self.began.elapsed() > most;
        match std::mem::replace(&mut self.state, State::Over) {
            State::Leaving { stream, answer, written, until } => {
                if late {
                    Step::Gone
                } else {
                    self.leave(stream, answer, written, until)
                }
            }
            State::Over => Step::Gone,
            state => match self.go_on(state, door) {
                Ok(Step::Wait) if late => {
                    // Whoever is so slow is not waited for a second time.
                    self.state = State::Over;
                    Step::Refused(LinkError::TimedOut { what: "a greeting", milliseconds: most.as_millis() as u64 })
                }
                Ok(step) => step,
                Err(error) => Step::Refused(error),
            },
        }
    }

    fn go_on(&mut self, state: State, door: &mut Door<'_>) -> Result<Step, LinkError> {
        match state {
            State::Silent(stream) => match stream.socket().peek() {
                Ok(Some(first)) => self.first(stream, first, door),
                Ok(None) => Err(LinkError::Closed),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.state = State::Silent(stream);
                    Ok(Step::Wait)
                }
                Err(error) => Err(LinkError::io("waiting for a greeting", &error)),
            },
            State::Sniffing(stream, bytes) => self.sniff(stream, bytes, door),
            State::Greeting(link) => self.greet(link),
            State::Leaving { .. } | State::Over => Ok(Step::Gone),
        }
    }

    fn first(&mut self, stream: Stream, first: u8, door: &mut Door<'_>) -> Result<Step, LinkError> {
        match (first, door.tls) {
            (TLS_HELLO, None) => {
                let why = "this port is not encrypted; connect without TLS, or give the director a certificate";
                Ok(self.send_away(stream, format!("{why}\n").into_bytes(), LinkError::Refused(why.to_owned())))
            }
            (TLS_HELLO, Some(_)) => self.sniff(stream.encrypt(door.tls)?, Vec::new(), door),
            (_, Some(_)) if !self.peer.ip().to_canonical().is_loopback() => {
                let why = "this port is encrypted; connect with TLS";
                Ok(self.send_away(stream, format!("{why}\n").into_bytes(), LinkError::Refused(why.to_owned())))
            }
            _ => self.sniff(stream, Vec::new(), door),
        }
    }

    fn sniff(&mut self, mut stream: Stream, mut bytes: Vec<u8>, door: &mut Door<'_>) -> Result<Step, LinkError> {
        read_some(&mut stream, &mut bytes)?;
        let may_be = |word: &[u8]| bytes.iter().zip(word).all(|(byte, wanted)| byte == wanted);
        if may_be(&MAGIC) && bytes.len() >= MAGIC.len() {
            stream.unread(&bytes);
            let mut link = TcpLink::accept(stream, door.limits.link(Codec::Binary));
            if let Some(why) = self.full(door) {
                link.refuse(&why);
                return Ok(self.send_away(link.into_stream(), Vec::new(), LinkError::Refused(why)));
            }
            return self.greet(link);
        }
        if may_be(b"GET ") && bytes.len() >= 4 {
            match Head::read(&bytes) {
                Ok(Some((head, length))) => {
                    return self.request(stream, &head, bytes.get(length..).unwrap_or_default(), door);
                }
                Ok(None) => {}
                Err(error) => {
                    let answer = http::refusal("400 Bad Request", &error.to_string());
                    return Ok(self.send_away(stream, answer, error));
                }
            }
        } else if !may_be(&MAGIC) && !may_be(b"GET ") {
            let answer = format!("{STRANGER}\n").into_bytes();
            return Ok(self.send_away(stream, answer, LinkError::Protocol(STRANGER.to_owned())));
        }
        self.state = State::Sniffing(stream, bytes);
        Ok(Step::Wait)
    }

    fn greet(&mut self, mut link: TcpLink) -> Result<Step, LinkError> {
        match link.poll_open() {
            Ok(true) => Ok(Step::Open(link.into())),
            Ok(false) => {
                self.state = State::Greeting(link);
                Ok(Step::Wait)
            }
            Err(error @ LinkError::Refused(_)) => Ok(self.send_away(link.into_stream(), Vec::new(), error)),
            Err(error) => Err(error),
        }
    }

    fn request(&mut self, stream: Stream, head: &Head, tail: &[u8], door: &mut Door<'_>) -> Result<Step, LinkError> {
        // Whether it is well is no secret, and who watches over it may call it by any name.
        if door.token.is_none() && head.path != "/health" && head.is_for_another_host() {
            let why = "a request for another host may come from a page that found a way here; ask for localhost or 127.0.0.1, \
                       or give the director a token";
            return Ok(self.send_away(stream, http::refusal("403 Forbidden", why), LinkError::Refused(why.to_owned())));
        }
        if !head.upgrades() {
            let answer = plain(head, door);
            self.state = State::Over;
            return Ok(self.leave(stream, answer, 0, None));
        }
        let refuse = if let Some(why) = self.full(door) {
            Some(("503 Service Unavailable", why))
        } else if door.token.is_none() && head.is_foreign_page() {
            let why = "a page of another host may not reach a director without a token; give the director a token";
            Some(("403 Forbidden", why.to_owned()))
        } else {
            None
        };
        if let Some((status, why)) = refuse {
            return Ok(self.send_away(stream, http::refusal(status, &why), LinkError::Refused(why)));
        }
        match WebSocketLink::answer(stream, head, tail, door.limits.link(Codec::Json)) {
            Ok(link) => Ok(Step::Open(link.into())),
            Err(refused) => {
                let (stream, error) = *refused;
                let answer = http::refusal("400 Bad Request", &error.to_string());
                Ok(self.send_away(stream, answer, error))
            }
        }
    }

    /// Tells it to go, and says so.
    fn send_away(&mut self, stream: Stream, answer: Vec<u8>, why: LinkError) -> Step {
        self.leave(stream, answer, 0, None);
        Step::Refused(why)
    }

    fn leave(&mut self, mut stream: Stream, answer: Vec<u8>, mut written: usize, until: Option<Instant>) -> Step {
        let until = match until {
            Some(until) => until,
            None => {
                match write_some(&mut stream, &answer, &mut written) {
                    Ok(true) => {}
                    Ok(false) => {
                        self.state = State::Leaving { stream, answer, written, until: None };
                        return Step::Wait;
                    }
                    Err(_) => return Step::Gone,
                }
                stream.finish();
                Instant::now() + LINGER
            }
        };
        if stream.discard() || Instant::now() > until {
            return Step::Gone;
        }
        self.state = State::Leaving { stream, answer: Vec::new(), written: 0, until: Some(until) };
        Step::Wait
    }
}

/// The answer to a request that opens no WebSocket.
fn plain(head: &Head, door: &mut Door<'_>) -> Vec<u8> {
    let path = head.path.split('?').next().unwrap_or_default();
    if path != "/health" && !token_matches(head.bearer(), door.token) {
        return http::refusal("401 Unauthorized", "ask with the header Authorization: Bearer and the director's token");
    }
    match door.http.as_mut().and_then(|answer| answer(path)) {
        Some(answer) => http::response("200 OK", &answer.content_type, &answer.body),
        None => http::refusal("404 Not Found", "there is nothing here; this is a director, games connect by WebSocket"),
    }
}

/// Writes as far as it goes, and says whether all of it went.
fn write_some(stream: &mut Stream, bytes: &[u8], written: &mut usize) -> io::Result<bool> {
    loop {
        let rest = bytes.get(*written..).unwrap_or_default();
        let result = if rest.is_empty() { stream.flush().map(|()| 0) } else { stream.write(rest) };
        match result {
            Ok(_) if rest.is_empty() => return Ok(true),
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => *written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}
