//! The timeline of one slot: what changes it, and what its value is after each change.

use dramaturg_model::Tick;
use smallvec::SmallVec;

use super::flow::{Flow, Total};
use super::moment::Moment;
use super::slot::Slot;

/// How a slot changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is seen to have this value, whatever else happens in that tick.
    Observe(i64),
    /// It gets this value.
    Set(i64),
    /// So many millionths are added.
    Add(i64),
    /// So many millionths more are added in every tick from here on.
    Rate(i64),
    /// So many millionths are spread over a time.
    Total {
        /// In all.
        amount: i64,
        /// From this tick.
        start: Tick,
        /// Over so many.
        length: Tick,
    },
    /// The total that the part before brought is over.
    Still,
}

impl Change {
    /// In one moment things seen come first, then sets, then additions.
    const fn rank(&self) -> u8 {
        match self {
            Self::Observe(_) => 0,
            Self::Set(_) => 1,
            Self::Add(_) => 2,
            Self::Rate(_) | Self::Total { .. } | Self::Still => 3,
        }
    }
}

/// One change, and what the slot holds after everything in its moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) moment: Moment,
    /// Who changes it, and with which of its parts.
    pub(crate) source: (u32, u16),
    pub(crate) change: Change,
    pub(crate) after: i64,
    /// Whether others set it to something else at the same time.
    clashes: bool,
}

impl Entry {
    /// Whether the value is the same right before and right after it.
    pub(crate) const fn is_smooth(&self) -> bool {
        matches!(self.change, Change::Rate(_) | Change::Total { .. } | Change::Still)
    }

    fn key(&self) -> Key {
        (self.moment, self.change.rank(), self.source)
    }
}

/// The order of entries.
type Key = (Moment, u8, (u32, u16));

/// What was written anew in a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rewrite {
    /// Nothing is new before.
    pub(crate) from: Moment,
    /// Nor after.
    pub(crate) to: Moment,
    /// From here to the last entry everything is only higher than it was.
    pub(crate) since: Moment,
    /// By so much.
    pub(crate) by: i64,
}

impl Rewrite {
    /// Nothing was.
    pub(crate) const NOTHING: Self = Self { from: Moment::LAST, to: Moment::FIRST, since: Moment::FIRST, by: 0 };
    /// Everything was.
    pub(crate) const EVERYTHING: Self = Self { from: Moment::FIRST, to: Moment::LAST, since: Moment::LAST, by: 0 };

    /// This, and then another in the same timeline.
    pub(crate) fn and(self, next: Self) -> Self {
        Self {
            from: self.from.min(next.from),
            to: self.to.max(next.to),
            since: self.since.max(next.since),
            by: self.by.saturating_add(next.by),
        }
    }
}

/// The timeline of one slot.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    initial: i64,
    entries: Vec<Entry>,
    /// What comes among them when it is next folded.
    coming: Vec<Entry>,
    /// What goes then.
    going: Vec<Key>,
    /// What is added in every tick after each entry; empty while nothing ever is.
    flows: Vec<Flow>,
    flowing: bool,
    observed: bool,
    /// Between which moments entries came and went since it was last folded.
    edited: Option<(Moment, Moment)>,
    /// How many moments have sets that contradict each other.
    clashes: u32,
}

impl Timeline {
    /// A timeline on which nothing happens.
    pub(crate) const fn new(initial: i64) -> Self {
        Self {
            initial,
            entries: Vec::new(),
            coming: Vec::new(),
            going: Vec::new(),
            flows: Vec::new(),
            flowing: false,
            observed: false,
            edited: None,
            clashes: 0,
        }
    }

    /// What changes it, in order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many moments have sets that contradict each other.
    pub(crate) const fn clashes(&self) -> u32 {
        self.clashes
    }

    /// All changes at moments at which sets contradict each other.
    pub(crate) fn clashing(&self) -> impl Iterator<Item = &Entry> {
        let firsts = self.entries.iter().enumerate().filter(|(_, entry)| entry.clashes);
        firsts.flat_map(|(at, first)| {
            let rest = self.entries.get(at..).unwrap_or(&[]).iter();
            rest.take_while(|entry| entry.moment == first.moment)
        })
    }

    fn edit(&mut self, moment: Moment) {
        self.edited = Some(match self.edited {
            Some((from, to)) => (from.min(moment), to.max(moment)),
            None => (moment, moment),
        });
    }

    /// Adds a change, which is seen once it is folded.
    pub(crate) fn insert(&mut self, moment: Moment, source: (u32, u16), change: Change) {
        let entry = Entry { moment, source, change, after: 0, clashes: false };
        if entry.is_smooth() && !self.flowing {
            self.flowing = true;
            self.flows.clear();
            self.flows.resize(self.entries.len(), Flow::default());
        }
        self.coming.push(entry);
        self.observed |= matches!(change, Change::Observe(_));
        self.edit(moment);
    }

