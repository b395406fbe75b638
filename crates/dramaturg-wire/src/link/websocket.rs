//! Frames as WebSocket messages: text carries JSON, binary messages carry the binary codec.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::time::Instant;

use tungstenite::client::{ClientRequestBuilder, client_with_config};
use tungstenite::error::CapacityError;
use tungstenite::handshake::client::ClientHandshake;
use tungstenite::handshake::{HandshakeError, MidHandshake, derive_accept_key};
use tungstenite::http::Uri;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use super::http::{self, Head};
use super::{Link, LinkError, LinkOptions, Stream};
use crate::{Codec, VERSION};

/// More pings and pongs than this between two frames are a flood.
const CONTROL_MAX: u32 = 256;

/// One end of a link over WebSocket.
#[derive(Debug)]
pub struct WebSocketLink {
    phase: Phase,
    options: LinkOptions,
    /// Frames from before the link was open.
    early: VecDeque<Vec<u8>>,
    early_bytes: u64,
    began: Instant,
    /// Why nothing can be written any more. What has arrived is still read before it is told.
    broken: Option<LinkError>,
    /// Whether something waits to be written.
    unflushed: bool,
    /// Bytes of frames since everything was last on its way: at least as many as wait to be written.
    queued_bytes: u64,
}

#[derive(Debug)]
enum Phase {
    /// The game's side waits for the server's answer.
    Asked(Box<MidHandshake<ClientHandshake<Stream>>>),
    /// The server's side waits for the head of the request.
    Listening(Stream, Vec<u8>),
    Open(Box<WebSocket<Stream>>),
    Over,
}

impl WebSocketLink {
    /// Begins to connect to `host:port`. It does not wait: frames are kept until the link is open, and
    /// [`Link::receive`] says what went wrong.
    pub fn connect(address: &str, options: LinkOptions) -> Result<Self, LinkError> {
        let stream = Stream::connect(address, options.tls.as_ref())?;
        let scheme = if options.tls.is_some() { "wss" } else { "ws" };
        let uri: Uri = format!("{scheme}://{address}/")
            .parse()
            .map_err(|error| LinkError::Refused(format!("{address}: {error}; give an address and a port")))?;
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(subprotocol(options.codec));
        let phase = match client_with_config(request, stream, Some(config(&options))) {
            Ok((socket, _)) => Phase::Open(Box::new(socket)),
            Err(HandshakeError::Interrupted(rest)) => Phase::Asked(Box::new(rest)),
            Err(HandshakeError::Failure(error)) => return Err(failure(error)),
        };
        Ok(Self::new(phase, options))
    }

    /// The server's side of a connection. The codec is the one the game chose, once [`WebSocketLink::is_open`].
    pub fn accept(stream: Stream, options: LinkOptions) -> Self {
        Self::new(Phase::Listening(stream, Vec::new()), options)
    }

    fn new(phase: Phase, options: LinkOptions) -> Self {
        Self {
            phase,
            options,
            early: VecDeque::new(),
            early_bytes: 0,
            began: Instant::now(),
            broken: None,
            unflushed: false,
            queued_bytes: 0,
        }
    }

    /// Answers a request whose head was read, with what came after it. A stream that is refused comes back, unanswered.
    pub(crate) fn answer(
        mut stream: Stream,
        head: &Head,
        tail: &[u8],
        mut options: LinkOptions,
    ) -> Result<Self, Box<(Stream, LinkError)>> {
        let (codec, answer) = match agree(head) {
            Ok(agreed) => agreed,
            Err(why) => return Err(Box::new((stream, LinkError::Refused(why)))),
        };
        options.codec = codec;
        // A connection has room for so little when nothing was written yet.
        if let Err(error) = stream.write_all(&answer) {
            return Err(Box::new((stream, LinkError::io("answering a WebSocket", &error))));
        }
        let socket = WebSocket::from_partially_read(stream, tail.to_vec(), Role::Server, Some(config(&options)));
        Ok(Self::new(Phase::Open(Box::new(socket)), options))
    }

