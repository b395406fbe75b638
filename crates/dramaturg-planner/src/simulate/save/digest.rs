//! A number that tells two saves apart.

use std::io;

/// FNV-1a over bytes: small, and the same on every machine.
pub(super) struct Digest(u64);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    pub(super) const fn value(&self) -> u64 {
        self.0
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
        assert_eq!(Digest::new().value(), 0xCBF2_9CE4_8422_2325);
        let mut digest = Digest::new();
        digest.write_all(b"foobar").unwrap();
        assert_eq!(digest.value(), 0x8594_4171_F739_67E8);
    }
}
