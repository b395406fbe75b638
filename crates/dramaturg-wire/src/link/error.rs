//! How a link ends or refuses.

use std::fmt;
use std::io;

/// Why a link cannot go on, or could not begin. Its text names the place, the cause and, where there is one, the cure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// The other side closed the link. Nothing is wrong: connect again and resume, or end.
    Closed,
    /// A frame has more bytes than the link takes.
    TooLarge {
        /// How many it has, as far as is known.
        bytes: u64,
        /// How many it may have.
        most: u64,
    },
    /// The other side does not read what is sent to it.
    Congested {
        /// So many bytes wait.
        bytes: u64,
        /// So many may.
        most: u64,
    },
    /// The other side sends more frames than are allowed.
    Flooded {
        /// So many are, in a second.
        per_second: u32,
    },
    /// Nothing came in time.
    TimedOut {
        /// What was waited for.
        what: &'static str,
        /// How long.
        milliseconds: u64,
    },
    /// The other side has not been heard for too long, although nothing was closed.
    Silent {
        /// How long.
        milliseconds: u64,
    },
    /// The system could not read, write, connect or listen.
    Io(String),
    /// What came is not of this protocol.
    Protocol(String),
    /// The link may not be: an address, a certificate, a limit.
    Refused(String),
}

impl LinkError {
    /// An error of the system, with what was being done.
    pub fn io(doing: &str, error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        match error.kind() {
            Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe | Kind::NotConnected => Self::Closed,
            Kind::UnexpectedEof | Kind::WriteZero => Self::Closed,
            Kind::InvalidData => Self::Refused(format!("TLS: {error}; {}", cure(error))),
            _ => Self::Io(format!("{doing}: {error}")),
        }
    }

    /// Whether the other side simply went away, so that it may come back.
    pub fn is_clean(&self) -> bool {
        matches!(self, Self::Closed)
    }
}

/// What to do about trouble with encryption.
fn cure(error: &io::Error) -> &'static str {
    #[cfg(feature = "sockets")]
    if let Some(error) = error.get_ref().and_then(|error| error.downcast_ref()) {
        return super::tls::cure(error);
    }
    let _ = error;
    "both sides must encrypt, and the game must trust the certificate that the director shows"
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the link: closed by the other side; connect again and resume the session"),
            Self::TooLarge { bytes, most } => write!(
                f,
                "the link: a frame of {bytes} bytes, but {most} are allowed; say less at once, or allow more on both sides"
            ),
            Self::Congested { bytes, most } => write!(
                f,
                "the link: {bytes} bytes wait, but at most {most} may; the other side does not read, or its line is too slow"
            ),
            Self::Flooded { per_second } => write!(
                f,
                "the link: more than {per_second} frames a second; send less often, or have the server allow more"
            ),
            Self::TimedOut { what, milliseconds } => {
                write!(f, "the link: {what} did not come within {milliseconds} ms; is the other side a dramaturg?")
            }
            Self::Silent { milliseconds } => write!(
                f,
                "the link: nothing came for {milliseconds} ms, though it was not closed; connect again and resume the session"
            ),
            Self::Io(text) | Self::Protocol(text) | Self::Refused(text) => write!(f, "the link: {text}"),
        }
    }
}

impl std::error::Error for LinkError {}
