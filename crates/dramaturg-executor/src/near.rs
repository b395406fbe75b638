//! Where tasks are found again: those that start together lie together.

use std::hash::{BuildHasherDefault, Hasher};

/// Steps of one moment have numbers that follow each other. Kept side by side they are found with a few looks into memory, where
/// scattered each would take its own: in a game that starts hundreds of tasks in a tick that is most of the time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearHasher(u64);

/// Builds them.
pub(crate) type BuildNear = BuildHasherDefault<NearHasher>;

/// The map tells entries of one place apart by these bits.
const TAG: u64 = 0xFE00_0000_0000_0000;
/// The golden ratio scatters well.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for NearHasher {
    fn finish(&self) -> u64 {
        (self.0 & !TAG) | (self.0.wrapping_mul(SCATTER) & TAG)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(SCATTER);
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = self.0.wrapping_add(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        // Further parts of a step would stand where the next steps do.
        self.0 = self.0.wrapping_add(u64::from(number).wrapping_mul(SCATTER >> 8));
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use dramaturg_wire::Task;

    use super::*;

    #[test]
    fn steps_that_follow_each_other_lie_side_by_side() {
        let hash = |step, part| BuildNear::default().hash_one(Task { step, part });
        for step in 0..1_000 {
            assert_eq!((hash(step + 1, 0) & !TAG) - (hash(step, 0) & !TAG), 1);
        }
        let tags: std::collections::BTreeSet<_> = (0..1_000).map(|step| hash(step, 0) & TAG).collect();
        assert_eq!(tags.len(), 128, "all tags are used");
        assert_ne!(hash(7, 1), hash(8, 0));
    }
}
