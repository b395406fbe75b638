//! The first bytes on a TCP link: whether both sides speak the same.

use super::LinkError;
use crate::{Codec, VERSION};

/// What every greeting begins with.
pub const MAGIC: [u8; 4] = *b"DRMT";
/// Bytes of a greeting.
pub const GREETING_BYTES: usize = 8;

/// `DRMT`, the codec, whether the link is refused, and the major version of the protocol in two bytes, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    /// None: one that we do not know.
    pub(crate) codec: Option<Codec>,
    /// Only a server says it; the reason follows as a frame of text.
    pub(crate) refused: bool,
    pub(crate) major: u16,
}

impl Greeting {
    pub(crate) fn ours(codec: Codec) -> Self {
        Self { codec: Some(codec), refused: false, major: VERSION.major }
    }

    pub(crate) fn bytes(self) -> [u8; GREETING_BYTES] {
        let [d, r, m, t] = MAGIC;
        let codec = match self.codec {
            Some(Codec::Binary) => 0,
            Some(Codec::Json) => 1,
            None => u8::MAX,
        };
        let [low, high] = self.major.to_le_bytes();
        [d, r, m, t, codec, self.refused.into(), low, high]
    }

    /// Reads one; none: more must come. The first byte that does not belong ends it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, LinkError> {
        if bytes.iter().zip(MAGIC).any(|(byte, magic)| *byte != magic) {
            return Err(LinkError::Protocol(STRANGER.to_owned()));
        }
        let Some([_, _, _, _, codec, refused, low, high]) = bytes.first_chunk::<GREETING_BYTES>() else {
            return Ok(None);
        };
        let codec = match codec {
            0 => Some(Codec::Binary),
            1 => Some(Codec::Json),
            _ => None,
        };
        Ok(Some(Self { codec, refused: *refused != 0, major: u16::from_le_bytes([*low, *high]) }))
    }

    /// What is wrong with what the other side speaks.
    pub(crate) fn objection(self) -> Option<String> {
        if self.major != VERSION.major {
            Some(format!(
                "one side speaks version {} of the protocol, the other {}; use a game and a director of the same major version",
                self.major, VERSION.major
            ))
        } else if self.codec.is_none() {
            Some("the greeting asks for an unknown codec; 0 is binary, 1 is JSON".to_owned())
        } else {
            None
        }
    }
}

/// What a stranger is told, and what is told of one.
pub(crate) const STRANGER: &str = "what came is not the dramaturg protocol; connect with DRMT and a version, or as a WebSocket; check address and port";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_read_as_they_are_written() {
        for codec in [Codec::Binary, Codec::Json] {
            let greeting = Greeting::ours(codec);
            let bytes = greeting.bytes();
            assert_eq!(Greeting::read(&bytes), Ok(Some(greeting)));
            assert_eq!(Greeting::read(&bytes[..5]), Ok(None));
            assert_eq!(greeting.objection(), None);
        }
        assert!(Greeting::read(b"SSH-2.0").is_err());
        assert!(Greeting::read(b"DX").is_err(), "the first byte that does not belong ends it");
    }

    #[test]
    fn another_major_version_is_refused_by_name() {
        let text = Greeting { major: 7, ..Greeting::ours(Codec::Binary) }.objection().expect("refused");
        assert!(text.contains("version 7"), "{text}");
        let unknown = Greeting::read(b"DRMT\x09\0\x01\0").expect("a greeting").expect("whole");
        assert!(unknown.objection().expect("refused").contains("codec"));
    }
}