    /// Whether both sides have agreed to talk.
    pub fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open(_))
    }

    /// How many bytes wait to be written, at most.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.early_bytes.saturating_add(self.queued_bytes)
    }

    /// What it runs on; none while that is not settled.
    pub fn stream(&self) -> Option<&Stream> {
        match &self.phase {
            Phase::Open(socket) => Some(socket.get_ref()),
            Phase::Listening(stream, _) => Some(stream),
            Phase::Asked(_) | Phase::Over => None,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match &mut self.phase {
            Phase::Open(socket) => Some(socket.get_mut()),
            Phase::Listening(stream, _) => Some(stream),
            Phase::Asked(rest) => Some(rest.get_mut().get_mut()),
            Phase::Over => None,
        }
    }

    /// Says that the link ends, and why.
    pub(crate) fn say_goodbye(&mut self, why: Option<&LinkError>) {
        if let Phase::Open(socket) = &mut self.phase {
            let code = match why {
                None | Some(LinkError::Closed) => CloseCode::Normal,
                Some(LinkError::TooLarge { .. }) => CloseCode::Size,
                Some(LinkError::Protocol(_)) => CloseCode::Protocol,
                Some(_) => CloseCode::Policy,
            };
            let mut reason = why.map(ToString::to_string).unwrap_or_default();
            // A close message has room for 123 bytes.
            let end = (0..=reason.len().min(123)).rev().find(|end| reason.is_char_boundary(*end)).unwrap_or(0);
            reason.truncate(end);
            let _ = socket.close(Some(CloseFrame { code, reason: reason.into() }));
        }
    }

    /// Goes on opening, and says whether the link is open.
    pub fn poll_open(&mut self) -> Result<bool, LinkError> {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Open(socket) => {
                self.phase = Phase::Open(socket);
                return Ok(true);
            }
            Phase::Over => return Err(self.broken.clone().unwrap_or(LinkError::Closed)),
            Phase::Asked(rest) => match rest.handshake() {
                Ok((socket, _)) => self.phase = Phase::Open(Box::new(socket)),
                Err(HandshakeError::Interrupted(rest)) => self.phase = Phase::Asked(Box::new(rest)),
                Err(HandshakeError::Failure(error)) => return Err(failure(error)),
            },
            Phase::Listening(mut stream, mut bytes) => {
                read_some(&mut stream, &mut bytes)?;
                match Head::read(&bytes)? {
                    Some((head, length)) => {
                        let tail = bytes.get(length..).unwrap_or_default();
                        match Self::answer(stream, &head, tail, self.options.clone()) {
                            Ok(open) => (self.phase, self.options) = (open.phase, open.options),
                            Err(refused) => {
                                let (mut stream, error) = *refused;
                                let _ = stream.write_all(&http::refusal("400 Bad Request", &error.to_string()));
                                stream.finish();
                                return Err(error);
                            }
                        }
                    }
                    None => self.phase = Phase::Listening(stream, bytes),
                }
            }
        }
        if self.is_open() {
            self.early_bytes = 0;
            for frame in std::mem::take(&mut self.early) {
                self.put(&frame)?;
            }
            return Ok(true);
        }
        let most = self.options.handshake_milliseconds;
        if self.began.elapsed().as_millis() > u128::from(most) {
            return Err(LinkError::TimedOut { what: "the opening of a WebSocket", milliseconds: most.into() });
        }
        Ok(false)
    }

    fn put(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        let Phase::Open(socket) = &mut self.phase else { return Ok(()) };
        if self.broken.is_some() {
            return Ok(());
        }
        let message = match self.options.codec {
            Codec::Binary => Message::binary(frame.to_vec()),
            Codec::Json => match std::str::from_utf8(frame) {
                Ok(text) => Message::text(text),
                Err(error) => return Err(LinkError::Protocol(format!("a JSON frame must be text: {error}"))),
            },
        };
        match socket.send(message) {
            Ok(()) => self.queued_bytes = 0,
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                self.unflushed = true;
                self.queued_bytes = self.queued_bytes.saturating_add(frame.len() as u64);
            }
            Err(Error::WriteBufferFull(message)) => {
                let most = u64::from(self.options.queue_bytes_max);
                return Err(LinkError::Congested { bytes: most + message.len() as u64, most });
            }
            Err(error) => self.broken = Some(failure(error)),
        }
        Ok(())
    }
}

/// Reads what is there, at least once and at most a head.
pub(crate) fn read_some(stream: &mut Stream, bytes: &mut Vec<u8>) -> Result<(), LinkError> {
    let mut piece = [0; 1024];
    while bytes.len() < http::HEAD_BYTES_MAX {
        match stream.read(&mut piece) {
            Ok(0) => return Err(LinkError::Closed),
            Ok(count) => bytes.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(LinkError::io("reading a greeting", &error)),
        }
    }
    Ok(())
}

/// How a game names what it wants to speak.
pub(crate) fn subprotocol(codec: Codec) -> String {
    let codec = if codec == Codec::Json { "json" } else { "binary" };
    format!("dramaturg.v{}.{codec}", VERSION.major)
}

