//! A number that tells two contents apart.

use std::io;

use serde::Serialize;

/// FNV-1a over bytes: small, and the same on every machine.
pub struct Digest(u64);

impl Digest {
    const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    /// The number of anything that can be written as JSON.
    pub fn of(content: &impl Serialize) -> u64 {
        let mut digest = Self::new();
        // The digest takes everything; what cannot be written gives the number of what was written before it.
        let written = serde_json::to_writer(&mut digest, content);
        debug_assert!(written.is_ok());
        digest.0
    }
}

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(Digest::new().0, 0xCBF2_9CE4_8422_2325);
        let mut digest = Digest::new();
        digest.write_all(b"foobar").unwrap();
        assert_eq!(digest.0, 0x8594_4171_F739_67E8);
    }
}