    /// Takes a change out.
    pub(crate) fn remove(&mut self, moment: Moment, source: (u32, u16), change: Change) {
        let key = (moment, change.rank(), source);
        match self.coming.iter().position(|entry| entry.key() == key) {
            Some(at) => drop(self.coming.swap_remove(at)),
            None => self.going.push(key),
        }
        self.edit(moment);
    }

    /// Lets changes come and go, all at once: in a long timeline everything behind them is moved no more than once.
    fn take_over(&mut self) {
        let (mut coming, mut going) = (std::mem::take(&mut self.coming), std::mem::take(&mut self.going));
        coming.sort_unstable_by_key(Entry::key);
        going.sort_unstable();
        let first = coming.first().map(Entry::key).into_iter().chain(going.first().copied()).min();
        let last = coming.last().map(Entry::key).into_iter().chain(going.last().copied()).max();
        let Some((first, last)) = first.zip(last) else { return };
        let low = self.entries.partition_point(|entry| entry.key() < first);
        let high = self.entries.partition_point(|entry| entry.key() <= last);
        let mut entries: SmallVec<[Entry; 8]> = SmallVec::new();
        let mut flows: SmallVec<[Flow; 8]> = SmallVec::new();
        let mut waiting = coming.drain(..).peekable();
        for at in low..high {
            let Some(known) = self.entries.get(at).copied() else { continue };
            while let Some(entry) = waiting.next_if(|entry| entry.key() < known.key()) {
                entries.push(entry);
                flows.push(Flow::default());
            }
            if going.binary_search(&known.key()).is_ok() {
                self.clashes -= u32::from(known.clashes);
                continue;
            }
            entries.push(known);
            flows.push(self.flows.get_mut(at).map(std::mem::take).unwrap_or_default());
        }
        for entry in waiting {
            entries.push(entry);
            flows.push(Flow::default());
        }
        going.clear();
        // The room is kept for the next time.
        (self.coming, self.going) = (coming, going);
        drop(self.entries.splice(low..high, entries));
        if self.flowing {
            drop(self.flows.splice(low..high, flows));
        }
    }

    /// Whether the tick of the entry before this place was one in which the slot was seen.
    fn is_masked(&self, at: usize) -> bool {
        if !self.observed {
            return false;
        }
        let before = self.entries.get(..at).unwrap_or(&[]);
        let Some(last) = before.last() else { return false };
        let tick = last.moment.tick();
        let same = before.iter().rev().take_while(|entry| entry.moment.tick() == tick);
        same.into_iter().any(|entry| matches!(entry.change, Change::Observe(_)))
    }

    /// The value right before a moment, if everything up to the entry before place `at` is known.
    pub(crate) fn carry(&self, slot: &Slot, at: usize, moment: Moment) -> i64 {
        let (value, since) = match at.checked_sub(1).and_then(|last| self.entries.get(last)) {
            Some(last) => (last.after, last.moment),
            None => return self.initial,
        };
        let Some(flow) = self.flows.get(at - 1).filter(|flow| !flow.is_still()) else { return value };
        let mut first = since.flows_from();
        if self.is_masked(at) {
            first = first.max(since.tick() + 1);
        }
        flow.pass(slot, value, first, moment.flows_from() - 1)
    }

    /// The value right before a moment.
    pub(crate) fn before(&self, slot: &Slot, moment: Moment) -> i64 {
        let at = self.entries.partition_point(|entry| entry.moment < moment);
        self.carry(slot, at, moment)
    }

    /// The place of the first entry at a moment or later.
    pub(crate) fn place(&self, moment: Moment) -> usize {
        self.entries.partition_point(|entry| entry.moment < moment)
    }

    /// Whether anything is ever added bit by bit.
    pub(crate) const fn is_flowing(&self) -> bool {
        self.flowing
    }

    /// From when on it must be folded again.
    pub(crate) fn edited_from(&self) -> Option<Moment> {
        self.edited.map(|(from, _)| from)
    }

