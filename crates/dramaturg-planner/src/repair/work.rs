//! What an edit makes necessary: slots to be folded, and whoever reads them to be looked at again, all in order of time, for nothing depends on
//! what comes later.

use std::cmp::Reverse;
use std::sync::Arc;

use super::moment::Moment;
use super::occurrence::OccurrenceId;
use super::projection::Projection;
use super::readers::What;
use super::repertoire::TrackId;
use super::slot::SlotId;

/// Something to be looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// A slot was edited.
    Fold(SlotId),
    /// Something that an occurrence reads has changed.
    Read(u32, What),
    /// Something that a rule waits for has changed.
    Scan(TrackId),
}

/// Rules that set each other off without end are left alone after so much work.
const WORK_MAX: usize = 200_000;

impl Projection {
    pub(super) fn queue_fold(&mut self, slot: SlotId) {
        if let Some(from) = self.timelines[slot].edited_from() {
            self.push(from, Work::Fold(slot));
        }
    }

    pub(super) fn push(&mut self, moment: Moment, work: Work) {
        self.work.push(Reverse((moment, work)));
    }

    /// Does everything that edits have made necessary.
    pub(crate) fn settle(&mut self) {
        let mut last = None;
        for _ in 0..WORK_MAX {
            let Some(Reverse(item)) = self.work.pop() else { return };
            // The same thing is often asked for several times over.
            if last == Some(item) && !matches!(item.1, Work::Fold(_)) {
                continue;
            }
            last = Some(item);
            self.effort += 1;
            match item.1 {
                Work::Fold(slot) => self.fold(slot),
                Work::Read(who, what) => self.read_again(OccurrenceId(who), what),
                Work::Scan(track) => self.scan(track),
            }
        }
        self.work.clear();
    }

    fn fold(&mut self, slot: SlotId) {
        let before = self.timelines[slot].clashes();
        let Some(rewrite) = self.timelines[slot].fold(&self.repertoire.slots[slot]) else { return };
        let (from, to) = (rewrite.from, rewrite.to);
        self.clashes += i64::from(self.timelines[slot].clashes()) - i64::from(before);
        self.touched.push((slot, rewrite));
        for reading in self.readers[slot].meeting(from, to) {
            self.work.push(Reverse((reading.from.max(from), Work::Read(reading.who, reading.what))));
        }
        let repertoire = Arc::clone(&self.repertoire);
        for track in &repertoire.tracks_reading[slot] {
            self.want_scan(*track, from, to);
        }
    }

    fn read_again(&mut self, id: OccurrenceId, what: What) {
        if !self.occurrences.try_at(id).is_some_and(|occurrence| occurrence.alive) {
            return;
        }
        match what {
            What::Length => {
                if self.read_length(id) != self.occurrences[id].duration {
                    self.leave(id);
                    self.enter(id);
                }
            }
            What::Deed(number) => self.write_deed(id, number),
            What::Spread(number) => self.write_spread(id, number),
            What::Need(number) => {
                let (short, _) = self.shortfall(id, number);
                self.note_need(id, number, short);
            }
        }
    }

    /// How far a condition of a step is from holding, and where that is first seen.
    pub(crate) fn shortfall(&self, id: OccurrenceId, number: u16) -> (i64, Moment) {
        let occurrence = &self.occurrences[id];
        let need = self.repertoire.forms[occurrence.form].needs.get(usize::from(number));
        let moments = need.and_then(|need| Some((need, occurrence.need_moments(need.when)?)));
        let Some((need, (from, to))) = moments.filter(|(_, (_, to))| *to >= self.origin) else {
            return (0, self.origin);
        };
        let from = from.max(self.origin);
        let at = |moment: Moment| (self.distance(&need.condition, moment), moment);
        let first = at(from);
        if first.0 > 0 || from == to {
            return first;
        }
        // Between two changes nothing is new, except to numbers that grow or shrink.
        for slot in &need.reads {
            let timeline = &self.timelines[*slot];
            let entries = timeline.entries().get(timeline.place(from)..).unwrap_or(&[]);
            let seen = entries.iter().map(|entry| Moment::check(entry.moment.seen_at()).max(from));
            let seen = seen.take_while(|moment| *moment <= to).chain(timeline.is_flowing().then_some(to));
            if let Some(found) = seen.map(at).find(|(short, _)| *short > 0) {
                return found;
            }
        }
        (0, from)
    }

    pub(super) fn note_need(&mut self, id: OccurrenceId, number: u16, short: i64) {
        let weight = self.repertoire.forms[self.occurrences[id].form].needs.get(usize::from(number));
        let weight = weight.and_then(|need| need.weight);
        let Some(state) = self.occurrences[id].needs.get_mut(usize::from(number)) else { return };
        let old = std::mem::replace(&mut state.short, short);
        match weight {
            Some(weight) => self.displeasure += weight * (i64::from(short > 0) - i64::from(old > 0)),
            None => self.unmet += short - old,
        }
        if (old > 0) == (short > 0) {
            return;
        }
        if short > 0 {
            state.place = self.broken.len() as u32;
            self.broken.push((id, number));
        } else {
            let place = std::mem::replace(&mut state.place, u32::MAX);
            self.broken.swap_remove(place as usize);
            if let Some((moved, need)) = self.broken.get(place as usize).copied()
                && let Some(state) = self.occurrences[moved].needs.get_mut(usize::from(need))
            {
                state.place = place;
            }
        }
    }
}
