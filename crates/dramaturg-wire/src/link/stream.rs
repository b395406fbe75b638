//! Bytes in order, encrypted or not: what TCP and WebSocket links run on.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use mio::{Registry, Token};
use rustls::Connection;

use super::addresses::Pass;
use super::socket::Socket;
use super::{ClientTls, LinkError, ServerTls};

/// A stream of bytes that never waits: where it would, it says [`io::ErrorKind::WouldBlock`].
#[derive(Debug)]
pub struct Stream {
    kind: Kind,
    /// Bytes that were read to find out what the other side speaks, and put back.
    unread: Vec<u8>,
    /// How many bytes were read.
    arrived: u64,
    /// So many bytes may be read until [`Stream::renew`]; a hub gives it, and more where there is room. A buffer that
    /// is filled from here can grow no further than that, whatever length a frame claims.
    allowance: u64,
    taken: u64,
    /// Whether reading stopped for want of an allowance: more may wait in the system, and it will not tell of that
    /// again.
    starved: bool,
    /// Counts as a connection of its address for as long as this lives.
    pass: Option<Pass>,
}

#[derive(Debug)]
enum Kind {
    Plain(Socket),
    Tls(Box<Tls>),
}

#[derive(Debug)]
struct Tls {
    connection: Connection,
    socket: Socket,
}

impl Stream {
    /// Begins to connect, encrypted where somebody is trusted.
    pub fn connect(address: &str, tls: Option<&ClientTls>) -> Result<Self, LinkError> {
        let socket = Socket::connect(address)?;
        let kind = match tls {
            None => Kind::Plain(socket),
            Some(tls) => Kind::Tls(Box::new(Tls { connection: tls.begin(address)?, socket })),
        };
        Ok(Self::new(kind))
    }

    fn new(kind: Kind) -> Self {
        Self { kind, unread: Vec::new(), allowance: u64::MAX, taken: 0, starved: false, pass: None, arrived: 0 }
    }

    /// The same, counted as a connection of its address.
    pub(crate) fn with_pass(mut self, pass: Pass) -> Self {
        self.pass = Some(pass);
        self
    }

    /// Lets so many bytes be read until [`Stream::renew`], those included that were since the last time.
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.allowance = bytes;
        self.starved = false;
    }

    /// A whole frame was read: the allowance counts from here again.
    pub(crate) fn renew(&mut self) {
        self.taken = 0;
        self.starved = false;
    }

    /// Whether reading stopped because all that was allowed has been read.
    pub(crate) fn is_starved(&self) -> bool {
        self.starved
    }

    /// The server's side of a connection, encrypted where there is a certificate.
    pub fn accept(tcp: TcpStream, tls: Option<&ServerTls>) -> Result<Self, LinkError> {
        Self::plain(Socket::new(tcp)?).encrypt(tls)
    }

    pub(crate) fn plain(socket: Socket) -> Self {
        Self::new(Kind::Plain(socket))
    }

    /// The same connection, encrypted from here on.
    pub(crate) fn encrypt(self, tls: Option<&ServerTls>) -> Result<Self, LinkError> {
        let (kind, unread) = match (self.kind, tls) {
            (Kind::Plain(socket), Some(tls)) => {
                (Kind::Tls(Box::new(Tls { connection: tls.begin()?, socket })), Vec::new())
            }
            (kind, _) => (kind, self.unread),
        };
        Ok(Self { kind, unread, ..self })
    }

    pub(crate) fn socket(&self) -> &Socket {
        match &self.kind {
            Kind::Plain(socket) => socket,
            Kind::Tls(tls) => &tls.socket,
        }
    }

    /// The address of the other side.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.socket().peer()
    }

    /// Whether it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        matches!(self.kind, Kind::Tls(_))
    }

    /// How many bytes have been read from the other side.
    pub(crate) fn bytes_arrived(&self) -> u64 {
        self.arrived
    }

    /// Puts bytes back, to be read again.
    pub(crate) fn unread(&mut self, bytes: &[u8]) {
        self.unread.splice(0..0, bytes.iter().copied());
    }

    /// Says that nothing more will be sent.
    pub(crate) fn finish(&mut self) {
        if let Kind::Tls(tls) = &mut self.kind {
            tls.connection.send_close_notify();
            let _ = tls.push();
        }
        self.socket().finish();
    }

    /// Reads and forgets a bounded piece of what the other side still sends, and says whether it has ended.
    pub(crate) fn discard(&mut self) -> bool {
        let mut scrap = [0; 4096];
        for _ in 0..16 {
            match self.read_freely(&mut scrap) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
        false
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token, again: bool) -> io::Result<()> {
        match &mut self.kind {
            Kind::Plain(socket) => socket.register(registry, token, again),
            Kind::Tls(tls) => tls.socket.register(registry, token, again),
        }
    }
}

impl Tls {
    /// Writes what is encrypted and waits.
    fn push(&mut self) -> io::Result<()> {
        while self.connection.wants_write() {
            if self.connection.write_tls(&mut self.socket)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }

    fn push_what_goes(&mut self) -> io::Result<()> {
        match self.push() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other,
        }
    }
}

impl Read for Tls {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
            // Reading goes on while writing is held up: both sides could be held up at once. It goes on where writing
            // fails too, for what the other side said before it closed is still there to be read; then reading says
            // that it has ended.
            let _ = self.push_what_goes();
            self.connection.read_tls(&mut self.socket)?;
            if let Err(error) = self.connection.process_new_packets() {
                // The other side is told why.
                let _ = self.push();
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
            let _ = self.push_what_goes();
        }
    }
}

impl Write for Tls {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.connection.writer().write(bytes)?;
        self.push_what_goes()?;
        if taken == 0 && !bytes.is_empty() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.push()
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.allowance.saturating_sub(self.taken)).unwrap_or(usize::MAX);
        if room == 0 && !into.is_empty() {
            self.starved = true;
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let most = into.len().min(room);
        let count = self.read_freely(into.get_mut(..most).unwrap_or_default())?;
        self.taken = self.taken.saturating_add(count as u64);
        Ok(count)
    }
}

impl Stream {
    /// Reads whatever is allowed.
    fn read_freely(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.unread.is_empty() {
            let count = self.unread.as_slice().read(into)?;
            self.unread.drain(..count);
            return Ok(count);
        }
        let count = match &mut self.kind {
            Kind::Plain(socket) => socket.read(into),
            Kind::Tls(tls) => tls.read(into),
        }?;
        self.arrived += count as u64;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Plain(socket) => socket.write(bytes),
            Kind::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Plain(socket) => socket.flush(),
            Kind::Tls(tls) => tls.flush(),
        }
    }
}