    /// Computes values again from the first edit until they are what they were before.
    pub(crate) fn fold(&mut self, slot: &Slot) -> Option<Rewrite> {
        let (from, to) = self.edited.take()?;
        self.take_over();
        let mut since = (Moment::LAST, 0);
        // A tick in which it was seen is looked at from its beginning.
        let from = if self.observed { Moment::observe(from.tick()) } else { from };
        let mut at = self.place(from);
        let mut same_flow = !self.flowing;
        while let Some(first) = self.entries.get(at).copied() {
            let moment = first.moment;
            let group = self.entries.get(at..).unwrap_or(&[]);
            let count = group.iter().take_while(|entry| entry.moment == moment).count();
            let before = self.carry(slot, at, moment);
            let masked = self.observed && self.is_masked(at) && self.last_tick(at) == Some(moment.tick());
            let (after, clashes) = combine(slot, before, group.get(..count).unwrap_or(&[]), masked);
            // Once what flows is as it was after the last edit, it stays so.
            let flow = (!same_flow).then(|| self.flow_after(at, count));
            same_flow |= moment > to && flow.as_ref() == self.flows.get(at);
            let is_over = moment > to && same_flow;
            if is_over && first.after == after {
                return Some(Rewrite { from, to: moment, since: moment, by: 0 });
            }
            for (place, entry) in self.entries.iter_mut().enumerate().skip(at).take(count) {
                let clashes_now = clashes && place == at;
                self.clashes = self.clashes + u32::from(clashes_now) - u32::from(entry.clashes);
                (entry.after, entry.clashes) = (after, clashes_now);
            }
            if let Some(flow) = flow.filter(|_| !same_flow) {
                for place in self.flows.iter_mut().skip(at).take(count) {
                    place.clone_from(&flow);
                }
            }
            at += count;
            if is_over {
                let by = after.saturating_sub(first.after);
                at = self.raise(slot, at, by, first.after);
                since = if at == self.entries.len() { (moment, by) } else { since };
            }
        }
        Some(Rewrite { from, to: Moment::LAST, since: since.0, by: since.1 })
    }

    /// From this place on everything is so much more than it was, as long as nothing is set and no bound is met. Where that ends.
    fn raise(&mut self, slot: &Slot, at: usize, by: i64, before: i64) -> usize {
        let Some((least, most)) = slot.inside() else { return at };
        let within = |value: i64| value > least && value < most;
        if self.observed || !within(before) || !within(before.saturating_add(by)) {
            return at;
        }
        let mut place = at;
        for entry in self.entries.iter_mut().skip(at) {
            let raised = entry.after.saturating_add(by);
            if !entry.is_smooth() || !within(entry.after) || !within(raised) {
                break;
            }
            entry.after = raised;
            place += 1;
        }
        // A moment is taken as a whole.
        let cut = self.entries.get(place).map(|entry| entry.moment);
        while place > at && self.entries.get(place - 1).map(|entry| entry.moment) == cut {
            place -= 1;
            if let Some(entry) = self.entries.get_mut(place) {
                entry.after = entry.after.saturating_sub(by);
            }
        }
        place
    }

    fn last_tick(&self, at: usize) -> Option<Tick> {
        self.entries.get(at.checked_sub(1)?).map(|entry| entry.moment.tick())
    }

    /// What flows after the entries of one moment.
    fn flow_after(&self, at: usize, count: usize) -> Flow {
        let mut flow = at.checked_sub(1).and_then(|last| self.flows.get(last)).cloned().unwrap_or_default();
        for entry in self.entries.iter().skip(at).take(count) {
            match entry.change {
                Change::Rate(rate) => flow.rate += rate,
                Change::Total { amount, start, length } => {
                    flow.totals.push(Total { source: entry.source, amount, start, length });
                }
                Change::Still => {
                    let (who, part) = entry.source;
                    flow.totals.retain(|total| total.source != (who, part.wrapping_sub(1)));
                }
                Change::Observe(_) | Change::Set(_) | Change::Add(_) => {}
            }
        }
        flow
    }
}

/// The value after all changes of one moment: sets, then additions, then bounds; and whether sets contradict each other.
fn combine(slot: &Slot, before: i64, group: &[Entry], masked: bool) -> (i64, bool) {
    let mut value = before;
    let mut set_by: Option<(u32, i64)> = None;
    let (mut clashes, mut seen) = (false, masked);
    let mut added: Option<i64> = None;
    for entry in group {
        match entry.change {
            Change::Observe(observed) => {
                value = observed;
                seen = true;
            }
            Change::Set(wanted) if !seen => {
                clashes |= set_by.is_some_and(|(who, other)| who != entry.source.0 && other != wanted);
                set_by = Some((entry.source.0, wanted));
                value = wanted;
            }
            Change::Add(amount) if !seen => {
                added = Some(added.unwrap_or(0).saturating_add(amount));
            }
            _ => {}
        }
    }
    if let Some((amount, raw)) = added.zip(slot.raw(value)) {
        value = slot.cut(raw.saturating_add(amount));
    } else if set_by.is_some()
        && let Some(raw) = slot.raw(value)
    {
        value = slot.cut(raw);
    }
    (value, clashes)
}
