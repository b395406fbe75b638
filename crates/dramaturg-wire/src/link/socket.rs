//! A TCP socket that never waits, not even for its own connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use mio::{Interest, Registry, Token};

use super::LinkError;

/// How long each address of a name but the last is tried.
const TRY: Duration = Duration::from_millis(500);

/// A socket that may still be connecting: until then it reads and writes nothing.
#[derive(Debug)]
pub(crate) struct Socket {
    tcp: mio::net::TcpStream,
    connecting: bool,
}

impl Socket {
    /// Begins to connect. Numbers do not wait; a name is looked up, and where it stands for several addresses all but the last are
    /// tried in turn.
    pub(crate) fn connect(address: &str) -> Result<Self, LinkError> {
        let found = address.to_socket_addrs().map_err(|error| {
            LinkError::Refused(format!("{address}: {error}; give an address and a port, like 127.0.0.1:7777"))
        })?;
        let found: Vec<SocketAddr> = found.collect();
        let Some((last, others)) = found.split_last() else {
            return Err(LinkError::Refused(format!("{address}: stands for no address; check its spelling")));
        };
        for other in others {
            if let Ok(tcp) = TcpStream::connect_timeout(other, TRY) {
                return Self::new(tcp);
            }
        }
        let tcp = mio::net::TcpStream::connect(*last)
            .map_err(|error| LinkError::Io(format!("{address}: cannot connect: {error}; is the director running?")))?;
        // Set again once connected; some systems take it only then.
        let _ = tcp.set_nodelay(true);
        Ok(Self { tcp, connecting: true })
    }

    /// A socket that is connected.
    pub(crate) fn new(tcp: TcpStream) -> Result<Self, LinkError> {
        tcp.set_nonblocking(true).map_err(|error| LinkError::io("making a socket not wait", &error))?;
        Self::accepted(mio::net::TcpStream::from_std(tcp))
    }

    /// A socket that a listener accepted.
    pub(crate) fn accepted(tcp: mio::net::TcpStream) -> Result<Self, LinkError> {
        tcp.set_nodelay(true).map_err(|error| LinkError::io("making a socket send at once", &error))?;
        Ok(Self { tcp, connecting: false })
    }

    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.tcp.peer_addr().ok()
    }

    /// The first byte that came, left where it is.
    pub(crate) fn peek(&self) -> io::Result<Option<u8>> {
        let mut first = [0];
        Ok((self.tcp.peek(&mut first)? > 0).then_some(first[0]))
    }

    /// Says that nothing more will be sent.
    pub(crate) fn finish(&self) {
        let _ = self.tcp.shutdown(Shutdown::Write);
    }

    /// Has readiness told under this token.
    pub(crate) fn register(&mut self, registry: &Registry, token: Token, again: bool) -> io::Result<()> {
        let both = Interest::READABLE | Interest::WRITABLE;
        if again {
            registry.reregister(&mut self.tcp, token, both)
        } else {
            registry.register(&mut self.tcp, token, both)
        }
    }

    fn connected(&mut self) -> io::Result<()> {
        if !self.connecting {
            return Ok(());
        }
        if let Some(error) = self.tcp.take_error()? {
            return Err(refused(&error));
        }
        match self.tcp.peer_addr() {
            Ok(_) => {
                self.connecting = false;
                let _ = self.tcp.set_nodelay(true);
                Ok(())
            }
            Err(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// The same kind of error with its cure.
fn refused(error: &io::Error) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, format!("cannot connect: {error}; is the director running there?"))
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.connected()?;
        self.tcp.read(into)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.connected()?;
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
