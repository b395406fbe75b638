//! A link of either kind that a server accepts.

use std::io;
use std::net::SocketAddr;

use mio::{Registry, Token};

use super::{Link, LinkError, Stream, TcpLink, WebSocketLink};
use crate::Codec;

/// A link over TCP or WebSocket: games of both kinds come to the same port.
#[derive(Debug)]
pub enum AnyLink {
    /// Over TCP.
    Tcp(Box<TcpLink>),
    /// Over WebSocket.
    WebSocket(Box<WebSocketLink>),
}

impl AnyLink {
    /// The address of the other side, while there is one.
    pub fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(link) => link.stream().peer(),
            Self::WebSocket(link) => link.stream()?.peer(),
        }
    }

    /// Whether both sides have agreed to talk. A link from a listener is open; one that connects will be.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Tcp(link) => link.is_open(),
            Self::WebSocket(link) => link.is_open(),
        }
    }

    /// Whether the link is encrypted.
    pub fn is_encrypted(&self) -> bool {
        match self {
            Self::Tcp(link) => link.stream().is_encrypted(),
            Self::WebSocket(link) => link.stream().is_some_and(Stream::is_encrypted),
        }
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::Tcp(link) => Some(link.stream_mut()),
            Self::WebSocket(link) => link.stream_mut(),
        }
    }

    /// Says that nothing more will be sent, and why. What the other side still sends should be read for a while, so
    /// that the system does not throw away what it has not received yet.
    pub(crate) fn finish(&mut self, why: Option<&LinkError>) {
        if let Self::WebSocket(link) = self {
            link.say_goodbye(why);
        }
        if let Some(stream) = self.stream_mut() {
            stream.finish();
        }
    }

    /// Reads and forgets, and says whether the other side has ended.
    pub(crate) fn discard(&mut self) -> bool {
        self.stream_mut().is_none_or(Stream::discard)
    }

    /// How many bytes wait to be written.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        match self {
            Self::Tcp(link) => link.waiting_bytes(),
            Self::WebSocket(link) => link.waiting_bytes(),
        }
    }

    /// How many bytes the frame that is coming says it has, with its length, where that can be known.
    pub(crate) fn claimed_bytes(&self) -> Option<u64> {
        match self {
            Self::Tcp(link) => link.claimed_bytes(),
            Self::WebSocket(_) => None,
        }
    }

    /// Whether a buffer stays as large as the largest frame that came: tungstenite gives none back.
    pub(crate) fn keeps_buffers(&self) -> bool {
        matches!(self, Self::WebSocket(_))
    }

    /// See [`Stream::allow`].
    pub(crate) fn allow(&mut self, bytes: u64) {
        if let Some(stream) = self.stream_mut() {
            stream.allow(bytes);
        }
    }

    /// See [`Stream::renew`].
    pub(crate) fn renew(&mut self) {
        if let Some(stream) = self.stream_mut() {
            stream.renew();
        }
    }

    /// See [`Stream::is_starved`].
    pub(crate) fn is_starved(&mut self) -> bool {
        self.stream_mut().is_some_and(|stream| stream.is_starved())
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token, again: bool) -> io::Result<()> {
        match self.stream_mut() {
            Some(stream) => stream.register(registry, token, again),
            None => Ok(()),
        }
    }
}

impl Link for AnyLink {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        match self {
            Self::Tcp(link) => link.send(frame),
            Self::WebSocket(link) => link.send(frame),
        }
    }

    fn queue(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        match self {
            Self::Tcp(link) => link.queue(frame),
            Self::WebSocket(link) => link.queue(frame),
        }
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        match self {
            Self::Tcp(link) => link.receive(into),
            Self::WebSocket(link) => link.receive(into),
        }
    }

    fn codec(&self) -> Codec {
        match self {
            Self::Tcp(link) => link.codec(),
            Self::WebSocket(link) => link.codec(),
        }
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        match self {
            Self::Tcp(link) => link.flush(),
            Self::WebSocket(link) => link.flush(),
        }
    }

    fn bytes_arrived(&self) -> Option<u64> {
        match self {
            Self::Tcp(link) => link.bytes_arrived(),
            Self::WebSocket(link) => link.bytes_arrived(),
        }
    }
}

impl From<TcpLink> for AnyLink {
    fn from(link: TcpLink) -> Self {
        Self::Tcp(Box::new(link))
    }
}

impl From<WebSocketLink> for AnyLink {
    fn from(link: WebSocketLink) -> Self {
        Self::WebSocket(Box::new(link))
    }
}