/// Chooses a codec and makes the server's answer, or says what is wrong.
fn agree(head: &Head) -> Result<(Codec, Vec<u8>), String> {
    let offers = |codec| head.lists("sec-websocket-protocol", &subprotocol(codec));
    let (codec, named) = match (offers(Codec::Binary), offers(Codec::Json), head.get("sec-websocket-protocol")) {
        (true, ..) => (Codec::Binary, true),
        (_, true, _) => (Codec::Json, true),
        // Who names nothing is taken to be a browser.
        (_, _, None) => (Codec::Json, false),
        (_, _, Some(other)) => {
            let known = subprotocol(Codec::Json);
            return Err(format!("the WebSocket asks for {other}; this director speaks {known} and its binary kin"));
        }
    };
    let Some(key) = head.get("sec-websocket-key").filter(|key| key.len() == 24) else {
        return Err("the WebSocket has no key; ask with Sec-WebSocket-Key".to_owned());
    };
    if head.get("sec-websocket-version") != Some("13") || !head.lists("connection", "upgrade") {
        return Err("the WebSocket must be of version 13, with Connection: Upgrade".to_owned());
    }
    let mut answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {}\r\n",
        derive_accept_key(key.as_bytes())
    );
    if named {
        answer.push_str(&format!("Sec-WebSocket-Protocol: {}\r\n", subprotocol(codec)));
    }
    answer.push_str("\r\n");
    Ok((codec, answer.into_bytes()))
}

fn config(options: &LinkOptions) -> WebSocketConfig {
    let most = options.message_bytes_max as usize;
    WebSocketConfig::default()
        // Allocated at once for every link, so small.
        .read_buffer_size(4 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size((options.queue_bytes_max as usize).max(most + 64))
        .max_message_size(Some(most))
        .max_frame_size(Some(most))
}

/// The same trouble in our words.
fn failure(error: Error) -> LinkError {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => LinkError::Closed,
        Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => LinkError::Closed,
        Error::Io(error) => LinkError::io("a WebSocket", &error),
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            LinkError::TooLarge { bytes: size as u64, most: max_size as u64 }
        }
        Error::Http(response) => {
            let status = response.status();
            let body = response.into_body().unwrap_or_default();
            LinkError::Refused(format!("{status}: {}", String::from_utf8_lossy(&body).trim()))
        }
        other => LinkError::Protocol(format!("{other}; is the other side a dramaturg?")),
    }
}

impl Link for WebSocketLink {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        let (bytes, most) = (frame.len() as u64, u64::from(self.options.message_bytes_max));
        if bytes > most {
            return Err(LinkError::TooLarge { bytes, most });
        }
        if self.is_open() {
            return self.put(frame);
        }
        // Each will have a head of its own.
        let (waiting, most) = (self.early_bytes + bytes + 16, u64::from(self.options.queue_bytes_max));
        if waiting > most {
            return Err(LinkError::Congested { bytes: waiting, most });
        }
        self.early_bytes = waiting;
        self.early.push_back(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        into.clear();
        if !self.poll_open()? {
            return Ok(false);
        }
        if self.unflushed {
            let _ = self.flush();
        }
        let (codec, broken) = (self.options.codec, self.broken.clone());
        let Phase::Open(socket) = &mut self.phase else { return Err(LinkError::Closed) };
        for _ in 0..CONTROL_MAX {
            let data = match (socket.read(), codec) {
                (Ok(Message::Text(text)), Codec::Json) => tungstenite::Bytes::from(text),
                (Ok(Message::Binary(data)), Codec::Binary) => data,
                (Ok(Message::Text(_)), Codec::Binary) => {
                    return Err(LinkError::Protocol("a text message came, but binary ones were agreed on".to_owned()));
                }
                (Ok(Message::Binary(_)), Codec::Json) => {
                    return Err(LinkError::Protocol("a binary message came, but JSON text was agreed on".to_owned()));
                }
                (Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)), _) => continue,
                (Err(Error::Io(error)), _) if error.kind() == io::ErrorKind::WouldBlock => {
                    return broken.map_or(Ok(false), Err);
                }
                (Err(error), _) => return Err(failure(error)),
            };
            into.extend_from_slice(&data);
            return Ok(true);
        }
        Err(LinkError::Flooded { per_second: CONTROL_MAX })
    }

    fn codec(&self) -> Codec {
        self.options.codec
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        if let Err(error) = self.poll_open() {
            // Who reads from it next is to hear it too.
            self.broken = Some(error.clone());
            return Err(error);
        }
        let Phase::Open(socket) = &mut self.phase else { return Ok(self.early.is_empty()) };
        match socket.flush() {
            Ok(()) => {
                self.unflushed = false;
                self.queued_bytes = 0;
                Ok(true)
            }
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => {
                let error = failure(error);
                self.broken = Some(error.clone());
                Err(error)
            }
        }
    }

    fn bytes_arrived(&self) -> Option<u64> {
        self.stream().map(Stream::bytes_arrived)
    }
}
