//! How far a measurement is.

/// Tells how many of all seconds are over.
pub struct Progress<'p> {
    tell: &'p mut dyn FnMut(usize, usize),
    all: usize,
    before: usize,
}

impl<'p> Progress<'p> {
    /// A measurement that takes so many seconds.
    pub fn new(all: u32, tell: &'p mut dyn FnMut(usize, usize)) -> Self {
        Self { tell, all: all as usize, before: 0 }
    }

    /// So many seconds of this part are over.
    pub fn at(&mut self, seconds: f64) {
        let done = self.before + seconds.max(0.0) as usize;
        (self.tell)(done.min(self.all.saturating_sub(1)), self.all);
    }

    /// A part of so many seconds is over.
    pub fn part_is_over(&mut self, seconds: u32) {
        self.before += seconds as usize;
        self.at(0.0);
    }

    /// Everything is over.
    pub fn end(&mut self) {
        (self.tell)(self.all, self.all);
    }
}
