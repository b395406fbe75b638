//! Moments: a tick and a place within its six phases, in one number.

use dramaturg_model::Tick;

/// Bits for the place within a tick.
const BITS: u32 = 20;
/// Places from one phase to the next: rules take turns in theirs.
const PHASE: i64 = 1 << 17;

/// A point in time at which something is written, or before which it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Moment(i64);

impl Moment {
    /// Before everything.
    pub(crate) const FIRST: Self = Self(i64::MIN);
    /// After everything.
    pub(crate) const LAST: Self = Self(i64::MAX);

    const fn place(tick: Tick, place: i64) -> Self {
        Self((tick.saturating_mul(1 << BITS)).saturating_add(place))
    }

    /// P0: what is observed.
    pub(crate) const fn observe(tick: Tick) -> Self {
        Self::place(tick, 0)
    }

    /// P1: what ends.
    pub(crate) const fn end(tick: Tick) -> Self {
        Self::place(tick, PHASE)
    }

    /// P2: a turn of a rule, counted over all rounds.
    pub(crate) const fn turn(tick: Tick, turn: i64) -> Self {
        Self::place(tick, 2 * PHASE + if turn < PHASE - 1 { turn } else { PHASE - 1 })
    }

    /// P3: what is looked at.
    pub(crate) const fn check(tick: Tick) -> Self {
        Self::place(tick, 3 * PHASE)
    }

    /// P4: what starts.
    pub(crate) const fn start(tick: Tick) -> Self {
        Self::place(tick, 4 * PHASE)
    }

    /// P4, when everything has started.
    pub(crate) const fn started(tick: Tick) -> Self {
        Self::place(tick, 4 * PHASE + 1)
    }

    /// P5: what is spread over time. Nothing is written at this moment, and who reads it does not see what comes in its tick.
    pub(crate) const fn rates(tick: Tick) -> Self {
        Self::place(tick, 5 * PHASE)
    }

    /// The tick.
    pub(crate) const fn tick(self) -> Tick {
        self.0 >> BITS
    }

    const fn within(self) -> i64 {
        self.0 & ((1 << BITS) - 1)
    }

    /// Which turn of P2 it is; none outside P2.
    pub(crate) fn as_turn(self) -> Option<i64> {
        (2 * PHASE..3 * PHASE).contains(&self.within()).then(|| self.within() - 2 * PHASE)
    }

    /// Right after this one.
    pub(crate) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The first tick whose P3 sees what is written at this moment.
    pub(crate) const fn seen_at(self) -> Tick {
        if self.within() < 3 * PHASE { self.tick() } else { self.tick().saturating_add(1) }
    }

    /// The first tick whose P5 comes at this moment or after it.
    pub(crate) const fn flows_from(self) -> Tick {
        if self.within() <= 5 * PHASE { self.tick() } else { self.tick().saturating_add(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_come_in_order() {
        let order = [
            Moment::observe(7),
            Moment::end(7),
            Moment::turn(7, 0),
            Moment::turn(7, 1_000_000),
            Moment::check(7),
            Moment::start(7),
            Moment::started(7),
            Moment::rates(7),
            Moment::observe(8),
        ];
        assert!(order.is_sorted() && order.iter().all(|moment| (7..=8).contains(&moment.tick())));
        assert_eq!(Moment::turn(7, 3).as_turn(), Some(3));
        assert_eq!(Moment::check(7).as_turn(), None);
        assert_eq!((Moment::end(7).seen_at(), Moment::start(7).seen_at()), (7, 8));
        assert_eq!((Moment::rates(7).flows_from(), Moment::rates(7).next().flows_from()), (7, 8));
        assert_eq!(Moment::observe(-3).tick(), -3);
    }
}
