//! Who reads a slot when: what must be looked at again after the slot has changed.

use super::moment::Moment;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// How long it takes.
    Length,
    /// What one of its deeds writes.
    Deed(u16),
    /// What one of its spreads adds.
    Spread(u16),
    /// One of its conditions.
    Need(u16),
}

/// A reading of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reading {
    pub(crate) from: Moment,
    pub(crate) to: Moment,
    pub(crate) who: u32,
    pub(crate) what: What,
}

/// Everyone who reads a slot, by when they begin to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    points: Vec<Reading>,
    /// Readings that go on for some time are few.
    stretches: Vec<Reading>,
}

impl Readers {
    fn list(&mut self, reading: &Reading) -> &mut Vec<Reading> {
        if reading.from == reading.to { &mut self.points } else { &mut self.stretches }
    }

    pub(crate) fn add(&mut self, reading: Reading) {
        let list = self.list(&reading);
        if let Err(at) = list.binary_search(&reading) {
            list.insert(at, reading);
        }
    }

    pub(crate) fn remove(&mut self, reading: &Reading) {
        let list = self.list(reading);
        if let Ok(at) = list.binary_search(reading) {
            list.remove(at);
        }
    }

    /// Everyone who reads what was written from one moment until before another.
    pub(crate) fn meeting(&self, from: Moment, to: Moment) -> impl Iterator<Item = &Reading> {
        let first = self.points.partition_point(|reading| reading.from <= from);
        let points = self.points.get(first..).unwrap_or(&[]).iter().take_while(move |reading| reading.from <= to);
        let stretches = self.stretches.iter().take_while(move |reading| reading.from <= to);
        points.chain(stretches.filter(move |reading| reading.to > from))
    }
}
