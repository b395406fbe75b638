//! Chance from a seed: the same on every machine.

use serde::{Deserialize, Serialize};

use crate::fixed::{Fixed, MILLION};

/// A stream of numbers that follows from its seed alone (SplitMix64: small, well studied, and its state is one word to save).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a bound, each as likely (0 for the bound 0).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// A number between two others, both inclusive, in millionths or in whole numbers.
    pub fn between(&mut self, least: Fixed, most: Fixed, whole: bool) -> Fixed {
        let unit = if whole { MILLION } else { 1 };
        let (least, most) = (least.0.div_euclid(unit), most.0.div_euclid(unit));
        let span = i128::from(most) - i128::from(least);
        if span < 0 {
            return Fixed(least * unit);
        }
        let offset = (u128::from(self.draw()) * (span as u128 + 1)) >> 64;
        Fixed((i128::from(least) + offset as i128) as i64 * unit)
    }
}
