//! Frames over TCP: eight bytes of greeting, then each frame after its length.

use std::io::{self, Read, Write};
use std::time::Instant;

use super::greeting::{GREETING_BYTES, Greeting};
use super::{Link, LinkError, LinkOptions, Stream};
use crate::Codec;

/// Bytes of a frame's length.
const LENGTH_BYTES: usize = 4;
/// What a link that is quiet holds for reading. It grows only as bytes arrive, whatever length they claim.
const INPUT_BYTES: usize = 4 << 10;
/// A buffer that has grown beyond this is given back when it is empty.
pub(crate) const KEPT_BYTES: usize = 32 << 10;
/// So many bytes go without waiting for more.
const PIECE_BYTES: usize = 32 << 10;

/// One end of a link over TCP.
#[derive(Debug)]
pub struct TcpLink {
    stream: Stream,
    options: LinkOptions,
    phase: Phase,
    /// Bytes that came, from `start` to `end`; the rest is room.
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes that wait to be written, from `written` on.
    output: Vec<u8>,
    written: usize,
    began: Instant,
    /// Why nothing can be written any more. What has arrived is still read before it is told.
    broken: Option<LinkError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The game's side waits for the answer to its greeting.
    Asked,
    /// The server's side waits for a greeting.
    Listening,
    /// The other side will say why not.
    Refused,
    Open,
}

impl TcpLink {
    /// Begins to connect to `host:port`. It does not wait: frames are kept until the link is open, and
    /// [`Link::receive`] says what went wrong.
    pub fn connect(address: &str, options: LinkOptions) -> Result<Self, LinkError> {
        let stream = Stream::connect(address, options.tls.as_ref())?;
        let mut link = Self::new(stream, options, Phase::Asked);
        link.output.extend_from_slice(&Greeting::ours(link.options.codec).bytes());
        link.push();
        Ok(link)
    }

    /// The server's side of a connection. The codec is the one the game chose, once [`TcpLink::is_open`].
    pub fn accept(stream: Stream, options: LinkOptions) -> Self {
        Self::new(stream, options, Phase::Listening)
    }

    fn new(stream: Stream, options: LinkOptions, phase: Phase) -> Self {
        Self {
            stream,
            options,
            phase,
            input: Vec::new(),
            start: 0,
            end: 0,
            output: Vec::new(),
            written: 0,
            began: Instant::now(),
            broken: None,
        }
    }

