//! What is added to a number tick by tick.

use dramaturg_model::Tick;

use super::slot::Slot;
use crate::simulate::rates::share;

/// A total that is spread evenly over a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Total {
    /// Who brings it, and which of its parts it is.
    pub(crate) source: (u32, u16),
    /// In millionths.
    pub(crate) amount: i64,
    /// The first tick.
    pub(crate) start: Tick,
    /// How many ticks.
    pub(crate) length: Tick,
}

impl Total {
    /// What comes in the ticks from one to another, both inclusive.
    fn between(&self, first: Tick, last: Tick) -> i64 {
        if first <= self.start && last >= self.start + self.length - 1 {
            return self.amount;
        }
        let amount = dramaturg_model::Fixed(self.amount);
        let elapsed = |ticks: Tick| share(amount, ticks.clamp(0, self.length), self.length);
        elapsed(last - self.start + 1) - elapsed(first - self.start)
    }
}

/// Everything that is added to one number in each tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// So much, in millionths.
    pub(crate) rate: i64,
    /// And a part of each of these.
    pub(crate) totals: Vec<Total>,
}

/// Where values are rounded in every tick, nothing but counting helps; no story is looked at longer than this.
const COUNTED_MAX: Tick = 200_000;

impl Flow {
    /// Whether nothing is added.
    pub(crate) fn is_still(&self) -> bool {
        self.rate == 0 && self.totals.is_empty()
    }

    /// The value of a slot after P5 of the ticks from one to another, both inclusive.
    pub(crate) fn pass(&self, slot: &Slot, value: i64, first: Tick, last: Tick) -> i64 {
        if last < first || self.is_still() {
            return value;
        }
        let Some(raw) = slot.raw(value) else { return value };
        if !slot.is_fine() {
            return self.count(slot, raw, first, last);
        }
        let (mut least, mut most) = (self.rate, self.rate);
        let mut end = raw.saturating_add(self.rate.saturating_mul(last - first + 1));
        for total in &self.totals {
            let part = total.amount.div_euclid(total.length.max(1));
            least += part;
            most += part + i64::from(total.amount.rem_euclid(total.length.max(1)) != 0);
            end = end.saturating_add(total.between(first, last));
        }
        // What only rises or only falls is cut off once, at the end.
        if least >= 0 || most <= 0 {
            return slot.cut(end);
        }
        // Parts that nearly cancel out stay as near to a straight line as there are of them.
        let slack = self.totals.len() as i64;
        let (low, high) = (raw.min(end) - slack, raw.max(end) + slack);
        if slot.cut(low) == low && slot.cut(high) == high {
            return end;
        }
        self.count(slot, raw, first, last)
    }

    fn count(&self, slot: &Slot, mut raw: i64, first: Tick, last: Tick) -> i64 {
        for tick in first..=last.min(first.saturating_add(COUNTED_MAX)) {
            let parts = self.totals.iter().map(|total| total.between(tick, tick)).sum::<i64>();
            let value = slot.cut(raw.saturating_add(self.rate).saturating_add(parts));
            raw = slot.raw(value).unwrap_or(raw);
        }
        slot.cut(raw)
    }
}
