//! Rows of bits: what is present, and what excludes what.

/// A set of small numbers, one bit each. Sets that are put together are of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    words: Box<[u64]>,
}

impl Bits {
    /// An empty set of numbers below `len`.
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)].into() }
    }

    /// The numbers below `len` that fit.
    pub fn of(len: usize, fits: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::new(len);
        (0..len).filter(|number| fits(*number)).for_each(|number| bits.insert(number));
        bits
    }

    /// Whether a number is in it.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Puts a number in.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Adds all of another set.
    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Keeps what is in another set too.
    pub fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Takes all of another set out.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// Whether everything in it is in another set too.
    pub fn is_within(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| word & !other == 0)
    }

    /// Whether everything that is in it and in a mask is in another set too.
    pub fn is_masked_within(&self, mask: &Self, other: &Self) -> bool {
        let words = self.words.iter().zip(&mask.words).zip(&other.words);
        words.into_iter().all(|((word, mask), other)| word & mask & !other == 0)
    }

    /// Whether nothing is in both.
    pub fn is_apart(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| word & other == 0)
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// How many numbers are in it.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The first number in it that is not below another.
    pub fn next(&self, from: usize) -> Option<usize> {
        let rest = self.words.iter().enumerate().skip(from / 64);
        rest.map(|(place, word)| (place, if place == from / 64 { word & (u64::MAX << (from % 64)) } else { *word }))
            .find(|(_, word)| *word != 0)
            .map(|(place, word)| place * 64 + word.trailing_zeros() as usize)
    }

    /// All numbers in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(place * 64 + bit)
            })
        })
    }
}
