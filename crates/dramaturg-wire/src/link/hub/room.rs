//! Room for what links have to read and to write, all of them together.

use std::time::{Duration, Instant};

use super::super::LinkError;
use super::super::allowance::Grant;
use super::{Hub, HubEvent, HubKey, Slot, find};

/// A link that has held part of a frame for so long is given up when others have no room for theirs: before its hello,
/// and after.
const HOARD: Duration = Duration::from_secs(1);
pub(super) const HOARD_ADMITTED: Duration = Duration::from_secs(10);

impl Hub {
    /// Notes what waits to be written on a link.
    pub(super) fn recount(&mut self, key: HubKey) {
        let Self { slots, waiting, .. } = self;
        if let Some(entry) = find(slots, key) {
            let now = entry.link.waiting_bytes();
            *waiting = *waiting - entry.waiting + now;
            entry.waiting = now;
        }
    }

    /// All links together have more to write than they may: the one with the most of it is given up.
    pub(super) fn shed_largest(&mut self) {
        let held = |(at, slot): (usize, &Slot)| Some((slot.entry.as_ref()?.waiting, at, slot.generation));
        let Some((bytes, slot, generation)) = self.slots.iter().enumerate().filter_map(held).max() else { return };
        let key = HubKey { slot: slot as u32, generation };
        if self.entry(key).is_some_and(|entry| entry.farewell.is_none()) {
            self.open -= 1;
            let error = LinkError::Congested { bytes, most: self.limits.queue_bytes_max.into() };
            self.shed.push((key, error));
        }
        self.remove(key);
    }

    /// Lets links go on that had no room for what comes, those with the smallest frames first. Where there is still
    /// none, the link that has held part of a frame longest is given up, if that is long.
    pub(super) fn feed_starved(&mut self, now: Instant, events: &mut Vec<HubEvent>) {
        if self.starved.is_empty() {
            return;
        }
        let mut starved = Vec::new();
        for key in std::mem::take(&mut self.starved) {
            let Self { slots, pools, .. } = self;
            if let Some(entry) = find(slots, key).filter(|entry| entry.farewell.is_none()) {
                starved.push((entry.allowance.is_admitted(), pools.need(entry.link.claimed_bytes()), key));
            }
        }
        // Who came first stays first among equals.
        starved.sort_by_key(|(admitted, need, _)| (*admitted, *need));
        let mut full = [false; 2];
        for (admitted, _, key) in starved {
            let waits = full.get_mut(usize::from(admitted)).is_some_and(|full| {
                // What comes later in the order needs even more.
                *full = *full || !self.feed(key, admitted, now, events);
                *full
            });
            if waits {
                self.starved.push(key);
            }
        }
    }

    /// Finds room for what comes on a link; false: there is none.
    fn feed(&mut self, key: HubKey, admitted: bool, now: Instant, events: &mut Vec<HubEvent>) -> bool {
        loop {
            let Self { slots, pools, .. } = self;
            let Some(entry) = find(slots, key) else { return true };
            match entry.reserve(pools, now) {
                Grant::Bytes(allowed) => entry.link.allow(allowed),
                // Reading from it says so.
                Grant::TooLarge => {}
                Grant::NoRoom => {
                    let Some((hoarder, held)) = self.hoarder(admitted, now) else { return false };
                    let (what, milliseconds) = ("the rest of a frame, while others wait,", held.as_millis() as u64);
                    self.end(hoarder, LinkError::TimedOut { what, milliseconds }, events);
                    // Not even last words: what it holds is wanted.
                    self.remove(hoarder);
                    continue;
                }
            }
            self.ready.push(key);
            return true;
        }
    }

    /// The link of this kind that has held part of a frame longest, if that is long.
    pub(super) fn hoarder(&self, admitted: bool, now: Instant) -> Option<(HubKey, Duration)> {
        let holds = |(at, slot): (usize, &Slot)| {
            let entry = slot.entry.as_ref().filter(|entry| entry.allowance.is_admitted() == admitted)?;
            let key = HubKey { slot: at as u32, generation: slot.generation };
            entry.allowance.since().map(|since| (since, key))
        };
        let (since, key) = self.slots.iter().enumerate().filter_map(holds).min()?;
        let (held, most) = (now.saturating_duration_since(since), if admitted { HOARD_ADMITTED } else { HOARD });
        (held >= most).then_some((key, held))
    }
}
