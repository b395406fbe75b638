//! What has not been seen before.
//!
//! A state is as novel as the smallest combination of values that it is the first to show, among the states of its class: one value,
//! two together, or nothing of the kind. States that show something new are worth a look even where no distance says so.

use dramaturg_model::Id;

use crate::ground::Problem;
use crate::packed::PackedState;

/// How novel a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Novelty {
    /// A value is new in its class.
    Value = 0,
    /// Two values have not come together before, as far as the last step has brought one of them.
    Pair = 1,
    /// Nothing of the kind.
    None = 2,
}

/// Numbers are seen by their sign and magnitude: so many values each.
const BANDS: usize = 128;

/// What has been seen, in memory that does not grow.
///
/// It is one long row of bits. Values of a class, and what came together with a value, each have a stretch that begins where a hash
/// says; stretches may overlap, and then something new now and then goes unnoticed.
#[derive(Clone, Debug)]
pub struct Seen {
    bits: Vec<u64>,
    values: usize,
}

impl Seen {
    /// Nothing yet, with room for so many bits, rounded up to a power of two.
    pub fn new(problem: &Problem, bits: usize) -> Self {
        let values = problem.variables.iter().map(|(id, variable)| problem.index.fact(id, variable.size())).max();
        let words = bits.div_ceil(64).next_power_of_two();
        Self { bits: vec![0; words], values: values.unwrap_or(0) }
    }

    /// The values of a state as numbers, one for each variable and each number of the problem.
    pub fn values(&self, problem: &Problem, state: &PackedState, into: &mut Vec<u32>) {
        into.clear();
        for id in problem.variables.ids() {
            into.push(problem.index.fact(id, state.get(problem, id)) as u32);
        }
        for id in problem.numbers.ids() {
            let band = state.number(id).map_or(0, |value| {
                let magnitude = 64 - value.0.unsigned_abs().leading_zeros() as usize;
                if value.0 < 0 { 64 - magnitude.min(63) } else { 64 + magnitude.min(63) }
            });
            into.push((self.values + id.index() * BANDS + band) as u32);
        }
    }

    /// How novel a state with some values is in its class, after a step from one with other values; from now on it has been seen.
    pub fn look(&mut self, class: u64, values: &[u32], before: Option<&[u32]>) -> Novelty {
        let mut novelty = Novelty::None;
        let own = start(class, u64::MAX);
        for value in values {
            if self.mark(own, *value) {
                novelty = Novelty::Value;
            }
        }
        for (place, value) in values.iter().enumerate() {
            if before.is_some_and(|before| before.get(place) == Some(value)) {
                continue;
            }
            let stretch = start(class, u64::from(*value));
            for other in values {
                if self.mark(stretch, *other) {
                    novelty = novelty.min(Novelty::Pair);
                }
            }
        }
        novelty
    }

    /// Marks a place in a stretch; whether it was not marked before.
    #[inline]
    fn mark(&mut self, stretch: u64, value: u32) -> bool {
        let place = stretch.wrapping_add(u64::from(value >> 6)) as usize & (self.bits.len() - 1);
        let bit = 1u64 << (value & 63);
        match self.bits.get_mut(place) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }
}

fn start(class: u64, value: u64) -> u64 {
    let mut z = class.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ value.wrapping_add(0x2545_F491_4F6C_DD1D);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