    /// Whether both sides have greeted each other.
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// What it runs on.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(crate) fn into_stream(self) -> Stream {
        self.stream
    }

    /// How many bytes the frame that is coming says it has, with its length.
    pub(crate) fn claimed_bytes(&self) -> Option<u64> {
        let length = self.arrived().first_chunk::<LENGTH_BYTES>().filter(|_| self.is_open())?;
        Some(LENGTH_BYTES as u64 + u64::from(u32::from_le_bytes(*length)))
    }

    /// How many bytes wait to be written.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        (self.output.len() - self.written) as u64
    }

    /// Reads the greeting if it is there, and says whether the link is open.
    pub fn poll_open(&mut self) -> Result<bool, LinkError> {
        while self.phase != Phase::Open {
            if self.phase == Phase::Refused {
                let mut text = Vec::new();
                if self.take_frame(&mut text)? {
                    return Err(LinkError::Refused(String::from_utf8_lossy(&text).into_owned()));
                }
            } else if let Some(greeting) = Greeting::read(self.arrived())? {
                self.greeted(greeting)?;
                continue;
            }
            if !self.fill()? {
                let most = self.options.handshake_milliseconds;
                if self.began.elapsed().as_millis() > u128::from(most) {
                    return Err(LinkError::TimedOut { what: "a greeting", milliseconds: most.into() });
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn greeted(&mut self, greeting: Greeting) -> Result<(), LinkError> {
        self.start += GREETING_BYTES;
        if self.phase == Phase::Listening {
            if let Some(text) = greeting.objection() {
                self.refuse(&text);
                return Err(LinkError::Refused(text));
            }
            self.options.codec = greeting.codec.unwrap_or_default();
            self.output.extend_from_slice(&Greeting::ours(self.options.codec).bytes());
            self.push();
        } else if greeting.refused {
            self.phase = Phase::Refused;
            return Ok(());
        } else if let Some(text) = greeting.objection() {
            return Err(LinkError::Refused(text));
        }
        self.phase = Phase::Open;
        Ok(())
    }

    /// Says why the link cannot be; the server's side, before it has greeted.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.output.extend_from_slice(&Greeting { refused: true, ..Greeting::ours(self.options.codec) }.bytes());
        self.output.extend_from_slice(&(why.len() as u32).to_le_bytes());
        self.output.extend_from_slice(why.as_bytes());
        self.push();
    }

    fn arrived(&self) -> &[u8] {
        self.input.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes the next whole frame out of what has arrived.
    fn take_frame(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        let Some((length, rest)) = self.arrived().split_first_chunk::<LENGTH_BYTES>() else { return Ok(false) };
        let (bytes, most) = (u32::from_le_bytes(*length), self.options.message_bytes_max);
        if bytes > most {
            return Err(LinkError::TooLarge { bytes: bytes.into(), most: most.into() });
        }
        let Some(frame) = rest.get(..bytes as usize) else { return Ok(false) };
        into.extend_from_slice(frame);
        self.start += LENGTH_BYTES + bytes as usize;
        Ok(true)
    }

    /// Reads what is there, and says whether anything was.
    fn fill(&mut self) -> Result<bool, LinkError> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.input.len() > KEPT_BYTES {
                self.input = Vec::new();
            }
        }
        if self.end == self.input.len() {
            if self.start > 0 {
                self.input.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            } else {
                self.input.resize((self.input.len() * 2).max(INPUT_BYTES), 0);
            }
        }
        loop {
            let room = self.input.get_mut(self.end..).unwrap_or_default();
            return match self.stream.read(room) {
                Ok(0) => Err(LinkError::Closed),
                Ok(count) => {
                    self.end += count;
                    Ok(true)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => match self.broken.clone() {
                    Some(broken) => Err(broken),
                    None => Ok(false),
                },
                Err(error) => Err(LinkError::io("reading from the other side", &error)),
            };
        }
    }

    /// Writes what waits as far as it goes, and says whether all of it went.
    fn push(&mut self) -> bool {
        if self.broken.is_some() {
            self.output.clear();
            self.written = 0;
            return true;
        }
        match self.try_push() {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) => {
                self.broken = Some(LinkError::io("writing to the other side", &error));
                true
            }
        }
    }

    fn try_push(&mut self) -> io::Result<()> {
        loop {
            let rest = self.output.get(self.written..).unwrap_or_default();
            if rest.is_empty() {
                self.output.clear();
                if self.output.capacity() > KEPT_BYTES {
                    self.output = Vec::new();
                }
                self.written = 0;
                return self.stream.flush();
            }
            match self.stream.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Link for TcpLink {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        self.queue(frame)?;
        self.push();
        Ok(())
    }

    fn queue(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        let (bytes, most) = (frame.len() as u64, u64::from(self.options.message_bytes_max));
        if bytes > most {
            return Err(LinkError::TooLarge { bytes, most });
        }
        if self.written > 0 && self.written * 2 > self.output.len() {
            self.output.drain(..self.written);
            self.written = 0;
        }
        let waiting = (self.output.len() - self.written + LENGTH_BYTES) as u64 + bytes;
        if waiting > u64::from(self.options.queue_bytes_max).max(most) {
            return Err(LinkError::Congested { bytes: waiting, most: self.options.queue_bytes_max.into() });
        }
        self.output.extend_from_slice(&(bytes as u32).to_le_bytes());
        self.output.extend_from_slice(frame);
        if self.output.len() >= PIECE_BYTES {
            self.push();
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        into.clear();
        if !self.output.is_empty() || self.stream.is_encrypted() {
            self.push();
        }
        if !self.poll_open()? {
            return Ok(false);
        }
        loop {
            if self.take_frame(into)? {
                return Ok(true);
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    fn codec(&self) -> Codec {
        self.options.codec
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        let pushed = self.push();
        self.broken.clone().map_or(Ok(pushed), Err)
    }

    fn bytes_arrived(&self) -> Option<u64> {
        Some(self.stream.bytes_arrived())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{ListenOptions, Listener};
    use super::*;
    use crate::link::AnyLink;

    #[test]
    fn buffers_of_a_large_frame_are_given_back() {
        let mut listener = Listener::bind(ListenOptions::default()).expect("a port");
        let mut game = TcpLink::connect(&listener.address().to_string(), LinkOptions::default()).expect("connecting");
        game.send(&vec![7; 1_000_000]).expect("kept");
        let (mut frame, mut director) = (Vec::new(), None);
        let began = Instant::now();
        while frame.is_empty() {
            assert!(began.elapsed() < Duration::from_secs(30), "it never came");
            let _ = game.receive(&mut Vec::new());
            let _ = game.flush();
            match &mut director {
                None => director = listener.poll_accept().expect("accepting"),
                Some(link) => drop(link.receive(&mut frame)),
            }
        }
        assert_eq!(frame.len(), 1_000_000);
        let tcp = |link| if let AnyLink::Tcp(link) = link { Some(link) } else { None };
        let mut director = director.and_then(tcp).expect("a TCP link");
        let _ = director.receive(&mut frame);
        assert!(director.input.capacity() <= KEPT_BYTES, "{}", director.input.capacity());
        assert!(game.output.capacity() <= KEPT_BYTES, "{}", game.output.capacity());
    }
}
