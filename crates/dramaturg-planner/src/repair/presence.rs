//! How an occurrence is in the projection: what it writes into the timelines, what it reads of them, and what it holds.

use std::sync::Arc;

use dramaturg_model::{Fixed, Tick};
use smallvec::SmallVec;

use super::form::{Form, Length, Written, held};
use super::holds::Hold;
use super::moment::Moment;
use super::occurrence::{NeedState, Occurrence, OccurrenceId, Origin, Part};
use super::projection::Projection;
use super::readers::{Reading, What};
use super::repertoire::FormId;
use super::slot::SlotId;
use super::timeline::Change;
use super::work::Work;
use crate::ground::GroundActuatorId;

impl Projection {
    /// Puts a step in; its effects show once everything is settled.
    pub(crate) fn place(&mut self, form: FormId, start: Tick, told: Option<Tick>) -> OccurrenceId {
        self.occur(form, Origin::Step, start, told)
    }

    pub(super) fn occur(&mut self, form: FormId, origin: Origin, start: Tick, told: Option<Tick>) -> OccurrenceId {
        let made = Occurrence {
            form,
            origin,
            start,
            duration: 0,
            told,
            alive: true,
            parts: SmallVec::new(),
            needs: SmallVec::new(),
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.occurrences[id] = made;
                id
            }
            None => self.occurrences.push(made),
        };
        self.enter(id);
        id
    }

    /// Takes an occurrence out.
    pub(crate) fn lift(&mut self, id: OccurrenceId) {
        self.leave(id);
        self.occurrences[id].alive = false;
        self.free.push(id);
    }

    /// Moves a step.
    pub(crate) fn shift(&mut self, id: OccurrenceId, start: Tick) {
        self.leave(id);
        self.occurrences[id].start = start;
        self.enter(id);
    }

    /// Writes everything that an occurrence does into the timelines.
    pub(super) fn enter(&mut self, id: OccurrenceId) {
        let repertoire = Arc::clone(&self.repertoire);
        let form = &repertoire.forms[self.occurrences[id].form];
        let duration = self.read_length(id);
        self.occurrences[id].duration = duration;
        let origin = self.occurrences[id].origin;
        let reading = self.occurrences[id].reading_moment();
        if let Length::Read(_, reads) = &form.length
            && self.occurrences[id].told.is_none()
        {
            self.listen(reads, (reading, reading), id, What::Length);
        }
        self.occurrences[id].parts = SmallVec::from_elem(None, form.deeds.len() + 2 * form.spreads.len());
        if !matches!(origin, Origin::Level(..)) {
            for (number, deed) in form.deeds.iter().enumerate() {
                let moment = self.occurrences[id].deed_moment(form, deed.when);
                let Some(moment) = moment.filter(|moment| *moment >= self.origin) else { continue };
                if !deed.reads.is_empty() {
                    self.listen(&deed.reads, (moment, moment), id, What::Deed(number as u16));
                }
                self.write_deed(id, number as u16);
            }
        }
        for (number, spread) in form.spreads.iter().enumerate() {
            if !spread.reads.is_empty() {
                self.listen(&spread.reads, (reading, reading), id, What::Spread(number as u16));
            }
            self.write_spread(id, number as u16);
        }
        self.enter_step(id);
    }

    /// What only steps have: conditions, holds, and rules that come after them.
    fn enter_step(&mut self, id: OccurrenceId) {
        if self.occurrences[id].origin != Origin::Step {
            return;
        }
        let repertoire = Arc::clone(&self.repertoire);
        let form_id = self.occurrences[id].form;
        let form = &repertoire.forms[form_id];
        let (start, duration) = (self.occurrences[id].start, self.occurrences[id].duration);
        self.occurrences[id].needs = SmallVec::from_elem(NeedState::default(), form.needs.len());
        for (number, need) in form.needs.iter().enumerate() {
            let Some((from, to)) = self.occurrences[id].need_moments(need.when) else { continue };
            if to < self.origin {
                continue;
            }
            self.listen(&need.reads, (from, to), id, What::Need(number as u16));
            self.push(from, Work::Read(id.0, What::Need(number as u16)));
        }
        for (actuator, hold) in grips(form, id, start, duration) {
            let before = self.holds[actuator].excess();
            self.holds[actuator].add(hold);
            self.excess += self.holds[actuator].excess() - before;
        }
        for track in repertoire.tracks_after.try_at(form_id).into_iter().flatten() {
            let moment = Moment::turn(start + duration, repertoire.tracks[*track].turn);
            if moment >= self.origin {
                self.tracks[*track].triggers.push((moment, id.0));
                self.want_scan(*track, moment, moment.next());
            }
        }
    }

    /// Takes everything that an occurrence does out of the timelines.
    pub(super) fn leave(&mut self, id: OccurrenceId) {
        let repertoire = Arc::clone(&self.repertoire);
        let form_id = self.occurrences[id].form;
        let form = &repertoire.forms[form_id];
        let reading = self.occurrences[id].reading_moment();
        if let Length::Read(_, reads) = &form.length {
            self.unlisten(reads, (reading, reading), id, What::Length);
        }
        for (number, deed) in form.deeds.iter().enumerate().filter(|(_, deed)| !deed.reads.is_empty()) {
            if let Some(moment) = self.occurrences[id].deed_moment(form, deed.when) {
                self.unlisten(&deed.reads, (moment, moment), id, What::Deed(number as u16));
            }
        }
        for (number, spread) in form.spreads.iter().enumerate().filter(|(_, spread)| !spread.reads.is_empty()) {
            self.unlisten(&spread.reads, (reading, reading), id, What::Spread(number as u16));
        }
        for number in 0..self.occurrences[id].parts.len() {
            self.write_part(id, number, None);
        }
        if self.occurrences[id].origin != Origin::Step {
            return;
        }
        for (number, need) in form.needs.iter().enumerate() {
            self.note_need(id, number as u16, 0);
            if let Some(moments) = self.occurrences[id].need_moments(need.when) {
                self.unlisten(&need.reads, moments, id, What::Need(number as u16));
            }
        }
        let (start, duration) = (self.occurrences[id].start, self.occurrences[id].duration);
        for (actuator, hold) in grips(form, id, start, duration) {
            let before = self.holds[actuator].excess();
            self.holds[actuator].remove(hold);
            self.excess += self.holds[actuator].excess() - before;
        }
        for track in repertoire.tracks_after.try_at(form_id).into_iter().flatten() {
            let moment = Moment::turn(start + duration, repertoire.tracks[*track].turn);
            self.tracks[*track].triggers.retain(|trigger| *trigger != (moment, id.0));
            self.want_scan(*track, moment, moment.next());
        }
    }

    fn listen(&mut self, slots: &[SlotId], (from, to): (Moment, Moment), id: OccurrenceId, what: What) {
        for slot in slots {
            self.readers[*slot].add(Reading { from, to, who: id.0, what });
        }
    }

    fn unlisten(&mut self, slots: &[SlotId], (from, to): (Moment, Moment), id: OccurrenceId, what: What) {
        for slot in slots {
            self.readers[*slot].remove(&Reading { from, to, who: id.0, what });
        }
    }

    pub(super) fn read_length(&self, id: OccurrenceId) -> Tick {
        let occurrence = &self.occurrences[id];
        if let Some(told) = occurrence.told {
            return told;
        }
        match &self.repertoire.forms[occurrence.form].length {
            Length::None => 0,
            Length::Plain(ticks) => *ticks,
            Length::Read(expr, _) => {
                let value = self.evaluate(expr, occurrence.reading_moment(), None);
                value.as_number().map_or(1, Fixed::round_half_up).max(1)
            }
        }
    }

    /// Writes what a deed does now.
    pub(super) fn write_deed(&mut self, id: OccurrenceId, number: u16) {
        let repertoire = Arc::clone(&self.repertoire);
        let occurrence = &self.occurrences[id];
        let form = &repertoire.forms[occurrence.form];
        let Some(deed) = form.deeds.get(usize::from(number)) else { return };
        let Some(moment) = occurrence.deed_moment(form, deed.when).filter(|moment| *moment >= self.origin) else {
            return;
        };
        let happens = deed.guard.as_ref().is_none_or(|guard| self.holds(guard, moment));
        let duration = Some(occurrence.duration);
        let change = happens.then(|| match &deed.written {
            Written::Set(value) => Some(Change::Set(*value)),
            Written::Add(amount) => Some(Change::Add(*amount)),
            Written::Leave(from, to) => (self.before(deed.slot, moment) == *from).then_some(Change::Set(*to)),
            Written::SetTo(expr) => {
                let value = self.evaluate(expr, moment, duration);
                held(&repertoire.problem, deed.slot, &repertoire.slots, value).map(Change::Set)
            }
            Written::AddTo(expr) => {
                self.evaluate(expr, moment, duration).as_number().map(|amount| Change::Add(amount.0))
            }
        });
        let part = change.flatten().map(|change| Part { moment, slot: deed.slot, change });
        self.write_part(id, usize::from(number), part);
    }

    /// Writes what a spread does now.
    pub(super) fn write_spread(&mut self, id: OccurrenceId, number: u16) {
        let repertoire = Arc::clone(&self.repertoire);
        let occurrence = &self.occurrences[id];
        let form = &repertoire.forms[occurrence.form];
        let Some(spread) = form.spreads.get(usize::from(number)) else { return };
        let slot = spread.slot;
        let (start, length) = (occurrence.start, occurrence.duration);
        let (reading, origin) = (occurrence.reading_moment(), occurrence.origin);
        let holds = spread.guard.as_ref().is_none_or(|guard| self.holds(guard, reading));
        let amount = match spread.plain {
            Some(amount) => Some(amount),
            None => self.evaluate(&spread.amount, reading, Some(length)).as_number().map(|amount| amount.0),
        };
        let until = match origin {
            Origin::Level(_, to) => to,
            _ => start.saturating_add(length),
        };
        let lasts = Moment::end(until) > self.origin && until > start;
        let amount = amount.filter(|amount| *amount != 0 && holds && lasts);
        let begin = self.origin.max(Moment::started(start));
        let at = form.deeds.len() + 2 * usize::from(number);
        let endless = until == Tick::MAX;
        let (on, off) = match (amount, spread.per_tick, origin) {
            (Some(amount), true, _) => (Some(Change::Rate(amount)), (!endless).then_some(Change::Rate(-amount))),
            // A total has no meaning without an end.
            (_, false, Origin::Level(..)) | (None, ..) => (None, None),
            (Some(amount), false, _) => (Some(Change::Total { amount, start, length }), Some(Change::Still)),
        };
        self.write_part(id, at, on.map(|change| Part { moment: begin, slot, change }));
        self.write_part(id, at + 1, off.map(|change| Part { moment: Moment::end(until), slot, change }));
    }

    /// Puts one part of an occurrence in the place of what was there.
    fn write_part(&mut self, id: OccurrenceId, number: usize, part: Option<Part>) {
        let Some(place) = self.occurrences[id].parts.get_mut(number) else { return };
        if *place == part {
            return;
        }
        let old = std::mem::replace(place, part);
        let source = (id.0, number as u16);
        if let Some(old) = old {
            self.timelines[old.slot].remove(old.moment, source, old.change);
            self.queue_fold(old.slot);
        }
        if let Some(new) = part {
            self.timelines[new.slot].insert(new.moment, source, new.change);
            self.queue_fold(new.slot);
        }
    }
}

/// What a step holds, and when.
fn grips(form: &Form, id: OccurrenceId, start: Tick, duration: Tick) -> impl Iterator<Item = (GroundActuatorId, Hold)> {
    form.grips.iter().enumerate().map(move |(number, grip)| {
        let (from, to) = (start + grip.from.offset(duration), start + grip.to.offset(duration).min(duration));
        (grip.actuator, Hold { from, to, source: id.0, part: number as u16, amount: grip.amount })
    })
}
