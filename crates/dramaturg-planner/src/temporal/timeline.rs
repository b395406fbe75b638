//! When what was read and changed last: enough to say how early one more operator may start.

use dramaturg_model::Tick;

use super::footprint::{Footprint, Slot};

/// Before all time.
pub(super) const NEVER: Tick = Tick::MIN / 4;

/// The last moments of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moments {
    /// It was set.
    pub(super) set: Tick,
    /// It was added to, since it was set.
    pub(super) added: Tick,
    /// It was read, since it was set.
    pub(super) read: Tick,
    /// It was kept until then, since it was set.
    pub(super) kept: Tick,
}

impl Moments {
    const NONE: Self = Self { set: NEVER, added: NEVER, read: NEVER, kept: NEVER };
}

/// Which of a slot's moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Set,
    Added,
    Read,
    Kept,
}

/// Why an operator cannot start earlier.
pub(super) type Cause = Option<(Slot, Kind)>;

/// The last moments of all slots.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    slots: Vec<Moments>,
    epsilon: Tick,
    /// The last end so far.
    pub(super) end: Tick,
}

/// The earliest start so far, and what it waits for.
struct Earliest {
    at: Tick,
    cause: Cause,
}

impl Earliest {
    #[inline]
    fn after(&mut self, moment: Tick, slot: Slot, kind: Kind) {
        if moment > self.at {
            self.at = moment;
            self.cause = Some((slot, kind));
        }
    }
}

impl Timeline {
    /// Nothing has happened yet.
    pub(super) fn new(slots: usize, epsilon: Tick) -> Self {
        Self { slots: vec![Moments::NONE; slots], epsilon, end: 0 }
    }

    /// Becomes another one of as many slots, without allocating.
    pub(super) fn overwrite(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.epsilon = other.epsilon;
        self.end = other.end;
    }

    /// Nothing that it knows was earlier than another knows it.
    pub(super) fn not_before(&mut self, other: &Self) {
        for (own, other) in self.slots.iter_mut().zip(&other.slots) {
            own.set = own.set.max(other.set);
            own.added = own.added.max(other.added);
            own.read = own.read.max(other.read);
            own.kept = own.kept.max(other.kept);
        }
    }

    /// Every slot counts as set at a moment, unless it was later.
    pub(super) fn hold_up(&mut self, until: Tick) {
        self.slots.iter_mut().for_each(|moments| moments.set = moments.set.max(until));
        self.end = self.end.max(until);
    }

    /// The moments of a slot.
    #[inline]
    pub(super) fn of(&self, slot: Slot) -> Moments {
        self.slots.get(slot as usize).copied().unwrap_or(Moments::NONE)
    }

    /// How early an operator that takes so long may start, and what it waits for.
    #[inline]
    pub(super) fn earliest(&self, footprint: &Footprint, duration: Tick) -> (Tick, Cause) {
        let mut earliest = Earliest { at: 0, cause: None };
        let epsilon = self.epsilon;
        for (reads, sets, adds, later) in [
            (&footprint.start_reads, &footprint.start_sets, &footprint.start_adds, 0),
            (&footprint.end_reads, &footprint.end_sets, &footprint.end_adds, duration),
        ] {
            for slot in reads {
                let moments = self.of(*slot);
                earliest.after(moments.set + epsilon - later, *slot, Kind::Set);
                earliest.after(moments.added + epsilon - later, *slot, Kind::Added);
            }
            for slot in sets {
                let moments = self.of(*slot);
                earliest.after(moments.set + epsilon - later, *slot, Kind::Set);
                earliest.after(moments.added + epsilon - later, *slot, Kind::Added);
                earliest.after(moments.read + epsilon - later, *slot, Kind::Read);
                earliest.after(moments.kept - later, *slot, Kind::Kept);
            }
            for slot in adds {
                let moments = self.of(*slot);
                earliest.after(moments.set + epsilon - later, *slot, Kind::Set);
                earliest.after(moments.read + epsilon - later, *slot, Kind::Read);
                earliest.after(moments.kept - later, *slot, Kind::Kept);
            }
        }
        for slot in &footprint.keeps {
            let moments = self.of(*slot);
            // What is kept is looked at after the start: it may be made at that very moment.
            earliest.after(moments.set, *slot, Kind::Set);
            earliest.after(moments.added, *slot, Kind::Added);
        }
        (earliest.at, earliest.cause)
    }

    /// Notes that an operator happens; `note` hears of each moment that it is now the last of.
    #[inline]
    pub(super) fn occupy(
        &mut self,
        footprint: &Footprint,
        start: Tick,
        duration: Tick,
        mut note: impl FnMut(Slot, Kind),
    ) {
        let end = start + duration;
        self.end = self.end.max(end);
        self.touch(&footprint.start_reads, &footprint.start_sets, &footprint.start_adds, start, &mut note);
        for slot in &footprint.keeps {
            if let Some(moments) = self.slots.get_mut(*slot as usize)
                && end > moments.kept
            {
                moments.kept = end;
                note(*slot, Kind::Kept);
            }
        }
        self.touch(&footprint.end_reads, &footprint.end_sets, &footprint.end_adds, end, &mut note);
    }

    #[inline]
    fn touch(&mut self, reads: &[Slot], sets: &[Slot], adds: &[Slot], at: Tick, note: &mut impl FnMut(Slot, Kind)) {
        for slot in reads {
            if let Some(moments) = self.slots.get_mut(*slot as usize)
                && at > moments.read
            {
                moments.read = at;
                note(*slot, Kind::Read);
            }
        }
        for slot in adds {
            if let Some(moments) = self.slots.get_mut(*slot as usize)
                && at > moments.added
            {
                moments.added = at;
                note(*slot, Kind::Added);
            }
        }
        for slot in sets {
            if let Some(moments) = self.slots.get_mut(*slot as usize) {
                *moments = Moments { set: at, ..Moments::NONE };
                note(*slot, Kind::Set);
            }
        }
    }
}
